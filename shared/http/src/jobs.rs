//! Jobs over HTTP: created, read and downloaded. The functions for assistants answer in the same way.

use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_app::jobs::own_job;
use docmill_app::jobs::submit::{Asked, JobService, Taken, ToolChoice};
use docmill_app::wait::Wait;
use docmill_config::clock;
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::quota::RatePolicy;
use docmill_domain::request::form::Form;
use docmill_domain::time::Timestamp;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode, header};

use super::accept::Accept;
use super::body::JobBody;
use super::envelope::{IDEMPOTENCY_REPLAYED, Outcome, Reply};
use super::error::ApiError;
use super::form;
use super::guard::authenticated;
use super::request::ApiRequest;
use super::results::{self, Waited};
use super::wait::{PREFERENCE_APPLIED, wait_of};

/// How long a client should wait before it asks again.
const POLL_SECONDS: u64 = 1;

/// Answers a request that creates a job: at once, or once the job has ended if the request waits.
pub async fn create(service: &JobService, request: &ApiRequest, choice: ToolChoice<'_>) -> Response<Body> {
    authenticated(&service.context, request, RatePolicy::Create, async |caller| {
        let Form { body, files } = match choice {
            ToolChoice::Named(slug) if request.is_form() => {
                form::read(request, &service.context.catalogue, slug).await?
            }
            ToolChoice::Named(_) | ToolChoice::InBody => Form { body: request.json_object()?, files: Vec::new() },
        };
        let key = request.idempotency_key()?;
        let (wait, breach) = match wait_of(request) {
            Ok(wait) => (wait, None),
            Err(breach) => (None, Some(breach)),
        };
        let unknown_names = request.unknown_names()?;
        let asked = Asked { body: &body, files: &files, choice, key: key.as_ref(), unknown_names, breach };
        create_for(service, &caller, asked, wait, &Accept::of(&request.headers)).await
    })
    .await
}

/// The same for an admitted caller.
///
/// # Errors
/// Why no job is created, or why its result can't be shown.
pub async fn create_for(
    service: &JobService,
    caller: &Caller,
    asked: Asked<'_>,
    wait: Option<Wait>,
    accept: &Accept,
) -> Outcome {
    let context = &service.context;
    let Taken { job, replayed } = service.create(caller, asked).await?;
    let receipt = Receipt { id: job.id, charged: job.payment.charge.total(), replayed };
    let Some(wait) = wait else { return Ok(receipt.accepted(&job, caller.now)) };
    let most = caller.limits(&context.config.limits).waits;
    let (job, applied) = wait.for_end(&context.jobs, job, most).await;
    let now = clock::now();
    let waited = results::of_waited(&context.files, job, accept, now).await;
    let reply = match waited.map_err(|error| ApiError { created: receipt.created(), ..error })? {
        Waited::Ended(reply) => receipt.on(reply),
        Waited::GoesOn(job) => receipt.accepted(&job, now),
    };
    Ok(if applied { reply.header(PREFERENCE_APPLIED, "wait") } else { reply })
}

/// What the response says about a request for a job.
#[derive(Clone, Copy)]
struct Receipt {
    id: JobId,
    charged: u64,
    replayed: bool,
}

impl Receipt {
    /// The job that this request created, and its charge.
    fn created(self) -> Option<(JobId, u64)> {
        (!self.replayed).then_some((self.id, self.charged))
    }

    fn accepted(self, job: &Job, now: Timestamp) -> Reply {
        self.on(Reply::new(StatusCode::ACCEPTED, JobBody { job: job.view(now) }))
    }

    /// Adds the job's location to the reply, unless it has one.
    fn on(self, reply: Reply) -> Reply {
        let reply = reply.noting_created(self.created());
        let reply = if reply.status.is_redirection() {
            reply
        } else {
            reply.header(header::LOCATION, format!("/v1/jobs/{}", self.id))
        };
        if self.replayed { reply.header(IDEMPOTENCY_REPLAYED, true) } else { reply }
    }
}

/// A job of the caller's account, now or once it has ended.
///
/// # Errors
/// If there is no such job, or its result can't be shown.
pub async fn show(context: &Context, caller: &Caller, id: &str, wait: Option<Wait>, accept: &Accept) -> Outcome {
    let job = own_job(&context.jobs, caller, id).await?;
    let Some(wait) = wait else {
        let job = context.files.with_results(job, caller.now).await.map_err(ApiError::unavailable)?;
        return Ok(Reply::ok(JobBody { job: job.view(caller.now) }));
    };
    let most = caller.limits(&context.config.limits).waits;
    let (job, waited) = wait.for_end(&context.jobs, job, most).await;
    let now = clock::now();
    let reply = match results::of_waited(&context.files, job, accept, now).await? {
        Waited::Ended(reply) => reply,
        Waited::GoesOn(job) => Reply::ok(JobBody { job: job.view(now) }),
    };
    Ok(if waited { reply.header(PREFERENCE_APPLIED, "wait") } else { reply })
}

/// Links to the result of a job, or to its file with this index, or the job's progress.
///
/// # Errors
/// If there is no such job, it has no such result, or the links can't be made now.
pub async fn download(context: &Context, caller: &Caller, id: &str, index: Option<usize>, accept: &Accept) -> Outcome {
    let job = own_job(&context.jobs, caller, id).await?;
    match job.status_at(caller.now) {
        JobStatus::Queued | JobStatus::Processing => {
            let reply = Reply::new(StatusCode::ACCEPTED, JobBody { job: job.view(caller.now) });
            Ok(reply.header(header::RETRY_AFTER, POLL_SECONDS))
        }
        JobStatus::Completed => results::of_completed(&context.files, job, accept, index, caller.now).await,
        JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => {
            Err(results::no_result(&job, caller.now))
        }
    }
}
