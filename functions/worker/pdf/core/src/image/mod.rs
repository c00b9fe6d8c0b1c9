//! Pictures: encoders for rendered pages, decoders with limits, similarity.

pub mod deflate;
mod embed;
mod encode;
mod header;
mod jpeg;
pub mod metadata;
mod resize;
mod similarity;
mod stream;
mod svg;
mod tiff;

pub use embed::{decode, embed};
pub use encode::{Encoding, PictureFormat, encode, luma};
pub use header::{is_adobes_jpeg, jpeg, jpeg_coarseness};
pub use jpeg::jpeg_samples;
pub use resize::{resized, resized_colors};
pub use similarity::similarity;
pub use stream::{Embedded, image_stream};
pub use svg::{damaged as svg_damaged, to_pdf as svg_to_pdf, write as svg_write};
pub use tiff::header as tiff_header;

use ::image::ImageFormat;
use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Failure};

/// The decoder of a picture made of pixels. `None` for everything else.
pub fn decoder_of(format: Format) -> Option<ImageFormat> {
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
