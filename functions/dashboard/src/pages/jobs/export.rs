//! The list of jobs as a CSV file, for spreadsheets.

use axum::extract::State;
use axum::response::Response;
use docmill_config::clock;
use docmill_domain::job::Job;
use docmill_domain::spreadsheet;
use docmill_domain::time::Timestamp;
use docmill_site::delivery::attachment;
use docmill_site::error::PageError;
use docmill_site::session::SignedIn;
use docmill_site::state::AppState;
use docmill_site::viewer::Viewer;

use super::list::ListRequest;
use super::table::{document, took};

/// A file has the newest jobs up to this many. A narrower filter gives older ones.
const MOST: usize = 2_000;
const BATCH: usize = 100;
/// Reads of 1,000 jobs each, within the request's time.
const MOST_READS: usize = 30;
const COLUMNS: [&str; 14] = [
    "id", "name", "status", "tools", "mode", "key", "created", "finished", "tookMs", "charged", "refunded", "error",
    "bytes", "pages",
];

/// All jobs that match the filter in this address.
pub(super) async fn csv(State(state): State<AppState>, viewer: Viewer, user: SignedIn) -> Result<Response, PageError> {
    let (now, ListRequest { filter, mut after }) = (clock::now(), ListRequest::of(&viewer.path));
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: &dyn std::error::Error| PageError::Internal(error.to_string());
    writer.write_record(COLUMNS).map_err(|error| failed(&error))?;
    let mut written = 0;
    for _ in 0..MOST_READS {
        let wanted = BATCH.min(MOST - written);
        let page = state.context.jobs.of_account(&user.account, &filter, after, wanted, now).await?;
        for job in &page.jobs {
            writer.write_record(record(job, now)).map_err(|error| failed(&error))?;
        }
        written += page.jobs.len();
        after = page.next;
        if after.is_none() || written >= MOST {
            break;
        }
    }
    let bytes = writer.into_inner().map_err(|error| PageError::Internal(error.to_string()))?;
    Ok(attachment("jobs.csv", "text/csv; charset=utf-8", bytes))
}

fn record(job: &Job, now: Timestamp) -> [String; 14] {
    let number = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
    let further = job.request.then.iter().filter_map(|step| step["toolSlug"].as_str());
    let tools: Vec<_> = std::iter::once(job.tool.as_str()).chain(further).collect();
    let output = job.result.output.as_ref();
    [
        job.id.to_string(),
        spreadsheet::cell(&document(job).unwrap_or_default()).into_owned(),
        job.status_at(now).as_str().to_owned(),
        tools.join(" "),
        job.mode.as_str().to_owned(),
        job.request.key_id.clone(),
        job.times.created_at.to_string(),
        job.times.finished_at.map(|at| at.to_string()).unwrap_or_default(),
        number(took(job)),
        job.payment.charge.total().to_string(),
        job.payment.refunded.to_string(),
        job.result.error.as_ref().map(|error| error.code.as_str().to_owned()).unwrap_or_default(),
        number(output.map(|output| output.bytes)),
        number(output.and_then(|output| output.pages).map(u64::from)),
    ]
}
