//! Pictures as a PDF holds them: JPEG and plain PNG data as they are, everything else decoded and deflated.

use std::io::Cursor;

use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader};
use lopdf::{Dictionary, Object, Stream, dictionary};

use super::deflate::{Samples, image_data, png_data};
use crate::{ErrorCode, Failure, Limits, Media};

/// The part of the allowed memory that a decoder may take.
const MEMORY_SHARE: u64 = 3;
/// Frames of one file.
const FRAMES: usize = 2000;

/// One picture, ready to be put into a PDF.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub stream: Stream,
    pub soft_mask: Option<Stream>,
    /// Its colours, where the file describes them: a profile and the number of its components.
    pub profile: Option<(Vec<u8>, u8)>,
    pub width: u32,
    pub height: u32,
    pub orientation: Orientation,
    /// Dots per inch, across and down.
    pub dpi: Option<(f32, f32)>,
}

/// All frames of a file, one after the other, so that only one is in memory.
pub(crate) fn embed(
    data: &[u8],
    media: Media,
    limits: &Limits,
    mut each: impl FnMut(Embedded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if media == Media::Tiff {
        return super::tiff::frames(data, limits, FRAMES, &mut each);
    }
    let format = media.pixels().ok_or_else(|| {
        Failure::new(
            ErrorCode::UnsupportedFormat,
            "This file is not an image. Send JPEG, PNG, WebP, TIFF, GIF, BMP or SVG.",
            "not an image",
        )
    })?;
    let (image, orientation, profile) = decode(data, format, limits)?;
    let (width, height) = (image.width(), image.height());
    let (dpi, passed) = if format == ImageFormat::Jpeg {
        (super::header::jpeg_dpi(data), super::header::jpeg(data))
    } else if format == ImageFormat::Png {
        (super::header::png_dpi(data), super::header::png(data))
    } else {
        (None, None)
    };
    let components = |stream: &Stream| match stream.dict.get(b"ColorSpace").and_then(Object::as_name) {
        Ok(b"DeviceGray") => 1,
        Ok(b"DeviceRGB") => 3,
        Ok(b"DeviceCMYK") => 4,
        _ => 0,
    };
    let (stream, soft_mask) = match passed {
        Some(stream) => {
            drop(image);
            (stream, None)
        }
        None => deflate(&image)?,
    };
    let profile = profile.map(|profile| (profile, components(&stream))).filter(|(profile, components)| {
        matches!((profile.get(16..20), components), (Some(b"GRAY"), 1) | (Some(b"RGB "), 3) | (Some(b"CMYK"), 4))
    });
    each(Embedded { stream, soft_mask, profile, width, height, orientation, dpi })
}

/// Decodes a file within the limits. Data that is passed on is decoded too, to know that it is whole.
pub(crate) fn decode(
    data: &[u8],
    format: ImageFormat,
    limits: &Limits,
) -> Result<(DynamicImage, Orientation, Option<Vec<u8>>), Failure> {
    let mut bounds = image::Limits::default();
    bounds.max_alloc = Some(limits.memory_bytes / MEMORY_SHARE);
    let mut reader = ImageReader::with_format(Cursor::new(data), format);
    reader.limits(bounds);
    let mut decoder = reader.into_decoder().map_err(damaged)?;
    let (width, height) = decoder.dimensions();
    check_size(width, height, limits)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let profile = decoder.icc_profile().ok().flatten();
    let image = DynamicImage::from_decoder(decoder).map_err(damaged)?;
    Ok((image, orientation, profile))
}

pub(super) fn check_size(width: u32, height: u32, limits: &Limits) -> Result<(), Failure> {
    let pixels = u64::from(width) * u64::from(height);
    // 8 bytes hold any pixel.
    if pixels <= limits.pixels && pixels.saturating_mul(8) <= limits.memory_bytes && pixels > 0 {
        return Ok(());
    }
    let most = limits.pixels.min(limits.memory_bytes / 8) / 1_000_000;
    Err(Failure::new(
        ErrorCode::RenderFailed,
        format!("The image has {width} × {height} pixels, and the limit is {most} million. Send a smaller one."),
        "image beyond the limit",
    ))
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

/// Any picture as grey or RGB, with its transparency apart.
pub(super) fn deflate(image: &DynamicImage) -> Result<(Stream, Option<Stream>), Failure> {
    let (width, height) = (image.width(), image.height());
    let stream = if image.color().has_color() {
        image_stream(width, height, Samples::Rgb, &image.to_rgb8())?
    } else {
        image_stream(width, height, Samples::Gray, &image.to_luma8())?
    };
    if !image.color().has_alpha() {
        return Ok((stream, None));
    }
    let alpha: Vec<u8> = image.to_rgba8().pixels().map(|pixel| pixel.0[3]).collect();
    if alpha.iter().all(|alpha| *alpha == 255) {
        return Ok((stream, None));
    }
    Ok((stream, Some(image_stream(width, height, Samples::Gray, &alpha)?)))
}

pub(crate) fn image_stream(width: u32, height: u32, samples: Samples, data: &[u8]) -> Result<Stream, Failure> {
    let packed = png_data(width, height, samples, data).ok_or_else(|| super::damaged("image: rows"))?;
    let (space, channels, bits) = samples.description();
    Ok(stream(width, height, space, bits, "FlateDecode", packed, Some(image_data(channels, bits, width))))
}

/// The stream of a picture.
pub(super) fn stream(
    width: u32,
    height: u32,
    space: &str,
    bits: u8,
    filter: &str,
    data: Vec<u8>,
    parameters: Option<Dictionary>,
) -> Stream {
    let mut dict = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => i64::from(width), "Height" => i64::from(height),
        "ColorSpace" => Object::Name(space.into()), "BitsPerComponent" => i64::from(bits),
        "Filter" => Object::Name(filter.into()),
    };
    if let Some(parameters) = parameters {
        dict.set("DecodeParms", parameters);
    }
    let mut stream = Stream::new(dict, data);
    stream.allows_compression = false;
    stream
}
