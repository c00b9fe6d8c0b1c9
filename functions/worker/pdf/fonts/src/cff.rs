//! CFF programs: unused glyphs and subroutines are emptied in place, so that no offset changes. The freed bytes are zeros, which
//! compress to almost nothing.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use read_fonts::ps::agl;
use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::cff::index::Index;
use read_fonts::ps::cs::{self, CharstringContext, CharstringKind, CommandSink};
use read_fonts::ps::encoding::PredefinedEncoding;
use read_fonts::ps::error::Error;
use read_fonts::ps::string::Sid;
use read_fonts::types::{Fixed, GlyphId};

use super::encoding::{Encoding, standard_names};

/// A glyph that draws nothing, and a subroutine that does nothing.
const END_OF_GLYPH: u8 = 14;
const RETURN: u8 = 11;

/// The font with only these glyphs. Glyph numbers stay the same.
pub(super) fn subset(data: &[u8], glyphs: &BTreeSet<u16>) -> Option<Vec<u8>> {
    let font = font(data)?;
    let mut kept: BTreeSet<u32> = glyphs.iter().map(|glyph| u32::from(*glyph)).collect();
    kept.insert(0);
    let mut new = data.to_vec();
    let calls = Calls::trace(&font, data, &mut kept)?;
    empty(data, &mut new, font.charstrings(), &|glyph| kept.contains(&glyph), END_OF_GLYPH)?;
    empty(data, &mut new, font.global_subrs(), &|subroutine| calls.global.contains(&subroutine), RETURN)?;
    for (start, called) in &calls.local {
        let index = Index::new(data.get(*start as usize..)?, false).ok()?;
        empty(data, &mut new, &index, &|subroutine| called.contains(&subroutine), RETURN)?;
    }
    Some(new)
}

/// A font of the first version, the only one that PDF knows.
fn font(data: &[u8]) -> Option<CffFontRef<'_>> {
    CffFontRef::new_cff(data, 0, None).ok()
}

/// Rewrites an index in place, with one byte for each dropped entry.
fn empty(data: &[u8], new: &mut [u8], index: &Index<'_>, is_kept: &dyn Fn(u32) -> bool, filler: u8) -> Option<()> {
    let (count, width) = (index.count(), usize::from(index.off_size()));
    if count == 0 {
        return Some(());
    }
    let head = 3 + (count as usize + 1) * width;
    // Entries are slices of the data, which gives the index's position.
    let first = index.get(0).ok()?.as_ptr() as usize - data.as_ptr() as usize;
    let (start, length) = (first.checked_sub(head)?, index.size_in_bytes().ok()?);
    let old = data.get(start..start + length)?;
    let mut entries = Vec::with_capacity(length);
    let mut offsets = old.get(..3)?.to_vec();
    // They are no longer than before, so that their lengths fit.
    let offset = |entries: &Vec<u8>, offsets: &mut Vec<u8>| {
        let bytes = u32::try_from(entries.len() + 1).unwrap_or(u32::MAX).to_be_bytes();
        offsets.extend(bytes.into_iter().skip(4 - width.min(4)));
    };
    for entry in 0..count {
        offset(&entries, &mut offsets);
        match index.get(entry as usize).ok()? {
            bytes if is_kept(entry) => entries.extend(bytes),
            [] => {}
            _ => entries.push(filler),
        }
    }
    offset(&entries, &mut offsets);
    let place = new.get_mut(start..start + length)?;
    place.fill(0);
    place.get_mut(..offsets.len())?.copy_from_slice(&offsets);
    place.get_mut(offsets.len()..offsets.len() + entries.len())?.copy_from_slice(&entries);
    Some(())
}

/// The subroutines that glyphs call: global ones, and local ones by the start of their index.
#[derive(Default)]
struct Calls {
    global: BTreeSet<u32>,
    local: HashMap<u32, BTreeSet<u32>>,
}

impl Calls {
    /// Composed glyphs also need their parts.
    fn trace(font: &CffFontRef<'_>, data: &[u8], glyphs: &mut BTreeSet<u32>) -> Option<Self> {
        let mut calls = Self::default();
        // An index that no glyph calls is emptied too.
        for number in 0..font.num_subfonts() {
            let start = font.subfont(number, &[]).ok()?.subrs_offset();
            if start != 0 {
                calls.local.entry(start).or_default();
            }
        }
        let list: Vec<u32> = glyphs.iter().copied().filter(|glyph| *glyph < font.num_glyphs()).collect();
        for glyph in list {
            let subfont = font.subfont(font.subfont_index(GlyphId::new(glyph))?, &[]).ok()?;
            let start = subfont.subrs_offset();
            let subroutines = match start {
                0 => Index::Empty,
                start => Index::new(data.get(start as usize..)?, false).ok()?,
            };
            let tracer = Tracer {
                font,
                subroutines,
                global: RefCell::default(),
                local: RefCell::default(),
                parts: RefCell::default(),
            };
            cs::evaluate(&tracer, None, font.charstrings().get(glyph as usize).ok()?, &mut Nothing).ok()?;
            calls.global.extend(tracer.global.into_inner());
            calls.local.entry(start).or_default().extend(tracer.local.into_inner());
            glyphs.extend(tracer.parts.into_inner());
        }
        calls.local.remove(&0);
        Some(calls)
    }
}

/// Records what a glyph uses.
struct Tracer<'f> {
    font: &'f CffFontRef<'f>,
    subroutines: Index<'f>,
    global: RefCell<BTreeSet<u32>>,
    local: RefCell<BTreeSet<u32>>,
    parts: RefCell<BTreeSet<u32>>,
}

fn call<'f>(index: &Index<'f>, number: i32, called: &RefCell<BTreeSet<u32>>) -> Result<&'f [u8], Error> {
    let number = number.checked_add(index.subr_bias()).and_then(|number| u32::try_from(number).ok());
    let number = number.ok_or(Error::MissingSubroutines)?;
    called.borrow_mut().insert(number);
    index.get(number as usize)
}

impl CharstringContext for Tracer<'_> {
    fn kind(&self) -> CharstringKind {
        CharstringKind::Type2
    }

    fn seac_components(&self, base: i32, accent: i32) -> Result<[&[u8]; 2], Error> {
        let part = |code: i32| {
            let sid = u8::try_from(code).ok().and_then(|code| PredefinedEncoding::Standard.sid(code));
            let glyph = sid.zip(self.font.charset()).and_then(|(sid, charset)| charset.glyph_id(sid).ok());
            let glyph = glyph.ok_or(Error::InvalidSeacCode(code))?;
            self.parts.borrow_mut().insert(glyph.to_u32());
            self.font.charstrings().get(glyph.to_u32() as usize)
        };
        Ok([part(base)?, part(accent)?])
    }

    fn global_subr(&self, number: i32) -> Result<&[u8], Error> {
        call(self.font.global_subrs(), number, &self.global)
    }

    fn subr(&self, number: i32) -> Result<&[u8], Error> {
        call(&self.subroutines, number, &self.local)
    }
}

/// Draws nothing.
struct Nothing;

impl CommandSink for Nothing {
    fn move_to(&mut self, _: Fixed, _: Fixed) {}
    fn line_to(&mut self, _: Fixed, _: Fixed) {}
    fn curve_to(&mut self, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed) {}
    fn close(&mut self) {}
}

/// The glyphs that a simple font may show for these codes. `None` if the font has no names.
pub(super) fn glyphs(data: &[u8], encoding: &Encoding, codes: &mut dyn Iterator<Item = u8>) -> Option<BTreeSet<u16>> {
    let font = font(data).filter(|font| !font.is_cid())?;
    let charset = font.charset()?;
    let names: Vec<(&str, u16)> = (0..font.num_glyphs())
        .filter_map(|glyph| {
            let name = font.string(charset.string_id(GlyphId::new(glyph)).ok()?)?;
            Some((std::str::from_utf8(name).ok()?, u16::try_from(glyph).ok()?))
        })
        .collect();
    let own = font.encoding();
    let own = |code| own.as_ref().and_then(|own| own.map(code)).and_then(|glyph| u16::try_from(glyph.to_u32()).ok());
    Some(named(&names, encoding, codes, own))
}

/// The glyphs of these names that codes may stand for.
pub(super) fn named(
    names: &[(&str, u16)],
    encoding: &Encoding,
    codes: &mut dyn Iterator<Item = u8>,
    own: impl Fn(u8) -> Option<u16>,
) -> BTreeSet<u16> {
    let by_name: HashMap<&str, u16> = names.iter().copied().collect();
    let mut by_character: HashMap<char, Vec<u16>> = HashMap::new();
    for (name, glyph) in names {
        if let Some(character) = agl::name_to_char(name) {
            by_character.entry(character).or_default().push(*glyph);
        }
    }
    let mut glyphs = BTreeSet::new();
    for code in codes {
        // The document's name takes precedence if the font has such a glyph.
        if let Some(glyph) = encoding.name(code).and_then(|name| by_name.get(name)) {
            glyphs.insert(*glyph);
            continue;
        }
        glyphs.extend(own(code));
        glyphs.extend(standard_names(code).into_iter().filter_map(|name| by_name.get(name)));
        glyphs.extend(encoding.characters(code).iter().filter_map(|character| by_character.get(character)).flatten());
    }
    glyphs
}

/// The glyphs that show these CIDs.
pub(super) fn glyphs_of_cids(data: &[u8], cids: &mut dyn Iterator<Item = u16>) -> Option<BTreeSet<u16>> {
    let font = font(data)?;
    if !font.is_cid() {
        return Some(cids.collect());
    }
    let charset = font.charset()?;
    let glyph = |cid| charset.glyph_id(Sid::new(cid)).ok().and_then(|glyph| u16::try_from(glyph.to_u32()).ok());
    Some(cids.filter_map(glyph).collect())
}
