//! Which text a document says that a font's codes show, without a look at the font's program.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::collections::HashMap;
use std::ops::RangeInclusive;

use docmill_pdf_core::character_map;
use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::tokens::{self, Token, Tokens};
use lopdf::{Dictionary, Document, Object};
use read_fonts::ps::agl;
use unicode_normalization::UnicodeNormalization as _;

use crate::encoding::{self, Encoding};

/// Most unpacked bytes of a map of characters.
const MAP_BYTES: usize = 8 << 20;

/// What a document says of a font's codes.
#[derive(Debug)]
pub struct Stated<'d> {
    /// `None` for a code: the map says something that PDF/UA does not allow.
    map: Option<HashMap<u16, Option<String>>>,
    /// Codes of ranges that lead out of the 256 codes in which they begin.
    beyond: Vec<RangeInclusive<u16>>,
    names: Encoding,
    base: Option<&'d [u8]>,
    kind: Option<&'d [u8]>,
}

impl<'d> Stated<'d> {
    /// Reads what a font's dictionary says.
    pub fn new(document: &'d Document, font: &'d Dictionary) -> Self {
        let map = document.value(font, b"ToUnicode").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES));
        let beyond = map.as_deref().map_or_else(Vec::new, codes_beyond);
        let map = map.map(|map| {
            // Readers stop at a section that has fewer entries than it says.
            let is_whole = is_whole(&map);
            let entry = |(code, text): (u16, Vec<u8>)| (code, sound(&text).filter(|_| is_whole));
            character_map::entries(&map).into_iter().map(entry).collect()
        });
        let base = match document.value(font, b"Encoding") {
            Some(Object::Name(name)) => Some(name.as_slice()),
            Some(Object::Dictionary(entries)) => document.name(entries, b"BaseEncoding"),
            _ => None,
        };
        Self { map, beyond, names: Encoding::new(document, font), base, kind: document.name(font, b"Subtype") }
    }

    /// Whether its codes may have two bytes.
    pub fn is_composite(&self) -> bool {
        self.kind == Some(b"Type0")
    }

    /// Whether the font has a map of its codes.
    pub fn has_map(&self) -> bool {
        self.map.is_some()
    }

    /// Whether the map says something of a code.
    pub fn maps(&self, code: u16) -> bool {
        self.map.as_ref().is_some_and(|map| map.contains_key(&code))
    }

    /// The document's own name for a code of one byte.
    pub fn name(&self, code: u16) -> Option<&str> {
        self.names.name(u8::try_from(code).ok()?)
    }

    /// Whether its encoding names a glyph that stands for no character.
    pub fn has_unknown_names(&self) -> bool {
        let names = (0..=u8::MAX).filter_map(|code| self.names.name(code));
        names.into_iter().any(|name| name != ".notdef" && listed(name).is_none())
    }

    /// Whether the map gives the code a text that PDF/UA does not allow, such as U+0000.
    pub fn is_unsound(&self, code: u16) -> bool {
        self.map.as_ref().and_then(|map| map.get(&code)).is_some_and(Option::is_none)
    }

    /// Whether the map gives the code by a range that leads out of the 256 codes in which it begins. ISO 32000-1, 9.10.3 does not allow
    /// that, and readers leave such codes out.
    pub fn is_beyond(&self, code: u16) -> bool {
        self.beyond.iter().any(|range| range.contains(&code))
    }

    /// The text of a code. `None` if the font does not say it.
    pub fn of(&self, code: u16) -> Option<String> {
        if let Some(text) = self.map.as_ref().and_then(|map| map.get(&code)) {
            return text.clone();
        }
        if self.is_composite() {
            return None;
        }
        let code = u8::try_from(code).ok()?;
        if let Some(name) = self.names.name(code) {
            return listed(name).map(plain);
        }
        if self.kind == Some(b"Type3") { None } else { self.of_base(code) }
    }

    /// The text of a code whose glyph is drawn like a page, by an encoding that the font has as a whole: readers ask for a map, too.
    pub fn of_drawn(&self, code: u16) -> Option<String> {
        let code = u8::try_from(code).ok().filter(|_| self.kind == Some(b"Type3"))?;
        self.of_base(code).filter(|_| self.names.name(code).is_none())
    }

    /// The text of a code in the encoding that the font names as a whole.
    pub fn of_base(&self, code: u8) -> Option<String> {
        match self.base {
            Some(b"WinAnsiEncoding") if !matches!(code, 0..32 | 127 | 129 | 141 | 143 | 144 | 157) => {
                self.names.characters(code).first().copied().map(String::from)
            }
            Some(b"MacRomanEncoding") if code >= 128 => encoding::MACINTOSH
                .chars()
                .nth(usize::from(code) - 128)
                .filter(|own| *own != '\u{f8ff}')
                .map(String::from),
            Some(b"MacRomanEncoding") if !matches!(code, 0..32 | 127) => Some(char::from(code).to_string()),
            _ => None,
        }
    }
}

/// Whether the sections of a map have as many entries as they say.
fn is_whole(map: &[u8]) -> bool {
    let (mut last, mut said, mut strings) = (0.0, None, 0usize);
    for token in Tokens::new(map) {
        match token {
            Token::Number(number) => last = number,
            Token::Operator(b"beginbfchar") => (said, strings) = (Some(last), 0),
            Token::Hex(_) => strings += 1,
            Token::Operator(b"endbfchar") => {
                if said.take().is_some_and(|said: f32| said.max(0.0).trunc() * 2.0 != strings as f32) {
                    return false;
                }
            }
            Token::Operator(_) | Token::Name(_) | Token::Literal(_) | Token::Other => {}
        }
    }
    true
}

/// The codes of a map's ranges that are not among the 256 codes in which their range begins.
fn codes_beyond(map: &[u8]) -> Vec<RangeInclusive<u16>> {
    let code = |raw: &[u8]| tokens::hex(raw).iter().fold(0u16, |code, byte| code << 8 | u16::from(*byte));
    let (mut is_range, mut is_list, mut codes, mut found) = (false, false, Vec::new(), Vec::new());
    for token in Tokens::new(map) {
        match token {
            Token::Operator(name) => (is_range, is_list, codes) = (name == b"beginbfrange", false, Vec::new()),
            Token::Other => (is_list, codes) = (!is_list, Vec::new()),
            Token::Hex(raw) if is_range && !is_list => codes.push(code(raw)),
            Token::Hex(_) | Token::Number(_) | Token::Name(_) | Token::Literal(_) => {}
        }
        if let [from, to, _] = *codes.as_slice() {
            let last = from | 0xFF;
            if to > last {
                found.push(last + 1..=to);
            }
            codes.clear();
        }
    }
    found
}

/// The text of a map's entry in UTF-16. `None` if PDF/UA does not allow it.
fn sound(text: &[u8]) -> Option<String> {
    let units: Vec<u16> = text.as_chunks().0.iter().map(|pair| u16::from_be_bytes(*pair)).collect();
    let is_sound = !units.is_empty() && !units.iter().any(|unit| matches!(unit, 0 | 0xFFFE | 0xFEFF));
    is_sound.then(|| String::from_utf16_lossy(&units))
}

/// The character of a glyph's name in Adobe's list. Readers don't take names apart: `guillemotleft.cyr` and `uni00AB` say nothing to them.
pub fn listed(name: &str) -> Option<char> {
    let digits = name.strip_prefix("uni").or_else(|| name.strip_prefix('u')).unwrap_or_default();
    let is_code = digits.len() >= 4 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    agl::name_to_char(name).filter(|_| !is_code && !name.contains(['.', '_']))
}

/// A character without its shape: ligatures are letters, and forms of Arabic letters are these.
pub fn plain(character: char) -> String {
    match character {
        '\u{fb00}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' => character.nfkc().collect(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use lopdf::dictionary;

    use super::*;

    #[test]
    fn a_code_has_the_character_of_its_own_encoding() {
        let said = |encoding: &str, code: u16| {
            let font = dictionary! { "Subtype" => "TrueType", "Encoding" => encoding };
            Stated::new(&Document::new(), &font).of(code)
        };
        let both = |code: u16| ["WinAnsiEncoding", "MacRomanEncoding"].map(|encoding| said(encoding, code));
        assert_eq!(both(213), ["Õ", "’"].map(|text| Some(text.to_owned())));
        assert_eq!(both(141), [None, Some("ç".to_owned())]);
        assert_eq!(both(65), ["A", "A"].map(|text| Some(text.to_owned())));
        assert_eq!(both(9), [None, None]);
    }
}
