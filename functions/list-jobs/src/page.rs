//! The jobs of a page as their owner reads them, as many as fit into a response.

use docmill_aws::files::Files;
use docmill_domain::job::{Job, JobView};
use docmill_domain::time::Timestamp;
use docmill_store::jobs::{JobMark, JobsPage};
use futures_util::{StreamExt, stream};
use serde_json::json;

/// Most bytes of jobs in a response. Lambda's limit is 6 MB.
const MAX_BYTES: usize = 4 << 20;
/// Most lists of results that are read at the same time.
const READS: usize = 16;

pub(crate) struct Shown {
    pub(crate) jobs: Vec<JobView>,
    /// The last job of this page, if there are more.
    pub(crate) next: Option<JobMark>,
}

impl Shown {
    /// At least one job of `page`, if it has any.
    pub(crate) async fn of(page: JobsPage, files: &Files, now: Timestamp) -> Self {
        let mut shown = Self { jobs: Vec::new(), next: page.next };
        let mut views = stream::iter(page.jobs).map(|job| view(job, files, now)).buffered(READS);
        let (mut bytes, mut last) = (0, None);
        while let Some((mark, view)) = views.next().await {
            bytes += json!(view).to_string().len();
            if bytes > MAX_BYTES && last.is_some() {
                shown.next = last;
                break;
            }
            last = Some(mark);
            shown.jobs.push(view);
        }
        shown
    }
}

/// A job whose list of results can't be read is shown without it: it must not hide the others.
async fn view(job: Job, files: &Files, now: Timestamp) -> (JobMark, JobView) {
    let mark = JobMark::of_job(&job);
    let view = match files.with_results(job.clone(), now).await {
        Ok(job) => job.brief_view(now),
        Err(error) => {
            tracing::error!(job_id = %job.id, %error, "a job is listed without its results, which could not be read");
            job.brief_view(now)
        }
    };
    (mark, view)
}
