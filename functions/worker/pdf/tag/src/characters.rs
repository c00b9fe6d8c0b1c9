//! The characters of fonts' codes: those that a document says, and those that its font programs know.

use std::collections::{BTreeMap, HashMap};

use docmill_pdf_core::character_map;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_fonts::stated::{Stated, plain};
use docmill_pdf_fonts::truetype::{self, Tables};
use docmill_pdf_fonts::type1::Type1;
use docmill_pdf_fonts::uses::Uses;
use lopdf::{Dictionary, Document, ObjectId, Stream};
use read_fonts::ps::agl;
use read_fonts::ps::cff::CffFontRef;
use read_fonts::types::GlyphId;
use skrifa::{FontRef, MetadataProvider as _};

/// Most unpacked bytes of a map of glyphs, and of a font program.
const MAP_BYTES: usize = 8 << 20;
const FILE_BYTES: usize = 64 << 20;
/// Characters that only their font gives a meaning.
const PRIVATE: std::ops::RangeInclusive<char> = '\u{e000}'..='\u{f8ff}';

/// Adds the characters that font programs know to fonts that do not say them.
pub(super) fn complete(document: &mut Document, uses: &Uses) {
    for (id, codes) in &uses.shown {
        let codes: Vec<u16> = codes.iter().collect();
        complete_font(document, *id, &codes);
    }
}

fn complete_font(document: &mut Document, id: ObjectId, codes: &[u16]) {
    let Ok(font) = document.get_dictionary(id) else { return };
    let stated = Stated::new(document, font);
    // What a map leaves out may be left out on purpose, such as the parts of a ligature.
    if stated.has_map() || codes.iter().all(|code| stated.of(*code).is_some()) {
        return;
    }
    let is_wide = stated.is_composite();
    let known = if is_wide { of_wide(document, font) } else { of_simple(document, font) };
    let of = |code: u16| stated.of(code).or_else(|| known.get(&code).copied().map(plain));
    let entries: BTreeMap<u16, String> = codes.iter().filter_map(|code| Some((*code, of(*code)?))).collect();
    if !known.is_empty() && !entries.is_empty() {
        let pairs: Vec<(u16, &str)> = entries.iter().map(|(code, text)| (*code, text.as_str())).collect();
        let map = character_map::table(&pairs, if is_wide { 2 } else { 1 });
        let map = document.add_object(Stream::new(Dictionary::new(), map));
        if let Ok(font) = document.get_dictionary_mut(id) {
            font.set("ToUnicode", map);
        }
    }
}

fn program(document: &Document, holder: &Dictionary, keys: &[&[u8]]) -> Option<Vec<u8>> {
    let descriptor = document.child(holder, b"FontDescriptor")?;
    let file = keys.iter().find_map(|key| document.value(descriptor, key)?.as_stream().ok())?;
    unpacked(file, FILE_BYTES)
}

/// The characters of a composite font's codes, which are glyphs of a TrueType program.
fn of_wide(document: &Document, font: &Dictionary) -> HashMap<u16, char> {
    let descendant = document.array(font, b"DescendantFonts").first().and_then(|font| document.dictionary(font));
    let is_plain = matches!(document.name(font, b"Encoding"), Some(b"Identity-H" | b"Identity-V"));
    let Some(descendant) = descendant.filter(|_| is_plain) else { return HashMap::new() };
    let Some(data) = program(document, descendant, &[b"FontFile2"]) else { return HashMap::new() };
    let glyphs = of_glyphs(&data);
    match document.value(descendant, b"CIDToGIDMap").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES)) {
        None => glyphs,
        Some(map) => (0..=u16::MAX)
            .zip(map.as_chunks().0)
            .filter_map(|(code, pair)| Some((code, *glyphs.get(&u16::from_be_bytes(*pair))?)))
            .collect(),
    }
}

/// The characters of a TrueType program's glyphs.
fn of_glyphs(data: &[u8]) -> HashMap<u16, char> {
    let mut found = HashMap::new();
    let named =
        Tables::new(data).map(|tables| truetype::names(&tables).into_iter().map(|(_, character)| character).collect());
    let named: Vec<Option<char>> = named.unwrap_or_default();
    found.extend((0..=u16::MAX).zip(named).filter_map(|(glyph, character)| Some((glyph, character?))));
    let Ok(font) = FontRef::new(data) else { return found };
    for (code, glyph) in font.charmap().mappings() {
        let character =
            char::from_u32(code).filter(|character| !PRIVATE.contains(character) && !character.is_control());
        if let (Some(character), Ok(glyph)) = (character, u16::try_from(glyph.to_u32())) {
            found.entry(glyph).or_insert(character);
        }
    }
    found
}

/// The characters of a font's codes by its name, of which there is no program.
fn of_name(document: &Document, font: &Dictionary) -> HashMap<u16, char> {
    let is_missing = document.child(font, b"FontDescriptor").is_none_or(|descriptor| {
        [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"].iter().all(|key| !descriptor.has(key))
    });
    if !is_missing || document.name(font, b"Subtype") == Some(b"Type3") {
        return HashMap::new();
    }
    let characters = docmill_pdf_pdfa::missing_characters(document, font);
    characters.into_iter().map(|(code, character)| (u16::from(code), character)).collect()
}

/// The characters of a simple font's codes by the encoding in its program.
fn of_simple(document: &Document, font: &Dictionary) -> HashMap<u16, char> {
    let name = |name: &str| agl::name_to_char(name);
    if let Some(data) = program(document, font, &[b"FontFile2"]) {
        let (glyphs, Ok(face)) = (of_glyphs(&data), FontRef::new(&data)) else { return HashMap::new() };
        let glyph = |code: u16| {
            let codes = [u32::from(code), 0xf000 + u32::from(code)];
            codes.into_iter().find_map(|code| face.charmap().map(code))
        };
        let character = |code: u16| glyphs.get(&u16::try_from(glyph(code)?.to_u32()).ok()?).copied();
        return (0..256).filter_map(|code| Some((code, character(code)?))).collect();
    }
    let Some(data) = program(document, font, &[b"FontFile", b"FontFile3"]) else { return of_name(document, font) };
    if let Some(font) = Type1::new(&data) {
        let names = font.encoding.iter().flatten();
        return names.filter_map(|(code, own)| Some((u16::from(*code), name(own)?))).collect();
    }
    let Some(face) = CffFontRef::new_cff(&data, 0, None).ok().filter(|face| !face.is_cid()) else {
        return HashMap::new();
    };
    let character = |code: u8| {
        let glyph: GlyphId = face.encoding()?.map(code)?;
        name(std::str::from_utf8(face.string(face.charset()?.string_id(glyph).ok()?)?).ok()?)
    };
    (0..=u8::MAX).filter_map(|code| Some((u16::from(code), character(code)?))).collect()
}
