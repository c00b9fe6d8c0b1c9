//! Deflates samples with PNG's filters, which PDF supports as predictor 15.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, dictionary};

/// The meaning of a row's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Samples {
    /// Black and white, packed, with 1 for white.
    Bits,
    /// One byte for each pixel.
    Gray,
    /// Three bytes for each pixel.
    Rgb,
    /// So many channels of so many bits, packed. An index of a palette is one channel.
    Channels {
        /// Channels of a pixel.
        count: u8,
        /// Bits of a channel.
        bits: u8,
    },
}

impl Samples {
    /// The color space, channels and bits of each.
    pub const fn description(self) -> (&'static str, u8, u8) {
        match self {
            Self::Bits => ("DeviceGray", 1, 1),
            Self::Gray => ("DeviceGray", 1, 8),
            Self::Rgb => ("DeviceRGB", 3, 8),
            // Whoever writes these knows their color space.
            Self::Channels { count, bits } => ("", count, bits),
        }
    }
}

/// The compressed data of a PNG: the smaller result of two kinds of filters. `None` for samples that PNG does not have.
pub fn png_data(width: u32, height: u32, samples: Samples, data: &[u8]) -> Option<Vec<u8>> {
    let (_, channels, bits) = samples.description();
    // Filters only process numbers: what they mean does not matter.
    let color = match (channels, bits) {
        (1, _) => png::ColorType::Grayscale,
        (2, 8 | 16) => png::ColorType::GrayscaleAlpha,
        (3, 8 | 16) => png::ColorType::Rgb,
        (4, 8 | 16) => png::ColorType::Rgba,
        _ => return None,
    };
    let encode = |filter: png::Filter| {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        encoder.set_depth(png::BitDepth::from_u8(bits)?);
        encoder.set_deflate_compression(png::DeflateCompression::Level(6));
        encoder.set_filter(filter);
        let mut writer = encoder.write_header().ok()?;
        writer.write_image_data(data).ok()?;
        writer.finish().ok()?;
        Some(chunks(&file, b"IDAT"))
    };
    let plain = encode(png::Filter::NoFilter)?;
    if bits < 8 {
        return Some(plain);
    }
    let filtered = encode(png::Filter::Adaptive)?;
    Some(if filtered.len() < plain.len() { filtered } else { plain })
}

/// Bytes deflated as they are.
pub fn deflated_rows(data: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).ok()?;
    encoder.finish().ok()
}

/// The contents of all chunks of a kind.
pub fn chunks(file: &[u8], kind: &[u8; 4]) -> Vec<u8> {
    let mut data = Vec::new();
    let mut rest = file.get(8..).unwrap_or_default();
    while let Some((head, body)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, own @ ..] = head;
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        if own == kind {
            data.extend_from_slice(body.get(..length).unwrap_or_default());
        }
        rest = body.get(length.saturating_add(4)..).unwrap_or_default();
    }
    data
}

/// The decoding parameters for the output of `png_data`.
pub fn image_data(channels: u8, bits: u8, width: u32) -> Dictionary {
    dictionary! {
        "Predictor" => 15, "Colors" => i64::from(channels), "BitsPerComponent" => i64::from(bits),
        "Columns" => i64::from(width),
    }
}
