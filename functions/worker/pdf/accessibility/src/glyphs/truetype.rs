//! TrueType programs.

use std::collections::HashMap;

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_fonts::encoding::macintosh;
use docmill_pdf_fonts::truetype::{self, Tables, u16_at};
use lopdf::{Dictionary, Document, Object};
use read_fonts::ps::agl;
use read_fonts::tables::cmap::{Cmap, CmapSubtable, PlatformId};
use read_fonts::{FontData, FontRead};

use super::{Glyph, Names, UNDEFINED};
use crate::rules::Rule;

/// The flag of fonts with characters of their own.
const SYMBOLIC: i64 = 4;
/// Where tables for symbols have codes of one byte.
const OFFSETS: [u32; 4] = [0, 0xF000, 0xF100, 0xF200];

pub(super) struct TrueType<'f> {
    maps: Vec<((PlatformId, u16), CmapSubtable<'f>)>,
    names: HashMap<&'f str, u16>,
    /// Widths of glyphs, and bytes that follow each.
    metrics: &'f [u8],
    wide: usize,
    count: u16,
    units: f32,
    /// Codes are looked up as they are, not by the names of their characters.
    is_by_code: bool,
    is_symbolic: bool,
}

impl<'f> TrueType<'f> {
    pub(super) fn new(data: &'f [u8]) -> Option<Self> {
        let tables = Tables::new(data)?;
        let count = u16_at(tables.get(b"maxp")?, 4)?;
        let units = f32::from(u16_at(tables.get(b"head")?, 18)?);
        let metrics = tables.get(b"hmtx")?;
        let wide = usize::from(u16_at(tables.get(b"hhea")?, 34)?).min(metrics.len() / 4);
        let cmap = tables.get(b"cmap").and_then(|table| Cmap::read(FontData::new(table)).ok());
        let maps = cmap.iter().flat_map(|cmap| cmap.encoding_records().iter().map(move |record| (cmap, record)));
        let maps = maps.filter_map(|(cmap, record)| {
            Some(((record.platform_id(), record.encoding_id()), record.subtable(cmap.offset_data()).ok()?))
        });
        let maps = maps.collect();
        let names = truetype::names(&tables).into_iter().zip(0..).map(|((name, _), glyph)| (name, glyph)).collect();
        (units > 0.0 && wide > 0).then_some(())?;
        Some(Self { maps, names, metrics, wide, count, units, is_by_code: true, is_symbolic: false })
    }

    /// The program of a simple font. `None` if such a font may not have its encoding.
    pub(super) fn of_font(self, document: &Document, font: &Dictionary, names: &Names) -> Option<Self> {
        let descriptor = document.child(font, b"FontDescriptor")?;
        let is_symbolic = document.integer(descriptor, b"Flags").unwrap_or(0) & SYMBOLIC != 0;
        let is_by_code = is_symbolic || !names.is_stated;
        (is_by_code || names.is_dictionary || names.base.is_some()).then_some(())?;
        Some(Self { is_by_code, is_symbolic, ..self })
    }

    /// What is wrong with its tables of codes.
    pub(super) fn broken(&self) -> Option<Rule> {
        let has_symbols = self.map(PlatformId::Windows, 0).is_some();
        let count = self.maps.len();
        if self.is_symbolic {
            return (count != 1 && !has_symbols).then_some(Rule::SymbolTables);
        }
        (count <= usize::from(has_symbols)).then_some(Rule::CharacterTables)
    }

    pub(super) fn of_code(&self, names: &Names, code: u8) -> Glyph {
        if self.is_by_code { self.by_code(code) } else { self.by_name(&names.for_look_up(code), code) }
    }

    /// The glyph with a number.
    pub(super) fn of_glyph(&self, glyph: u16) -> Glyph {
        Glyph { is_present: glyph < self.count, width: Some(self.width(glyph)) }
    }

    fn by_name(&self, name: &str, code: u8) -> Glyph {
        let glyph = self.of_character(name).or_else(|| self.names.get(name).copied()).unwrap_or(0);
        let is_present = name != UNDEFINED && glyph > 0 && glyph < self.count;
        let is_known = !self.maps.is_empty() || self.names.contains_key(name);
        Glyph { is_present, width: Some(self.width(if is_known { glyph } else { self.first(code) })) }
    }

    /// By the name's character, in the tables of Windows and of a Macintosh.
    fn of_character(&self, name: &str) -> Option<u16> {
        let character = agl::name_to_char(name)?;
        let windows = self.map(PlatformId::Windows, 1).and_then(|map| look_up(map, character.into()));
        windows.or_else(|| look_up(self.map(PlatformId::Macintosh, 0)?, macintosh(character)?.into()))
    }

    fn by_code(&self, code: u8) -> Glyph {
        let symbols = self.map(PlatformId::Windows, 0);
        let of_symbols = symbols.and_then(|map| {
            let offset = OFFSETS.iter().find(|offset| (0..256).any(|low| look_up(map, *offset + low).is_some()))?;
            look_up(map, offset + u32::from(code))
        });
        let macintosh = self.map(PlatformId::Macintosh, 0);
        let of_macintosh = macintosh.and_then(|map| look_up(map, code.into()));
        let glyph = match (of_symbols, macintosh) {
            (Some(glyph), _) => glyph,
            (None, Some(_)) => of_macintosh.unwrap_or(0),
            (None, None) => self.first(code),
        };
        let is_present = if symbols.is_some() { of_symbols.is_some() } else { of_macintosh.is_some() };
        Glyph { is_present, width: Some(self.width(glyph)) }
    }

    fn map(&self, platform: PlatformId, encoding: u16) -> Option<&CmapSubtable<'f>> {
        self.maps.iter().find(|(id, _)| *id == (platform, encoding)).map(|(_, map)| map)
    }

    /// By the first table that has the code.
    fn first(&self, code: u8) -> u16 {
        self.maps.iter().find_map(|(_, map)| look_up(map, code.into())).unwrap_or(0)
    }

    fn width(&self, glyph: u16) -> f64 {
        let place = match usize::from(glyph) {
            own if own < self.wide => own,
            _ if glyph < self.count => self.wide - 1,
            _ => 0,
        };
        let width = u16_at(self.metrics, place * 4).unwrap_or(0);
        f64::from(f32::from(width) * (1000.0 / self.units))
    }
}

fn look_up(map: &CmapSubtable<'_>, code: u32) -> Option<u16> {
    map.map_codepoint(code).and_then(|glyph| u16::try_from(glyph.to_u32()).ok()).filter(|glyph| *glyph != 0)
}

/// Where the characters of a composite font have their glyphs. The outer `None`: it can't be read.
#[allow(clippy::option_option, reason = "a failure, and no map")]
pub(super) fn glyph_map(document: &Document, font: &Dictionary) -> Option<Option<Vec<u8>>> {
    match document.value(font, b"CIDToGIDMap") {
        Some(Object::Stream(map)) => unpacked(map, 2 << 16).map(Some),
        _ => Some(None),
    }
}
