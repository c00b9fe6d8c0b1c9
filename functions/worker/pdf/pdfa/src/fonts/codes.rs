//! The meaning of a simple font's codes.

use std::collections::HashMap;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_fonts::encoding::{MACINTOSH, WINDOWS};
use docmill_pdf_fonts::symbols;
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
    /// Those of the two fonts of symbols.
    Symbol,
    Dingbats,
}

impl Base {
    /// The encoding that a font has by its name, of which the document has no program.
    pub(super) fn of_missing(name: &str, is_true_type: bool, is_symbolic: bool) -> Self {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
        if plain.starts_with("symbol") {
            Self::Symbol
        } else if plain.starts_with("zapfdingbats") {
            Self::Dingbats
        } else if is_symbolic && !is_usual(&plain) {
            Self::Own
        } else if is_true_type {
            Self::Windows
        } else {
            Self::Standard
        }
    }
}

/// Whether a name is that of a font with letters that every viewer has: some documents call them symbolic.
fn is_usual(plain: &str) -> bool {
    ["arial", "courier", "helvetica", "times"].iter().any(|start| plain.starts_with(start))
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
            let dingbat = if own == Base::Dingbats { symbols::dingbat_of_name(name) } else { None };
            return dingbat.or_else(|| agl::name_to_char(name));
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
            Base::Symbol => symbols::symbol_name(code).map(str::to_owned),
            Base::Dingbats => symbols::dingbat_name(code),
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
        Base::Symbol => agl::name_to_char(symbols::symbol_name(code)?),
        Base::Dingbats => symbols::dingbat(code),
        Base::Standard => agl::name_to_char(PredefinedEncoding::Standard.name(code)),
        Base::Windows if code >= 0xA0 => Some(char::from(code)),
        Base::Windows => low.or_else(|| high(WINDOWS).filter(|character| !character.is_control())),
        Base::Macintosh => low.or_else(|| high(MACINTOSH)),
    }
}
