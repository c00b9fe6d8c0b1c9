//! Fonts: those of accounts are checked, those of web pages unpacked, the installed ones listed, and missing ones stood in for.
//!
//! An uploaded file is never used unmodified: its faces are checked, and the tables that are known are written into a new file. All of
//! it is safe Rust.

#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]
#![warn(missing_docs, clippy::missing_errors_doc)]

mod check;
mod face;
mod installed;
mod own;
pub mod substitutes;
pub mod symbols;
mod unpack;
mod write;

use read_fonts::FileRef;

pub use check::TABLES;
pub use face::{Face, Glyphs};
pub use installed::InstalledFonts;
pub use own::{NO_FONTS, OwnFonts, UPLOAD_HINT};
pub use unpack::unpack_web_font;

/// The largest file, packed or unpacked.
pub const MOST_BYTES: usize = 20 << 20;
/// The most faces in a collection.
pub const MOST_FACES: usize = 32;
/// The most bytes for the names of all faces together: one item stores those of all fonts.
pub const MOST_NAME_BYTES: usize = 4096;

/// A parsed font.
#[derive(Debug)]
pub struct Font {
    /// The format of the uploaded file.
    pub format: Format,
    /// At least one.
    pub faces: Vec<Face>,
    /// The new file: a TrueType or OpenType font, or a collection.
    pub file: Vec<u8>,
}

/// The format of a font file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// TrueType outlines.
    Ttf,
    /// OpenType with CFF outlines.
    Otf,
    /// A collection of several faces.
    Ttc,
    /// A compressed font of the web.
    Woff2,
}

/// Why a font was refused, in words for its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FontError {
    /// None of the formats in [`Format`].
    #[error("This file format is not supported. Upload a TTF, OTF, TTC or WOFF2 file.")]
    UnknownFormat,
    /// More than [`MOST_BYTES`], packed or unpacked.
    #[error("The font is larger than 20 MiB. A WOFF2 font counts with its unpacked size.")]
    TooLarge,
    /// No list of tables, or compressed data that can't be unpacked.
    #[error("The font is damaged: it can't be unpacked, or its list of tables can't be read.")]
    Damaged,
    /// The table with this tag is missing, cut, there twice or unreadable.
    #[error("The font is damaged: its table `{0}` is missing or can't be read.")]
    DamagedTable(&'static str),
    /// Only bitmaps or SVG pictures.
    #[error("The font has no outlines. Bitmap and SVG fonts are not supported.")]
    NoOutlines,
    /// A face without a family name.
    #[error("The font has no family name.")]
    NoName,
    /// A restricted license (OS/2 `fsType`).
    #[error("The font's license does not allow embedding in documents (OS/2 `fsType`).")]
    EmbeddingNotAllowed,
    /// More than [`MOST_FACES`].
    #[error("The collection has more than 32 faces.")]
    TooManyFaces,
    /// More than [`MOST_NAME_BYTES`].
    #[error("The names in the font are too long.")]
    NamesTooLong,
}

impl Format {
    /// Tells the format from the file's first four bytes.
    pub fn of(file: &[u8]) -> Option<Self> {
        match file.first_chunk()? {
            [0, 1, 0, 0] | b"true" => Some(Self::Ttf),
            b"OTTO" => Some(Self::Otf),
            b"ttcf" => Some(Self::Ttc),
            b"wOF2" => Some(Self::Woff2),
            _ => None,
        }
    }

    /// The usual extension, in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ttf => "ttf",
            Self::Otf => "otf",
            Self::Ttc => "ttc",
            Self::Woff2 => "woff2",
        }
    }
}

/// Reads an untrusted font file.
///
/// # Errors
/// Why the font is refused.
pub fn read(file: &[u8]) -> Result<Font, FontError> {
    let format = Format::of(file).ok_or(FontError::UnknownFormat)?;
    if file.len() > MOST_BYTES {
        return Err(FontError::TooLarge);
    }
    let unpacked = match format {
        Format::Woff2 => Some(unpack::unpack_woff2(file)?),
        Format::Ttf | Format::Otf | Format::Ttc => None,
    };
    let tables = tables(unpacked.as_deref().unwrap_or(file))?;
    let file = write::file(&tables)?;
    // Checks the file that will be used.
    let faces = check::faces(&file)?;
    if faces.iter().map(Face::name_bytes).sum::<usize>() > MOST_NAME_BYTES {
        return Err(FontError::NamesTooLong);
    }
    Ok(Font { format, faces, file })
}

/// The known tables of each face, by tag.
fn tables(file: &[u8]) -> Result<Vec<write::Tables<'_>>, FontError> {
    let fonts = FileRef::new(file).map_err(|_| FontError::Damaged)?.fonts();
    if fonts.clone().nth(MOST_FACES).is_some() {
        return Err(FontError::TooManyFaces);
    }
    let known = |font: read_fonts::FontRef<'_>| {
        let mut tables = write::Tables::new();
        for record in font.table_directory.table_records() {
            let Some(tag) = TABLES.iter().find(|tag| record.tag() == ***tag) else { continue };
            let start = usize::try_from(record.offset()).map_err(|_| FontError::Damaged)?;
            let length = usize::try_from(record.length()).map_err(|_| FontError::Damaged)?;
            let table = start.checked_add(length).and_then(|end| file.get(start..end));
            let twice = tables.insert(*tag, table.ok_or(FontError::DamagedTable(tag))?).is_some();
            if twice {
                return Err(FontError::DamagedTable(tag));
            }
        }
        Ok(tables)
    };
    fonts.map(|font| font.map_err(|_| FontError::Damaged).and_then(known)).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod widths;
