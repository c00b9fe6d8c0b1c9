//! Jobs as table rows.

use docmill::domain::job::Job;
use docmill::domain::time::Timestamp;
use maud::{Markup, html};

use crate::pages::parts::{millis, moment, status_badge};
use crate::state::AppState;

pub fn jobs_table(state: &AppState, jobs: &[Job], now: Timestamp) -> Markup {
    html! {
        div.table-frame tabindex="0" role="region" aria-label="Jobs" {
            table {
                thead { tr {
                    th scope="col" { "Job" }
                    th scope="col" { "Status" }
                    th scope="col" { "Tool" }
                    th scope="col" { "Created" }
                    th scope="col" { "Took" }
                    th scope="col" { "Result" }
                } }
                tbody { @for job in jobs { (row(state, job, now)) } }
            }
        }
    }
}

fn row(state: &AppState, job: &Job, now: Timestamp) -> Markup {
    let name = state.context.catalogue.find(&job.tool).map_or(job.tool.as_str(), |tool| &tool.definition.name);
    let path = format!("/app/jobs/{}", job.id);
    html! {
        tr {
            th.long scope="row" { a id={ "job-" (job.id) } href=(state.link(&path)) { @match document(job) { Some(name) => (name), None => { code { (short(job)) } } } } }
            td {
                (status_badge(job.status_at(now)))
                @if job.mode == docmill::domain::api_key::Mode::Test { " " span.badge { "test" } }
            }
            td { (name) }
            td { (moment(job.created_at)) }
            td.short { @match took(job) { Some(time) => (millis(time)), None => span.muted { "–" } } }
            td { (result(job)) }
        }
    }
}

/// The end of the id, which differs for jobs of the same time.
pub fn short(job: &Job) -> String {
    let id = job.id.to_string();
    format!("…{}", id.rsplit('-').next().unwrap_or(&id))
}

/// The document's name for people: the client's own name, or else that of the URL or result.
pub fn document(job: &Job) -> Option<String> {
    let name = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let from_url = |name: &str| {
        let url = url::Url::parse(job.input.get(name)?.as_str()?).ok()?;
        let last = url.path_segments()?.next_back()?.to_owned();
        Some(if last.is_empty() { url.host_str()?.to_owned() } else { last })
    };
    let given = job.input.get("filename").and_then(name);
    // A deleted job keeps its result's size but not its name.
    let result = || job.output.as_ref().map(|output| output.filename.clone()).filter(|name| !name.is_empty());
    given.or_else(|| from_url("sourceUrl")).or_else(|| from_url("url")).or_else(result)
}

/// From its creation to its end.
pub fn took(job: &Job) -> Option<u64> {
    job.finished_at.map(|finished| finished.millis_since(job.created_at))
}

fn result(job: &Job) -> Markup {
    html! {
        @if let Some(error) = &job.error { code { (error.code.as_str()) } }
        @else if let Some(output) = &job.output {
            @if let Some(pages) = output.pages { (pages) @if pages == 1 { " page" } @else { " pages" } }
            @else { (output.format) }
            @if !job.warnings.is_empty() { " " span.badge.warn { (job.warnings.len()) @if job.warnings.len() == 1 { " warning" } @else { " warnings" } } }
        }
        @else { span.muted { "–" } }
    }
}
