//! Color spaces, as far as it takes to keep samples in them.

use lopdf::{Document, Object};

use crate::objects::{Lookup, bytes, unpacked};

/// The most bytes of a palette.
const PALETTE_BYTES: usize = 64 << 10;
/// The most channels of a picture.
const CHANNELS: usize = 32;
/// Spaces within each other.
const DEPTH: u8 = 4;

/// What an encoder may assume of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// One channel, from black to white.
    Gray,
    /// Red, green and blue.
    Rgb,
    /// Cyan, magenta, yellow and black.
    Cmyk,
    /// Inks, or lightness and two axes of color.
    Other,
}

/// What the samples of a picture mean.
#[derive(Clone, Debug, PartialEq)]
pub enum Colors {
    /// A linear mapping of samples holds for new ones too.
    Channels {
        /// How many for each pixel.
        count: u8,
        /// What they are.
        model: Model,
    },
    /// Indexes of a palette.
    Palette(Palette),
    /// What the JPEG 2000 data says.
    Own,
}

/// The colors of an indexed picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Palette {
    /// `count` bytes for each index.
    pub entries: Vec<u8>,
    /// Channels of an entry.
    pub count: u8,
    /// What they are.
    pub model: Model,
    /// The space of the entries.
    pub base: Object,
}

impl Colors {
    pub(crate) const STENCIL: Self = Self::Channels { count: 1, model: Model::Gray };

    /// The channels of a stored pixel: an index is one. `None` if only the data knows.
    pub const fn stored_channels(&self) -> Option<u8> {
        match self {
            Self::Channels { count, .. } => Some(*count),
            Self::Palette(_) => Some(1),
            Self::Own => None,
        }
    }

    /// The model of decoded pixels.
    pub const fn model(&self) -> Option<Model> {
        match self {
            Self::Channels { model, .. } => Some(*model),
            Self::Palette(palette) => Some(palette.model),
            Self::Own => None,
        }
    }
}

pub(super) fn read(document: &Document, space: &Object, bits: u8) -> Option<Colors> {
    if let Ok(array) = space.as_array()
        && let Some(b"Indexed" | b"I") = document.resolve(array.first()?)?.as_name().ok()
    {
        let base = document.resolve(array.get(1)?)?;
        let (count, model) = channels(document, base, DEPTH)?;
        let table = document.resolve(array.get(3)?)?;
        let entries = match table.as_stream() {
            Ok(stream) => unpacked(stream, PALETTE_BYTES)?,
            Err(_) => bytes(table)?.to_vec(),
        };
        // Entries of Lab have ranges of their own, which bytes of samples may not share.
        if bits > 8 || document.kind(base) == Some(b"Lab") {
            return None;
        }
        return Some(Colors::Palette(Palette { entries, count, model, base: array.get(1)?.clone() }));
    }
    let (count, model) = channels(document, space, DEPTH)?;
    Some(Colors::Channels { count, model })
}

trait Kind {
    fn kind<'o>(&'o self, space: &'o Object) -> Option<&'o [u8]>;
}

impl Kind for Document {
    /// The name of a space, or of its family.
    fn kind<'o>(&'o self, space: &'o Object) -> Option<&'o [u8]> {
        match space.as_array() {
            Ok(parts) => self.resolve(parts.first()?)?.as_name().ok(),
            Err(_) => space.as_name().ok(),
        }
    }
}

fn channels(document: &Document, space: &Object, depth: u8) -> Option<(u8, Model)> {
    let deeper = depth.checked_sub(1)?;
    let part = |index: usize| document.resolve(space.as_array().ok()?.get(index)?);
    match document.kind(space)? {
        b"DeviceGray" | b"CalGray" | b"G" => Some((1, Model::Gray)),
        b"DeviceRGB" | b"CalRGB" | b"RGB" => Some((3, Model::Rgb)),
        b"DeviceCMYK" | b"CMYK" => Some((4, Model::Cmyk)),
        b"Lab" => Some((3, Model::Other)),
        b"Separation" => Some((1, Model::Other)),
        b"DeviceN" => {
            let names = part(1)?.as_array().ok()?.len();
            Some((u8::try_from(names).ok().filter(|_| (1..=CHANNELS).contains(&names))?, Model::Other))
        }
        b"ICCBased" => {
            let dict = &part(1)?.as_stream().ok()?.dict;
            // An alternate space may say that the three are no colors of light.
            let alternate = document.value(dict, b"Alternate").and_then(|space| channels(document, space, deeper));
            match (document.integer(dict, b"N")?, alternate) {
                (3, Some((3, Model::Other))) => Some((3, Model::Other)),
                (1, _) => Some((1, Model::Gray)),
                (3, _) => Some((3, Model::Rgb)),
                (4, _) => Some((4, Model::Cmyk)),
                _ => None,
            }
        }
        _ => None,
    }
}
