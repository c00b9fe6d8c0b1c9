//! TrueType programs: removes unused outlines and tables that PDF does not need.

use std::collections::BTreeSet;

use read_fonts::ps::agl;
use read_fonts::tables::cmap::{Cmap, CmapSubtable};
use read_fonts::tables::post::{DEFAULT_GLYPH_NAMES, Post};
use read_fonts::{FontData, FontRead};

use super::encoding::{Encoding, macintosh};

/// Glyphs inside glyphs.
const DEPTH: usize = 16;
/// Bytes of a table of names before its count.
const HEAD: usize = 32;
/// Tables for drawing glyphs. The others are for layout, which PDF does not need.
const KEPT: [&[u8; 4]; 12] =
    [b"OS/2", b"cvt ", b"fpgm", b"gasp", b"glyf", b"head", b"hhea", b"hmtx", b"loca", b"maxp", b"prep", b"CFF "];

/// Tables for layout, and for the screens and printers of the past. ISO 32000-2, 9.9 lists those that PDF needs.
const LAYOUT: [&[u8; 4]; 22] = [
    b"BASE", b"DSIG", b"FFTM", b"GDEF", b"GPOS", b"GSUB", b"JSTF", b"LTSH", b"PCLT", b"VDMX", b"bsln", b"feat",
    b"hdmx", b"just", b"kern", b"kerx", b"lcar", b"meta", b"mort", b"morx", b"opbd", b"trak",
];

/// The tables of a font, by their places in it.
#[derive(Debug)]
pub struct Tables<'f> {
    data: &'f [u8],
    list: Vec<([u8; 4], &'f [u8])>,
}

impl<'f> Tables<'f> {
    /// `None` if the file is no single font, or its list of tables is damaged.
    pub fn new(data: &'f [u8]) -> Option<Self> {
        let version = data.get(..4)?;
        if version != [0, 1, 0, 0] && version != b"true" && version != b"OTTO" {
            return None;
        }
        let count = usize::from(u16_at(data, 4)?);
        let list = (0..count).map(|index| {
            let entry = data.get(12 + index * 16..28 + index * 16)?;
            let (start, length) = (u32_at(entry, 8)? as usize, u32_at(entry, 12)? as usize);
            // Some writers cut the last table short of its padding, or more.
            let end = start.checked_add(length)?.min(data.len());
            Some((*entry.first_chunk()?, data.get(start..end)?))
        });
        Some(Self { data, list: list.collect::<Option<_>>()? })
    }

    /// All tables with their tags, in the order of the file.
    pub fn list(&self) -> &[([u8; 4], &'f [u8])] {
        &self.list
    }

    /// The table with this tag.
    pub fn get(&self, tag: &[u8; 4]) -> Option<&'f [u8]> {
        self.list.iter().find(|(name, _)| name == tag).map(|(_, table)| *table)
    }

    /// The same font with these tables, in their order.
    pub fn with(&self, mut tables: Vec<([u8; 4], Vec<u8>)>) -> Option<Vec<u8>> {
        tables.sort_by_key(|(tag, _)| *tag);
        let count = u16::try_from(tables.len()).ok().filter(|count| *count > 0)?;
        let exponent = u16::try_from(count.ilog2()).ok()?;
        let mut font = self.data.get(..4)?.to_vec();
        for value in [count, 16 << exponent, exponent, count * 16 - (16 << exponent)] {
            font.extend(value.to_be_bytes());
        }
        let mut start = 12 + tables.len() * 16;
        for (tag, table) in &tables {
            font.extend(tag);
            for value in [checksum(table), u32::try_from(start).ok()?, u32::try_from(table.len()).ok()?] {
                font.extend(value.to_be_bytes());
            }
            start += table.len().next_multiple_of(4);
        }
        for (_, table) in &tables {
            font.extend(table);
            font.resize(font.len().next_multiple_of(4), 0);
        }
        Some(font)
    }
}

/// A number of a table.
pub fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(data.get(at..at + 2)?.try_into().ok()?))
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

fn checksum(table: &[u8]) -> u32 {
    table.chunks(4).fold(0, |sum: u32, chunk| {
        let mut word = [0; 4];
        word.iter_mut().zip(chunk).for_each(|(byte, given)| *byte = *given);
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}

/// The font with only the outlines of these glyphs. Glyph numbers stay the same. `is_named`: codes are looked up by name.
pub fn subset(data: &[u8], glyphs: &BTreeSet<u16>, is_named: bool) -> Option<Vec<u8>> {
    let tables = Tables::new(data)?;
    let outlines = Outlines::new(&tables)?;
    let kept = outlines.with_parts(glyphs)?;
    let (glyf, loca, is_long) = outlines.only(&kept)?;
    let mut list = Vec::new();
    for (tag, table) in &tables.list {
        let new = match tag {
            b"glyf" => glyf.clone(),
            b"loca" => loca.clone(),
            b"head" => {
                let mut head = table.to_vec();
                head.get_mut(8..12)?.fill(0);
                *head.get_mut(50..52)?.first_chunk_mut()? = u16::from(is_long).to_be_bytes();
                head
            }
            b"hmtx" => metrics(&tables, table, &kept)?,
            b"cmap" if is_named => table.to_vec(),
            b"post" if is_named => with_names(table, &kept).unwrap_or_else(|| table.to_vec()),
            tag if KEPT.contains(&tag) => table.to_vec(),
            _ => continue,
        };
        list.push((*tag, new));
    }
    sealed(&tables, list)
}

/// The font with all glyphs and names, without the tables for layout.
pub fn without_layout(data: &[u8]) -> Option<Vec<u8>> {
    let tables = Tables::new(data)?;
    let kept = tables.list.iter().filter(|(tag, _)| !LAYOUT.contains(&tag));
    sealed(&tables, kept.map(|(tag, table)| (*tag, table.to_vec())).collect())
}

/// The table of names with those of these glyphs. `None` for a table without own names, or a damaged one.
fn with_names(post: &[u8], kept: &BTreeSet<u16>) -> Option<Vec<u8>> {
    /// The names that every system knows.
    const COMMON: usize = DEFAULT_GLYPH_NAMES.len();
    if post.get(..4)? != [0, 2, 0, 0] {
        return None;
    }
    let count = u16_at(post, HEAD)?;
    let mut own = Vec::new();
    let mut rest = post.get(HEAD + 2 + usize::from(count) * 2..)?;
    while let [length, after @ ..] = rest {
        let Some((name, after)) = after.split_at_checked(usize::from(*length)) else { break };
        own.push(name);
        rest = after;
    }
    let (mut indices, mut names, mut number) = (post.get(..HEAD + 2)?.to_vec(), Vec::new(), COMMON);
    for glyph in 0..count {
        let index = usize::from(u16_at(post, HEAD + 2 + usize::from(glyph) * 2)?);
        let index = match index.checked_sub(COMMON) {
            _ if !kept.contains(&glyph) => 0,
            None => index,
            Some(index) => {
                let name = own.get(index)?;
                names.push(u8::try_from(name.len()).ok()?);
                names.extend(*name);
                number += 1;
                number - 1
            }
        };
        indices.extend(u16::try_from(index).ok()?.to_be_bytes());
    }
    indices.extend(names);
    Some(indices)
}

/// A font with these tables, and the checksum of all of it.
pub fn sealed(tables: &Tables<'_>, list: Vec<([u8; 4], Vec<u8>)>) -> Option<Vec<u8>> {
    let mut list = list;
    let (_, head) = list.iter_mut().find(|(tag, _)| tag == b"head")?;
    head.get_mut(8..12)?.fill(0);
    let mut font = tables.with(list)?;
    let adjustment = 0xB1B0_AFBA_u32.wrapping_sub(checksum(&font));
    let head = u32_at(&font, 12 + 16 * place(&font, b"head")? + 8)? as usize;
    font.get_mut(head + 8..head + 12)?.copy_from_slice(&adjustment.to_be_bytes());
    Some(font)
}

/// The position of a table in a font's directory.
fn place(font: &[u8], tag: &[u8; 4]) -> Option<usize> {
    let count = usize::from(u16_at(font, 4)?);
    (0..count).find(|index| font.get(12 + index * 16..16 + index * 16) == Some(tag.as_slice()))
}

/// Dropped glyphs get width 0: nothing uses it, and zeros compress well.
fn metrics(tables: &Tables<'_>, table: &[u8], kept: &BTreeSet<u16>) -> Option<Vec<u8>> {
    let wide = usize::from(u16_at(tables.get(b"hhea")?, 34)?);
    let mut new = vec![0; table.len()];
    // The last width applies to all following glyphs.
    let last = wide.checked_sub(1)?;
    for glyph in kept.iter().map(|glyph| usize::from(*glyph)).chain([last]) {
        let range = if glyph < wide {
            glyph * 4..glyph * 4 + 4
        } else {
            wide * 4 + (glyph - wide) * 2..wide * 4 + (glyph - wide) * 2 + 2
        };
        if let (Some(to), Some(from)) = (new.get_mut(range.clone()), table.get(range)) {
            to.copy_from_slice(from);
        }
    }
    Some(new)
}

struct Outlines<'f> {
    glyf: &'f [u8],
    /// One more than there are glyphs.
    starts: Vec<u32>,
}

impl<'f> Outlines<'f> {
    fn new(tables: &Tables<'f>) -> Option<Self> {
        let (glyf, loca) = (tables.get(b"glyf")?, tables.get(b"loca")?);
        let count = usize::from(u16_at(tables.get(b"maxp")?, 4)?);
        let starts: Vec<u32> = match u16_at(tables.get(b"head")?, 50)? {
            0 => loca.as_chunks().0.iter().map(|pair| u32::from(u16::from_be_bytes(*pair)) * 2).collect(),
            1 => loca.chunks_exact(4).filter_map(|word| u32_at(word, 0)).collect(),
            _ => return None,
        };
        Some(Self { glyf, starts: starts.get(..=count)?.to_vec() })
    }

    /// `None` where the font is damaged; empty for a glyph without an outline.
    fn outline(&self, glyph: u16) -> Option<&'f [u8]> {
        let (start, end) = (*self.starts.get(usize::from(glyph))?, *self.starts.get(usize::from(glyph) + 1)?);
        self.glyf.get(start as usize..(end as usize).min(self.glyf.len()))
    }

    /// The glyphs, the one for missing characters, and their parts.
    fn with_parts(&self, glyphs: &BTreeSet<u16>) -> Option<BTreeSet<u16>> {
        let mut kept = BTreeSet::from([0]);
        let mut new: Vec<u16> =
            glyphs.iter().copied().filter(|glyph| usize::from(*glyph) + 1 < self.starts.len()).collect();
        new.push(0);
        for _ in 0..DEPTH {
            kept.extend(&new);
            let mut parts = Vec::new();
            for glyph in new {
                parts.extend(components(self.outline(glyph)?)?.into_iter().filter(|part| !kept.contains(part)));
            }
            if parts.is_empty() {
                return Some(kept);
            }
            new = parts;
        }
        None
    }

    /// Only these outlines, their positions, and whether positions take four bytes.
    fn only(&self, kept: &BTreeSet<u16>) -> Option<(Vec<u8>, Vec<u8>, bool)> {
        let mut glyf = Vec::new();
        let mut starts = Vec::with_capacity(self.starts.len());
        for glyph in 0..u16::try_from(self.starts.len() - 1).ok()? {
            starts.push(u32::try_from(glyf.len()).ok()?);
            if kept.contains(&glyph) {
                glyf.extend(self.outline(glyph)?);
                glyf.resize(glyf.len().next_multiple_of(4), 0);
            }
        }
        starts.push(u32::try_from(glyf.len()).ok()?);
        let is_long = glyf.len() > usize::from(u16::MAX) * 2;
        let loca = if is_long {
            starts.iter().flat_map(|start| start.to_be_bytes()).collect()
        } else {
            // None is more than twice the highest number of two bytes.
            starts.iter().flat_map(|start| u16::try_from(start / 2).unwrap_or(u16::MAX).to_be_bytes()).collect()
        };
        Some((glyf, loca, is_long))
    }
}

/// What a part of a composed glyph says of itself.
const WORDS: u16 = 1;
const SCALE: u16 = 8;
const MORE: u16 = 0x20;
const TWO_SCALES: u16 = 0x40;
const FOUR_SCALES: u16 = 0x80;

/// The glyphs that one is composed of.
fn components(outline: &[u8]) -> Option<Vec<u16>> {
    let mut parts = Vec::new();
    if outline.is_empty() || u16_at(outline, 0)? < 0x8000 {
        return Some(parts);
    }
    let mut at = 10;
    loop {
        let flags = u16_at(outline, at)?;
        parts.push(u16_at(outline, at + 2)?);
        at += if flags & WORDS != 0 { 8 } else { 6 };
        at += match flags {
            flags if flags & SCALE != 0 => 2,
            flags if flags & TWO_SCALES != 0 => 4,
            flags if flags & FOUR_SCALES != 0 => 8,
            _ => 0,
        };
        if flags & MORE == 0 {
            return Some(parts);
        }
    }
}

/// The glyphs that a simple font may show for these codes.
pub fn glyphs(data: &[u8], encoding: &Encoding, codes: &mut dyn Iterator<Item = u8>) -> Option<BTreeSet<u16>> {
    let tables = Tables::new(data)?;
    let cmap = tables.get(b"cmap").and_then(|table| Cmap::read(FontData::new(table)).ok());
    let subtables: Vec<_> =
        cmap.iter().flat_map(|cmap| (0..cmap.num_tables()).filter_map(|index| cmap.subtable(index).ok())).collect();
    // Which is for codes of two bytes.
    if subtables.iter().any(|table| matches!(table, CmapSubtable::Format2(_))) {
        return None;
    }
    let names = names(&tables);
    let mut glyphs = BTreeSet::new();
    for code in codes {
        let characters = encoding.characters(code);
        let own = u32::from(code);
        let keys = [own, 0xF000 | own, 0xF100 | own, 0xF200 | own].into_iter();
        let keys = keys.chain(characters.iter().map(|character| u32::from(*character)));
        let keys: Vec<u32> = keys.chain(characters.iter().filter_map(|c| macintosh(*c).map(u32::from))).collect();
        let found = subtables.iter().flat_map(|table| keys.iter().filter_map(|key| table.map_codepoint(*key)));
        glyphs.extend(found.filter_map(|glyph| u16::try_from(glyph.to_u32()).ok()));
        let is_meant = |(name, character): &(&str, Option<char>)| {
            Some(*name) == encoding.name(code) || character.is_some_and(|character| characters.contains(&character))
        };
        glyphs.extend((0..=u16::MAX).zip(&names).filter(|(_, name)| is_meant(name)).map(|(glyph, _)| glyph));
        if subtables.is_empty() {
            glyphs.insert(u16::from(code));
        }
    }
    Some(glyphs)
}

/// The names of the glyphs, and the characters that they stand for.
pub fn names<'f>(tables: &Tables<'f>) -> Vec<(&'f str, Option<char>)> {
    let Some(post) = tables.get(b"post").and_then(|table| Post::read(FontData::new(table)).ok()) else {
        return Vec::new();
    };
    let own: Vec<&str> = match post.string_data() {
        Some(strings) => strings.iter().map_while(Result::ok).map(|name| name.as_str()).collect(),
        None => Vec::new(),
    };
    let name = |index: &read_fonts::types::BigEndian<u16>| {
        let index = usize::from(index.get());
        DEFAULT_GLYPH_NAMES.get(index).copied().or_else(|| own.get(index - DEFAULT_GLYPH_NAMES.len()).copied())
    };
    let names: Vec<&str> = match post.glyph_name_index() {
        Some(indices) => indices.iter().map(|index| name(index).unwrap_or_default()).collect(),
        None if post.num_names() > 0 => DEFAULT_GLYPH_NAMES.to_vec(),
        None => Vec::new(),
    };
    names.into_iter().map(|name| (name, agl::name_to_char(name))).collect()
}
