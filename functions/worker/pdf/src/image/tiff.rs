//! The frames of a TIFF file.

use std::io::Cursor;

use image::DynamicImage;
use image::metadata::Orientation;
use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult};
use tiff::tags::Tag;

use super::deflate::Samples;
use super::header::sound;
use super::stream::{Embedded, check_size, deflate, image_stream};
use crate::{ErrorCode, Failure, Limits};

pub(super) fn frames(
    data: &[u8],
    limits: &Limits,
    most: usize,
    each: &mut impl FnMut(Embedded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut bounds = tiff::decoder::Limits::default();
    bounds.decoding_buffer_size = usize::try_from(limits.memory_bytes / 3).unwrap_or(usize::MAX);
    bounds.intermediate_buffer_size = bounds.decoding_buffer_size;
    let mut decoder = Decoder::new(Cursor::new(data)).map_err(failure)?.with_limits(bounds);
    for _ in 0..most {
        each(frame(&mut decoder, limits)?)?;
        if !decoder.more_images() {
            return Ok(());
        }
        decoder.next_image().map_err(failure)?;
    }
    Err(Failure::new(
        ErrorCode::PageLimitExceeded,
        format!("The TIFF file has more than {most} images. Split it first."),
        "tiff: frames",
    ))
}

fn frame(decoder: &mut Decoder<Cursor<&[u8]>>, limits: &Limits) -> Result<Embedded, Failure> {
    let (width, height) = decoder.dimensions().map_err(failure)?;
    check_size(width, height, limits)?;
    let color = decoder.colortype().map_err(failure)?;
    let number = |decoder: &mut Decoder<_>, tag| decoder.find_tag(tag).ok().flatten();
    let orientation = number(decoder, Tag::Orientation)
        .and_then(|value| value.into_u16().ok())
        .and_then(|value| Orientation::from_exif(u8::try_from(value).ok()?))
        .unwrap_or(Orientation::NoTransforms);
    let unit = number(decoder, Tag::ResolutionUnit).and_then(|value| value.into_u16().ok()).unwrap_or(2);
    let mut resolution = |tag| number(decoder, tag).and_then(|value| value.into_f64().ok()).map(|value| value as f32);
    let per_inch = if unit == 3 { 2.54 } else { 1.0 };
    let dpi = resolution(Tag::XResolution)
        .zip(resolution(Tag::YResolution))
        .and_then(|(x, y)| sound(x * per_inch, y * per_inch))
        .filter(|_| unit != 1);
    let samples = decoder.read_image().map_err(failure)?;
    let (stream, soft_mask) = match (color, samples) {
        (ColorType::Gray(1), DecodingResult::U8(data)) => (image_stream(width, height, Samples::Bits, &data)?, None),
        (color, samples) => deflate(&image(width, height, color, samples)?)?,
    };
    Ok(Embedded { stream, soft_mask, profile: None, width, height, orientation, dpi })
}

fn image(width: u32, height: u32, color: ColorType, samples: DecodingResult) -> Result<DynamicImage, Failure> {
    let built = match (color, samples) {
        (ColorType::Gray(8), DecodingResult::U8(data)) => {
            image::GrayImage::from_raw(width, height, data).map(DynamicImage::ImageLuma8)
        }
        (ColorType::GrayA(8), DecodingResult::U8(data)) => {
            image::GrayAlphaImage::from_raw(width, height, data).map(DynamicImage::ImageLumaA8)
        }
        (ColorType::RGB(8) | ColorType::YCbCr(8), DecodingResult::U8(data)) => {
            image::RgbImage::from_raw(width, height, data).map(DynamicImage::ImageRgb8)
        }
        (ColorType::RGBA(8), DecodingResult::U8(data)) => {
            image::RgbaImage::from_raw(width, height, data).map(DynamicImage::ImageRgba8)
        }
        (ColorType::CMYK(8), DecodingResult::U8(data)) => {
            let rgb = data
                .chunks_exact(4)
                .flat_map(|p| [0, 1, 2].map(|i| (u32::from(255 - p[i]) * u32::from(255 - p[3]) / 255) as u8));
            image::RgbImage::from_raw(width, height, rgb.collect()).map(DynamicImage::ImageRgb8)
        }
        (ColorType::Gray(16), DecodingResult::U16(data)) => {
            image::GrayImage::from_raw(width, height, eight(&data)).map(DynamicImage::ImageLuma8)
        }
        (ColorType::RGB(16), DecodingResult::U16(data)) => {
            image::RgbImage::from_raw(width, height, eight(&data)).map(DynamicImage::ImageRgb8)
        }
        (ColorType::RGBA(16), DecodingResult::U16(data)) => {
            image::RgbaImage::from_raw(width, height, eight(&data)).map(DynamicImage::ImageRgba8)
        }
        _ => {
            return Err(Failure::new(
                ErrorCode::UnsupportedFormat,
                "The TIFF file has colors that are not supported. Save it as gray, RGB or CMYK with 8 bits.",
                "tiff: colours",
            ));
        }
    };
    built.ok_or_else(|| super::damaged("tiff: size"))
}

fn eight(samples: &[u16]) -> Vec<u8> {
    samples.iter().map(|sample| (sample >> 8) as u8).collect()
}

fn failure(error: tiff::TiffError) -> Failure {
    match error {
        tiff::TiffError::LimitsExceeded => Failure::new(
            ErrorCode::RenderFailed,
            "The image needs more memory than there is. Send a smaller one.",
            "tiff: limits",
        ),
        tiff::TiffError::UnsupportedError(_) => Failure::new(
            ErrorCode::UnsupportedFormat,
            "The TIFF file uses a variant that is not supported. Save it without compression, or as PNG.",
            "tiff: unsupported",
        ),
        tiff::TiffError::FormatError(_)
        | tiff::TiffError::IoError(_)
        | tiff::TiffError::IntSizeError
        | tiff::TiffError::UsageError(_) => super::damaged("tiff: damaged"),
    }
}
