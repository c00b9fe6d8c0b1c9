//! The streams of pictures.

use docmill_pdf_request::{ErrorCode, Failure, Limits};
use image::DynamicImage;
use image::metadata::Orientation;
use lopdf::{Dictionary, Object, Stream, dictionary};

use super::deflate::{Samples, image_data, png_data};

/// One picture, ready to be put into a PDF.
#[derive(Debug)]
pub struct Embedded {
    /// The picture, an image XObject.
    pub stream: Stream,
    /// Its transparency, an image XObject of its own.
    pub soft_mask: Option<Stream>,
    /// The file's color profile, if any, and its number of components.
    pub profile: Option<(Vec<u8>, u8)>,
    /// In pixels, before it is turned.
    pub width: u32,
    /// As for `width`.
    pub height: u32,
    /// How a viewer of the file turns it.
    pub orientation: Orientation,
    /// Dots per inch, across and down.
    pub dpi: Option<(f32, f32)>,
}

pub(super) fn check_size(width: u32, height: u32, limits: &Limits) -> Result<(), Failure> {
    let pixels = u64::from(width) * u64::from(height);
    // 8 bytes can hold any pixel.
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

/// Any picture as grey or RGB, with separate transparency.
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

/// An image XObject of these rows, compressed.
///
/// # Errors
/// If `data` has other rows than the size says.
pub fn image_stream(width: u32, height: u32, samples: Samples, data: &[u8]) -> Result<Stream, Failure> {
    let packed = png_data(width, height, samples, data).ok_or_else(|| super::damaged("image: rows"))?;
    let (space, channels, bits) = samples.description();
    let parameters = Some(image_data(channels, bits, width));
    Ok(stream((width, height), Coding { space, bits, filter: "FlateDecode", parameters }, packed))
}

/// How the data of a picture is written.
#[derive(Debug)]
pub(super) struct Coding<'n> {
    /// The name of its color space.
    pub(super) space: &'n str,
    pub(super) bits: u8,
    pub(super) filter: &'n str,
    pub(super) parameters: Option<Dictionary>,
}

/// The stream of a picture.
pub(super) fn stream((width, height): (u32, u32), coding: Coding<'_>, data: Vec<u8>) -> Stream {
    let Coding { space, bits, filter, parameters } = coding;
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
