//! inspect-document: describes a PDF or an image as JSON. Runs no scripts and draws no page.

mod pdf;

use std::io::Cursor;

use docmill_formats::Format;
use docmill_pdf_core::image::{decoder_of, tiff_header};
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Outcome, Request, Source};
use image::{ImageDecoder, ImageFormat, ImageReader};
use serde_json::{Value, json};

use docmill_pdf_core::Libraries;

pub(super) fn run(libraries: &Libraries, request: &Request) -> Result<Outcome, Failure> {
    let source = super::only_source(request)?;
    let found = if source.media == Format::Pdf {
        pdf::inspect(libraries, request, source)?
    } else if let Some(format) = decoder_of(source.media) {
        image(request, source, format)?
    } else {
        let message = "Only PDF files and images can be inspected.";
        return Err(Failure::new(ErrorCode::UnsupportedFormat, message, "neither PDF nor image"));
    };
    const RESULT: &str = "inspection.json";
    let text = serde_json::to_vec_pretty(&found).map_err(|_| Failure::internal("json"))?;
    super::within_output(text.len() as u64, &request.limits)?;
    std::fs::write(request.directory.join(RESULT), text).map_err(|error| Failure::io(&error))?;
    let artifact = Artifact::new(RESULT, Format::Json);
    Ok(Outcome { artifacts: vec![artifact], ..Outcome::default() })
}

/// Reads only the header.
fn image(request: &Request, source: &Source, format: ImageFormat) -> Result<Value, Failure> {
    let data = super::images_to_pdf::read(&source.path)?;
    if format == ImageFormat::Tiff {
        let header = tiff_header(&data, &request.limits)?;
        return Ok(json!({
            "format": source.media,
            "bytes": data.len(),
            "width": header.width,
            "height": header.height,
            "channels": header.channels,
            "bitsPerChannel": header.bits,
            "transparency": header.has_alpha,
            "colorProfile": header.has_profile,
            "orientation": header.orientation.to_exif(),
        }));
    }
    let mut reader = ImageReader::with_format(Cursor::new(&data), format);
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(request.limits.memory_bytes / 3);
    reader.limits(limits);
    let damaged = |_| {
        Failure::new(
            ErrorCode::CorruptDocument,
            "The image is damaged. Save it again, or in another format.",
            "image: header",
        )
    };
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    let color = decoder.color_type();
    Ok(json!({
        "format": source.media,
        "bytes": data.len(),
        "width": width,
        "height": height,
        "channels": color.channel_count(),
        "bitsPerChannel": color.bits_per_pixel() / u16::from(color.channel_count()),
        "transparency": color.has_alpha(),
        "colorProfile": decoder.icc_profile().ok().flatten().is_some(),
        "orientation": decoder.orientation().map_or(1, image::metadata::Orientation::to_exif),
    }))
}
