//! The envelope of every response: `ok`, `requestId`, and either the result or the error.

use lambda_http::Body;
use lambda_http::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::{ApiError, ErrorCode};
use super::request::RequestId;
use docmill_domain::account::StoredKey;
use docmill_domain::job::JobId;

const JSON: &str = "application/json";

pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
pub const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// A successful response before it is put in the envelope.
#[derive(Debug)]
pub struct Reply {
    pub status: StatusCode,
    pub headers: Vec<(HeaderName, String)>,
    pub content: Content,
    pub noted: Noted,
}

/// The content of a response.
#[derive(Debug)]
pub enum Content {
    Nothing,
    /// JSON: members next to `ok` and `requestId`.
    Members(Map<String, Value>),
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
    pub account: String,
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
    pub fn ok(name: &str, value: impl Serialize) -> Self {
        Self::new(StatusCode::OK, name, value)
    }

    pub fn new(status: StatusCode, name: &str, value: impl Serialize) -> Self {
        let members = Map::from_iter([(name.to_owned(), json!(value))]);
        Self { status, headers: Vec::new(), content: Content::Members(members), noted: Noted::default() }
    }

    /// An answer without a body.
    pub fn empty(status: StatusCode) -> Self {
        Self { status, headers: Vec::new(), content: Content::Nothing, noted: Noted::default() }
    }

    pub fn text(media_type: &'static str, text: String) -> Self {
        Self { content: Content::Text(media_type, text), ..Self::empty(StatusCode::OK) }
    }

    /// The members of a JSON response.
    pub fn members(self) -> Option<Map<String, Value>> {
        match self.content {
            Content::Members(members) => Some(members),
            Content::Nothing | Content::Text(..) => None,
        }
    }

    pub fn with(mut self, name: &str, value: impl Serialize) -> Self {
        if let Content::Members(members) = &mut self.content {
            members.insert(name.to_owned(), json!(value));
        }
        self
    }

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

pub type Outcome = Result<Reply, ApiError>;

/// The HTTP response for an outcome. `shared_headers` are sent with errors too.
pub fn respond(id: &RequestId, outcome: Outcome, shared_headers: &[(HeaderName, String)]) -> Response<Body> {
    let (status, mut headers, body, noted) = match outcome {
        Ok(Reply { status, headers, content, noted }) => {
            let body = match content {
                Content::Nothing => None,
                Content::Text(media_type, text) => Some((media_type, text)),
                Content::Members(members) => {
                    let mut body =
                        Map::from_iter([("ok".to_owned(), json!(true)), ("requestId".to_owned(), json!(id))]);
                    body.extend(members);
                    Some((JSON, Value::Object(body).to_string()))
                }
            };
            (status, headers, body, noted)
        }
        Err(mut error) => {
            let noted =
                Noted { code: Some(error.code), cause: error.cause.take(), job: error.created, ..Noted::default() };
            let headers = error_headers(&error);
            (error.code.status(), headers, Some((JSON, error_body(id, error).to_string())), noted)
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

fn error_body(id: &RequestId, error: ApiError) -> Value {
    let ApiError { code, message, details, members, job, .. } = error;
    let mut inner = Map::from_iter([
        ("code".to_owned(), json!(code.as_str())),
        ("message".to_owned(), json!(message)),
        ("status".to_owned(), json!(code.status().as_u16())),
    ]);
    if code == ErrorCode::ValidationFailed || !details.is_empty() {
        inner.insert("details".to_owned(), json!(details));
    }
    inner.extend(members);
    let mut body = Map::from_iter([
        ("ok".to_owned(), json!(false)),
        ("requestId".to_owned(), json!(id)),
        ("error".to_owned(), Value::Object(inner)),
    ]);
    if let Some(job) = job {
        body.insert("job".to_owned(), job);
    }
    Value::Object(body)
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
            respond(&id, Ok(Reply::ok("usage", json!({"plan": "free"}))), &[(RATE_LIMIT, "\"read\";r=9;t=1".into())]);
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
