//! One job: what it does now, what it took, what came of it, and what to do if nothing did.

use docmill::domain::api_key::Mode;
use docmill::domain::job::{Job, JobError, JobStatus, Output, Timings, Warning};
use docmill::domain::time::Timestamp;
use maud::{Markup, html};
use serde_json::{Value, json};

use super::support;
use super::table::took;
use crate::layout::copyable;
use crate::pages::parts::{bytes, millis, moment, moment_or, status_badge};
use crate::state::AppState;

pub(super) fn page(state: &AppState, job: &Job, now: Timestamp) -> Markup {
    let tool = state.context.catalogue.find(&job.tool).map_or(job.tool.as_str(), |tool| &tool.definition.name);
    html! {
        nav.crumbs aria-label="Breadcrumb" { ol { li { a href=(state.link("/app/jobs")) { "Jobs" } } } }
        header.page-head {
            h1 { (tool) }
            p.lead { "Job " code { (job.id) } }
        }
        (live(state, job, now))
        (request(job))
        (support_copy(job, now))
    }
}

/// The part that changes. It asks for itself again until the job has ended, and then no more.
pub(super) fn live(state: &AppState, job: &Job, now: Timestamp) -> Markup {
    let status = job.status_at(now);
    let again = (!status.is_terminal()).then(|| state.link(&format!("/app/jobs/{}/progress", job.id)));
    html! {
        div #progress hx-get=[again.as_ref()] hx-trigger=[again.as_ref().map(|_| "every 1s")] hx-swap="outerHTML" {
            section.card aria-labelledby="status" {
                header.row {
                    h2 #status { "Status" }
                    p role="status" { (status_badge(status)) @if job.mode == Mode::Test { " " span.badge { "test" } } }
                }
                (standing(state, job, status))
                (facts(job))
            }
            @if let Some(timings) = &job.timings { (timing(timings)) }
            @if !job.warnings.is_empty() { (warnings(&job.warnings)) }
        }
    }
}

fn standing(state: &AppState, job: &Job, status: JobStatus) -> Markup {
    html! {
        @match status {
            JobStatus::Queued => p { "It waits for a worker." noscript { " Reload the page to see how far it is." } }
            JobStatus::Processing => p { "It is being converted, attempt " (job.attempts) "."
                noscript { " Reload the page to see how far it is." } }
            JobStatus::Completed => (completed(state, job))
            JobStatus::Expired => p {
                "The result was deleted on " (moment_or(job.expires_at, "its day")) ", as every result is after a time. "
                "Create the job again if you need it once more."
            }
            JobStatus::Failed => (failed(job))
            JobStatus::Canceled => p { "It was canceled." }
        }
    }
}

fn completed(state: &AppState, job: &Job) -> Markup {
    html! {
        @if let Some(Output { filename, bytes: size, pages, .. }) = &job.output {
            p {
                strong { (filename) } ", " @if let Some(pages) = pages { (pages) @if *pages == 1 { " page, " } @else { " pages, " } } (bytes(*size))
            }
            p.actions {
                a.button.primary href=(state.link(&format!("/app/jobs/{}/download", job.id))) { "Download" }
                @if let Some(expires) = job.expires_at { " " span.muted { "until " (moment(expires)) } }
            }
        }
    }
}

fn failed(job: &Job) -> Markup {
    html! {
        @if let Some(JobError { code, message, retryable }) = &job.error {
            div.note.danger {
                p { code { (code.as_str()) } ": " (code.meaning()) "." }
                p { strong { "What to do: " } (message) }
                p.muted {
                    @if *retryable { "The same request may succeed later." }
                    @else { "The same request will fail again." }
                    @if job.refunded > 0 { " The credits were given back." }
                }
            }
        }
    }
}

fn facts(job: &Job) -> Markup {
    html! {
        dl.details {
            div { dt { "Created" } dd { (moment(job.created_at)) } }
            @if job.started_at.is_some() { div { dt { "Started" } dd { (moment_or(job.started_at, "")) } } }
            @if job.finished_at.is_some() { div { dt { "Ended" } dd { (moment_or(job.finished_at, "")) } } }
            @if let Some(time) = took(job) { div { dt { "Took" } dd { (millis(time)) } } }
            div { dt { "Attempts" } dd { (job.attempts) } }
            div { dt { "Credits" } dd {
                (job.charge.total()) " charged"
                @if job.refunded > 0 { ", " (job.refunded) " given back" }
            } }
            @if let Some(engine) = &job.engine { div { dt { "Engine" } dd { (engine.name) " " (engine.version) } } }
            div { dt { "API key" } dd { code { (job.key_id) } } }
        }
    }
}

/// The steps as one bar. Its numbers stand beside it.
fn timing(timings: &Timings) -> Markup {
    let Timings { queued_ms, fetch_ms, convert_ms, store_ms } = *timings;
    let steps = [("Waited", queued_ms), ("Fetched", fetch_ms), ("Converted", convert_ms), ("Stored", store_ms)];
    let total: u64 = steps.iter().map(|(_, time)| time).sum();
    // A thousandth of the whole is the unit, and each step that took any time is seen.
    let share = |time: u64| time.saturating_mul(1000).checked_div(total).unwrap_or(0).max(u64::from(time > 0) * 4);
    let starts = steps.iter().scan(0, |sum, (_, time)| {
        let start = *sum;
        *sum += share(*time);
        Some(start)
    });
    let whole: u64 = steps.iter().map(|(_, time)| share(*time)).sum();
    html! {
        section.card aria-labelledby="timings" {
            h2 #timings { "Timings" }
            svg.timings viewBox=(format!("0 0 {} 24", whole.max(1))) preserveAspectRatio="none" aria-hidden="true" {
                @for (number, ((_, time), start)) in steps.iter().zip(starts).enumerate() {
                    rect x=(start) y="0" width=(share(*time)) height="24" data-colour=(number + 1) {}
                }
            }
            ul.legend { @for (number, (name, time)) in steps.iter().enumerate() {
                li { span.swatch data-colour=(number + 1) {} (name) ": " (millis(*time)) }
            } }
        }
    }
}

fn warnings(warnings: &[Warning]) -> Markup {
    html! {
        section.card aria-labelledby="warnings" {
            h2 #warnings { "Warnings" }
            p.muted { "What in the result is not as the source meant it." }
            ul.warnings { @for Warning { code, message, detail } in warnings {
                li { code { (code) } " " (message) @if let Some(detail) = detail { br; span.muted { (detail) } } }
            } }
        }
    }
}

/// The request as the API echoes it: without its secrets.
fn request(job: &Job) -> Markup {
    let echo = json!({"input": job.input, "options": job.options, "metadata": job.metadata});
    html! {
        section.card aria-labelledby="request" {
            h2 #request { "Request" }
            p.muted { "As the API echoes it: passwords and queries of addresses are left out, and inline HTML is named by its digest." }
            (copyable("request-echo", &pretty(&echo)))
        }
    }
}

fn support_copy(job: &Job, now: Timestamp) -> Markup {
    html! {
        section.card aria-labelledby="support" {
            h2 #support { "For a support request" }
            p.muted {
                "Everything that helps to find the cause, and nothing that must stay with you: no key, no link, no address "
                "beyond its host, no metadata, no content."
            }
            (copyable("support-copy", &pretty(&support::facts(job, now))))
        }
    }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}
