//! Requirements of a face: readable tables, and outlines within their bounds.

use read_fonts::tables::glyf::Glyf;
use read_fonts::tables::loca::Loca;
use read_fonts::types::GlyphId;
use read_fonts::{FileRef, FontRef, ReadError, TableProvider};

use crate::{Face, FontError};

/// The tables that are kept: outlines, layout, variations and colors. Bitmaps, SVG pictures, signatures and data of font editors
/// are dropped.
pub const TABLES: [&str; 38] = [
    "BASE", "CFF ", "CFF2", "COLR", "CPAL", "GDEF", "GPOS", "GSUB", "HVAR", "JSTF", "MATH", "MVAR", "OS/2", "STAT",
    "VORG", "VVAR", "avar", "cmap", "cvar", "cvt ", "fpgm", "fvar", "gasp", "glyf", "gvar", "head", "hhea", "hmtx",
    "kern", "loca", "maxp", "name", "post", "prep", "vhea", "vmtx", "hdmx", "VDMX",
];

/// Bits of OS/2 `fsType`: the font may not be embedded at all, or only its bitmaps.
const RESTRICTED: u16 = 0x0002;
const LESS_RESTRICTED: u16 = 0x000C;
const BITMAPS_ALONE: u16 = 0x0200;

/// Checks and describes all faces of a file.
pub(crate) fn faces(file: &[u8]) -> Result<Vec<Face>, FontError> {
    let fonts = FileRef::new(file).map_err(|_| FontError::Damaged)?.fonts();
    fonts.map(|font| face(&font.map_err(|_| FontError::Damaged)?)).collect()
}

fn face(font: &FontRef<'_>) -> Result<Face, FontError> {
    let read = |table: &'static str| move |_: ReadError| FontError::DamagedTable(table);
    font.head().map_err(read("head"))?;
    let metrics = font.hhea().map_err(read("hhea"))?.number_of_h_metrics();
    let glyphs = font.maxp().map_err(read("maxp"))?.num_glyphs();
    if metrics == 0 || metrics > glyphs {
        return Err(FontError::DamagedTable("hhea"));
    }
    font.hmtx().map_err(read("hmtx"))?;
    font.cmap().map_err(read("cmap"))?;
    font.name().map_err(read("name"))?;
    if let Some(table) = font.table_data(tag(b"OS/2")) {
        let os2 = read_fonts::FontRead::read(table).map_err(read("OS/2"));
        admit_embedding(os2.map(|os2: read_fonts::tables::os2::Os2<'_>| os2.fs_type())?)?;
    }
    outlines(font, glyphs)?;
    Face::of(font).ok_or(FontError::NoName)
}

fn admit_embedding(permissions: u16) -> Result<(), FontError> {
    // If several bits are set, the least restrictive one applies.
    let restricted = permissions & RESTRICTED != 0 && permissions & LESS_RESTRICTED == 0;
    if restricted || permissions & BITMAPS_ALONE != 0 { Err(FontError::EmbeddingNotAllowed) } else { Ok(()) }
}

fn outlines(font: &FontRef<'_>, glyphs: u16) -> Result<(), FontError> {
    if font.table_data(tag(b"glyf")).is_some() {
        let loca = font.loca(None).map_err(|_| FontError::DamagedTable("loca"))?;
        let glyf = font.glyf().map_err(|_| FontError::DamagedTable("glyf"))?;
        return all_are_readable(&loca, &glyf, glyphs);
    }
    let charstrings = if font.table_data(tag(b"CFF ")).is_some() {
        let cff = font.cff().map_err(|_| FontError::DamagedTable("CFF "))?;
        cff.top_dicts().count() > 0 && cff.names().count() > 0
    } else if font.table_data(tag(b"CFF2")).is_some() {
        !font.cff2().map_err(|_| FontError::DamagedTable("CFF2"))?.top_dict_data().is_empty()
    } else {
        return Err(FontError::NoOutlines);
    };
    if charstrings { Ok(()) } else { Err(FontError::DamagedTable("CFF ")) }
}

fn all_are_readable(loca: &Loca<'_>, glyf: &Glyf<'_>, glyphs: u16) -> Result<(), FontError> {
    let is_readable = |glyph| loca.get_glyf(GlyphId::new(u32::from(glyph)), glyf).is_ok();
    if (0..glyphs).all(is_readable) { Ok(()) } else { Err(FontError::DamagedTable("glyf")) }
}

const fn tag(name: &[u8; 4]) -> read_fonts::types::Tag {
    read_fonts::types::Tag::new(name)
}
