//! Delivery of public pages: compressed, and cached by the browser for a minute; and of files to save.
//!
//! Pages of a session are neither, because they contain its form token, which compression could help to guess.

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use docmill_http::request::accepts_gzip;
use docmill_look::assets::compress;

const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=60");
/// Larger than any page.
const MOST_BYTES: usize = 1 << 20;

/// A file to save under this name, which nobody keeps on its way.
pub fn attachment(name: &str, media_type: &'static str, content: impl Into<Body>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media_type.to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, content.into()).into_response()
}

/// Sends a public page. Signed-in users have another cookie and get another page.
pub async fn for_guests(request: &HeaderMap, response: Response) -> Response {
    if response.status() != StatusCode::OK || response.headers().contains_key(header::SET_COOKIE) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.insert(header::CACHE_CONTROL, CACHE_CONTROL);
    parts.headers.insert(header::VARY, HeaderValue::from_static("cookie, accept-encoding"));
    let Ok(plain) = to_bytes(body, MOST_BYTES).await else {
        parts.status = StatusCode::INTERNAL_SERVER_ERROR;
        return Response::from_parts(parts, Body::empty());
    };
    match compress(&plain) {
        Ok(packed) if accepts_gzip(request) => {
            parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
            Response::from_parts(parts, Body::from(packed))
        }
        Ok(_) | Err(_) => Response::from_parts(parts, Body::from(plain)),
    }
}
