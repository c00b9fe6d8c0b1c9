//! Addresses and delivery of assets, also for the documentation.

use axum::Router;
use axum::extract::{Path, RawQuery};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use docmill_http::request::accepts_gzip;
pub use docmill_look::assets::{HTMX, PDF, PDF_WORKER};

use crate::state::AppState;

/// An asset's address with its digest, which browsers may cache indefinitely.
pub fn link(state: &AppState, name: &str) -> String {
    state.link(&docmill_look::assets::path(name))
}

/// The route of all assets.
pub fn routes() -> Router<AppState> {
    Router::new().route("/assets/{file}", get(show))
}

/// A worker has the policy of its own file: it may load its decoders, but send nothing.
const SCRIPT_POLICY: &str = "default-src 'none'; script-src 'self'; frame-ancestors 'none'; base-uri 'none'";

async fn show(Path(file): Path<String>, RawQuery(version): RawQuery, headers: HeaderMap) -> Response {
    let Some(asset) = docmill_look::assets::find(&file) else {
        return (StatusCode::NOT_FOUND, "no such file\n").into_response();
    };
    // Without its digest, an address may have other content later.
    let kept = if version.is_some() { "public, max-age=31536000, immutable" } else { "public, max-age=3600" };
    let mut answer = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static(kept)),
        (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(SCRIPT_POLICY)),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ]);
    let content = if accepts_gzip(&headers) {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        asset.gzip()
    } else {
        asset.plain()
    };
    match content {
        Ok(content) => (answer, content.into_owned()).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
