//! Samples of a frame as pictures of 8 bits per channel.

use docmill_pdf_request::Failure;
use image::{DynamicImage, GrayAlphaImage, GrayImage, RgbImage, RgbaImage};
use tiff::ColorType;
use tiff::decoder::DecodingResult;

/// Samples as the file has them.
pub(super) struct Samples {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) color: ColorType,
    pub(super) data: DecodingResult,
    /// The number of planes, if each channel is in one of its own.
    pub(super) planes: Option<usize>,
    pub(super) has_alpha: bool,
    /// The palette's colors, if the samples are indices.
    pub(super) palette: Option<Vec<[u8; 3]>>,
}

impl Samples {
    pub(super) fn into_image(self) -> Result<DynamicImage, Failure> {
        let (width, height, color) = (self.width, self.height, self.color);
        let indexed = self.palette.is_some();
        let data = match (self.data, color.bit_depth()) {
            (DecodingResult::U8(data), 8) => data,
            (DecodingResult::U8(data), bits @ 1..8) => unpacked(&data, width as usize, bits, indexed),
            (DecodingResult::U16(data), 16) if !indexed => {
                data.iter().map(|sample| sample.to_be_bytes()).map(|[high, _]| high).collect()
            }
            (_, bits) => return Err(super::unsupported(&format!("kind of samples (numbers of {bits} bits)"))),
        };
        let data = match self.planes {
            Some(planes) => interleaved(&data, planes),
            None => data,
        };
        let image = if let Some(palette) = self.palette {
            let colors = data.iter().flat_map(|index| palette.get(usize::from(*index)).copied().unwrap_or_default());
            RgbImage::from_raw(width, height, colors.collect()).map(DynamicImage::ImageRgb8)
        } else {
            image(width, height, color, data, self.has_alpha)?
        };
        image.ok_or_else(|| super::super::damaged("tiff: size"))
    }
}

fn image(
    width: u32,
    height: u32,
    color: ColorType,
    data: Vec<u8>,
    has_alpha: bool,
) -> Result<Option<DynamicImage>, Failure> {
    let rgb = |pixels: Vec<u8>| RgbImage::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8);
    Ok(match color {
        ColorType::Gray(_) => GrayImage::from_raw(width, height, data).map(DynamicImage::ImageLuma8),
        ColorType::Multiband { num_samples, .. } if num_samples >= 2 => {
            let pixels = data.chunks_exact(usize::from(num_samples));
            let channels = if has_alpha { 2 } else { 1 };
            let kept = pixels.flat_map(|pixel| pixel.iter().copied().take(channels)).collect();
            if has_alpha {
                GrayAlphaImage::from_raw(width, height, kept).map(DynamicImage::ImageLumaA8)
            } else {
                GrayImage::from_raw(width, height, kept).map(DynamicImage::ImageLuma8)
            }
        }
        ColorType::RGB(_) => rgb(data),
        ColorType::RGBA(_) => RgbaImage::from_raw(width, height, data).map(DynamicImage::ImageRgba8),
        ColorType::YCbCr(_) => rgb(data.as_chunks().0.iter().flat_map(from_ycbcr).collect()),
        ColorType::CMYK(_) => rgb(data.chunks_exact(4).flat_map(from_cmyk).collect()),
        ColorType::CMYKA(_) => rgb(data.chunks_exact(5).flat_map(from_cmyk).collect()),
        ColorType::Palette(_) | ColorType::GrayA(_) | ColorType::Lab(_) | ColorType::Multiband { .. } | _ => {
            return Err(super::unsupported("color space"));
        }
    })
}

/// A byte per sample: the index itself, or the level between 0 and 255. Rows begin with a new byte.
fn unpacked(data: &[u8], width: usize, bits: u8, indices: bool) -> Vec<u8> {
    let bits = usize::from(bits);
    let most = (1_u16 << bits) - 1;
    let sample = |row: &[u8], index: usize| {
        let (byte, first) = (index * bits / 8, index * bits % 8);
        let at = |byte: usize| row.get(byte).copied().unwrap_or_default();
        let pair = u16::from_be_bytes([at(byte), at(byte + 1)]);
        let value = pair >> (16 - first - bits) & most;
        u8::try_from(if indices { value } else { value * 255 / most }).unwrap_or(u8::MAX)
    };
    let rows = data.chunks_exact((width * bits).div_ceil(8).max(1));
    rows.flat_map(|row| (0..width).map(move |index| sample(row, index))).collect()
}

/// Pixel by pixel what was plane by plane.
fn interleaved(data: &[u8], planes: usize) -> Vec<u8> {
    let length = data.len() / planes.max(1);
    (0..length)
        .flat_map(|pixel| (0..planes).map(move |plane| data.get(plane * length + pixel).copied().unwrap_or_default()))
        .collect()
}

fn from_cmyk(pixel: &[u8]) -> [u8; 3] {
    let [cyan, magenta, yellow, black, ..] = pixel else { return [0; 3] };
    [cyan, magenta, yellow]
        .map(|ink| u8::try_from(u32::from(255 - ink) * u32::from(255 - black) / 255).unwrap_or(u8::MAX))
}

/// By ITU-R BT.601 with the full range, which is TIFF's default.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn from_ycbcr([luma, blue, red]: &[u8; 3]) -> [u8; 3] {
    let (luma, blue, red) = (f32::from(*luma), f32::from(*blue) - 128.0, f32::from(*red) - 128.0);
    [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue]
        .map(|level| level.round() as u8)
}
