//! The jobs of a page, as many as fit into a response.

use std::collections::HashSet;

use docmill_app::batches::{further_requests, jobs_of};
use docmill_app::context::Context;
use docmill_domain::batch::{Batch, RefusedItemView};
use docmill_domain::job::{Job, JobStatus, JobView};
use docmill_domain::time::Timestamp;
use docmill_http::error::ApiError;
use futures_util::{StreamExt, stream};
use serde_json::json;

use crate::query::ListRequest;

/// Most jobs that are read for a page. A filter that few jobs match gives short pages rather than slow ones.
const MOST_READ: u32 = 500;
/// Most jobs per read.
const AT_ONCE: u32 = 100;
/// Most bytes of jobs in a response. Lambda's limit is 6 MB.
const MAX_BYTES: usize = 4 << 20;
/// Most lists of results that are read at the same time.
const RESULTS_AT_ONCE: usize = 16;

#[derive(Default)]
pub(crate) struct Page {
    pub(crate) jobs: Vec<JobView>,
    pub(crate) refused: Vec<RefusedItemView>,
    /// The first item of the next page, if there may be more.
    pub(crate) next: Option<u32>,
    /// The items that have jobs.
    found: HashSet<u32>,
    read: u32,
    bytes: usize,
}

impl Page {
    pub(crate) async fn read(
        context: &Context,
        batch: &Batch,
        wanted: &ListRequest,
        start: u32,
        now: Timestamp,
    ) -> Result<Self, ApiError> {
        let mut page = Self::default();
        let mut first = start;
        while first < batch.next && page.read < MOST_READ && !page.is_full(wanted) {
            let last = batch.next.min(first.saturating_add(AT_ONCE));
            first = page.add(context, batch, wanted, (first, last), now).await?;
        }
        page.next = (first < batch.next).then_some(first);
        if wanted.status.is_none_or(|status| status == JobStatus::Failed) && start < first {
            let refused = context.batches.refused(batch, start, first - 1).await?;
            // A run may have noted a refusal, died, and the next one has created the job after all.
            let refused = refused.iter().filter(|item| !page.found.contains(&item.index));
            page.refused =
                refused.map(|item| RefusedItemView { index: item.index, error: item.refusal.clone() }).collect();
        }
        Ok(page)
    }

    /// How many requests of the rate limit the reads are worth, besides the first.
    pub(crate) fn further_requests(&self) -> u32 {
        further_requests(self.read)
    }

    fn is_full(&self, wanted: &ListRequest) -> bool {
        self.jobs.len() >= wanted.limit
    }

    /// Adds the jobs of these items, and returns the first item that is not looked at yet.
    async fn add(
        &mut self,
        context: &Context,
        batch: &Batch,
        wanted: &ListRequest,
        (first, last): (u32, u32),
        now: Timestamp,
    ) -> Result<u32, ApiError> {
        self.read += last - first;
        let mut jobs = jobs_of(context, batch, first, last).await?;
        self.found.extend(jobs.iter().map(|(index, _)| *index));
        jobs.retain(|(_, job)| {
            job.is_of(&batch.account, now) && wanted.status.is_none_or(|status| job.status_at(now) == status)
        });
        let mut views = stream::iter(jobs).map(|(index, job)| view(context, index, job, now)).buffered(RESULTS_AT_ONCE);
        while let Some((index, view)) = views.next().await {
            self.bytes += json!(view).to_string().len();
            if self.is_full(wanted) || (self.bytes > MAX_BYTES && !self.jobs.is_empty()) {
                return Ok(index);
            }
            self.jobs.push(view);
        }
        Ok(last)
    }
}

/// A job whose list of results can't be read is shown without it: it must not hide the others.
async fn view(context: &Context, index: u32, job: Job, now: Timestamp) -> (u32, JobView) {
    match context.files.with_results(job.clone(), now).await {
        Ok(job) => (index, job.brief_view(now)),
        Err(error) => {
            tracing::error!(job_id = %job.id, %error, "a job is listed without its results, which could not be read");
            (index, job.brief_view(now))
        }
    }
}
