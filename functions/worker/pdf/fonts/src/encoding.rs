//! The possible meanings of a simple font's codes. Viewers use different sources, so all of them count.

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document, Object};
use read_fonts::ps::agl;
use read_fonts::ps::encoding::PredefinedEncoding;

/// From 0x80.
pub const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";
/// From 0x80.
pub const MACINTOSH: &str = "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{a0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{f8ff}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ";

/// Characters that replace each other.
const TWINS: [[char; 2]; 8] = [
    [' ', '\u{a0}'],
    ['-', '\u{ad}'],
    ['\u{b5}', '\u{3bc}'],
    ['\u{2126}', '\u{3a9}'],
    ['\u{2206}', '\u{394}'],
    ['\u{af}', '\u{2c9}'],
    ['\u{b7}', '\u{2219}'],
    ['\u{2044}', '\u{2215}'],
];

/// The font's own names of codes.
#[derive(Debug, Default)]
pub struct Encoding {
    differences: HashMap<u8, String>,
}

impl Encoding {
    /// The `Differences` of a font.
    pub fn new(document: &Document, font: &Dictionary) -> Self {
        let mut differences = HashMap::new();
        let mut code = 0u8;
        let encoding = document.child(font, b"Encoding");
        for entry in encoding.map_or(&[][..], |encoding| document.array(encoding, b"Differences")) {
            match document.resolve(entry) {
                Some(Object::Integer(first)) => code = u8::try_from(*first).unwrap_or(0),
                Some(Object::Name(name)) => {
                    differences.insert(code, String::from_utf8_lossy(name).into_owned());
                    code = code.wrapping_add(1);
                }
                _ => {}
            }
        }
        Self { differences }
    }

    /// The name that the document gives to a code.
    pub fn name(&self, code: u8) -> Option<&str> {
        self.differences.get(&code).map(String::as_str)
    }

    /// Every character that a code may stand for.
    pub fn characters(&self, code: u8) -> Vec<char> {
        let mut characters: Vec<char> = self.name(code).and_then(agl::name_to_char).into_iter().collect();
        let high = |table: &str| table.chars().nth(usize::from(code.checked_sub(0x80)?));
        characters.extend(high(WINDOWS).or(Some(char::from(code))));
        characters.extend(high(MACINTOSH));
        characters.extend(agl::name_to_char(PredefinedEncoding::Standard.name(code)));
        for [one, other] in TWINS {
            for (from, to) in [(one, other), (other, one)] {
                if characters.contains(&from) && !characters.contains(&to) {
                    characters.push(to);
                }
            }
        }
        characters
    }
}

/// What the encodings of PostScript call a code.
pub(crate) fn standard_names(code: u8) -> [&'static str; 2] {
    [PredefinedEncoding::Standard.name(code), PredefinedEncoding::Expert.name(code)]
}

/// The code of a character in the encoding that the cmaps of a Macintosh use.
pub fn macintosh(character: char) -> Option<u8> {
    if character.is_ascii() {
        return u8::try_from(character).ok();
    }
    MACINTOSH.chars().position(|other| other == character).and_then(|at| u8::try_from(at + 0x80).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lopdf::dictionary;

    #[test]
    fn a_code_stands_for_what_any_encoding_says() {
        let differences: Vec<Object> = vec![200.into(), "Omega".into(), "uni0416".into(), "g7".into()];
        let font = dictionary! { "Encoding" => dictionary! { "Differences" => differences } };
        let encoding = Encoding::new(&Document::new(), &font);
        // Windows, Macintosh, and PostScript's own.
        assert_eq!(encoding.characters(b'A'), ['A', 'A']);
        assert_eq!(encoding.characters(0xA4), ['¤', '§', '⁄', '∕']);
        assert!(['\u{2126}', '\u{3a9}', 'È', '»'].iter().all(|character| encoding.characters(200).contains(character)));
        assert!(encoding.characters(201).starts_with(&['Ж']));
        assert_eq!(encoding.name(202), Some("g7"));
        assert_eq!((macintosh('»'), macintosh('ﬁ'), macintosh('Ж')), (Some(200), Some(0xDE), None));
        assert_eq!(MACINTOSH.chars().count(), 128);
        assert_eq!(WINDOWS.chars().count(), 32);
    }
}
