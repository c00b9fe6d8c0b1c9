//! Pictures: encoders for rendered pages, decoders with limits, similarity.

pub(crate) mod deflate;
mod embed;
mod encode;
mod header;
mod jpeg;
pub(crate) mod metadata;
mod resize;
mod similarity;
mod stream;
mod svg;
mod tiff;

pub(crate) use embed::{decode, embed};
pub(crate) use encode::{Encoding, PictureFormat, encode, luma};
pub(crate) use header::{jpeg, jpeg_coarseness};
pub(crate) use jpeg::jpeg_samples;
pub(crate) use resize::{resized, resized_colors};
pub(crate) use similarity::similarity;
pub(crate) use stream::{Embedded, image_stream};
pub(crate) use svg::{damaged as svg_damaged, to_pdf as svg_to_pdf, write as svg_write};
pub(crate) use tiff::header as tiff_header;

use ::image::ImageFormat;
use docmill_formats::Format;

use crate::{ErrorCode, Failure};

/// The decoder of a picture made of pixels. `None` for everything else.
pub(crate) fn decoder_of(format: Format) -> Option<ImageFormat> {
    let decoders = [
        (Format::Jpeg, ImageFormat::Jpeg),
        (Format::Png, ImageFormat::Png),
        (Format::Webp, ImageFormat::WebP),
        (Format::Tiff, ImageFormat::Tiff),
        (Format::Gif, ImageFormat::Gif),
        (Format::Bmp, ImageFormat::Bmp),
    ];
    decoders.into_iter().find(|(known, _)| *known == format).map(|(_, decoder)| decoder)
}

fn damaged(cause: &str) -> Failure {
    Failure::new(ErrorCode::CorruptDocument, "The image is damaged. Save it again, or in another format.", cause)
}
