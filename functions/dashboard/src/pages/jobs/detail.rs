//! A job: status, duration and result, or what to do if it failed.

use docmill_domain::account::StoredKey;
use docmill_domain::api_key::Mode;
use docmill_domain::job::{Job, JobError, JobStatus, Output, Timings, Warning};
use docmill_domain::time::Timestamp;
use docmill_look::code::copyable_code;
use docmill_look::highlight::{Syntax, highlighted};
use docmill_look::icons;
use docmill_site::assets;
use docmill_site::parts::{bytes, millis, mistakes, moment, moment_or, prose, said, status_badge};
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;
use maud::{Markup, html};
use serde_json::{Map, Value, json};

use super::table::{document, took, tool_names};
use super::{certificate, control, files, steps, support};
use crate::pages::fonts;
use crate::pages::playground::preview::{self, Preview};
use crate::pages::requests;

/// What a job's page shows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    pub(super) state: &'a AppState,
    pub(super) viewer: &'a Viewer,
    /// With all its results.
    pub(super) job: &'a Job,
    pub(super) preview: Option<&'a Preview>,
    pub(super) now: Timestamp,
}

/// `key` is the name of the API key that created the job, if it still exists.
pub(super) fn page(shown: &Shown<'_>, key: Option<&str>) -> Markup {
    let Shown { state, job, now, .. } = *shown;
    let tools = tool_names(state, job).join(" → ");
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/jobs")) { "Jobs" } } } }
        header.page-head {
            h1 { (document(job).unwrap_or_else(|| tools.clone())) }
            p.lead { (tools) ", created " (origin(job, key)) ". Job " code { (job.id) } }
        }
        (live(shown))
        (request(job))
        (support_copy(job, now))
    }
}

fn origin(job: &Job, key: Option<&str>) -> Markup {
    html! {
        @match key {
            _ if job.request.key_id == StoredKey::DASHBOARD_ID => "in the playground",
            Some(name) => { "with the key “" (name) "”" }
            None => { "with the key " code { (job.request.key_id) } }
        }
    }
}

/// The part that changes. It refreshes itself until the job has ended. `job.js` fills in the preview.
pub(super) fn live(shown: &Shown<'_>) -> Markup {
    let Shown { state, viewer, job, now, .. } = *shown;
    let status = job.status_at(now);
    let again = (!status.is_terminal()).then(|| state.link(&format!("/app/jobs/{}/progress", job.id)));
    html! {
        div #progress hx-get=[again.as_ref()] hx-trigger=[again.as_ref().map(|_| "every 1s")] hx-swap="outerHTML"
            data-viewer=(assets::link(state, "viewer.js"))
            data-blocks=(assets::link(state, "blocks.js"))
            data-blocks-style=(assets::link(state, "blocks.css"))
            data-tree=(assets::link(state, "tree.js"))
            data-pdf=(assets::link(state, assets::PDF))
            data-pdf-worker=(assets::link(state, assets::PDF_WORKER)) {
            section.card aria-labelledby="status" {
                header.row {
                    h2 #status { "Status" }
                    p role="status" { (status_badge(status)) @if job.mode == Mode::Test { " " span.badge { "test" } } }
                }
                (status_of(state, job, status))
                div.actions { (control::actions(state, viewer, job)) }
                (facts(state, job))
            }
            (result(shown))
            (steps::show(state, job))
            @if let Some(timings) = &job.result.timings { (timing(timings)) }
            @if !job.result.warnings.is_empty() { (warnings(state, &job.result.warnings)) }
        }
    }
}

/// The files, and a preview of the first one.
fn result(shown: &Shown<'_>) -> Markup {
    let (Some(preview), Some(output)) = (shown.preview, &shown.job.result.output) else { return html! {} };
    let several = files::of(shown.job).len() > 1;
    html! {
        @if several || preview::Kind::of(output) != preview::Kind::Download {
            section.card aria-labelledby="result" {
                h2 #result { @if several { "Files" } @else { "Preview" } }
                @if !several || preview.has_pictures() { (preview::show(preview, output, shown.job)) }
                @if several { (files::list(shown.state, shown.job)) }
            }
        }
    }
}

fn status_of(state: &AppState, job: &Job, status: JobStatus) -> Markup {
    html! {
        @match status {
            JobStatus::Queued => p { "The job is waiting for a worker." noscript { " Reload the page to see its progress." } }
            JobStatus::Processing => p { "The job is running, attempt " (job.attempts) "."
                noscript { " Reload the page to see its progress." } }
            JobStatus::Completed => (completed(state, job))
            JobStatus::Expired => p {
                "The result expired on " (moment_or(job.times.expires_at, "an unknown date")) " and was deleted. "
                "Convert the document again if you still need it."
            }
            JobStatus::Failed => (failed(job))
            JobStatus::Canceled => p { "The job was canceled." @if job.payment.refunded > 0 { " Its credits were refunded." } }
            JobStatus::Deleted => p { "The job's documents and its request were deleted." }
        }
    }
}

fn completed(state: &AppState, job: &Job) -> Markup {
    html! {
        @if let Some(Output { filename, bytes: size, pages, .. }) = &job.result.output {
            p {
                strong { (filename) } ", " @if let Some(pages) = pages { (pages) @if *pages == 1 { " page, " } @else { " pages, " } } (bytes(*size))
            }
            @for finding in docmill_findings::findings(job) { p.finding { (finding) } }
            p.actions {
                a.button.primary #download href=(state.link(&format!("/app/jobs/{}/download", job.id))) { "Download" }
                @if let Some(path) = certificate::path_of(job) { a.button href=(state.link(&path)) { "Certificate" } }
                @if let Some(expires) = job.times.expires_at { " " span.muted { "until " (moment(expires)) } }
            }
        }
    }
}

fn failed(job: &Job) -> Markup {
    html! {
        @if let Some(JobError { code, message, retryable, details }) = &job.result.error {
            div.note.danger {
                p { strong { (prose(message)) } }
                p { code { (code.as_str()) } ": " (prose(code.meaning())) "." }
                (mistakes(details))
                p.muted {
                    @if *retryable { "The same request may succeed later." }
                    @else { "The same request will fail again." }
                    @if job.payment.refunded > 0 { " The credits were refunded." }
                }
            }
        }
    }
}

fn facts(state: &AppState, job: &Job) -> Markup {
    html! {
        dl.details {
            div { dt { "Created" } dd { (moment(job.times.created_at)) } }
            @if job.times.started_at.is_some() { div { dt { "Started" } dd { (moment_or(job.times.started_at, "")) } } }
            @if job.times.finished_at.is_some() { div { dt { "Finished" } dd { (moment_or(job.times.finished_at, "")) } } }
            @if let Some(time) = took(job) { div { dt { "Took" } dd { (millis(time)) } } }
            div { dt { "Attempts" } dd { (job.attempts) } }
            div { dt { "Credits" } dd {
                (job.payment.charge.total()) " charged"
                @if job.payment.refunded > 0 { ", " (job.payment.refunded) " refunded" }
            } }
            @if let (Some(id), Some(path)) = (&job.request.request_id, requests::path_near(job)) {
                div { dt { "Request ID" } dd { a href=(state.link(&path)) { code { (id) } } } }
            }
            @if let Some(engine) = &job.result.engine { div { dt { "Engine" } dd { (engine.name) " " (engine.version) } } }
            @if job.status.is_terminal() {
                div { dt { "Receipt" } dd { a href=(state.link(&format!("/app/jobs/{}/receipt.json", job.id))) download { "Signed statement of files, times and credits" } } }
            }
        }
    }
}

/// The phases as a bar with numbers.
fn timing(timings: &Timings) -> Markup {
    let Timings { queued_ms, fetch_ms, convert_ms, store_ms } = *timings;
    let phases = [("Waited", queued_ms), ("Fetched", fetch_ms), ("Converted", convert_ms), ("Stored", store_ms)];
    let total: u64 = phases.iter().map(|(_, time)| time).sum();
    // The unit is a thousandth of the total, and each phase that took any time is visible.
    let share = |time: u64| time.saturating_mul(1000).checked_div(total).unwrap_or(0).max(u64::from(time > 0) * 4);
    let starts = phases.iter().scan(0, |sum, (_, time)| {
        let start = *sum;
        *sum += share(*time);
        Some(start)
    });
    let whole: u64 = phases.iter().map(|(_, time)| share(*time)).sum();
    html! {
        section.card aria-labelledby="timings" {
            h2 #timings { "Timings" }
            svg.timings viewBox=(format!("0 0 {} 24", whole.max(1))) preserveAspectRatio="none" aria-hidden="true" {
                @for (number, ((_, time), start)) in phases.iter().zip(starts).enumerate() {
                    rect x=(start) y="0" width=(share(*time)) height="24" data-color=(number + 1) {}
                }
            }
            ul.legend { @for (number, (name, time)) in phases.iter().enumerate() {
                li { span.swatch data-color=(number + 1) {} (name) ": " (millis(*time)) }
            } }
        }
    }
}

fn warnings(state: &AppState, warnings: &[Warning]) -> Markup {
    let fonts = state.link(fonts::PATH);
    html! {
        section.card aria-labelledby="warnings" {
            h2 #warnings { "Warnings" }
            p.muted { "Differences from the source:" }
            ul.warnings { @for warning in warnings { li { (said(warning, &fonts)) } } }
        }
    }
}

/// The request as the API returns it, without secrets. Sent again, it makes the same job.
fn request(job: &Job) -> Markup {
    html! {
        section.card aria-labelledby="request" {
            details {
                summary { h2 #request { "Request" } }
                p.muted { "The body for " code { "POST /v1/jobs" } ", without passwords and URL queries, and with a digest in place of inline HTML." }
                (copyable_code("request-echo", Syntax::Json, &pretty(&echo(job))))
            }
        }
    }
}

fn echo(job: &Job) -> Value {
    let mut echo =
        Map::from_iter([("toolSlug".to_owned(), json!(job.tool)), ("input".to_owned(), job.request.input.clone())]);
    let others = [
        ("options", job.request.options.clone()),
        ("then", json!(job.request.then)),
        ("output", json!(job.request.output_request)),
        ("metadata", json!(job.request.metadata)),
    ];
    let is_given = |value: &Value| match value {
        Value::Null => false,
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    };
    echo.extend(others.into_iter().filter(|(_, value)| is_given(value)).map(|(name, value)| (name.to_owned(), value)));
    Value::Object(echo)
}

fn support_copy(job: &Job, now: Timestamp) -> Markup {
    html! {
        section.card aria-labelledby="support" {
            header.row {
                h2 #support { "Support" }
                button.button type="button" data-copy="support-copy" { (icons::copy()) span { "Copy for support" } }
            }
            p.muted {
                "Details that help to find the cause, without keys, links, full addresses, metadata or content."
            }
            details { summary { "Show them" } pre tabindex="0" { code #support-copy { (highlighted(&pretty(&support::facts(job, now)), Syntax::Json)) } } }
        }
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shown_request_makes_the_same_job() {
        let job = json!({
            "id": "01920000-0000-7000-8000-000000000000", "account": "acc", "key_id": "key", "mode": "live",
            "tool": "merge-pdf", "status": "completed", "created_at": 0, "attempts": 1, "period": "2026-11",
            "charge": {"included": 1, "granted": 0}, "refunded": 0, "ttl": 0, "input": {"sources": []}, "options": {},
            "then": [{"toolSlug": "compress-pdf", "options": {"preset": "small"}}], "output_request": {"filename": "a.pdf"},
        });
        let job: Job = serde_json::from_value(job).unwrap();
        assert_eq!(
            echo(&job),
            json!({
                "toolSlug": "merge-pdf", "input": {"sources": []}, "output": {"filename": "a.pdf"},
                "then": [{"toolSlug": "compress-pdf", "options": {"preset": "small"}}],
            })
        );
    }
}
