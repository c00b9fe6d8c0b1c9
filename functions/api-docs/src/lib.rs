//! `GET /openapi.json` and `GET /docs`: the API's description, for machines and for people. Needs no key.

pub mod description;
pub mod site;

use std::sync::Arc;

use docmill::http::envelope::{X_REQUEST_ID, respond};
use docmill::http::error::ErrorCode;
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{HeaderName, HeaderValue, Response, StatusCode, header};

use site::{Document, Site};

/// Only what this address serves: no inline script, no other host, no frame around it. The viewer's search runs in a
/// worker that it makes of its own code. The two digests are of the only style elements that the viewer adds: an empty
/// one, whose rules its script fills in, and its scroll bars.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' \
    'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; \
    img-src data:; connect-src 'self'; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

pub async fn handle(site: Arc<Site>, request: ApiRequest) -> Response<Body> {
    match site.find(&request.path) {
        Some(document) => show(document, &request),
        None => respond(&request.id, Err(ErrorCode::RouteNotFound.into()), &[]),
    }
}

fn show(document: &Document, request: &ApiRequest) -> Response<Body> {
    let mut headers = vec![
        (X_REQUEST_ID, request.id.to_string()),
        (header::CACHE_CONTROL, document.cache_control.to_owned()),
        (header::ETAG, document.etag.clone()),
        (header::VARY, "Accept-Encoding".to_owned()),
    ];
    if request.has_current(&document.etag) {
        return response(StatusCode::NOT_MODIFIED, headers, Body::Empty);
    }
    headers.push((header::CONTENT_TYPE, document.content_type.to_owned()));
    headers.push((header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY.to_owned()));
    headers.push((header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()));
    headers.push((header::REFERRER_POLICY, "no-referrer".to_owned()));
    if accepts_gzip(request) {
        headers.push((header::CONTENT_ENCODING, "gzip".to_owned()));
        return response(StatusCode::OK, headers, Body::Binary(document.gzip.to_vec()));
    }
    match document.plain() {
        Ok(plain) => response(StatusCode::OK, headers, Body::Binary(plain)),
        Err(error) => respond(&request.id, Err(docmill::http::error::ApiError::internal(error)), &[]),
    }
}

fn response(status: StatusCode, headers: Vec<(HeaderName, String)>, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    for (name, value) in headers {
        // All values are made of printable ASCII; one that is not is left out, not sent broken.
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// Whether `Accept-Encoding` names gzip, and not with a weight of zero (RFC 9110 § 12.5.3).
fn accepts_gzip(request: &ApiRequest) -> bool {
    let Some(Ok(accepted)) = request.headers.get(header::ACCEPT_ENCODING).map(HeaderValue::to_str) else {
        return false;
    };
    accepted.split(',').any(|coding| {
        let mut parts = coding.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("gzip") || name == "*");
        let refused = parts.filter_map(|weight| weight.strip_prefix("q=")).any(|weight| weight.parse() == Ok(0.0_f32));
        named && !refused
    })
}
