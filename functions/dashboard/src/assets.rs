//! The addresses of assets, and their delivery, also to the documentation's pages.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use docmill::http::request::accepts_gzip;
pub use docmill_look::assets::HTMX;

use crate::state::AppState;

/// The address of an asset, with its digest, so that browsers may keep it for ever.
pub fn link(state: &AppState, name: &str) -> String {
    state.link(&docmill_look::assets::path(name))
}

pub fn routes() -> Router<AppState> {
    Router::new().route("/assets/{file}", get(show))
}

async fn show(Path(file): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = docmill_look::assets::find(&file) else {
        return (StatusCode::NOT_FOUND, "no such file\n").into_response();
    };
    let mut answer = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
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
