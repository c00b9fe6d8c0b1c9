//! Files that pages refer to, compressed and named by their content, so that a browser asks once for each.

use std::borrow::Cow;
use std::io::{Read, Write};
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use docmill::domain::sha256_hex;
use docmill::http::request::accepts_gzip;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use crate::state::AppState;

pub const HTMX: &str = "htmx-2.0.11.js";

const SCRIPT: &str = "text/javascript; charset=utf-8";
const TEXTS: [(&str, &str, &str); 4] = [
    ("style.css", "text/css; charset=utf-8", include_str!("../assets/style.css")),
    ("page.js", SCRIPT, include_str!("../assets/page.js")),
    ("playground.js", SCRIPT, include_str!("../assets/playground.js")),
    ("icon.svg", "image/svg+xml", include_str!("../assets/icon.svg")),
];

struct Asset {
    name: &'static str,
    content_type: &'static str,
    digest: String,
    gzip: Cow<'static, [u8]>,
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    let asset = |name, content_type, gzip: Cow<'static, [u8]>| Asset {
        name,
        content_type,
        digest: sha256_hex(&gzip)[..12].to_owned(),
        gzip,
    };
    let texts = TEXTS.into_iter().map(|(name, content_type, text)| asset(name, content_type, compress(text).into()));
    let htmx = asset(HTMX, SCRIPT, include_bytes!("../assets/htmx-2.0.11.js.gz").as_slice().into());
    texts.chain([htmx]).collect()
});

fn compress(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Writing to memory does not fail.
    encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish()).unwrap_or_default()
}

/// The address of an asset, with its digest, so that it may be kept for ever.
pub fn link(state: &AppState, name: &str) -> String {
    let digest = ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| &asset.digest);
    state.link(&format!("/assets/{name}?v={digest}"))
}

pub fn routes() -> Router<AppState> {
    Router::new().route("/assets/{file}", get(show))
}

async fn show(Path(file): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == file) else {
        return (StatusCode::NOT_FOUND, "no such file\n").into_response();
    };
    let mut answer = HeaderMap::from_iter([
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable")),
        (header::VARY, HeaderValue::from_static("accept-encoding")),
    ]);
    if accepts_gzip(&headers) {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        return (answer, asset.gzip.to_vec()).into_response();
    }
    let mut plain = Vec::new();
    match GzDecoder::new(asset.gzip.as_ref()).read_to_end(&mut plain) {
        Ok(_) => (answer, plain).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_asset_unpacks_and_no_script_or_style_leads_elsewhere() {
        for asset in ASSETS.iter() {
            let mut text = String::new();
            GzDecoder::new(asset.gzip.as_ref()).read_to_string(&mut text).unwrap();
            assert!(text.len() > 50, "{}", asset.name);
            for foreign in ["@import", "src=\"http", "url(http", "url(//"] {
                assert!(!text.contains(foreign), "{} has {foreign}", asset.name);
            }
        }
    }
}
