//! Jobs as table rows.

use docmill_domain::job::Job;
use docmill_domain::request::echo;
use docmill_domain::source::SOURCES;
use docmill_domain::time::Timestamp;
use docmill_site::parts::{ago, millis, status_badge};
use docmill_site::state::AppState;
use maud::{Markup, html};
use serde_json::Value;

/// The field of a row's check box.
pub const CHOSEN: &str = "job";

/// `form`: the id of the form for the rows' check boxes, if they have some.
pub fn jobs_table(state: &AppState, jobs: &[Job], now: Timestamp, form: Option<&str>) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Jobs" {
            table.dense {
                thead { tr {
                    @if form.is_some() { th scope="col" { span.quiet { "Choose" } } }
                    th scope="col" { "Job" }
                    th scope="col" { "Status" }
                    th scope="col" { "Tools" }
                    th scope="col" { "Created" }
                    th scope="col" { "Took" }
                    th scope="col" { "Result" }
                } }
                tbody { @for job in jobs { (row(state, job, now, form)) } }
            }
        }
    }
}

fn row(state: &AppState, job: &Job, now: Timestamp, form: Option<&str>) -> Markup {
    let path = format!("/app/jobs/{}", job.id);
    let name = document(job);
    html! {
        tr {
            @if let Some(form) = form {
                td.tick { input type="checkbox" name=(CHOSEN) value=(job.id) form=(form)
                    aria-label={ "Choose " (name.clone().unwrap_or_else(|| short(job))) }; }
            }
            th.long scope="row" { a id={ "job-" (tail(job)) } href=(state.link(&path)) { @match name { Some(name) => (name), None => { code { (short(job)) } } } } }
            td {
                (status_badge(job.status_at(now)))
                @if job.mode == docmill_domain::api_key::Mode::Test { " " span.badge { "test" } }
            }
            td.free { (tool_names(state, job).join(" → ")) }
            td { (ago(job.times.created_at, now)) }
            td { @match took(job) { Some(time) => (millis(time)), None => span.muted { "–" } } }
            td { (result(job)) }
        }
    }
}

/// The names of the job's tools, in order.
pub fn tool_names<'a>(state: &'a AppState, job: &'a Job) -> Vec<&'a str> {
    let name = |slug: &'a str| state.context.catalogue.find(slug).map_or(slug, |tool| &tool.definition.name);
    let further = job.request.then.iter().filter_map(|step| step["toolSlug"].as_str());
    std::iter::once(job.tool.as_str()).chain(further).map(name).collect()
}

/// The id, shortened for people.
pub fn short(job: &Job) -> String {
    format!("…{}", tail(job))
}

/// The end of the id, which differs for jobs of the same time.
fn tail(job: &Job) -> String {
    let id = job.id.to_string();
    id.rsplit('-').next().unwrap_or(&id).to_owned()
}

/// The documents' names for people: the client's own names, or else those of URLs or of the result.
pub fn document(job: &Job) -> Option<String> {
    let sources = job.request.input.get(SOURCES).and_then(Value::as_array);
    let (first, others) = match sources.map(Vec::as_slice) {
        Some(all @ [first, ..]) => (first, echo::length(all) - 1),
        Some([]) | None => (&job.request.input, 0),
    };
    // A deleted job keeps its result's size but not its name.
    let result = || job.result.output.as_ref().map(|output| output.filename.clone()).filter(|name| !name.is_empty());
    let name = source_name(first).or_else(result).or_else(|| kind_of(first).map(str::to_owned))?;
    Some(if others == 0 { name } else { format!("{name} + {others} more") })
}

fn source_name(source: &Value) -> Option<String> {
    let text = |name: &str| source.get(name).and_then(Value::as_str);
    let from_url = |name: &str| {
        let url = url::Url::parse(text(name)?).ok()?;
        let last = url.path_segments()?.next_back()?.to_owned();
        Some(if last.is_empty() { url.host_str()?.to_owned() } else { last })
    };
    text("filename").map(str::to_owned).or_else(|| from_url("sourceUrl")).or_else(|| from_url("url"))
}

/// What a source without a name is.
fn kind_of(source: &Value) -> Option<&'static str> {
    let kinds = [
        ("html", "HTML"),
        ("markdown", "Markdown"),
        ("text", "Text"),
        ("jobId", "Result of another job"),
        ("uploadId", "Uploaded file"),
    ];
    kinds.into_iter().find(|(name, _)| source.get(name).is_some()).map(|(_, kind)| kind)
}

/// From its creation to its end.
pub fn took(job: &Job) -> Option<u64> {
    job.times.finished_at.map(|finished| finished.millis_since(job.times.created_at))
}

fn result(job: &Job) -> Markup {
    html! {
        @if let Some(error) = &job.result.error { code { (error.code.as_str()) } }
        @else if let Some(output) = &job.result.output {
            @match (job.result.results.as_ref().map_or(0, |results| results.files()), output.pages) {
                (files @ 2.., _) => { (files) " files" }
                (_, Some(1)) => "1 page",
                (_, Some(pages)) => { (pages) " pages" }
                (_, None) => (output.format),
            }
            @if !job.result.warnings.is_empty() { " " span.badge.warn { (job.result.warnings.len()) @if job.result.warnings.len() == 1 { " warning" } @else { " warnings" } } }
        }
        @else { span.muted { "–" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn named(input: &Value) -> Option<String> {
        let job = json!({
            "id": "01920000-0000-7000-8000-000000000000", "account": "acc", "key_id": "key", "mode": "live",
            "tool": "merge-pdf", "status": "failed", "created_at": 0, "attempts": 1, "period": "2026-11",
            "charge": {"included": 1, "granted": 0}, "refunded": 1, "ttl": 0, "input": input, "options": {},
        });
        document(&serde_json::from_value(job).unwrap())
    }

    #[test]
    fn a_job_has_the_names_of_its_sources() {
        for (input, name) in [
            (json!({"uploadId": "upl_1", "filename": "a.docx"}), Some("a.docx")),
            (json!({"sources": [{"uploadId": "upl_1", "filename": "a.pdf"}, {"html": {}}]}), Some("a.pdf + 1 more")),
            (json!({"sourceUrl": "https://a.example/b/c.docx?[redacted]"}), Some("c.docx")),
            (json!({"html": {"bytes": 3}}), Some("HTML")),
            (json!({}), None),
        ] {
            assert_eq!(named(&input).as_deref(), name, "{input}");
        }
    }
}
