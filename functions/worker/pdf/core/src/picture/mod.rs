//! The pictures of a PDF: one decoder for all tools that rewrite them.
//!
//! Samples stay in the color space of the picture. What is made of them keeps that space.

mod bilevel;
mod chain;
pub mod drawn;
mod jpeg2000;
mod samples;
mod space;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use lopdf::{Dictionary, Document, Stream};

pub use self::bilevel::encode as encode_bilevel;
pub use self::chain::Coding;
pub use self::space::{Colors, Model, Palette};
use crate::image::{is_adobes_jpeg, jpeg_samples};
use crate::objects::Lookup;

/// Smaller pictures are not worth the work.
const FEWEST_PIXELS: u64 = 4096;

/// Rows of one byte for each channel of each pixel.
#[derive(Debug)]
pub struct Pixels {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Of each pixel.
    pub channels: u8,
    /// The rows, without padding.
    pub data: Vec<u8>,
}

/// Why a picture stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It is so small that nothing is to be gained.
    FewPixels,
    /// It is above the limit.
    TooManyPixels,
    /// It is damaged, or in a form that is not read.
    Unreadable,
    /// Its channels can't be encoded in another way.
    Colors,
    /// One of its colors is transparent.
    ColorKey,
    /// Its own data says what is transparent.
    Alpha,
    /// It is as small as it gets.
    Compact,
}

impl Reason {
    /// In reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::FewPixels => "few_pixels",
            Self::TooManyPixels => "too_many_pixels",
            Self::Unreadable => "unreadable",
            Self::Colors => "colors",
            Self::ColorKey => "color_key",
            Self::Alpha => "alpha",
            Self::Compact => "compact",
        }
    }

    /// After "n pictures".
    pub const fn told(self) -> &'static str {
        match self {
            Self::FewPixels => "have few pixels",
            Self::TooManyPixels => "have more pixels than can be processed",
            Self::Unreadable => "can't be decoded",
            Self::Colors => "have color channels that can't be encoded in another way",
            Self::ColorKey => "have a transparent color, which must not change",
            Self::Alpha => "contain their transparency",
            Self::Compact => "are compact already",
        }
    }
}

/// A picture, ready to be decoded.
#[derive(Debug)]
pub struct Picture<'d> {
    /// The dictionary of its stream.
    pub dict: &'d Dictionary,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// How its data is coded, apart from filters around that.
    pub coding: Coding,
    /// What its channels mean.
    pub colors: Colors,
    /// Of each sample.
    pub bits: u8,
    /// Other data depends on its size.
    pub fixed_size: bool,
    /// A color is transparent, so that no sample may change.
    pub is_keyed: bool,
    /// Bytes in the file.
    pub stored: usize,
    /// Whether filters wrap the coding.
    pub is_wrapped: bool,
    /// Without filters, or in its own coding.
    data: Cow<'d, [u8]>,
    parameters: Option<&'d Dictionary>,
    globals: Option<Vec<u8>>,
}

/// The size of a picture in pixels, from its dictionary.
pub fn size_of_any(document: &Document, dict: &Dictionary) -> Option<(u32, u32)> {
    let side = |key| document.integer(dict, key).and_then(|side| u32::try_from(side).ok()).filter(|side| *side > 0);
    side(b"Width").zip(side(b"Height"))
}

/// The same within limits.
///
/// # Errors
///
/// Says why the picture is not worth the work, or too much.
pub fn size(document: &Document, dict: &Dictionary, most: u64) -> Result<(u32, u32), Reason> {
    let (width, height) = size_of_any(document, dict).ok_or(Reason::Unreadable)?;
    match u64::from(width) * u64::from(height) {
        ..FEWEST_PIXELS => Err(Reason::FewPixels),
        count if count > most => Err(Reason::TooManyPixels),
        _ => Ok((width, height)),
    }
}

impl<'d> Picture<'d> {
    /// A picture of at most this many pixels, whose data is in memory.
    ///
    /// # Errors
    ///
    /// Says why the picture must stay as it is.
    pub fn new(document: &'d Document, stream: &'d Stream, most: u64) -> Result<Self, Reason> {
        let dict = &stream.dict;
        let (width, height) = size(document, dict, most)?;
        if dict.has(b"F") {
            return Err(Reason::Unreadable);
        }
        let chain = chain::Chain::read(document, dict).ok_or(Reason::Unreadable)?;
        let coding = chain.coding;
        let is_stencil = document.value(dict, b"ImageMask").is_some_and(|mask| mask.as_bool().unwrap_or(true));
        let stated = document.integer(dict, b"BitsPerComponent").and_then(|bits| u8::try_from(bits).ok());
        let bits = match coding {
            _ if is_stencil => 1,
            Coding::Fax | Coding::Jbig2 => 1,
            Coding::Jpeg | Coding::Jpeg2000 => 8,
            Coding::Plain => stated.filter(|bits| matches!(bits, 1 | 2 | 4 | 8 | 16)).ok_or(Reason::Unreadable)?,
        };
        let colors = match document.value(dict, b"ColorSpace") {
            _ if is_stencil => Colors::STENCIL,
            None if coding == Coding::Jpeg2000 => Colors::Own,
            None => return Err(Reason::Unreadable),
            Some(space) => space::read(document, space, bits).ok_or(Reason::Colors)?,
        };
        let is_lossy = coding.is_lossy();
        if is_lossy
            && (is_stencil || matches!(colors, Colors::Palette(_)) || coding == Coding::Jpeg2000 && dict.has(b"Decode"))
        {
            return Err(Reason::Colors);
        }
        if document.integer(dict, b"SMaskInData").unwrap_or(0) != 0 {
            return Err(Reason::Alpha);
        }
        let soft_mask = document.child(dict, b"SMask");
        // A soft mask overrides the key (ISO 32000-2, table 87).
        let has_key = || document.value(dict, b"Mask").is_some_and(|mask| mask.as_array().is_ok());
        let is_keyed = soft_mask.is_none() && has_key();
        let fixed_size = dict.has(b"Matte") || soft_mask.is_some_and(|mask| mask.has(b"Matte"));
        let channels = u64::from(colors.stored_channels().unwrap_or(4));
        let row = (u64::from(width) * channels * u64::from(bits)).div_ceil(8);
        let bytes = usize::try_from(row * u64::from(height)).map_err(|_| Reason::TooManyPixels)?;
        let data = chain.unwrap(stream, bytes).ok_or(Reason::Unreadable)?;
        let globals = chain.globals(document);
        Ok(Self {
            dict,
            width,
            height,
            coding,
            colors,
            bits,
            fixed_size,
            is_keyed,
            stored: stream.content.len(),
            is_wrapped: chain.wrappers > 0 && coding != Coding::Plain,
            data,
            parameters: chain.parameters(),
            globals,
        })
    }

    /// The data in the picture's own coding, without other filters.
    pub fn coded(&self) -> &[u8] {
        &self.data
    }

    /// The parameters of its coding.
    pub const fn parameters(&self) -> Option<&'d Dictionary> {
        self.parameters
    }

    /// Whether each pixel is one of two values.
    pub fn is_bilevel(&self) -> bool {
        self.bits == 1 && self.colors.stored_channels() == Some(1)
    }

    /// The pixels, decoded at no less than the size asked for where the format can do that. Those of a palette have the channels
    /// of its colors.
    pub fn decode(&self, least: (u32, u32)) -> Option<Pixels> {
        let (width, height) = (self.width, self.height);
        let decoded = match (self.coding, &self.colors) {
            (Coding::Jpeg, Colors::Channels { count, .. }) => {
                if self.has_unusual_colors(*count) {
                    return None;
                }
                let samples = jpeg_samples(&self.data, *count, (width, height), least);
                samples.map(|(width, height, data)| Pixels { width, height, channels: *count, data })
            }
            (Coding::Jpeg, Colors::Palette(_) | Colors::Own) => None,
            (Coding::Jpeg2000, colors) => jpeg2000::decode(&self.data, (width, height), colors),
            (Coding::Fax | Coding::Jbig2 | Coding::Plain, Colors::Channels { count, .. }) => {
                let data = samples::bytes(&self.samples()?, width, *count, self.bits)?;
                Some(Pixels { width, height, channels: *count, data })
            }
            (Coding::Fax | Coding::Jbig2 | Coding::Plain, Colors::Palette(palette)) => {
                let decode = self.dict.get(b"Decode").ok().and_then(|decode| decode.as_array().ok());
                let data = samples::colors(&self.samples()?, width, self.bits, palette, decode)?;
                Some(Pixels { width, height, channels: palette.count, data })
            }
            (Coding::Fax | Coding::Jbig2 | Coding::Plain, Colors::Own) => None,
        }?;
        let bytes = u64::from(decoded.width) * u64::from(decoded.height) * u64::from(decoded.channels);
        (decoded.data.len() as u64 == bytes && bytes > 0).then_some(decoded)
    }

    /// Whether a JPEG's parameters say that its colors are stored otherwise than decoders take for granted. Adobe's marker in its data
    /// overrules them, and gray has one form only.
    fn has_unusual_colors(&self, channels: u8) -> bool {
        let Some(stated) = self.parameters.and_then(|parameters| parameters.get(b"ColorTransform").ok()) else {
            return false;
        };
        let usual = match channels {
            1 => return false,
            3 => 1,
            _ => 0,
        };
        !is_adobes_jpeg(&self.data) && stated.as_i64().ok() != Some(usual)
    }

    /// The samples as they are stored without a coding, in rows of whole bytes: of a palette, its indices.
    pub fn samples(&self) -> Option<Cow<'_, [u8]>> {
        let row =
            (u64::from(self.width) * u64::from(self.colors.stored_channels()?) * u64::from(self.bits)).div_ceil(8);
        let bytes = usize::try_from(row * u64::from(self.height)).ok()?;
        let size = (self.width, self.height);
        match self.coding {
            // Some writers add a byte or a line.
            Coding::Plain => self.data.get(..bytes).map(Cow::Borrowed),
            Coding::Fax => bilevel::fax(&self.data, self.parameters, size).map(Cow::Owned),
            Coding::Jbig2 => bilevel::jbig2(&self.data, self.globals.as_deref(), size).map(Cow::Owned),
            Coding::Jpeg | Coding::Jpeg2000 => None,
        }
    }
}
