//! The glyphs that text shows: whether font programs have them, and with the widths that the document states. Codes lead to glyphs as
//! ISO 32000-1:2008, 9.6.6 and 9.7.4 say.

mod outlines;
mod truetype;

use std::collections::{BTreeSet, HashMap};

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_fonts::Encoding;
use docmill_pdf_fonts::encoding::{MACINTOSH, WINDOWS};
use docmill_pdf_fonts::stated_widths::Simple as Widths;
use docmill_pdf_fonts::truetype::Tables;
use docmill_pdf_fonts::uses::Codes;
use lopdf::{Dictionary, Document, Object};
use read_fonts::ps::agl;
use read_fonts::ps::encoding::PredefinedEncoding;

use crate::programs;
use crate::rules::Rule;
use outlines::{Compact, Procedures, Type1};
use truetype::TrueType;

/// What font programs call the glyph that stands for characters that they do not have.
const UNDEFINED: &str = ".notdef";
/// Widths may differ by this much, in thousandths of an em.
const TOLERANCE: f64 = 1.0;

/// What a program has for a code.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Glyph {
    is_present: bool,
    /// `None`: the program says none.
    width: Option<f64>,
}

/// The rules that a font breaks by showing these codes.
pub(crate) fn broken(document: &Document, font: &Dictionary, codes: &Codes, is_visible: bool) -> BTreeSet<Rule> {
    if document.name(font, b"Subtype") == Some(b"Type0") {
        return wide(document, font, codes, is_visible);
    }
    let names = Names::new(document, font);
    let is_true_type = document.name(font, b"Subtype") == Some(b"TrueType");
    let shown: Vec<u8> = codes.iter().filter_map(|code| u8::try_from(code).ok()).collect();
    let mut broken = BTreeSet::new();
    let is_undefined = |code: &u8| match names.of(*code) {
        Some(name) => name == UNDEFINED,
        None => *code == 0 && is_true_type,
    };
    if shown.iter().any(is_undefined) {
        broken.insert(Rule::GlyphUndefined);
    }
    if !is_visible {
        return broken;
    }
    let source = Source::of(document, font);
    let Some(program) = source.as_ref().and_then(|source| source.simple(document, font, &names)) else { return broken };
    if let Simple::TrueType(program) = &program {
        broken.extend(program.broken());
    }
    let stated = Widths::new(document, font);
    let descriptor = document.child(font, b"FontDescriptor");
    let missing = descriptor.and_then(|descriptor| document.number(descriptor.get(b"MissingWidth").ok()?));
    let missing = f64::from(missing.unwrap_or(0.0));
    for code in shown {
        let glyph = program.glyph(&names, code);
        if !glyph.is_present && code != 0 {
            broken.insert(Rule::GlyphMissing);
        }
        let width = stated.of(code).unwrap_or(missing);
        if (glyph.width.unwrap_or(missing) - width).abs() > TOLERANCE {
            broken.insert(Rule::WidthDiffers);
        }
    }
    broken
}

/// The same of a composite font. Other encodings than the plain one are not followed.
fn wide(document: &Document, font: &Dictionary, codes: &Codes, is_visible: bool) -> BTreeSet<Rule> {
    let mut broken = BTreeSet::new();
    if !is_plain(document, font) {
        return broken;
    }
    let descendant = document.array(font, b"DescendantFonts").first().and_then(|below| document.dictionary(below));
    let Some(descendant) = descendant else { return broken };
    let source = Source::of(document, descendant);
    let Some(program) = source.as_ref().and_then(|source| source.wide(document, descendant)) else { return broken };
    let stated = docmill_pdf_fonts::stated_widths::Wide::new(document, descendant);
    for code in codes.iter() {
        let glyph = program.glyph(code);
        if !glyph.is_present {
            broken.insert(Rule::GlyphUndefined);
        }
        if !glyph.is_present && code != 0 && is_visible {
            broken.insert(Rule::GlyphMissing);
        }
        let is_same = glyph.width.is_none_or(|width| (width - stated.of(code)).abs() <= TOLERANCE);
        if is_visible && !is_same {
            broken.insert(Rule::WidthDiffers);
        }
    }
    broken
}

/// Whether codes are the numbers of characters.
fn is_plain(document: &Document, font: &Dictionary) -> bool {
    let name = match document.value(font, b"Encoding") {
        Some(Object::Name(name)) => name.as_slice(),
        Some(Object::Stream(map)) => document.name(&map.dict, b"CMapName").unwrap_or_default(),
        _ => return false,
    };
    matches!(name, b"Identity-H" | b"Identity-V")
}

/// The data of a font program.
enum Source {
    TrueType(Vec<u8>),
    Type1(Vec<u8>),
    Compact(Vec<u8>),
    /// The glyphs are in the document.
    Procedures,
}

impl Source {
    fn of(document: &Document, font: &Dictionary) -> Option<Self> {
        let kind = document.name(font, b"Subtype")?;
        if kind == b"Type3" {
            return Some(Self::Procedures);
        }
        let descriptor = document.child(font, b"FontDescriptor")?;
        let data = |key: &[u8]| programs::program(document, descriptor, key);
        match kind {
            b"TrueType" | b"CIDFontType2" => data(b"FontFile2").map(Self::TrueType),
            b"Type1" | b"MMType1" => data(b"FontFile").map(Self::Type1).or_else(|| Self::compact(&data(b"FontFile3")?)),
            b"CIDFontType0" => Self::compact(&data(b"FontFile3")?),
            _ => None,
        }
    }

    /// CFF, in tables or without.
    fn compact(data: &[u8]) -> Option<Self> {
        let inner = if data.starts_with(b"OTTO") { Tables::new(data)?.get(b"CFF ")? } else { data };
        Some(Self::Compact(inner.to_vec()))
    }

    fn simple<'f>(&'f self, document: &'f Document, font: &'f Dictionary, names: &Names) -> Option<Simple<'f>> {
        Some(match self {
            Self::TrueType(data) => Simple::TrueType(TrueType::new(data)?.of_font(document, font, names)?),
            Self::Type1(data) => Simple::Type1(Box::new(Type1::new(data)?)),
            Self::Compact(data) => Simple::Compact(Compact::new(data)?),
            Self::Procedures => Simple::Procedures(Procedures::new(document, font)),
        })
    }

    fn wide(&self, document: &Document, font: &Dictionary) -> Option<Wide<'_>> {
        match self {
            Self::TrueType(data) => {
                Some(Wide::TrueType { program: TrueType::new(data)?, map: truetype::glyph_map(document, font)? })
            }
            Self::Compact(data) => Some(Wide::Compact(Compact::new(data)?)),
            Self::Type1(_) | Self::Procedures => None,
        }
    }
}

/// The program of a composite font.
enum Wide<'f> {
    TrueType { program: TrueType<'f>, map: Option<Vec<u8>> },
    Compact(Compact<'f>),
}

impl Wide<'_> {
    fn glyph(&self, cid: u16) -> Glyph {
        match self {
            Self::Compact(program) => program.of_character(cid),
            Self::TrueType { program, map } => {
                let glyph = match map {
                    None => Some(cid),
                    Some(map) => map.as_chunks().0.get(usize::from(cid)).map(|pair| u16::from_be_bytes(*pair)),
                };
                let found = program.of_glyph(glyph.unwrap_or(0));
                Glyph { is_present: found.is_present && glyph.is_some() && cid != 0, ..found }
            }
        }
    }
}

/// The program of a simple font.
enum Simple<'f> {
    TrueType(TrueType<'f>),
    Type1(Box<Type1>),
    Compact(Compact<'f>),
    Procedures(Procedures<'f>),
}

impl<'f> Simple<'f> {
    fn glyph(&self, names: &Names, code: u8) -> Glyph {
        match self {
            Self::TrueType(program) => program.of_code(names, code),
            Self::Type1(program) => program.glyph(names.of(code), code),
            Self::Compact(program) => program.of_name(names.of(code), code),
            Self::Procedures(program) => program.glyph(names.of(code)),
        }
    }
}

/// The names of a simple font's codes.
struct Names {
    /// Of the encoding that the document names. `None`: the font's own.
    base: Option<Base>,
    differences: Encoding,
    /// The font has an encoding at all.
    is_stated: bool,
    /// As an object of its own, which may have differences.
    is_dictionary: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Base {
    Windows,
    Macintosh,
    Expert,
}

impl Names {
    fn new(document: &Document, font: &Dictionary) -> Self {
        let encoding = document.value(font, b"Encoding");
        let (named, is_dictionary) = match encoding {
            Some(Object::Name(name)) => (Some(name.as_slice()), false),
            Some(Object::Dictionary(entries)) => (document.name(entries, b"BaseEncoding"), true),
            _ => (None, false),
        };
        let base = match named {
            Some(b"WinAnsiEncoding") => Some(Base::Windows),
            Some(b"MacRomanEncoding") => Some(Base::Macintosh),
            Some(b"MacExpertEncoding") => Some(Base::Expert),
            _ => None,
        };
        Self { base, differences: Encoding::new(document, font), is_stated: encoding.is_some(), is_dictionary }
    }

    /// The document's name for a code. `None`: the font's own encoding says it.
    fn of(&self, code: u8) -> Option<String> {
        let own = self.differences.name(code).map(str::to_owned);
        own.or_else(|| self.base.map(|base| base_name(base, code)))
    }

    /// By which a TrueType program is asked.
    fn for_look_up(&self, code: u8) -> String {
        let found = self.of(code).filter(|name| !self.is_dictionary || name != UNDEFINED);
        found.unwrap_or_else(|| PredefinedEncoding::Standard.name(code).to_owned())
    }
}

fn base_name(base: Base, code: u8) -> String {
    let high = |table: &str| table.chars().nth(usize::from(code.checked_sub(0x80)?));
    let character = match (base, code) {
        (Base::Expert, _) => return PredefinedEncoding::Expert.name(code).to_owned(),
        (_, 0..32) => None,
        (Base::Windows, 127 | 129 | 141 | 143 | 144 | 157) => Some('•'),
        (Base::Windows, 0xA0) | (Base::Macintosh, 0xCA) => Some(' '),
        (Base::Windows, 0xAD) => Some('-'),
        (_, 32..127) => Some(char::from(code)),
        (Base::Windows, _) => high(WINDOWS).or(Some(char::from(code))),
        (Base::Macintosh, _) => high(MACINTOSH),
    };
    let mut buffer = [0; 64];
    let name = character.and_then(|character| agl::char_to_name(character, &mut buffer).map(str::to_owned));
    name.unwrap_or_else(|| UNDEFINED.to_owned())
}

/// Names of a program's glyphs that stand for the same character: PDF's encodings and programs may call one differently.
fn twin<'n, T>(names: &'n HashMap<String, T>, name: &str) -> Option<&'n T> {
    names.get(name).or_else(|| {
        let character = agl::name_to_char(name)?;
        names.iter().find(|(other, _)| agl::name_to_char(other) == Some(character)).map(|(_, found)| found)
    })
}
