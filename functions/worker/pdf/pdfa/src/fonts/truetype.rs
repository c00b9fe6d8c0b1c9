//! TrueType programs: finds the glyphs of codes, and rewrites programs so that each code has its glyph and width.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use docmill_pdf_fonts::encoding::macintosh;
use docmill_pdf_fonts::truetype::{self, Tables, u16_at};
use read_fonts::ps::agl;
use read_fonts::tables::cmap::{Cmap, CmapSubtable, PlatformId};
use read_fonts::{FontData, FontRead};

use super::codes::{Base, Codes};

/// The code offset of symbolic fonts.
const SYMBOLS: u16 = 0xF000;

/// A program with its glyphs and widths.
pub(super) struct Face<'f> {
    data: &'f [u8],
    tables: Tables<'f>,
    pub(super) count: u16,
    units: f64,
    /// The number of glyphs with their own width.
    wide: usize,
}

impl<'f> Face<'f> {
    pub(super) fn new(data: &'f [u8]) -> Option<Self> {
        let tables = Tables::new(data)?;
        let count = u16_at(tables.get(b"maxp")?, 4)?;
        let units = f64::from(u16_at(tables.get(b"head")?, 18)?);
        let wide = usize::from(u16_at(tables.get(b"hhea")?, 34)?);
        tables.get(b"hmtx")?;
        tables.get(b"glyf")?;
        (units > 0.0 && wide > 0 && count > 0).then_some(Self { data, tables, count, units, wide })
    }

    /// In thousandths of an em. `None` for missing glyphs.
    pub(super) fn width(&self, glyph: u16) -> Option<f64> {
        if glyph >= self.count {
            return None;
        }
        let place = usize::from(glyph).min(self.wide - 1) * 4;
        Some(f64::from(u16_at(self.tables.get(b"hmtx")?, place)?) * 1000.0 / self.units)
    }

    pub(super) fn cmaps(&self) -> Vec<(PlatformId, u16, CmapSubtable<'f>)> {
        let Some(cmap) = self.tables.get(b"cmap").and_then(|table| Cmap::read(FontData::new(table)).ok()) else {
            return Vec::new();
        };
        let records = cmap.encoding_records().iter();
        records
            .filter_map(|record| {
                Some((record.platform_id(), record.encoding_id(), record.subtable(cmap.offset_data()).ok()?))
            })
            .collect()
    }

    /// The glyph of a character in a table for Unicode.
    pub(super) fn of_character(&self, character: char) -> Option<u16> {
        let cmaps = self.cmaps();
        cmaps
            .iter()
            .filter(|(platform, encoding, _)| {
                *platform == PlatformId::Unicode || *platform == PlatformId::Windows && matches!(encoding, 1 | 10)
            })
            .find_map(|(_, _, table)| lookup(table, character.into()))
    }

    /// Metrics for a descriptor, in thousandths of an em: the box of all glyphs, ascent and descent.
    pub(super) fn metrics(&self) -> Option<([f64; 4], f64, f64)> {
        let head = self.tables.get(b"head")?;
        let hhea = self.tables.get(b"hhea")?;
        let scaled = |table: &[u8], at: usize| Some(f64::from(u16_at(table, at)?.cast_signed()) * 1000.0 / self.units);
        let bounds = [scaled(head, 36)?, scaled(head, 38)?, scaled(head, 40)?, scaled(head, 42)?];
        Some((bounds, scaled(hhea, 4)?, scaled(hhea, 6)?))
    }
}

fn lookup(table: &CmapSubtable<'_>, code: u32) -> Option<u16> {
    table.map_codepoint(code).and_then(|glyph| u16::try_from(glyph.to_u32()).ok()).filter(|glyph| *glyph != 0)
}

/// Finds the glyphs of a simple font like a viewer. The rules are PDFium's.
pub(super) struct Mapper<'f> {
    tables: Vec<(PlatformId, u16, CmapSubtable<'f>)>,
    names: HashMap<&'f str, u16>,
    /// Codes are looked up by their names.
    by_name: bool,
    /// The encoding of codes that the document does not name.
    base: Base,
}

impl<'f> Mapper<'f> {
    pub(super) fn new(face: &Face<'f>, codes: &Codes, is_symbolic: bool, is_plain: bool) -> Self {
        let tables = face.cmaps();
        let mut base = codes.base;
        let has = |wanted: &[(PlatformId, u16)]| {
            tables.iter().any(|(platform, encoding, _)| wanted.contains(&(*platform, *encoding)))
        };
        if is_symbolic && matches!(base, Base::Windows | Base::Macintosh) {
            let windows =
                tables.iter().any(|(platform, ..)| matches!(platform, PlatformId::Windows | PlatformId::Unicode));
            let macintosh = has(&[(PlatformId::Macintosh, 0)]);
            if base == Base::Windows && !windows {
                base = if macintosh { Base::Macintosh } else { Base::Own };
            } else if base == Base::Macintosh && !macintosh {
                base = if windows { Base::Windows } else { Base::Own };
            }
        }
        let by_name = matches!(base, Base::Windows | Base::Macintosh) && !codes.has_differences() || is_plain;
        let names = truetype::names(&face.tables);
        let names = names.into_iter().zip(0..).map(|((name, _), glyph)| (name, glyph)).collect();
        Self { tables, names, by_name, base }
    }

    fn table(&self, platform: PlatformId, encoding: u16) -> Option<&CmapSubtable<'f>> {
        self.tables.iter().find(|(p, e, _)| *p == platform && *e == encoding).map(|(_, _, table)| table)
    }

    /// 0 means no glyph.
    pub(super) fn glyph(&self, codes: &Codes, code: u8) -> u16 {
        let symbols = self.table(PlatformId::Windows, 0);
        let macintosh_table = self.table(PlatformId::Macintosh, 0);
        let unicode = self.table(PlatformId::Windows, 1);
        let symbol = |table: &CmapSubtable<'_>| {
            [0xF000, 0xF100, 0xF200, 0].iter().find_map(|prefix| lookup(table, prefix + u32::from(code)))
        };
        if self.by_name {
            let own = if self.base == Base::Own { Base::Standard } else { self.base };
            let Some(name) = codes.difference(code).map(str::to_owned).or_else(|| codes.name(code, own)) else {
                return self.tables.first().and_then(|(_, _, table)| lookup(table, code.into())).unwrap_or(0);
            };
            let character =
                codes.difference(code).map_or_else(|| super::codes::character(own, code), agl::name_to_char);
            let found = if let Some(table) = unicode {
                character.and_then(|character| lookup(table, character.into()))
            } else if let Some(table) = symbols.filter(|_| macintosh_table.is_none()) {
                symbol(table)
            } else if let Some(table) = macintosh_table {
                character.and_then(macintosh).and_then(|code| lookup(table, code.into()))
            } else {
                None
            };
            return found.or_else(|| self.names.get(name.as_str()).copied()).unwrap_or(0);
        }
        if let Some(found) = symbols.and_then(symbol) {
            return found;
        }
        if let Some(table) = macintosh_table
            && let Some(found) = lookup(table, code.into())
        {
            return found;
        }
        if symbols.is_some() || macintosh_table.is_some() {
            return 0;
        }
        match unicode.or_else(|| self.tables.first().map(|(_, _, table)| table)) {
            Some(table) => lookup(table, code.into()).unwrap_or(0),
            None => code.into(),
        }
    }

    /// The symbol tables of a font: one for symbols, or the only one.
    pub(super) fn is_symbolic(&self) -> bool {
        self.table(PlatformId::Windows, 0).is_some() || self.tables.len() == 1
    }

    pub(super) fn is_plain(&self, with_differences: bool) -> bool {
        let unicode = self.table(PlatformId::Windows, 1).is_some();
        unicode || !with_differences && self.table(PlatformId::Macintosh, 0).is_some()
    }
}

/// A used character code, its glyph (0 if the font has none), and its width in thousandths of an em.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) code: u16,
    pub(super) glyph: u16,
    pub(super) width: f64,
}

/// A program in which every code has a glyph of the right width.
pub(super) struct Rewritten {
    pub(super) data: Vec<u8>,
    pub(super) glyphs: BTreeMap<u16, u16>,
}

/// Rewrites a program. Missing glyphs are copied from the one that viewers show instead, and glyphs with several widths are
/// copied too. `with_codes`: the program maps codes like a symbolic font.
pub(super) fn rewrite(face: &Face<'_>, slots: &[Slot], with_codes: bool) -> Option<Rewritten> {
    let used: BTreeSet<u16> = slots.iter().map(|slot| slot.glyph).filter(|glyph| *glyph < face.count).collect();
    let subset = truetype::subset(face.data, &used, false)?;
    let new = Face::new(&subset)?;
    let mut glyphs = Glyphs::read(&new)?;
    let mut taken: BTreeMap<u16, f64> = BTreeMap::new();
    let mut placed = BTreeMap::new();
    for slot in slots {
        let own = if slot.glyph < face.count { slot.glyph } else { 0 };
        let fits = own != 0 && taken.get(&own).is_none_or(|width| (width - slot.width).abs() < 0.5);
        let glyph = if fits { own } else { glyphs.copy(own)? };
        taken.insert(glyph, slot.width);
        placed.insert(slot.code, glyph);
        let units = (slot.width * face.units / 1000.0).round();
        if !(0.0..=65_535.0).contains(&units) {
            return None;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole and in the range")]
        let units = units as u16;
        *glyphs.advances.get_mut(usize::from(glyph))? = units;
    }
    let mut tables = glyphs.tables(&new)?;
    if with_codes {
        tables.push((*b"cmap", cmap(&placed)?));
        // Without names.
        tables.push((*b"post", [[0, 3, 0, 0].as_slice(), &[0; 28]].concat()));
    }
    Some(Rewritten { data: truetype::sealed(&new.tables, tables)?, glyphs: placed })
}

/// Outlines and metrics that can be extended.
struct Glyphs {
    outlines: Vec<Vec<u8>>,
    advances: Vec<u16>,
    bearings: Vec<u16>,
}

impl Glyphs {
    fn read(face: &Face<'_>) -> Option<Self> {
        let (glyf, loca, hmtx) = (face.tables.get(b"glyf")?, face.tables.get(b"loca")?, face.tables.get(b"hmtx")?);
        let is_long = u16_at(face.tables.get(b"head")?, 50)? != 0;
        let start = |glyph: usize| -> Option<usize> {
            if is_long {
                Some((usize::from(u16_at(loca, glyph * 4)?) << 16) | usize::from(u16_at(loca, glyph * 4 + 2)?))
            } else {
                Some(usize::from(u16_at(loca, glyph * 2)?) * 2)
            }
        };
        let count = usize::from(face.count);
        let mut glyphs = Self { outlines: Vec::new(), advances: Vec::new(), bearings: Vec::new() };
        for glyph in 0..count {
            glyphs.outlines.push(glyf.get(start(glyph)?..start(glyph + 1)?)?.to_vec());
            glyphs.advances.push(u16_at(hmtx, glyph.min(face.wide - 1) * 4)?);
            let bearing = if glyph < face.wide { glyph * 4 + 2 } else { face.wide * 4 + (glyph - face.wide) * 2 };
            glyphs.bearings.push(u16_at(hmtx, bearing).unwrap_or(0));
        }
        Some(glyphs)
    }

    /// Adds a copy of a glyph. Returns its number.
    fn copy(&mut self, glyph: u16) -> Option<u16> {
        let number = u16::try_from(self.outlines.len()).ok().filter(|number| *number < u16::MAX)?;
        let glyph = usize::from(glyph);
        self.outlines.push(self.outlines.get(glyph)?.clone());
        self.advances.push(*self.advances.get(glyph)?);
        self.bearings.push(*self.bearings.get(glyph)?);
        Some(number)
    }

    /// All tables of the new font except those of codes and names.
    fn tables(&self, face: &Face<'_>) -> Option<Vec<([u8; 4], Vec<u8>)>> {
        let (mut glyf, mut loca, mut hmtx) = (Vec::new(), Vec::new(), Vec::new());
        for outline in &self.outlines {
            loca.extend(u32::try_from(glyf.len()).ok()?.to_be_bytes());
            glyf.extend(outline);
            glyf.resize(glyf.len().next_multiple_of(4), 0);
        }
        loca.extend(u32::try_from(glyf.len()).ok()?.to_be_bytes());
        for (advance, bearing) in self.advances.iter().zip(&self.bearings) {
            hmtx.extend(advance.to_be_bytes());
            hmtx.extend(bearing.to_be_bytes());
        }
        let count = u16::try_from(self.outlines.len()).ok()?.to_be_bytes();
        let set = |tag: &[u8; 4], at: usize, value: [u8; 2]| -> Option<Vec<u8>> {
            let mut table = face.tables.get(tag)?.to_vec();
            table.get_mut(at..at + 2)?.copy_from_slice(&value);
            Some(table)
        };
        let new = [
            (*b"glyf", glyf),
            (*b"loca", loca),
            (*b"hmtx", hmtx),
            (*b"maxp", set(b"maxp", 4, count)?),
            (*b"hhea", set(b"hhea", 34, count)?),
            (*b"head", set(b"head", 50, [0, 1])?),
        ];
        let others = face.tables.list().iter().filter(|(tag, _)| !new.iter().any(|(other, _)| other == tag));
        let others: Vec<_> = others
            .filter(|(tag, _)| tag != b"cmap" && tag != b"post")
            .map(|(tag, table)| (*tag, table.to_vec()))
            .collect();
        Some(new.into_iter().chain(others).collect())
    }
}

/// A table with one subtable for symbols and a segment for each code.
fn cmap(glyphs: &BTreeMap<u16, u16>) -> Option<Vec<u8>> {
    let mut segments: Vec<(u16, u16)> =
        glyphs.iter().map(|(code, glyph)| (SYMBOLS + code, glyph.wrapping_sub(SYMBOLS + code))).collect();
    segments.push((0xFFFF, 1));
    let count = u16::try_from(segments.len()).ok()?;
    let exponent = u16::try_from(count.ilog2()).ok()?;
    let mut table: Vec<u8> = Vec::new();
    let mut push = |value: u16| table.extend(value.to_be_bytes());
    // One record: Windows, symbols, 12 bytes from here.
    [0, 1, 3, 0, 0, 12].into_iter().for_each(&mut push);
    let range = 2 << exponent;
    [4, 16 + count * 8, 0, count * 2, range, exponent, count * 2 - range].into_iter().for_each(&mut push);
    segments.iter().for_each(|(code, _)| push(*code));
    push(0);
    segments.iter().for_each(|(code, _)| push(*code));
    segments.iter().for_each(|(_, delta)| push(*delta));
    segments.iter().for_each(|_| push(0));
    Some(table)
}
