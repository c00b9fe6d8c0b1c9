//! Fonts, as far as their dictionaries say it: embedded, with encodings that are known, and with the characters that they show.

use docmill_pdf_core::objects::{Lookup, decode, unpacked};
use docmill_pdf_core::tokens::{Token, Tokens};
use docmill_pdf_fonts::stated::Stated;
use docmill_pdf_fonts::uses::{self, Codes};
use lopdf::{Dictionary, Document, Object, Stream};

use crate::rules::Rule;
use crate::{Check, Place, cmaps, glyphs, programs};

/// Most bytes of an encoding.
const ENCODING: usize = 8 << 20;
/// Most bytes of a font program.
const PROGRAM: usize = 64 << 20;
/// The flag of fonts with characters of their own.
const SYMBOLIC: i64 = 4;
/// The font programs that a descriptor may have.
const FILES: [&[u8]; 3] = [b"FontFile", b"FontFile2", b"FontFile3"];

pub(crate) fn check(check: &mut Check<'_>) {
    let document = check.document;
    let uses = uses::find_on_pages(document).unwrap_or_default();
    for (id, is_visible) in std::mem::take(&mut check.fonts) {
        let Ok(font) = document.get_dictionary(id) else { continue };
        let mut found = Vec::new();
        let kind = document.name(font, b"Subtype");
        let program = if kind == Some(b"Type0") { descendant(document, font) } else { Some(font) };
        if let Some(holder) = program.filter(|_| is_visible && kind != Some(b"Type3") && kind != Some(b"Type0")) {
            found.extend((!is_embedded(document, holder)).then_some(Rule::FontNotEmbedded));
        }
        if kind == Some(b"Type0") {
            composite(document, font, is_visible, &mut found);
        }
        if kind == Some(b"TrueType") && is_visible {
            found.extend(encoding(document, font));
        }
        found.extend(program.and_then(|program| programs::incomplete(document, program)));
        if let Some(codes) = uses.shown.get(&id) {
            characters(document, font, codes, &mut found);
            found.extend(glyphs::broken(document, font, codes, is_visible));
        }
        let name = document.name(font, b"BaseFont").map(|name| String::from_utf8_lossy(name).into_owned());
        for rule in found {
            check.findings.add(rule, Place { font: name.clone(), ..Place::default() });
        }
    }
}

fn descendant<'d>(document: &'d Document, font: &'d Dictionary) -> Option<&'d Dictionary> {
    document.array(font, b"DescendantFonts").first().and_then(|font| document.dictionary(font))
}

fn is_embedded(document: &Document, font: &Dictionary) -> bool {
    let Some(descriptor) = document.child(font, b"FontDescriptor") else { return false };
    let is_sound = |file: &Object| {
        let Ok(stream) = file.as_stream() else { return true };
        // Bare CFF has the version of no table.
        let is_said = document.name(&stream.dict, b"Subtype") == Some(b"OpenType");
        !is_said || !unpacked(stream, PROGRAM).is_some_and(|data| data.starts_with(&[1, 0]))
    };
    FILES.iter().any(|key| document.value(descriptor, key).is_some_and(is_sound))
}

/// Codes without a character, or with an invalid one.
fn characters(document: &Document, font: &Dictionary, codes: &Codes, found: &mut Vec<Rule>) {
    let stated = Stated::new(document, font);
    let unsound = codes.iter().any(|code| stated.is_unsound(code));
    found.extend(unsound.then_some(Rule::CharactersInvalid));
    let is_known = |code: u16| {
        (stated.of(code).is_some() && !stated.is_beyond(code))
            || stated.is_unsound(code)
            || is_known_by_collection(document, font)
    };
    found.extend((!codes.iter().all(is_known)).then_some(Rule::CharactersUnknown));
}

/// Fonts of Adobe's collections of Chinese, Japanese and Korean characters need no map (ISO 32000-1:2008, 9.10.2).
fn is_known_by_collection(document: &Document, font: &Dictionary) -> bool {
    let collection = descendant(document, font).and_then(|font| document.child(font, b"CIDSystemInfo"));
    collection.and_then(|collection| Collection::of(document, collection)).is_some_and(|collection| {
        collection.registry == "Adobe" && ["GB1", "CNS1", "Japan1", "Korea1"].contains(&collection.ordering.as_str())
    })
}

fn encoding(document: &Document, font: &Dictionary) -> Option<Rule> {
    let flags = document.integer(document.child(font, b"FontDescriptor")?, b"Flags")?;
    let encoding = document.value(font, b"Encoding");
    if flags & SYMBOLIC != 0 {
        return encoding.is_some().then_some(Rule::SymbolEncoding);
    }
    let base = match encoding {
        Some(Object::Name(name)) => Some(name.as_slice()),
        Some(Object::Dictionary(entries)) => document.name(entries, b"BaseEncoding"),
        _ => None,
    };
    let is_known = matches!(base, Some(b"WinAnsiEncoding" | b"MacRomanEncoding"))
        && !Stated::new(document, font).has_unknown_names();
    (!is_known).then_some(Rule::NamedEncoding)
}

/// The collection of characters that a font or an encoding is about.
#[derive(Debug, PartialEq)]
struct Collection {
    registry: String,
    ordering: String,
    supplement: i64,
}

impl Collection {
    fn of(document: &Document, entries: &Dictionary) -> Option<Self> {
        Some(Self {
            registry: decode(document.value(entries, b"Registry")?)?,
            ordering: decode(document.value(entries, b"Ordering")?)?,
            supplement: document.integer(entries, b"Supplement")?,
        })
    }
}

fn composite(document: &Document, font: &Dictionary, is_visible: bool, found: &mut Vec<Rule>) {
    let Some(below) = descendant(document, font) else { return };
    let is_embedded = is_embedded(document, below);
    found.extend((is_visible && !is_embedded).then_some(Rule::FontNotEmbedded));
    let needs_map = document.name(below, b"Subtype") == Some(b"CIDFontType2") && is_embedded;
    let has_map = match document.value(below, b"CIDToGIDMap") {
        Some(Object::Stream(_)) => true,
        Some(Object::Name(name)) => name == b"Identity",
        _ => false,
    };
    found.extend((needs_map && !has_map).then_some(Rule::GlyphMap));
    let of_font = document.child(below, b"CIDSystemInfo").and_then(|entries| Collection::of(document, entries));
    match document.value(font, b"Encoding") {
        Some(Object::Name(name)) => {
            let name = String::from_utf8_lossy(name);
            match cmaps::ordering(&name) {
                None => found.extend([Rule::EncodingNotEmbedded, Rule::CharacterSystem]),
                // Identity goes with every collection.
                Some("Identity") => {}
                Some(ordering) => {
                    let is_same = of_font.is_some_and(|own| own.registry == "Adobe" && own.ordering == ordering);
                    found.extend((!is_same).then_some(Rule::CharacterSystem));
                }
            }
        }
        Some(Object::Stream(stream)) => embedded(document, stream, of_font.as_ref(), found),
        _ => {}
    }
}

/// An encoding in the file.
fn embedded(document: &Document, stream: &Stream, of_font: Option<&Collection>, found: &mut Vec<Rule>) {
    let name = document.name(&stream.dict, b"CMapName").map(|name| String::from_utf8_lossy(name).into_owned());
    let is_identity = name.as_deref().is_some_and(|name| cmaps::ordering(name) == Some("Identity"));
    let own = document.child(&stream.dict, b"CIDSystemInfo").and_then(|entries| Collection::of(document, entries));
    let fits = own.zip(of_font).is_some_and(|(own, font)| {
        own.registry == font.registry && own.ordering == font.ordering && font.supplement <= own.supplement
    });
    found.extend((!is_identity && !fits).then_some(Rule::CharacterSystem));
    let Some(map) = unpacked(stream, ENCODING) else { return };
    let said = document.integer(&stream.dict, b"WMode").unwrap_or(0);
    found.extend((said != writing_mode(&map)).then_some(Rule::WritingMode));
    let other = document.name(&stream.dict, b"UseCMap").map(|name| String::from_utf8_lossy(name).into_owned());
    let is_predefined = |name: &String| cmaps::ordering(name).is_some();
    if other.or_else(|| used(&map)).is_some_and(|name| !is_predefined(&name)) {
        found.extend([Rule::EncodingNotEmbedded, Rule::EncodingElsewhere]);
    }
}

/// `/WMode 1 def` in a CMap.
fn writing_mode(map: &[u8]) -> i64 {
    let (mut is_mode, mut mode) = (false, 0);
    for token in Tokens::new(map) {
        match token {
            Token::Name(name) => is_mode = name.ends_with(b"WMode"),
            Token::Number(number) if is_mode => {
                mode = i64::from(number == 1.0);
                is_mode = false;
            }
            _ => {}
        }
    }
    mode
}

/// `/Name usecmap` in a CMap.
fn used(map: &[u8]) -> Option<String> {
    let mut last = None;
    for token in Tokens::new(map) {
        match token {
            Token::Name(name) => last = Some(name),
            Token::Operator(b"usecmap") => {
                let name = docmill_pdf_core::tokens::name(last?);
                return Some(String::from_utf8_lossy(&name).trim_start_matches('/').to_owned());
            }
            _ => {}
        }
    }
    None
}
