//! Encoding rendered pages.

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Failure};
use serde::Deserialize;

use crate::pdfium::Bitmap;

/// WebP's maximum width and height.
const WEBP_SIDE: u32 = 16_383;
const JPEG_SIDE: u32 = 65_500;
/// Deflate's level. On pages of text, level 6 takes 18 % more time for 1 % smaller files; level 2 saves 12 % of the time for 3 %
/// larger ones.
const PNG_LEVEL: u8 = 4;
/// libwebp's scale from fast to small: 2 takes half the time of the default for 5 % larger files.
const WEBP_METHOD: i32 = 2;

/// A format that pictures are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    /// Exact.
    #[default]
    Png,
    /// Lossy, without transparency.
    Jpeg,
    /// Lossy.
    Webp,
}

impl PictureFormat {
    const ALL: [Self; 3] = [Self::Png, Self::Jpeg, Self::Webp];

    /// The format of a picture that we could have made.
    pub fn of(media: Format) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.media() == media)
    }

    /// The format of its file.
    pub const fn media(self) -> Format {
        match self {
            Self::Png => Format::Png,
            Self::Jpeg => Format::Jpeg,
            Self::Webp => Format::Webp,
        }
    }

    /// Whether pictures of this format can have a transparent background.
    pub const fn has_alpha(self) -> bool {
        match self {
            Self::Png | Self::Webp => true,
            Self::Jpeg => false,
        }
    }
}

/// How a picture is written.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    /// The file's format.
    pub format: PictureFormat,
    /// From 1 to 100. PNG has none.
    pub quality: u8,
    /// Whether only the luminance is kept.
    pub grayscale: bool,
    /// For the file's header, if the format supports it.
    pub dpi: Option<f32>,
}

/// The file's bytes.
///
/// # Errors
/// If the encoder can't take a picture of this size.
pub fn encode(bitmap: &Bitmap, encoding: &Encoding) -> Result<Vec<u8>, Failure> {
    let most = match encoding.format {
        PictureFormat::Png => u32::MAX,
        PictureFormat::Jpeg => JPEG_SIDE,
        PictureFormat::Webp => WEBP_SIDE,
    };
    if bitmap.width.max(bitmap.height) > most {
        return Err(Failure::new(
            ErrorCode::RenderFailed,
            format!("This format holds at most {most} pixels in width and height. Ask for fewer, or for PNG."),
            "too many pixels for the format",
        ));
    }
    match encoding.format {
        PictureFormat::Png => png(bitmap, encoding),
        PictureFormat::Jpeg => jpeg(bitmap, encoding),
        PictureFormat::Webp => webp(bitmap, encoding),
    }
}

fn png(bitmap: &Bitmap, encoding: &Encoding) -> Result<Vec<u8>, Failure> {
    let mut file = Vec::with_capacity(bitmap.data.len() / 16);
    let mut encoder = png::Encoder::new(&mut file, bitmap.width, bitmap.height);
    encoder.set_depth(png::BitDepth::Eight);
    if let Some(dpi) = encoding.dpi {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let per_meter = (dpi / 0.0254).round() as u32;
        encoder.set_pixel_dims(Some(png::PixelDimensions { xppu: per_meter, yppu: per_meter, unit: png::Unit::Meter }));
    }
    let gray = !bitmap.transparent && (encoding.grayscale || is_gray(&bitmap.data));
    let (color, data) = if gray {
        (png::ColorType::Grayscale, luma(&bitmap.data))
    } else if bitmap.transparent {
        (png::ColorType::Rgba, if encoding.grayscale { gray_rgba(&bitmap.data) } else { bitmap.data.clone() })
    } else {
        (png::ColorType::Rgb, rgb(&bitmap.data))
    };
    encoder.set_color(color);
    encoder.set_deflate_compression(png::DeflateCompression::Level(PNG_LEVEL));
    encoder.set_filter(if is_flat(&bitmap.data) { png::Filter::NoFilter } else { png::Filter::Adaptive });
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(&data)?;
        writer.finish()
    });
    written.map_err(|error| failed(&format!("png: {error}")))?;
    Ok(file)
}

fn jpeg(bitmap: &Bitmap, encoding: &Encoding) -> Result<Vec<u8>, Failure> {
    // Its error handling unwinds through the C library. An error is our fault, since the input is our own.
    let result = std::panic::catch_unwind(|| {
        let mut encoder = mozjpeg::Compress::new(mozjpeg::ColorSpace::JCS_EXT_RGBX);
        encoder.set_size(bitmap.width as usize, bitmap.height as usize);
        encoder.set_fastest_defaults();
        encoder.set_quality(f32::from(encoding.quality));
        if encoding.grayscale {
            encoder.set_color_space(mozjpeg::ColorSpace::JCS_GRAYSCALE);
        }
        if let Some(dpi) = encoding.dpi {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
            let dpi = dpi.round() as u16;
            let unit = mozjpeg::PixelDensityUnit::Inches;
            encoder.set_pixel_density(mozjpeg::PixelDensity { unit, x: dpi, y: dpi });
        }
        let mut started = encoder.start_compress(Vec::with_capacity(bitmap.data.len() / 32))?;
        started.write_scanlines(&bitmap.data)?;
        started.finish()
    });
    match result {
        Ok(Ok(file)) => Ok(file),
        Ok(Err(error)) => Err(failed(&format!("jpeg: {}", error.kind()))),
        Err(_) => Err(failed("jpeg: the encoder gave up")),
    }
}

fn webp(bitmap: &Bitmap, encoding: &Encoding) -> Result<Vec<u8>, Failure> {
    let mut config = webp::WebPConfig::new().map_err(|()| failed("webp: no configuration"))?;
    config.quality = f32::from(encoding.quality);
    config.method = WEBP_METHOD;
    let data;
    let encoder = if bitmap.transparent {
        data = if encoding.grayscale { gray_rgba(&bitmap.data) } else { bitmap.data.clone() };
        webp::Encoder::from_rgba(&data, bitmap.width, bitmap.height)
    } else {
        data = if encoding.grayscale { rgb(&gray_rgba(&bitmap.data)) } else { rgb(&bitmap.data) };
        webp::Encoder::from_rgb(&data, bitmap.width, bitmap.height)
    };
    let file = encoder.encode_advanced(&config).map_err(|error| failed(&format!("webp: {error:?}")))?;
    Ok(file.to_vec())
}

/// Whether red, green and blue are equal in all pixels.
fn is_gray(rgbx: &[u8]) -> bool {
    // In large chunks, so that the compiler can compare many pixels at once.
    rgbx.chunks(4096)
        .all(|pixels| pixels.as_chunks().0.iter().fold(0, |differs, [r, g, b, _]| differs | (r ^ g) | (r ^ b)) == 0)
}

/// Whether most pixels equal their neighbour, as in text and drawings, where filters would make the file larger.
fn is_flat(rgbx: &[u8]) -> bool {
    let pairs = rgbx.as_chunks::<8>().0.iter();
    let equal = pairs.filter(|[r, g, b, _, next @ .., _]| [r, g, b] == next.each_ref()).count();
    equal * 8 >= rgbx.len() / 8 * 5
}

/// The luminance of each pixel of four bytes, of which the last one does not count.
pub fn luma(rgbx: &[u8]) -> Vec<u8> {
    rgbx.as_chunks().0.iter().map(|[r, g, b, _]| luminance(*r, *g, *b)).collect()
}

/// BT.601, as in JPEG. Grey stays the same.
#[expect(clippy::cast_possible_truncation, reason = "a mean of bytes")]
fn luminance(r: u8, g: u8, b: u8) -> u8 {
    ((19_595 * u32::from(r) + 38_470 * u32::from(g) + 7_471 * u32::from(b) + 32_768) >> 16) as u8
}

fn rgb(rgbx: &[u8]) -> Vec<u8> {
    let mut data = vec![0; rgbx.len() / 4 * 3];
    for (to, [r, g, b, _]) in data.as_chunks_mut().0.iter_mut().zip(rgbx.as_chunks().0) {
        *to = [*r, *g, *b];
    }
    data
}

fn gray_rgba(rgba: &[u8]) -> Vec<u8> {
    let gray = |[r, g, b, a]: &[u8; 4]| {
        let y = luminance(*r, *g, *b);
        [y, y, y, *a]
    };
    rgba.as_chunks().0.iter().flat_map(gray).collect()
}

fn failed(cause: &str) -> Failure {
    Failure::new(ErrorCode::Internal, "A picture could not be written.", cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bitmap(pixel: [u8; 4], transparent: bool) -> Bitmap {
        Bitmap { width: 40, height: 30, data: pixel.repeat(1200), transparent }
    }

    fn decoded(bitmap: &Bitmap, format: PictureFormat, grayscale: bool) -> image::DynamicImage {
        let file = encode(bitmap, &Encoding { format, quality: 90, grayscale, dpi: Some(150.0) }).unwrap();
        let image = image::load_from_memory(&file).unwrap();
        assert_eq!((image.width(), image.height()), (40, 30));
        image
    }

    #[test]
    fn every_format_keeps_the_colors() {
        for format in [PictureFormat::Png, PictureFormat::Jpeg, PictureFormat::Webp] {
            let pixel = decoded(&bitmap([200, 40, 90, 255], false), format, false).to_rgb8().get_pixel(20, 15).0;
            for (is, was) in pixel.into_iter().zip([200u8, 40, 90]) {
                assert!(is.abs_diff(was) <= 6, "{format:?}: {pixel:?}");
            }
        }
    }

    #[test]
    fn grey_pages_become_grey_pngs() {
        let grey = decoded(&bitmap([77, 77, 77, 255], false), PictureFormat::Png, false);
        assert_eq!(grey.color(), image::ColorType::L8);
        assert_eq!(grey.to_luma8().get_pixel(0, 0).0, [77]);
        assert_eq!(decoded(&bitmap([1, 2, 3, 255], false), PictureFormat::Png, false).color(), image::ColorType::Rgb8);
        assert_eq!(decoded(&bitmap([1, 2, 3, 255], false), PictureFormat::Jpeg, true).color(), image::ColorType::L8);
    }

    #[test]
    fn transparency_is_kept() {
        for format in [PictureFormat::Png, PictureFormat::Webp] {
            let image = decoded(&bitmap([10, 20, 30, 0], true), format, false);
            assert_eq!(image.to_rgba8().get_pixel(3, 3).0[3], 0, "{format:?}");
        }
    }

    #[test]
    fn pictures_too_large_for_a_format_are_refused() {
        let wide = Bitmap { width: 20_000, height: 1, data: vec![0; 80_000], transparent: false };
        let failure =
            encode(&wide, &Encoding { format: PictureFormat::Webp, quality: 80, grayscale: false, dpi: None })
                .unwrap_err();
        assert_eq!(failure.code, ErrorCode::RenderFailed);
    }
}
