//! The envelope of every response: `ok`, `requestId`, and either the result or the error.

use lambda_http::Body;
use lambda_http::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};

use super::error::{ApiError, ErrorCode, ErrorView};
use super::request::RequestId;
use docmill_domain::account::StoredKey;
use docmill_domain::job::JobId;
#[cfg(feature = "schema")]
use docmill_domain::job::JobView;

const JSON: &str = "application/json";

/// The request's id, also in the body. Support asks for it.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub(crate) const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A successful response before it is put in the envelope.
#[derive(Debug)]
pub struct Reply {
    /// One below 400.
    pub status: StatusCode,
    /// Besides those that every response has.
    pub headers: Vec<(HeaderName, String)>,
    /// The body.
    pub content: Content,
    /// What the log line says.
    pub noted: Noted,
}

/// The content of a response.
#[derive(Debug)]
pub enum Content {
    /// The response has no body.
    Nothing,
    /// A JSON object, whose members stand next to `ok` and `requestId`.
    Body(Value),
    /// Text of this media type.
    Text(&'static str, String),
}

/// Further fields of a request's log line, passed in the response's extensions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// `None`: no error.
    pub code: Option<ErrorCode>,
    /// What failed, for operators.
    pub cause: Option<String>,
    /// Whose request it is. Known for each key that exists, even one that no longer works.
    pub caller: Option<Box<NotedCaller>>,
    /// The job that the request created, and its charge.
    pub job: Option<(JobId, u64)>,
}

/// The account and key of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotedCaller {
    /// The account's id.
    pub account: String,
    /// The plan's id. It decides how long the request is kept in the account's log.
    pub plan: String,
    /// The key's id, not the key.
    pub key_id: String,
}

impl From<&StoredKey> for NotedCaller {
    fn from(key: &StoredKey) -> Self {
        Self { account: key.account.clone(), plan: key.plan.clone(), key_id: key.key_id.clone() }
    }
}

impl Reply {
    /// Status 200 with this body, one of [`crate::body`].
    pub fn ok(body: impl Serialize) -> Self {
        Self::new(StatusCode::OK, body)
    }

    /// A body, one of [`crate::body`].
    pub fn new(status: StatusCode, body: impl Serialize) -> Self {
        Self { status, headers: Vec::new(), content: Content::Body(json!(body)), noted: Noted::default() }
    }

    /// An answer without a body.
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: Vec::new(), content: Content::Nothing, noted: Noted::default() }
    }

    /// Status 200 with a text of this media type, outside of the envelope.
    pub fn text(media_type: &'static str, text: String) -> Self {
        Self { content: Content::Text(media_type, text), ..Self::empty(StatusCode::OK) }
    }

    /// The same with another header.
    pub fn header(mut self, name: HeaderName, value: impl ToString) -> Self {
        self.headers.push((name, value.to_string()));
        self
    }

    /// Records the created job and its charge.
    pub fn noting_created(mut self, created: Option<(JobId, u64)>) -> Self {
        self.noted.job = created;
        self
    }
}

/// What a handler makes of a request.
pub type Outcome = Result<Reply, ApiError>;

/// A successful response as it is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "{B}", description = ""))]
pub(crate) struct Envelope<'a, B> {
    #[cfg_attr(feature = "schema", schemars(extend("const" = true)))]
    ok: bool,
    /// The header `x-request-id`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    request_id: &'a RequestId,
    #[serde(flatten)]
    body: B,
}

/// An error as it is sent.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ErrorResponse", description = ""))]
pub(crate) struct ErrorEnvelope<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("const" = false)))]
    ok: bool,
    /// The header `x-request-id`.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    request_id: &'a RequestId,
    error: ErrorView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<JobView>"))]
    job: Option<Value>,
}

/// The HTTP response for an outcome. `shared_headers` are sent with errors too.
pub fn respond(id: &RequestId, outcome: Outcome, shared_headers: &[(HeaderName, String)]) -> Response<Body> {
    let (status, mut headers, body, noted) = match outcome {
        Ok(Reply { status, headers, content, noted }) => {
            let body = match content {
                Content::Nothing => None,
                Content::Text(media_type, text) => Some((media_type, text)),
                Content::Body(body) => Some((JSON, json!(Envelope { ok: true, request_id: id, body }).to_string())),
            };
            (status, headers, body, noted)
        }
        Err(mut error) => {
            let noted =
                Noted { code: Some(error.code), cause: error.cause.take(), job: error.created, ..Noted::default() };
            let headers = error_headers(&error);
            let (status, job) = (error.code.status(), error.job.take());
            let body = json!(ErrorEnvelope { ok: false, request_id: id, error: error.into(), job });
            (status, headers, Some((JSON, body.to_string())), noted)
        }
    };
    headers.extend_from_slice(shared_headers);
    headers.push((X_REQUEST_ID, id.to_string()));
    let mut response = build(status, &headers, body);
    response.extensions_mut().insert(noted);
    response
}

fn build(status: StatusCode, headers: &[(HeaderName, String)], body: Option<(&'static str, String)>) -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = status;
    for (name, value) in headers {
        // Every value is made of checked parts. Invalid ones are left out.
        if let Ok(value) = HeaderValue::from_str(value) {
            response.headers_mut().insert(name, value);
        }
    }
    if let Some((media_type, text)) = body {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
        response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
        *response.body_mut() = Body::Text(text);
    }
    response
}

fn error_headers(error: &ApiError) -> Vec<(HeaderName, String)> {
    let mut headers = Vec::new();
    if error.code.status() == StatusCode::UNAUTHORIZED {
        headers.push((header::WWW_AUTHENTICATE, "Bearer".to_owned()));
    }
    if let Some(seconds) = error.retry_after_seconds {
        headers.push((header::RETRY_AFTER, seconds.to_string()));
    }
    if let Some(allow) = &error.allow {
        headers.push((header::ALLOW, allow.clone()));
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::breach::Breach;

    fn show(response: &Response<Body>) -> String {
        let headers: Vec<_> =
            response.headers().iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect();
        let body = std::str::from_utf8(response.body()).unwrap();
        format!("{}\n{}\n\n{body}", response.status(), headers.join("\n"))
    }

    #[test]
    fn responses_have_the_documented_shape() {
        let id = RequestId::from("req-1");
        let ok =
            respond(&id, Ok(Reply::ok(json!({"usage": {"plan": "free"}}))), &[(RATE_LIMIT, "\"read\";r=9;t=1".into())]);
        insta::assert_snapshot!("ok", show(&ok));
        let breach = Breach::new("/options/pageSize", "must be one of [\"A4\"]");
        insta::assert_snapshot!("validation_failed", show(&respond(&id, Err(ApiError::validation(vec![breach])), &[])));
        insta::assert_snapshot!(
            "insufficient_credits",
            show(&respond(&id, Err(ApiError::insufficient_credits(2, 1, None)), &[]))
        );
        insta::assert_snapshot!("rate_limited", show(&respond(&id, Err(ApiError::rate_limited(3)), &[])));
        insta::assert_snapshot!("missing_api_key", show(&respond(&id, Err(ErrorCode::MissingApiKey.into()), &[])));
    }

    #[test]
    fn a_cause_is_never_sent() {
        let response = respond(&RequestId::from("r"), Err(ApiError::internal("table arn:aws:secret")), &[]);
        assert!(!show(&response).contains("secret"));
    }
}
