//! The pictures of a PDF: decoding those that can be made smaller.

use std::panic::catch_unwind;

use lopdf::{Dictionary, Document, Object, Stream};

use crate::image::jpeg_samples;
use crate::structure::objects::{Lookup, bytes};

/// Smaller pictures are not worth the work.
const FEWEST_PIXELS: u64 = 4096;

/// Rows of one or three bytes for each pixel.
#[derive(Debug)]
pub(super) struct Pixels {
    pub width: u32,
    pub height: u32,
    pub channels: u8,
    pub data: Vec<u8>,
}

/// What is known about a picture before it is decoded.
#[derive(Debug)]
pub(super) struct Picture<'d> {
    pub stream: &'d Stream,
    pub width: u32,
    pub height: u32,
    pub coding: Coding,
    pub colors: Colors,
    /// Other data depends on its size, or its values must not be mixed.
    pub fixed_size: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Jpeg,
    Jpeg2000,
    /// Flate, LZW, run lengths or nothing.
    Lossless,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Colors {
    Gray,
    Rgb,
    /// Red, green and blue of each index.
    Palette {
        entries: Vec<u8>,
        bits: u8,
    },
    /// What the JPEG 2000 data says.
    Own,
}

impl<'d> Picture<'d> {
    /// `None` for pictures that are left as they are: stencils, fax, CMYK and other colors that need management, 16 bits.
    pub(super) fn new(document: &'d Document, stream: &'d Stream, most: u64) -> Option<Self> {
        let dict = &stream.dict;
        let side = |key| document.integer(dict, key).and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0);
        let (width, height) = (side(b"Width")?, side(b"Height")?);
        let count = u64::from(width) * u64::from(height);
        let stencil = document.value(dict, b"ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(true));
        if count < FEWEST_PIXELS || count > most || stencil || dict.has(b"F") {
            return None;
        }
        let filters: Vec<&[u8]> = stream.filters().unwrap_or_default();
        let coding = match filters.as_slice() {
            [b"DCTDecode"] => Coding::Jpeg,
            [b"JPXDecode"] => Coding::Jpeg2000,
            names if names.iter().all(|name| matches!(*name, b"FlateDecode" | b"LZWDecode" | b"RunLengthDecode")) => {
                Coding::Lossless
            }
            _ => return None,
        };
        let bits = document.integer(dict, b"BitsPerComponent");
        let colors = match document.value(dict, b"ColorSpace") {
            None if coding == Coding::Jpeg2000 => Colors::Own,
            None => return None,
            Some(space) => colors(document, space, bits)?,
        };
        // A linear mapping that holds for new samples as well as for the old ones; a palette's is of indices.
        if dict.has(b"Decode") && (coding == Coding::Jpeg2000 || !matches!(colors, Colors::Gray | Colors::Rgb)) {
            return None;
        }
        let eight = bits == Some(8) || coding == Coding::Jpeg2000;
        if !eight && !matches!(colors, Colors::Palette { .. })
            || coding != Coding::Lossless && matches!(colors, Colors::Palette { .. })
        {
            return None;
        }
        // A key of colors, a mask that was multiplied in, and alpha inside JPEG 2000.
        let keyed = document.value(dict, b"Mask").is_some_and(|mask| mask.as_array().is_ok());
        let inside = document.integer(dict, b"SMaskInData").unwrap_or(0) != 0;
        if keyed || inside {
            return None;
        }
        let soft_mask = document.child(dict, b"SMask");
        let fixed_size = dict.has(b"Matte") || soft_mask.is_some_and(|mask| mask.has(b"Matte"));
        Some(Self { stream, width, height, coding, colors, fixed_size })
    }

    /// The bytes that its pixels take.
    pub(super) fn decoded_bytes(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height) * 4
    }

    /// The pixels, decoded at no less than the size asked for where the format can do that.
    pub(super) fn decode(&self, least: (u32, u32)) -> Option<Pixels> {
        let decoded = match self.coding {
            Coding::Jpeg => {
                let channels = self.channels()?;
                let size = (self.width, self.height);
                let samples = jpeg_samples(&self.stream.content, channels, size, least);
                samples.map(|(width, height, data)| Pixels { width, height, channels, data })
            }
            Coding::Jpeg2000 => jpeg2000(&self.stream.content, (self.width, self.height), &self.colors),
            Coding::Lossless => self.lossless(),
        }?;
        let bytes = u64::from(decoded.width) * u64::from(decoded.height) * u64::from(decoded.channels);
        (decoded.data.len() as u64 == bytes && bytes > 0).then_some(decoded)
    }

    fn channels(&self) -> Option<u8> {
        match self.colors {
            Colors::Gray => Some(1),
            Colors::Rgb => Some(3),
            Colors::Palette { .. } | Colors::Own => None,
        }
    }

    /// The samples as they are stored: of a palette, its indices.
    pub(super) fn samples(&self) -> Option<Vec<u8>> {
        let (per_pixel, bits) = match &self.colors {
            Colors::Gray => (1, 8),
            Colors::Rgb => (3, 8),
            Colors::Palette { bits, .. } => (1, u64::from(*bits)),
            Colors::Own => return None,
        };
        let row = (u64::from(self.width) * per_pixel * bits).div_ceil(8);
        let bytes = usize::try_from(row * u64::from(self.height)).ok()?;
        let mut raw = if self.stream.filters().map_or(true, |filters| filters.is_empty()) {
            self.stream.content.clone()
        } else {
            // Some writers add a byte or a line.
            self.stream.decompressed_content_with_limit(bytes + bytes / 16 + 4096).ok()?
        };
        (raw.len() >= bytes).then(|| {
            raw.truncate(bytes);
            raw
        })
    }

    fn lossless(&self) -> Option<Pixels> {
        let raw = self.samples()?;
        let (width, height) = (self.width, self.height);
        let Colors::Palette { entries, bits } = &self.colors else {
            return Some(Pixels { width, height, channels: self.channels()?, data: raw });
        };
        let (bits, row) = (u32::from(*bits), (width * u32::from(*bits)).div_ceil(8) as usize);
        let mut data = Vec::with_capacity(width as usize * height as usize * 3);
        for line in raw.chunks_exact(row) {
            for x in 0..width {
                let at = x * bits;
                let byte = u32::from(line[(at / 8) as usize]);
                let index = (byte >> (8 - bits - at % 8)) & ((1 << bits) - 1);
                let start = index as usize * 3;
                data.extend_from_slice(entries.get(start..start + 3).unwrap_or(&[0, 0, 0]));
            }
        }
        Some(Pixels { width, height, channels: 3, data })
    }
}

fn colors(document: &Document, space: &Object, bits: Option<i64>) -> Option<Colors> {
    if let Ok(name) = space.as_name() {
        return match name {
            b"DeviceGray" | b"CalGray" | b"G" => Some(Colors::Gray),
            b"DeviceRGB" | b"CalRGB" | b"RGB" => Some(Colors::Rgb),
            _ => None,
        };
    }
    let array = space.as_array().ok()?;
    let part = |index: usize| array.get(index).and_then(|object| document.resolve(object));
    match part(0)?.as_name().ok()? {
        b"CalGray" => Some(Colors::Gray),
        b"CalRGB" => Some(Colors::Rgb),
        b"ICCBased" => match document.integer(&part(1)?.as_stream().ok()?.dict, b"N")? {
            1 => Some(Colors::Gray),
            3 => Some(Colors::Rgb),
            _ => None,
        },
        b"Indexed" => {
            if colors(document, part(1)?, Some(8))? != Colors::Rgb {
                return None;
            }
            let bits = u8::try_from(bits?).ok().filter(|bits| matches!(bits, 1 | 2 | 4 | 8))?;
            let table = part(3)?;
            let entries = match table.as_stream() {
                Ok(stream) if stream.filters().is_ok_and(|filters| !filters.is_empty()) => {
                    stream.decompressed_content_with_limit(4096).ok()?
                }
                Ok(stream) => stream.content.clone(),
                Err(_) => bytes(table)?.to_vec(),
            };
            Some(Colors::Palette { entries, bits })
        }
        _ => None,
    }
}

fn jpeg2000(data: &[u8], size: (u32, u32), colors: &Colors) -> Option<Pixels> {
    // The decoder is young: a panic of its own leaves the picture as it is.
    let decoded = catch_unwind(|| {
        let image = hayro_jpeg2000::Image::new(data, &hayro_jpeg2000::DecodeSettings::default()).ok()?;
        if (image.width(), image.height()) != size || image.has_alpha() {
            return None;
        }
        let own = image.color_space();
        let plain = matches!(own, hayro_jpeg2000::ColorSpace::Gray | hayro_jpeg2000::ColorSpace::RGB);
        let channels = own.num_channels();
        let matching = match colors {
            Colors::Gray => channels == 1,
            Colors::Rgb => channels == 3,
            Colors::Own => plain,
            Colors::Palette { .. } => false,
        };
        if !matching {
            return None;
        }
        let mut context = hayro_jpeg2000::DecoderContext::default();
        let data = image.decode(&mut context).ok()?.data_u8();
        Some(Pixels { width: size.0, height: size.1, channels, data })
    });
    decoded.ok().flatten()
}

/// The dictionary of a picture with other data: its size, coding and colors.
pub(super) fn redressed(
    dict: &Dictionary,
    pixels: &Pixels,
    filter: &str,
    parameters: Option<Dictionary>,
) -> Dictionary {
    let mut dict = dict.clone();
    for key in [b"DecodeParms".as_slice(), b"DP", b"Length", b"F", b"SMaskInData", b"Metadata"] {
        dict.remove(key);
    }
    dict.set("Width", i64::from(pixels.width));
    dict.set("Height", i64::from(pixels.height));
    dict.set("BitsPerComponent", 8);
    dict.set("Filter", Object::Name(filter.into()));
    if let Some(parameters) = parameters {
        dict.set("DecodeParms", parameters);
    }
    dict
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fuzz_compressed_pictures() {
        docmill_fuzz::fuzz("pictures", &[], |data| {
            for colors in [Colors::Gray, Colors::Rgb, Colors::Own] {
                drop(jpeg2000(data, (24, 16), &colors));
            }
            for channels in [1, 3] {
                drop(jpeg_samples(data, channels, (24, 16), (12, 8)));
            }
        });
    }
}
