//! A request as handlers see it, and the checks of its body.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use lambda_http::RequestExt;
use lambda_http::http::{HeaderMap, HeaderName, Method, header};
use lambda_http::request::RequestContext;
use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{ApiError, ErrorCode};
use docmill_config::clock::time_left;
use docmill_domain::breach::Breach;
use docmill_domain::idempotency::IdempotencyKey;
use docmill_domain::limits::MAX_BODY_BYTES;
use docmill_domain::request::UnknownNames;
use docmill_domain::request::nesting::{MAX_NESTING, depth};

const FORM_TYPE: &str = "multipart/form-data";
const STRICT: HeaderName = HeaderName::from_static("docmill-strict");
/// Answers must leave the function this long before its timeout, or the gateway answers instead.
const MARGIN: Duration = Duration::from_secs(1);
/// The longest timeout of a function that answers requests.
const LONGEST_TIME: Duration = Duration::from_secs(29);
/// A function's time if its platform does not say: the template's usual timeout minus the margin.
const USUAL_TIME: Duration = Duration::from_secs(9);

/// The gateway's request id, which is in every response and log line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct RequestId(String);

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What handlers need of an HTTP request. `Debug` shows neither headers nor body.
#[derive(Clone)]
pub struct ApiRequest {
    /// Given by the gateway.
    pub id: RequestId,
    /// The HTTP method.
    pub method: Method,
    /// As it was sent, without its query.
    pub path: String,
    /// By their names in the route, percent-decoded.
    pub path_parameters: HashMap<String, String>,
    /// Names and values of the query string, in order.
    pub query: Vec<(String, String)>,
    /// As they were sent, with secrets.
    pub headers: HeaderMap,
    /// As it was sent. Empty without a body.
    pub body: Vec<u8>,
    /// When the answer must be ready.
    pub ends_at: Instant,
}

impl fmt::Debug for ApiRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiRequest")
            .field("id", &self.id)
            .field("method", &self.method)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl From<lambda_http::Request> for ApiRequest {
    fn from(request: lambda_http::Request) -> Self {
        let id = match request.request_context_ref() {
            Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone(),
            Some(_) | None => None,
        };
        let path_parameters = request.path_parameters();
        let query = url::form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes()).into_owned();
        let deadline = request.lambda_context_ref().map(|context| context.deadline());
        let time_left = deadline.and_then(|deadline| time_left(deadline, LONGEST_TIME));
        let time_left = time_left.map_or(USUAL_TIME, |left| left.saturating_sub(MARGIN));
        Self {
            id: RequestId(id.unwrap_or_default()),
            method: request.method().clone(),
            path: request.raw_http_path().to_owned(),
            path_parameters: path_parameters.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            query: query.collect(),
            ends_at: Instant::now() + time_left,
            headers: request.headers().clone(),
            body: request.into_body().to_vec(),
        }
    }
}

impl ApiRequest {
    /// Empty if the route has no such parameter.
    pub fn path_parameter(&self, name: &str) -> &str {
        self.path_parameters.get(name).map_or("", String::as_str)
    }

    /// The first value of a query parameter.
    pub fn query(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The key of an `Authorization: Bearer` header. If it is not ASCII, it counts as malformed.
    pub fn bearer(&self) -> Option<String> {
        let value = String::from_utf8_lossy(self.headers.get(header::AUTHORIZATION)?.as_bytes());
        let (scheme, token) = value.split_once(' ')?;
        let token = token.trim();
        (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then(|| token.to_owned())
    }

    /// Where a request without a bearer token seems to have a key, as other services take it.
    pub fn other_credentials(&self) -> Option<&'static str> {
        let has = |name: &str| self.query(name).is_some();
        if self.headers.contains_key("x-api-key") {
            Some("The header `X-Api-Key`")
        } else if self.headers.contains_key(header::AUTHORIZATION) {
            Some("An `Authorization` header of another form")
        } else if has("api_key") || has("apikey") || has("key") {
            Some("A key in the query")
        } else {
            None
        }
    }

    /// The `Origin` header of a browser's request.
    pub fn origin(&self) -> Option<&str> {
        self.headers.get(header::ORIGIN)?.to_str().ok()
    }

    /// Whether `If-None-Match` matches `etag` (RFC 9110 § 13.1.2: weak comparison, `*` matches anything).
    pub fn has_current(&self, etag: &str) -> bool {
        let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).to_owned();
        let Some(Ok(candidates)) = self.headers.get(header::IF_NONE_MATCH).map(|value| value.to_str()) else {
            return false;
        };
        candidates.split(',').map(str::trim).any(|candidate| candidate == "*" || opaque(candidate) == opaque(etag))
    }

    /// The `Idempotency-Key` header, if there is one.
    ///
    /// # Errors
    /// If it is no key.
    pub fn idempotency_key(&self) -> Result<Option<IdempotencyKey>, ApiError> {
        let Some(value) = self.headers.get("idempotency-key") else { return Ok(None) };
        IdempotencyKey::parse(value.as_bytes()).map(Some).map_err(|_| ErrorCode::InvalidIdempotencyKey.into())
    }

    /// What becomes of names in the body that no schema defines: `Docmill-Strict: true` makes them errors, `false` warnings.
    ///
    /// # Errors
    /// If the header has another value: whoever is strict wants no misspelling to be ignored.
    pub fn unknown_names(&self) -> Result<UnknownNames, ApiError> {
        let Some(value) = self.headers.get(STRICT) else { return Ok(UnknownNames::ByTool) };
        match value.as_bytes() {
            b"true" => Ok(UnknownNames::Refused),
            b"false" => Ok(UnknownNames::Ignored),
            _ => Err(ApiError::validation(vec![Breach::new("Docmill-Strict", "must be `true` or `false`")])),
        }
    }

    /// The body as a JSON object. Checks size, presence, media type and JSON in the documented order.
    ///
    /// # Errors
    /// The first check that fails.
    pub fn json_object(&self) -> Result<Map<String, Value>, ApiError> {
        if self.body.len() > MAX_BODY_BYTES {
            return Err(ErrorCode::PayloadTooLarge.into());
        }
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return Err(ApiError::from(ErrorCode::InvalidJson).with_message("The body is empty. Send a JSON object."));
        }
        if !self.is_json() {
            return Err(self.wrong_media_type());
        }
        let invalid = |message: String| ApiError::from(ErrorCode::InvalidJson).with_message(message);
        match serde_json::from_slice(&self.body) {
            Ok(Value::Object(object)) if depth(&object) <= MAX_NESTING => Ok(object),
            Ok(Value::Object(_)) => Err(ErrorCode::InvalidJson.into()),
            Ok(_) => Err(invalid("The body must be a JSON object, such as {\"sourceUrl\": \"https://…\"}.".to_owned())),
            Err(error) => Err(invalid(fault_of(&error))),
        }
    }

    /// What to do instead, by what was sent: files have requests of their own.
    fn wrong_media_type(&self) -> ApiError {
        let error = ApiError::from(ErrorCode::UnsupportedMediaType);
        let starts = self.body.iter().find(|byte| !byte.is_ascii_whitespace());
        match self.media_type().as_str() {
            "" | "application/x-www-form-urlencoded" | "text/plain" if starts == Some(&b'{') => error.with_message(
                "The body looks like JSON, but its type is not. Add the header `Content-Type: application/json`, with \
                 curl by `-H 'Content-Type: application/json'`.",
            ),
            "" | "application/x-www-form-urlencoded" | "text/plain" => error,
            FORM_TYPE => error.with_message(
                "This request takes JSON only. Send a form with files to `POST /v1/convert/{tool}`, such as \
                 `POST /v1/convert/office-to-pdf`. See /docs/uploads.",
            ),
            _ => error.with_message(
                "Send a file as a form, with curl by `-F file=@report.docx`, to `POST /v1/convert/{tool}`. `POST /v1/uploads` gives a \
                 link to send a larger file to; then send JSON with its `uploadId`. See /docs/uploads.",
            ),
        }
    }

    /// Whether the body is a form, which may have files.
    pub fn is_form(&self) -> bool {
        self.media_type() == FORM_TYPE
    }

    /// `application/json` or `…/…+json`, with any parameters.
    fn is_json(&self) -> bool {
        let essence = self.media_type();
        essence == "application/json" || (essence.contains('/') && essence.ends_with("+json"))
    }

    /// The type of the body without parameters, in small letters; empty if it has none.
    fn media_type(&self) -> String {
        let content_type = self.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        content_type.unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase()
    }
}

/// What is wrong with text that is not JSON. The parser's messages name a place and no content.
fn fault_of(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let (line, column) = (error.line(), error.column());
    if message.starts_with("number out of range") {
        return format!(
            "The number at line {line}, column {column} is too large: JSON numbers go up to about 1.8e308."
        );
    }
    if message.starts_with("recursion limit") {
        return ErrorCode::InvalidJson.text().to_owned();
    }
    format!("The body is not valid JSON: {message}.")
}

/// Whether `Accept-Encoding` accepts gzip with a weight above zero (RFC 9110 § 12.5.3).
pub fn accepts_gzip(headers: &HeaderMap) -> bool {
    let Some(Ok(accepted)) = headers.get(header::ACCEPT_ENCODING).map(|value| value.to_str()) else { return false };
    accepted.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        let refused = parts.filter_map(|weight| weight.strip_prefix("q=")).any(|weight| weight.parse() == Ok(0.0_f32));
        named && !refused
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::http::HeaderValue;
    use proptest::prelude::*;

    fn request(body: impl Into<Vec<u8>>) -> ApiRequest {
        ApiRequest {
            id: RequestId::from("r"),
            method: Method::POST,
            path: "/v1/jobs".into(),
            path_parameters: HashMap::new(),
            query: Vec::new(),
            ends_at: Instant::now() + USUAL_TIME,
            headers: HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))]),
            body: body.into(),
        }
    }

    fn refused(request: &ApiRequest) -> ErrorCode {
        request.json_object().unwrap_err().code
    }

    #[test]
    fn bodies_are_checked_in_the_documented_order() {
        let mut oversize = request(vec![b' '; MAX_BODY_BYTES + 1]);
        oversize.headers.clear();
        assert_eq!(refused(&oversize), ErrorCode::PayloadTooLarge);

        let mut empty = request(" \n");
        empty.headers.clear();
        assert_eq!(refused(&empty), ErrorCode::InvalidJson);

        let mut form = request("a=b");
        form.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        assert_eq!(refused(&form), ErrorCode::UnsupportedMediaType);
        form.headers.clear();
        assert_eq!(refused(&form), ErrorCode::UnsupportedMediaType);

        for body in ["{", "[]", "1", "\"x\"", "null", "{} {}"] {
            assert_eq!(refused(&request(body)), ErrorCode::InvalidJson, "{body}");
        }
        assert_eq!(refused(&request(b"{\"a\":\"\xff\"}".to_vec())), ErrorCode::InvalidJson);
    }

    #[test]
    fn the_message_says_what_is_wrong_with_the_json() {
        for (body, expected) in [
            ("{\"a\": 1e400}", "The number at line 1, column 11 is too large"),
            ("{\"a\": \"x\"", "at line 1 column 9."),
            ("[1]", "must be a JSON object"),
            ("{\"canary\": canary}", "expected value at line 1 column 12."),
        ] {
            let message = request(body).json_object().unwrap_err().message;
            assert!(message.contains(expected) && !message.contains("canary"), "{body}: {message}");
            assert!(!message.contains("nested"), "{message}");
        }
        let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
        assert!(request(format!("{{\"a\":{deep}}}")).json_object().unwrap_err().message.contains("nested"));
    }

    #[test]
    fn the_message_about_a_media_type_says_what_to_do() {
        let message = |content_type: &'static str, body: &str| {
            let mut request = request(body);
            request.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
            request.json_object().unwrap_err().message
        };
        for content_type in ["multipart/form-data; boundary=x", "application/pdf", "application/octet-stream"] {
            assert!(message(content_type, "--x").contains("POST /v1/convert/{tool}"), "{content_type}");
        }
        let form = "application/x-www-form-urlencoded";
        assert!(message(form, "{\"html\": \"x\"}").contains("-H 'Content-Type: application/json'"));
        assert_eq!(message(form, "a=b"), ErrorCode::UnsupportedMediaType.text());
    }

    #[test]
    fn media_types_may_have_parameters_and_suffixes() {
        for content_type in ["application/json; charset=latin1", "Application/JSON", "application/vnd.docmill+json"] {
            let mut request = request("{}");
            request.headers.insert(header::CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap());
            assert!(request.json_object().is_ok(), "{content_type}");
        }
    }

    #[test]
    fn nesting_ends_at_sixty_four() {
        let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(request(nested(64)).json_object().is_ok());
        assert_eq!(refused(&request(nested(65))), ErrorCode::InvalidJson);
        assert_eq!(refused(&request(nested(100_000))), ErrorCode::InvalidJson);
    }

    #[test]
    fn only_a_bearer_header_carries_a_key() {
        let with = |value: &str| {
            let mut request = request("");
            request.headers.insert(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
            request.bearer()
        };
        assert_eq!(with("Bearer abc"), Some("abc".into()));
        assert_eq!(with("bearer  abc"), Some("abc".into()));
        for other in ["abc", "Basic abc", "Bearer", "Bearer "] {
            assert_eq!(with(other), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn no_body_makes_the_parser_panic(body in prop::collection::vec(any::<u8>(), 0..2000)) {
            if let Err(error) = request(body).json_object() {
                prop_assert_eq!(error.code, ErrorCode::InvalidJson);
            }
        }
    }

    #[test]
    fn fuzz_bodies_of_requests() {
        let catalogue = docmill_domain::catalogue::Catalogue::load().unwrap();
        docmill_fuzz::fuzz("request-bodies", &[], |bytes| {
            let Ok(body) = request(bytes).json_object() else { return };
            for slug in ["html-to-pdf", "office-to-pdf"] {
                let tool = catalogue.find(slug).unwrap();
                if let Ok((job, _)) = docmill_domain::request::JobRequest::parse(&catalogue, tool, &body) {
                    // Accepted requests can be stored, and the worker reads the same content.
                    let read: docmill_domain::request::JobRequest =
                        serde_json::from_str(&job.canonical().reveal()).unwrap();
                    assert_eq!(read.canonical().fingerprint(), job.canonical().fingerprint());
                    job.redacted_input();
                    job.redacted_options(&tool.definition);
                }
            }
        });
    }
}
