//! Font programs: whether the lists of their glyphs that a document has are complete.

use std::collections::BTreeSet;

use docmill_pdf_core::objects::{Lookup, bytes, unpacked};
use docmill_pdf_core::tokens::{self, Token, Tokens};
use docmill_pdf_fonts::truetype::{Tables, u16_at};
use docmill_pdf_fonts::type1::Type1;
use lopdf::{Dictionary, Document, Object};
use read_fonts::ps::cff::CffFontRef;
use read_fonts::types::GlyphId;

use crate::rules::Rule;

/// Most bytes of a font program, and of a list of glyphs.
const PROGRAM: usize = 64 << 20;
const LIST: usize = 64 << 10;

/// An incomplete list of a font's glyphs. `font`: a simple font, or the descendant of a composite one.
pub(crate) fn incomplete(document: &Document, font: &Dictionary) -> Option<Rule> {
    let descriptor = document.child(font, b"FontDescriptor")?;
    is_subset(document.name(font, b"BaseFont")?).then_some(())?;
    match document.name(font, b"Subtype")? {
        b"Type1" => {
            let said = bytes(document.value(descriptor, b"CharSet")?)?;
            (!lists_all(said, &glyph_names(document, descriptor)?)).then_some(Rule::NamesIncomplete)
        }
        b"CIDFontType0" | b"CIDFontType2" => {
            let said = unpacked(document.value(descriptor, b"CIDSet")?.as_stream().ok()?, LIST)?;
            let present = characters(document, font, descriptor)?;
            (said_ones(&said) != present).then_some(Rule::CharactersIncomplete)
        }
        _ => None,
    }
}

/// `ABCDEF+Name`
fn is_subset(name: &[u8]) -> bool {
    matches!(name, [tag @ .., _] if tag.get(..6).is_some_and(|tag| tag.iter().all(u8::is_ascii_uppercase)))
        && name.get(6) == Some(&b'+')
}

/// The data of a font program, by its key in the descriptor.
pub(crate) fn program(document: &Document, descriptor: &Dictionary, key: &[u8]) -> Option<Vec<u8>> {
    unpacked(document.value(descriptor, key)?.as_stream().ok()?, PROGRAM)
}

/// The names of a Type 1 program's glyphs.
fn glyph_names(document: &Document, descriptor: &Dictionary) -> Option<Vec<String>> {
    if let Some(data) = program(document, descriptor, b"FontFile") {
        return Some(Type1::new(&data)?.glyphs.into_iter().map(|(name, _)| name).collect());
    }
    let data = program(document, descriptor, b"FontFile3")?;
    let face = CffFontRef::new_cff(&data, 0, None).ok().filter(|face| !face.is_cid())?;
    let charset = face.charset()?;
    let name = |glyph: u32| {
        let name = face.string(charset.string_id(GlyphId::new(glyph)).ok()?)?;
        Some(String::from_utf8_lossy(name).into_owned())
    };
    (0..face.num_glyphs()).map(name).collect()
}

/// Whether a list such as `/A/B` names the glyphs but `.notdef`, and no others.
fn lists_all(said: &[u8], glyphs: &[String]) -> bool {
    let names = Tokens::new(said).filter_map(|token| match token {
        Token::Name(name) => Some(String::from_utf8_lossy(&tokens::name(name)).trim_start_matches('/').to_owned()),
        _ => None,
    });
    let but_undefined = |name: &String| name != ".notdef";
    let names: BTreeSet<String> = names.filter(but_undefined).collect();
    let present: BTreeSet<String> = glyphs.iter().filter(|name| but_undefined(name)).cloned().collect();
    names == present
}

/// The numbers of the bits that are set, without the first.
fn said_ones(bits: &[u8]) -> BTreeSet<u16> {
    let is_set = |index: u16| {
        let byte = bits.get(usize::from(index / 8)).copied().unwrap_or(0);
        byte & (0x80 >> (index % 8)) != 0
    };
    (1..=u16::MAX).filter(|index| is_set(*index)).collect()
}

/// The characters that a composite font's program has, without the first.
fn characters(document: &Document, font: &Dictionary, descriptor: &Dictionary) -> Option<BTreeSet<u16>> {
    if let Some(data) = program(document, descriptor, b"FontFile2") {
        let tables = Tables::new(&data)?;
        let count = u16_at(tables.get(b"maxp")?, 4)?;
        let Some(Object::Stream(map)) = document.value(font, b"CIDToGIDMap") else { return Some((1..count).collect()) };
        let map = unpacked(map, 2 << 16)?;
        let glyphs = (0..=u16::MAX).zip(map.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)));
        return Some(
            glyphs.filter(|(cid, glyph)| *cid > 0 && *glyph > 0 && *glyph < count).map(|(cid, _)| cid).collect(),
        );
    }
    let data = program(document, descriptor, b"FontFile3")?;
    let face = CffFontRef::new_cff(&data, 0, None).ok()?;
    let charset = face.charset().filter(|_| face.is_cid());
    let of_glyph = |glyph: u16| match &charset {
        Some(charset) => Some(charset.string_id(GlyphId::new(u32::from(glyph))).ok()?.to_u16()),
        None => Some(glyph),
    };
    let count = u16::try_from(face.num_glyphs()).ok()?;
    Some((1..count).filter_map(of_glyph).collect())
}
