//! `POST /v1/fonts`: turns an upload into a font of the caller's account, if it is valid. The dashboard uses [`add`] for the
//! same. No other function parses files.

use std::sync::Arc;

use docmill_domain::font::{FontFace, FontId, StoredFont};
use docmill_domain::quota::RatePolicy;
use docmill_domain::upload::{named_upload, no_such_upload};
pub use docmill_fonts::MOST_BYTES;
use docmill_fonts::{Face, Font};
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::fonts::FontService;
use docmill_http::guard::{Caller, authenticated};
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};
use serde_json::{Map, Value};

pub async fn handle(service: Arc<FontService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Create, async |caller| {
        add(&service, &caller, &request.json_object()?).await
    })
    .await
}

/// Adds the font from the upload in `body`.
pub async fn add(service: &FontService, caller: &Caller, body: &Map<String, Value>) -> Outcome {
    let upload = named_upload(body, caller.now).map_err(invalid_request)?;
    let file = service.upload(caller, upload, MOST_BYTES).await?;
    let file = file.ok_or_else(|| invalid_request(no_such_upload()))?;
    let font = docmill_fonts::read(&file);
    let font = font.map_err(|error| ApiError::from(ErrorCode::InvalidFont).with_message(error.to_string()))?;
    keep(service, caller, &file, font, upload.to_string()).await
}

fn invalid_request(breaches: Vec<docmill_domain::breach::Breach>) -> ApiError {
    ApiError::validation(breaches).with_message("The font request is invalid. See `details`.")
}

async fn keep(service: &FontService, caller: &Caller, uploaded: &[u8], font: Font, upload: String) -> Outcome {
    let stored = StoredFont {
        format: font.format.as_str().to_owned(),
        bytes: uploaded.len() as u64,
        faces: font.faces.into_iter().map(face).collect(),
        created_at: caller.now,
        upload,
    };
    let kept = service.keep(caller, &FontId::of(uploaded), &stored, font.file).await?;
    let status = if kept.was_there { StatusCode::OK } else { StatusCode::CREATED };
    Ok(Reply::new(status, "font", kept.view))
}

fn face(face: Face) -> FontFace {
    let Face { family, aliases, style, weight, italic, postscript_name } = face;
    FontFace { family, aliases, style, weight, italic, postscript_name }
}
