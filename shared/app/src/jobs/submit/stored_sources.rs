//! A request's stored sources: uploads, templates, and results of the account's other jobs.

use std::collections::{BTreeMap, BTreeSet};

use docmill_aws::files::ObjectKey;
use docmill_domain::breach::Breach;
use docmill_domain::job::{Job, JobId, JobStatus, MAX_WAITERS};
use docmill_domain::request::JobRequest;
use docmill_domain::source::{Origin, SOURCES, SourceKind};
use docmill_domain::template::{self, Version};
use docmill_domain::upload::UploadId;
use serde_json::{Map, Value, json};

use super::SubmitError;
use crate::caller::Caller;
use crate::context::Context;
use crate::fault::Fault;

/// Most jobs that one job may wait for: each is a part of its transaction.
const MOST_AWAITED: usize = 90;
/// Most bytes of their items, which DynamoDB counts towards the 4 MB of a transaction.
const MOST_AWAITED_BYTES: usize = 3 << 20;

/// The stored sources of a request.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Unfinished jobs.
    pub awaited: BTreeSet<JobId>,
    /// The version of the stored template that it names.
    pub template: Option<Version>,
    /// Sources that can't be used.
    pub breaches: Vec<Breach>,
}

/// Checks the number of sources against the caller's limit.
pub(super) fn admit_count(wanted: &JobRequest, body: &Map<String, Value>, most: u64) -> Result<(), SubmitError> {
    if wanted.sources().len() as u64 <= most {
        return Ok(());
    }
    let place = if body.contains_key(SOURCES) { format!("/{SOURCES}") } else { format!("/input/{SOURCES}") };
    let why = format!("must have at most {most} entries, the limit of your plan or key");
    Err(SubmitError::Invalid(vec![Breach::new(place, why)]))
}

/// Looks up the request's uploads, jobs and template.
pub(super) async fn find(
    context: &Context,
    wanted: &JobRequest,
    body: &Map<String, Value>,
    caller: &Caller,
) -> Result<Found, SubmitError> {
    let (mut uploads, mut results) = (Vec::new(), Vec::new());
    let mut found = Found::default();
    for (index, source) in wanted.sources().into_iter().enumerate() {
        match source.origin {
            Origin::Upload(id) => uploads.push((index, id)),
            Origin::Job { id, output } => results.push((index, id, output)),
            Origin::Template { name, version } => {
                let versions = context.templates.named(caller.account(), &name).await?;
                found.template = template::chosen(versions.each(), version).cloned();
                if found.template.is_none() {
                    found.breaches.push(Breach::new(path(body, index, SourceKind::Template), NO_SUCH_TEMPLATE));
                }
            }
            Origin::File(_) | Origin::Page(_) | Origin::Html(_) | Origin::Markdown(_) | Origin::Text(_) => {}
        }
    }
    let looked_up = uploads.iter().map(async |(index, id)| {
        let there = is_there(context, id, caller).await?;
        Ok::<_, Fault>((!there).then(|| Breach::new(path(body, *index, SourceKind::UploadId), NO_SUCH_UPLOAD)))
    });
    let missing = futures_util::future::try_join_all(looked_up).await?;
    found.breaches.extend(missing.into_iter().flatten());
    if results.is_empty() {
        return Ok(found);
    }
    let ids: BTreeSet<JobId> = results.iter().map(|(_, id, _)| *id).collect();
    let jobs = context.jobs.get_all(&ids.into_iter().collect::<Vec<_>>()).await?;
    let jobs: BTreeMap<JobId, Job> = jobs.into_iter().map(|job| (job.id, job)).collect();
    for (index, id, output) in results {
        match judge(jobs.get(&id).filter(|job| job.is_of(caller.account(), caller.now)), output, caller) {
            Ok(None) => {}
            Ok(Some(awaited)) => {
                found.awaited.insert(awaited);
            }
            Err(why) => found.breaches.push(Breach::new(path(body, index, SourceKind::JobId), why)),
        }
    }
    if found.awaited.len() > MOST_AWAITED {
        let why = format!("names more than {MOST_AWAITED} unfinished jobs: wait until some of them have ended");
        found.breaches.push(Breach::new(format!("/{SOURCES}"), why));
    }
    let bytes = |id: &JobId| jobs.get(id).map_or(0, |job| json!(job).to_string().len());
    if found.awaited.iter().map(bytes).sum::<usize>() > MOST_AWAITED_BYTES {
        let why = "names unfinished jobs whose metadata is too large together: wait until some of them have ended";
        found.breaches.push(Breach::new(format!("/{SOURCES}"), why));
    }
    Ok(found)
}

const NO_SUCH_TEMPLATE: &str = "must name a stored template of your account, and a version that it has";
const NO_SUCH_UPLOAD: &str = "must be the id of a completed upload of your account, less than an hour old";

/// The job if it is unfinished, or why its result can't be used.
fn judge(job: Option<&Job>, output: usize, caller: &Caller) -> Result<Option<JobId>, String> {
    let Some(job) = job else { return Err("must be the id of a job of your account".to_owned()) };
    match job.status_at(caller.now) {
        JobStatus::Queued | JobStatus::Processing => {
            let waiters = job.waits.waiters.as_ref().map_or(0, BTreeSet::len);
            if waiters < MAX_WAITERS {
                return Ok(Some(job.id));
            }
            Err(format!("names a job that {MAX_WAITERS} other jobs already wait for: try again when it has ended"))
        }
        JobStatus::Completed => {
            let files = job.result.results.as_ref().map_or(1, |results| results.files().max(1));
            if output < files {
                return Ok(None);
            }
            Err(format!("names a job with {files} results: `output` must be less than {files}"))
        }
        JobStatus::Failed => Err("names a job that failed and has no result".to_owned()),
        JobStatus::Canceled => Err("names a job that was canceled and has no result".to_owned()),
        JobStatus::Expired | JobStatus::Deleted => {
            Err("names a job whose result has expired or was deleted".to_owned())
        }
    }
}

/// Whether the caller's account has this upload and may still use it. The key begins with the caller's account, so other
/// accounts' uploads are never found.
async fn is_there(context: &Context, upload: &str, caller: &Caller) -> Result<bool, Fault> {
    match UploadId::parse(upload) {
        Some(upload) if caller.now < upload.expires_at() => {
            let key = ObjectKey::Upload { account: caller.account(), upload };
            Ok(context.files.exists(&key).await?)
        }
        Some(_) | None => Ok(false),
    }
}

/// Where in the body the source of this kind and index is.
fn path(body: &Map<String, Value>, index: usize, kind: SourceKind) -> String {
    let name = kind.as_str();
    if body.contains_key(name) {
        format!("/{name}")
    } else if body.contains_key(SOURCES) {
        format!("/{SOURCES}/{index}/{name}")
    } else if body.get("input").is_some_and(|input| input.get(SOURCES).is_some()) {
        format!("/input/{SOURCES}/{index}/{name}")
    } else {
        format!("/input/{name}")
    }
}
