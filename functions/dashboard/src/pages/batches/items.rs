//! The items of a batch with what became of each, a page at a time.

use docmill_app::batches::jobs_of;
use docmill_app::context::Context;
use docmill_domain::batch::Batch;
use docmill_domain::job::{Job, JobStatus};
use docmill_domain::time::Timestamp;
use docmill_site::error::PageError;
use docmill_site::parts::{bytes, status_badge};
use maud::{Markup, html};
use serde::Deserialize;

use super::{PATH, Shown};
use crate::pages::jobs::table::document;

/// Items of a page.
const PAGE: u32 = 50;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Wanted {
    /// The first item.
    #[serde(default)]
    from: u32,
}

/// Items that have a job.
#[derive(Debug)]
pub(super) struct Items {
    from: u32,
    jobs: Vec<(u32, Job)>,
}

impl Items {
    pub(super) async fn of(context: &Context, batch: &Batch, wanted: &Wanted) -> Result<Self, PageError> {
        let from = wanted.from.min(batch.next.saturating_sub(1));
        let last = batch.next.min(from.saturating_add(PAGE));
        let jobs = if from < last { jobs_of(context, batch, from, last).await? } else { Vec::new() };
        Ok(Self { from, jobs })
    }

    /// Items without a job are among the failures, with their reasons.
    pub(super) fn show(&self, shown: &Shown<'_>) -> Markup {
        let Shown { state, batch, now, .. } = *shown;
        let jobs = self.jobs.iter().filter(|(_, job)| job.is_of(&batch.account, now));
        html! {
            @if !self.jobs.is_empty() {
                section.card aria-labelledby="items" {
                    h2 #items { "Items" }
                    div.table-frame tabindex="0" role="region" aria-label="Items with their results" {
                        table {
                            thead { tr {
                                th.number scope="col" { "Item" } th scope="col" { "Document" } th scope="col" { "Status" }
                                th scope="col" { "Result" } th scope="col" { span.quiet { "Actions" } }
                            } }
                            tbody { @for (index, job) in jobs { (row(shown, *index, job, now)) } }
                        }
                    }
                    (pages(self.from, batch.next, &state.link(&format!("{PATH}/{}", batch.id))))
                }
            }
        }
    }
}

fn row(shown: &Shown<'_>, index: u32, job: &Job, now: Timestamp) -> Markup {
    let page = shown.state.link(&format!("/app/jobs/{}", job.id));
    let status = job.status_at(now);
    html! {
        tr {
            th.number scope="row" { (index) }
            td.long { a href=(page) { (document(job).unwrap_or_else(|| format!("Job {}", job.id))) } }
            td { (status_badge(status)) }
            td {
                @if status == JobStatus::Completed && let Some(output) = &job.result.output { (output.filename) ", " (bytes(output.bytes)) }
                @if status == JobStatus::Failed && let Some(error) = &job.result.error { code { (error.code.as_str()) } }
            }
            td { @if status == JobStatus::Completed {
                a.button.small href=(format!("{page}/download")) { "Download" span.quiet { " item " (index) } }
            } }
        }
    }
}

/// Links to the pages before and after this one.
fn pages(from: u32, next: u32, path: &str) -> Markup {
    html! {
        @if next > PAGE {
            nav.actions aria-label="Pages of items" {
                @if from > 0 { a.button href=(format!("{path}?from={}#items", from.saturating_sub(PAGE))) { "Earlier items" } }
                span.muted { "Items " (from) "–" (next.min(from.saturating_add(PAGE)) - 1) " of " (next) }
                @if from.saturating_add(PAGE) < next { a.button href=(format!("{path}?from={}#items", from + PAGE)) { "Later items" } }
            }
        }
    }
}
