//! Requests to handlers in the gateway's form, and their responses.

use std::time::{Duration, Instant};

use docmill_domain::api_key::ApiKey;
use docmill_http::request::{ApiRequest, RequestId};
use lambda_http::Body;
use lambda_http::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, header};
use serde_json::Value;
use uuid::Uuid;

pub fn get(path: &str) -> RequestBuilder {
    RequestBuilder::new(Method::GET, path)
}

pub fn post(path: &str, body: &Value) -> RequestBuilder {
    RequestBuilder::new(Method::POST, path).raw_body(body.to_string()).header("content-type", "application/json")
}

#[derive(Clone)]
pub struct RequestBuilder(ApiRequest);

impl RequestBuilder {
    pub fn new(method: Method, path: &str) -> Self {
        Self(ApiRequest {
            id: RequestId::from(Uuid::now_v7().to_string().as_str()),
            method,
            path: path.to_owned(),
            path_parameters: Default::default(),
            query: Vec::new(),
            // The time of creating and reading functions, minus their margin.
            ends_at: Instant::now() + Duration::from_secs(28),
            headers: HeaderMap::new(),
            body: Vec::new(),
        })
    }

    pub fn key(self, key: &ApiKey) -> Self {
        self.header("authorization", &format!("Bearer {}", key.reveal()))
    }

    pub fn header(self, name: &'static str, value: &str) -> Self {
        self.raw_header(name, value.as_bytes())
    }

    pub fn raw_header(mut self, name: &'static str, value: &[u8]) -> Self {
        self.0.headers.insert(HeaderName::from_static(name), HeaderValue::from_bytes(value).unwrap());
        self
    }

    pub fn without_header(mut self, name: &'static str) -> Self {
        self.0.headers.remove(name);
        self
    }

    pub fn raw_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.0.body = body.into();
        self
    }

    pub fn parameter(mut self, name: &str, value: &str) -> Self {
        self.0.path_parameters.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.0.query.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn build(self) -> ApiRequest {
        self.0
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|media_type| media_type == "application/json")
}

/// A response whose envelope was checked.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    pub fn of(response: Response<Body>) -> Self {
        let (parts, body) = response.into_parts();
        let body: Value = match body {
            Body::Empty => Value::Null,
            // Responses that are not JSON have no envelope.
            Body::Text(text) if !is_json(&parts.headers) => Value::String(text),
            body => serde_json::from_slice(&body).expect("the body is JSON"),
        };
        let answer = Self { status: parts.status.as_u16(), headers: parts.headers, body };
        answer.check_envelope();
        answer
    }

    fn check_envelope(&self) {
        let request_id = self.header("x-request-id").expect("every answer has its request's id");
        if self.body.is_null() || !is_json(&self.headers) {
            return;
        }
        assert_eq!(self.body["requestId"], request_id);
        assert_eq!(self.body["ok"], self.status < 400);
        if self.status >= 400 {
            assert_eq!(self.body["error"]["status"], self.status);
            assert!(self.body["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Status and error code.
    pub fn refusal(&self) -> (u16, &str) {
        (self.status, self.body["error"]["code"].as_str().unwrap_or("none"))
    }

    pub fn job_id(&self) -> String {
        self.body["job"]["id"].as_str().expect("the answer carries a job").to_owned()
    }
}
