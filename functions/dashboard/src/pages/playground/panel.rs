//! A job in the playground: progress, result, or why it failed.

use docmill_domain::job::{Job, JobError, JobStatus, Output, Warning};
use docmill_domain::time::Timestamp;
use docmill_look::number::grouped;
use docmill_site::parts::{bytes, millis, mistakes, percent, prose, said};
use maud::{Markup, html};

use super::preview::{self, Kind, Preview, sizes};

/// Addresses that belong to a job.
#[derive(Debug)]
pub struct Links {
    /// The panel's own address.
    pub page: String,
    /// The job's page; its downloads are below.
    pub job: String,
    /// The files of a job with several.
    pub files: Option<Markup>,
    /// The button to cancel the job.
    pub cancel: Markup,
    /// The page for adding a missing font.
    pub fonts: String,
    /// The certificate of a redaction.
    pub certificate: Option<String>,
    /// The preview, if any.
    pub preview: Option<Preview>,
}

/// `data-waiting` makes the script poll.
pub fn show(job: &Job, now: Timestamp, links: &Links) -> Markup {
    let status = job.status_at(now);
    html! {
        article.job-panel #job data-job=(job.id) data-page=(links.page) data-waiting[!status.is_terminal()] {
            h2 #job-title tabindex="-1" { (headline(status, job.result.output.as_ref())) }
            (steps(status))
            @if !job.result.warnings.is_empty() { (warnings(&job.result.warnings, &links.fonts)) }
            @match (status, &job.result.output, &job.result.error) {
                (JobStatus::Completed, Some(output), _) => { (result(output, job, links)) }
                (JobStatus::Failed, _, Some(error)) => { (failure(error, job)) }
                (JobStatus::Expired, ..) => { p { "The result has expired. Convert the document again." } }
                _ => {
                    // Counted by the script, and not announced every second.
                    p role="timer" aria-live="off" data-since=(job.times.created_at) {}
                    p.muted { "This page updates itself. You can close it: the job continues, and you find it under Jobs." }
                    div.actions { (links.cancel) }
                    noscript { p { a.button href=(format!("?job={}", job.id)) { "Refresh" } } }
                }
            }
            p.muted.job-id { "Job " a href=(links.job) { code { (job.id) } } }
        }
    }
}

fn headline(status: JobStatus, output: Option<&Output>) -> &'static str {
    match status {
        JobStatus::Queued => "Waiting for a worker",
        JobStatus::Processing => "Converting",
        JobStatus::Completed if output.is_none_or(|output| output.format == "pdf") => "Your PDF is ready",
        JobStatus::Completed => "Your result is ready",
        JobStatus::Failed => "The conversion failed",
        JobStatus::Expired => "The result has expired",
        JobStatus::Canceled => "Canceled",
        JobStatus::Deleted => "Deleted",
    }
}

fn steps(status: JobStatus) -> Markup {
    let last = match status {
        JobStatus::Completed | JobStatus::Expired => "Ready",
        JobStatus::Failed => "Failed",
        JobStatus::Canceled => "Canceled",
        JobStatus::Deleted => "Deleted",
        JobStatus::Queued | JobStatus::Processing => "Result",
    };
    let at = match status {
        JobStatus::Queued => 0,
        JobStatus::Processing => 1,
        JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => 2,
    };
    html! {
        ol.steps {
            @for (number, name) in ["Queued", "Converting", last].into_iter().enumerate() {
                li data-done[number < at] data-failed[number == at && status == JobStatus::Failed]
                    aria-current=[(number == at).then_some("step")] { (name) }
            }
        }
    }
}

fn result(output: &Output, job: &Job, links: &Links) -> Markup {
    let charged = job.payment.charge.total() - job.payment.refunded.min(job.payment.charge.total());
    html! {
        @for finding in docmill_findings::findings(job) { p.finding { (finding) } }
        p.actions {
            a.button.primary #download href=(format!("{}/download", links.job)) { "Download " (output.filename) }
            @if let Some(certificate) = &links.certificate { a.button href=(certificate) { "Certificate" } }
            @if let Some(preview) = links.preview.as_ref().filter(|_| Kind::of(output) != Kind::Download) {
                a.button href=(preview.result.reveal()) target="_blank" rel="noopener noreferrer" { "Open in a new tab" }
            }
        }
        dl.figures {
            @if let Some(pages) = output.pages { div { dt { "Pages" } dd { (pages) } } }
            @match sizes(job) {
                Some((before, after)) => {
                    div { dt { "Before" } dd { (bytes(before)) } }
                    div { dt { "After" } dd { (bytes(after)) } }
                    @if let Some(saved) = percent(before.saturating_sub(after), before) { div { dt { "Saved" } dd { (saved) } } }
                }
                None => { div { dt { "Size" } dd { (bytes(output.bytes)) } } }
            }
            div { dt { "Cost" } dd { (credits(charged)) @if !job.request.then.is_empty() { " for " (job.request.then.len() + 1) " steps" } } }
        }
        @if let Some(preview) = &links.preview { (preview::show(preview, output, job)) }
        @if let Some(files) = &links.files { h3 { "Files" } (files) }
        (how(job))
    }
}

/// How the result was made.
fn how(job: &Job) -> Markup {
    html! {
        p.muted {
            @if let Some(timings) = job.result.timings {
                "Waited " (millis(timings.queued_ms)) ", fetched in " (millis(timings.fetch_ms)) ". Converted in "
                (millis(timings.convert_ms))
                @if let Some(engine) = &job.result.engine { " by " (engine.name) " " (engine.version) }
                "."
            }
        }
    }
}

fn failure(error: &JobError, job: &Job) -> Markup {
    html! {
        div.note.danger role="alert" {
            p { strong { (prose(&error.message)) } }
            (mistakes(&error.details))
            p { "Cause: " code { (error.code.as_str()) } ". "
                @if error.retryable { "Try again later." } @else { "Change the document or the options, and convert again." }
            }
            @if job.payment.charge.total() > 0 { p { (credits(job.payment.refunded)) " refunded. Failed jobs are free." } }
        }
    }
}

fn warnings(warnings: &[Warning], fonts: &str) -> Markup {
    html! {
        section.warnings aria-labelledby="warnings" {
            h3 #warnings { "Differences from the source" }
            ul { @for warning in warnings {
                li { (said(warning, fonts)) }
            } }
        }
    }
}

pub fn credits(count: u64) -> String {
    match count {
        0 => "no credits".to_owned(),
        1 => "1 credit".to_owned(),
        count => format!("{} credits", grouped(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_its_place_in_the_steps() {
        for status in JobStatus::ALL {
            let shown = steps(status).into_string();
            assert_eq!(shown.matches("aria-current").count(), 1, "{status:?}");
            assert_eq!(shown.contains("data-failed"), status == JobStatus::Failed);
        }
    }
}
