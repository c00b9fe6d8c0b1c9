//! Pictures in PDF form: JPEG and simple PNG data unchanged, everything else decoded and deflated.

use std::io::Cursor;

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Failure, Limits};
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};
use lopdf::{Object, Stream};

use super::jpeg::jpeg_samples;
use super::stream::{Embedded, check_size, deflate};

/// A decoder may use this fraction of the memory limit.
const MEMORY_SHARE: u64 = 3;
/// Most frames of a file.
const FRAMES: usize = 2000;

/// All frames of a file, one after the other to save memory.
///
/// # Errors
/// If the file is damaged or above a limit, or `each` fails.
pub fn embed(
    data: &[u8],
    media: Format,
    limits: &Limits,
    mut each: impl FnMut(Embedded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if media == Format::Tiff {
        return super::tiff::frames(data, limits, FRAMES, &mut each);
    }
    let format = super::decoder_of(media).ok_or_else(|| {
        Failure::new(
            ErrorCode::UnsupportedFormat,
            "This file is not an image. Send JPEG, PNG, WebP, TIFF, GIF, BMP or SVG.",
            "not an image",
        )
    })?;
    let (decoder, orientation, profile) = begin(data, format, limits)?;
    let (width, height) = decoder.dimensions();
    let (dpi, passed) = if format == ImageFormat::Jpeg {
        (super::header::jpeg_dpi(data), super::header::jpeg(data))
    } else if format == ImageFormat::Png {
        (super::header::png_dpi(data), super::header::png(data))
    } else {
        (None, None)
    };
    let (stream, soft_mask) = match passed {
        Some(stream) if format == ImageFormat::Jpeg && is_whole(data, &stream, (width, height)) => (stream, None),
        Some(stream) => {
            drop(finish(decoder)?);
            (stream, None)
        }
        None => deflate(&finish(decoder)?)?,
    };
    let profile = profile.map(|profile| (profile, components(&stream))).filter(|(profile, components)| {
        matches!((profile.get(16..20), components), (Some(b"GRAY"), 1) | (Some(b"RGB "), 3) | (Some(b"CMYK"), 4))
    });
    each(Embedded { stream, soft_mask, profile, width, height, orientation, dpi })
}

/// Whether a JPEG in grey or in three colors can be decoded to its end. An eighth of its size is enough to know, and takes half
/// of the time.
fn is_whole(data: &[u8], stream: &Stream, size: (u32, u32)) -> bool {
    let channels = components(stream);
    matches!(channels, 1 | 3) && jpeg_samples(data, channels, size, (1, 1)).is_some()
}

fn components(stream: &Stream) -> u8 {
    match stream.dict.get(b"ColorSpace").and_then(Object::as_name) {
        Ok(b"DeviceGray") => 1,
        Ok(b"DeviceRGB") => 3,
        Ok(b"DeviceCMYK") => 4,
        _ => 0,
    }
}

/// Decodes a file within the limits.
///
/// # Errors
/// If the file is damaged or above a limit.
pub fn decode(
    data: &[u8],
    format: ImageFormat,
    limits: &Limits,
) -> Result<(DynamicImage, Orientation, Option<Vec<u8>>), Failure> {
    if format == ImageFormat::Tiff {
        let (image, orientation) = super::tiff::first(data, limits)?;
        return Ok((image, orientation, None));
    }
    let (decoder, orientation, profile) = begin(data, format, limits)?;
    Ok((finish(decoder)?, orientation, profile))
}

fn finish(decoder: impl ImageDecoder) -> Result<DynamicImage, Failure> {
    DynamicImage::from_decoder(decoder).map_err(damaged)
}

/// Reads what a file says before its pixels.
fn begin<'d>(
    data: &'d [u8],
    format: ImageFormat,
    limits: &Limits,
) -> Result<(impl ImageDecoder + use<'d>, Orientation, Option<Vec<u8>>), Failure> {
    let mut bounds = image::Limits::default();
    bounds.max_alloc = Some(limits.memory_bytes / MEMORY_SHARE);
    let mut reader = ImageReader::with_format(Cursor::new(data), format);
    reader.limits(bounds);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, limits)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten();
    Ok((decoder, orientation, profile))
}

fn damaged(error: image::ImageError) -> Failure {
    match error {
        image::ImageError::Limits(_) => Failure::new(
            ErrorCode::RenderFailed,
            "The image needs more memory than there is. Send a smaller one.",
            "image: limits",
        ),
        image::ImageError::Unsupported(_) => Failure::new(
            ErrorCode::UnsupportedFormat,
            "The image uses a variant of its format that is not supported. Save it in another format.",
            "image: unsupported",
        ),
        image::ImageError::Decoding(_)
        | image::ImageError::Encoding(_)
        | image::ImageError::Parameter(_)
        | image::ImageError::IoError(_) => super::damaged("image: damaged"),
    }
}
