//! The API's use cases, called for an admitted caller.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use docmill_app::caller::Caller;
use docmill_app::jobs::own_job;
use docmill_app::jobs::submit::{Asked, ToolChoice};
use docmill_app::tools;
use docmill_aws::files::result_files;
use docmill_domain::breach::Breach;
use docmill_domain::idempotency::IdempotencyKey;
use docmill_domain::job::JobStatus;
use docmill_domain::request::UnknownNames;
use docmill_http::accept::Accept;
use docmill_http::body::{JobBody, ToolSchemaBody, ToolsBody, UploadBody};
use docmill_http::envelope::{Noted, Outcome, Reply, respond};
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::jobs;
use docmill_http::request::{ApiRequest, RequestId};
use docmill_http::results::no_result;
use docmill_http::wait::wait_for;
use docmill_mcp::api::{Answer, Api, Request, Unreachable};
use docmill_mcp::reading::{body_of_piece, is_text};
use lambda_http::http::header;
use serde_json::{Map, Value};

use crate::McpService;

/// The use cases, and what they note for the message's log line.
pub(crate) struct Functions {
    service: Arc<McpService>,
    caller: Caller,
    /// The message's id, and when its answer must be ready.
    id: RequestId,
    ends_at: Instant,
    noted: Mutex<Noted>,
}

impl Functions {
    pub(crate) fn new(service: Arc<McpService>, caller: Caller, message: &ApiRequest) -> Self {
        Self { service, caller, id: message.id.clone(), ends_at: message.ends_at, noted: Mutex::default() }
    }

    /// Adds to the reply what the functions noted.
    pub(crate) fn note(&self, mut reply: Reply) -> Reply {
        reply.noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        reply
    }

    async fn outcome(&self, wanted: &Request) -> Outcome {
        let McpService { context, uploads, control, .. } = self.service.as_ref();
        let caller = &self.caller;
        match wanted {
            Request::ListTools => Ok(Reply::ok(ToolsBody { tools: tools::visible(context, caller) })),
            Request::GetToolSchema { tool } => {
                Ok(Reply::ok(ToolSchemaBody { tool: tools::schema(context, caller, tool)? }))
            }
            Request::CreateJob { body, wait_seconds, idempotency_key } => {
                self.create(body, *wait_seconds, idempotency_key.as_deref()).await
            }
            Request::GetJob { job, wait_seconds } => {
                let wait = wait_for(*wait_seconds, self.ends_at);
                let wait = wait.map_err(|breach| ApiError::validation(vec![breach]))?;
                jobs::show(context, caller, job, wait, &Accept::default()).await
            }
            Request::GetDownload { job } => jobs::download(context, caller, job, None, &Accept::default()).await,
            Request::ReadResult { job, file, from, most } => self.read(job, *file, *from, *most).await,
            Request::CancelJob { job } => {
                let canceled = control.cancel(caller, job).await?;
                Ok(Reply::ok(JobBody { job: canceled.view(caller.now) }))
            }
            Request::CreateUpload { body } => Ok(Reply::ok(UploadBody { upload: uploads.issue(body, caller).await? })),
        }
    }

    async fn create(&self, body: &Map<String, Value>, wait_seconds: Option<u64>, key: Option<&str>) -> Outcome {
        let key = key.map(|key| IdempotencyKey::parse(key.as_bytes())).transpose();
        let key = key.map_err(|_| ErrorCode::InvalidIdempotencyKey)?;
        let (wait, breach) = match wait_seconds.map(|seconds| wait_for(seconds, self.ends_at)) {
            Some(Ok(wait)) => (wait, None),
            Some(Err(breach)) => (None, Some(breach)),
            None => (None, None),
        };
        // An assistant that misspells an option would pay for something else.
        let asked = Asked {
            body,
            files: &[],
            choice: ToolChoice::InBody,
            key: key.as_ref(),
            unknown_names: UnknownNames::Refused,
            breach,
        };
        jobs::create_for(&self.service.jobs, &self.caller, asked, wait, &Accept::default()).await
    }

    /// A piece of a file of a completed job.
    async fn read(&self, job: &str, file: usize, from: u64, most: u64) -> Outcome {
        let McpService { context, .. } = self.service.as_ref();
        let now = self.caller.now;
        let job = own_job(&context.jobs, &self.caller, job).await?;
        if job.status_at(now) != JobStatus::Completed {
            return Err(no_result(&job, now));
        }
        let job = context.files.with_results(job, now).await.map_err(ApiError::unavailable)?;
        let files = result_files(&job);
        let missing = || ApiError::validation(vec![Breach::new("/file", "must be the index of a file of the result")]);
        let (output, key) = files.get(file).ok_or_else(missing)?;
        if !is_text(&output.content_type) {
            return Err(ApiError::validation(vec![Breach::new("/file", "is not a text: get_job has a link to it")]));
        }
        let bytes = if from < output.bytes {
            context.files.get_part(key, from, most).await.map_err(ApiError::unavailable)?
        } else {
            Vec::new()
        };
        match body_of_piece(&bytes, from, output.bytes) {
            Value::Object(mut piece) => {
                // The envelope has it.
                piece.shift_remove("ok");
                Ok(Reply::ok(piece))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(ApiError::internal("a piece is an object"))
            }
        }
    }
}

impl Api for Functions {
    async fn send(&self, request: Request) -> Result<Answer, Unreachable> {
        // Boxed: futures of SDK calls are large.
        let response = respond(&self.id, Box::pin(self.outcome(&request)).await, &[]);
        if let Some(noted) = response.extensions().get::<Noted>() {
            *self.noted.lock().unwrap_or_else(PoisonError::into_inner) = noted.clone();
        }
        let retry_after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        Ok(Answer {
            status: response.status().as_u16(),
            retry_after_seconds: retry_after.and_then(|seconds| seconds.parse().ok()),
            body: serde_json::from_slice(response.body()).unwrap_or_default(),
        })
    }
}
