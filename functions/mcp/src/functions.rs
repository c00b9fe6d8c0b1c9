//! The API's functions, called for an admitted caller.

use std::sync::{Arc, Mutex, PoisonError};

use docmill_aws::files::result_files;
use docmill_domain::breach::Breach;
use docmill_domain::job::JobStatus;
use docmill_http::envelope::{Noted, Outcome, Reply, respond};
use docmill_http::error::ApiError;
use docmill_http::guard::Caller;
use docmill_http::jobs::own_job;
use docmill_http::request::ApiRequest;
use docmill_http::results::no_result;
use docmill_http::submit::ToolChoice;
use docmill_mcp::api::{Answer, Api, Request, Unreachable};
use docmill_mcp::reading::{body_of_piece, is_text};
use lambda_http::http::{HeaderMap, HeaderValue, header};
use serde_json::{Map, Value};

use crate::McpService;

/// The functions, and what they note for the message's log line.
pub(crate) struct Functions {
    service: Arc<McpService>,
    caller: Caller,
    /// The message, without what is about its transport.
    blank: ApiRequest,
    noted: Mutex<Noted>,
}

impl Functions {
    pub(crate) fn new(service: Arc<McpService>, caller: Caller, message: &ApiRequest) -> Self {
        let blank = ApiRequest { headers: HeaderMap::new(), body: Vec::new(), query: Vec::new(), ..message.clone() };
        Self { service, caller, blank, noted: Mutex::default() }
    }

    /// Adds to the reply what the functions noted.
    pub(crate) fn note(&self, mut reply: Reply) -> Reply {
        reply.noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner).clone();
        reply
    }

    async fn outcome(&self, wanted: &Request) -> Outcome {
        let McpService { context, jobs, uploads, control } = self.service.as_ref();
        let caller = &self.caller;
        match wanted {
            Request::ListTools => list_tools::answer(context, caller, &self.blank),
            Request::GetToolSchema { tool } => get_tool_schema::answer(context, caller, &self.about("tool_slug", tool)),
            Request::CreateJob { body, wait_seconds, idempotency_key } => {
                let mut request = waiting(self.with_body(body), *wait_seconds);
                if let Some(key) = idempotency_key {
                    // What no header can carry is not a valid key either.
                    let key = HeaderValue::from_str(key).unwrap_or(HeaderValue::from_static(""));
                    request.headers.insert("idempotency-key", key);
                }
                jobs.create_for(caller, &request, ToolChoice::InBody).await
            }
            Request::GetJob { job, wait_seconds } => {
                let request = waiting(self.about("job_id", job), Some(*wait_seconds));
                get_job::answer(context, caller, &request).await
            }
            Request::GetDownload { job } => get_job_download::answer(context, caller, &self.about("job_id", job)).await,
            Request::ReadResult { job, file, from, most } => self.read(job, *file, *from, *most).await,
            Request::CancelJob { job } => Ok(Reply::ok("job", control.cancel(caller, job).await?.view(caller.now))),
            Request::CreateUpload { body } => uploads.issue(body, caller).await,
        }
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
                let text = piece.remove("text").unwrap_or_default();
                let reply = Reply::ok("text", text);
                Ok(piece
                    .into_iter()
                    .filter(|(name, _)| name != "ok")
                    .fold(reply, |reply, (name, value)| reply.with(&name, value)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                Err(ApiError::internal("a piece is an object"))
            }
        }
    }

    fn about(&self, name: &str, value: &str) -> ApiRequest {
        let path_parameters = [(name.to_owned(), value.to_owned())].into();
        ApiRequest { path_parameters, ..self.blank.clone() }
    }

    fn with_body(&self, body: &Map<String, Value>) -> ApiRequest {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
        ApiRequest { headers, body: Value::Object(body.clone()).to_string().into_bytes(), ..self.blank.clone() }
    }
}

fn waiting(mut request: ApiRequest, seconds: Option<u64>) -> ApiRequest {
    request.query.extend(seconds.map(|seconds| ("wait".to_owned(), seconds.to_string())));
    request
}

impl Api for Functions {
    async fn send(&self, request: Request) -> Result<Answer, Unreachable> {
        // Boxed: futures of SDK calls are large.
        let response = respond(&self.blank.id, Box::pin(self.outcome(&request)).await, &[]);
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
