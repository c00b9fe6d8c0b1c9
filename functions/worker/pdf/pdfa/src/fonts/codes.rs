//! The meaning of a simple font's codes.

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_fonts::encoding::{MACINTOSH, WINDOWS};
use lopdf::{Dictionary, Document, Object};
use read_fonts::ps::agl;
use read_fonts::ps::encoding::PredefinedEncoding;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The font's own.
    Own,
    Standard,
    Windows,
    Macintosh,
}

#[derive(Debug)]
pub(super) struct Codes {
    pub(super) base: Base,
    differences: HashMap<u8, String>,
}

impl Codes {
    pub(super) fn new(document: &Document, font: &Dictionary) -> Self {
        let encoding = document.value(font, b"Encoding");
        let named = |name: Option<&[u8]>| match name {
            Some(b"WinAnsiEncoding") => Base::Windows,
            Some(b"MacRomanEncoding") => Base::Macintosh,
            Some(b"StandardEncoding") => Base::Standard,
            _ => Base::Own,
        };
        let mut differences = HashMap::new();
        let base = match encoding {
            Some(Object::Name(name)) => named(Some(name)),
            Some(Object::Dictionary(encoding)) => {
                let mut code = 0u8;
                for entry in document.array(encoding, b"Differences") {
                    match document.resolve(entry) {
                        Some(Object::Integer(first)) => code = u8::try_from(*first).unwrap_or(0),
                        Some(Object::Name(name)) => {
                            differences.insert(code, String::from_utf8_lossy(name).into_owned());
                            code = code.wrapping_add(1);
                        }
                        _ => {}
                    }
                }
                named(document.name(encoding, b"BaseEncoding"))
            }
            _ => Base::Own,
        };
        Self { base, differences }
    }

    pub(super) fn has_differences(&self) -> bool {
        !self.differences.is_empty()
    }

    /// The document's name for a code.
    pub(super) fn difference(&self, code: u8) -> Option<&str> {
        self.differences.get(&code).map(String::as_str)
    }

    /// The character of a code. `own`: the assumed encoding of the font itself.
    pub(super) fn character(&self, code: u8, own: Base) -> Option<char> {
        if let Some(name) = self.difference(code) {
            return agl::name_to_char(name);
        }
        character(if self.base == Base::Own { own } else { self.base }, code)
    }

    /// The name of a code. `None` if the font's own encoding defines it.
    pub(super) fn name(&self, code: u8, own: Base) -> Option<String> {
        if let Some(name) = self.difference(code) {
            return Some(name.to_owned());
        }
        let base = if self.base == Base::Own { own } else { self.base };
        match base {
            Base::Own => None,
            Base::Standard => Some(PredefinedEncoding::Standard.name(code).to_owned()).filter(|name| name != ".notdef"),
            Base::Windows | Base::Macintosh => {
                let mut buffer = [0; 64];
                character(base, code).and_then(|character| agl::char_to_name(character, &mut buffer).map(str::to_owned))
            }
        }
    }
}

/// The character of a code in one of the encodings that PDF defines.
pub(super) fn character(base: Base, code: u8) -> Option<char> {
    let high = |table: &str| table.chars().nth(usize::from(code.checked_sub(0x80)?));
    let low = (32..127).contains(&code).then(|| char::from(code));
    match base {
        Base::Own => None,
        Base::Standard => agl::name_to_char(PredefinedEncoding::Standard.name(code)),
        Base::Windows if code >= 0xA0 => Some(char::from(code)),
        Base::Windows => low.or_else(|| high(WINDOWS).filter(|character| !character.is_control())),
        Base::Macintosh => low.or_else(|| high(MACINTOSH)),
    }
}
