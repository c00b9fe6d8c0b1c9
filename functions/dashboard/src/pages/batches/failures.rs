//! The failures of a batch, by error code.

use std::collections::BTreeMap;

use docmill_app::batches::jobs_of;
use docmill_app::context::Context;
use docmill_domain::batch::Batch;
use docmill_domain::job::{JobId, JobStatus};
use docmill_site::error::PageError;
use docmill_site::parts::prose;
use docmill_site::state::AppState;
use futures_util::{StreamExt, TryStreamExt, stream};
use maud::{Markup, html};

/// Items that are looked at for a page.
const MOST_READ: u32 = 5000;
/// Items per read, and reads at the same time.
const AT_ONCE: u32 = 100;
const READS: usize = 8;
/// Items that are named for each code.
const NAMED: usize = 5;

#[derive(Debug, Default)]
pub(super) struct Failures {
    groups: BTreeMap<String, Group>,
    /// Only the first items were looked at.
    is_cut: bool,
}

#[derive(Debug)]
struct Group {
    message: String,
    count: u32,
    /// The first items, with their jobs if they have any.
    items: Vec<(u32, Option<JobId>)>,
}

impl Failures {
    pub(super) async fn of(context: &Context, batch: &Batch) -> Result<Self, PageError> {
        let last = batch.next.min(MOST_READ);
        if batch.tally.failed == 0 || last == 0 {
            return Ok(Self::default());
        }
        let pages = stream::iter((0..last).step_by(AT_ONCE as usize))
            .map(|first| jobs_of(context, batch, first, last.min(first.saturating_add(AT_ONCE))));
        let jobs: Vec<_> = pages.buffered(READS).try_collect().await?;
        // A job counts more than a refusal that an earlier run has noted.
        let refused = context.batches.refused(batch, 0, last - 1).await?;
        let mut failed: BTreeMap<u32, Option<(String, String, Option<JobId>)>> = BTreeMap::new();
        for item in refused {
            let refusal = item.refusal;
            // "See `details`" helps nobody here.
            let detail = refusal.details.first().map(|part| format!("`{}` {}", part.path, part.message));
            failed.insert(item.index, Some((refusal.code, detail.unwrap_or(refusal.message), None)));
        }
        for (index, job) in jobs.into_iter().flatten() {
            let error = job.result.error.filter(|_| job.status == JobStatus::Failed);
            failed.insert(index, error.map(|error| (error.code.as_str().to_owned(), error.message, Some(job.id))));
        }
        let mut failures = Self { groups: BTreeMap::new(), is_cut: last < batch.next };
        for (index, (code, message, job)) in failed.into_iter().filter_map(|(index, error)| Some((index, error?))) {
            failures.add(index, code, message, job);
        }
        Ok(failures)
    }

    fn add(&mut self, index: u32, code: String, message: String, job: Option<JobId>) {
        let group = self.groups.entry(code).or_insert_with(|| Group { message, count: 0, items: Vec::new() });
        group.count += 1;
        if group.items.len() < NAMED {
            group.items.push((index, job));
        }
    }

    pub(super) fn show(&self, state: &AppState) -> Markup {
        let mut groups: Vec<_> = self.groups.iter().collect();
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
        html! {
            @if !groups.is_empty() {
                section.card aria-labelledby="failures" {
                    h2 #failures { "Failures" }
                    div.table-frame tabindex="0" role="region" aria-label="Failures by error code" {
                        table {
                            thead { tr {
                                th scope="col" { "Code" } th.number scope="col" { "Items" }
                                th scope="col" { "First message" } th scope="col" { "First items" }
                            } }
                            tbody { @for (code, group) in groups { (row(state, code, group)) } }
                        }
                    }
                    @if self.is_cut { p.muted { "These are the failures among the first " (MOST_READ) " items." } }
                }
            }
        }
    }
}

fn row(state: &AppState, code: &str, group: &Group) -> Markup {
    html! {
        tr {
            th scope="row" { code { (code) } }
            td.number { (group.count) }
            td { (prose(&group.message)) }
            td { @for (position, (index, job)) in group.items.iter().enumerate() {
                @if position > 0 { ", " }
                @match job {
                    Some(job) => a href=(state.link(&format!("/app/jobs/{job}"))) { (index) },
                    None => (index),
                }
            } @if group.count as usize > group.items.len() { " …" } }
        }
    }
}
