//! Fonts with one-byte codes.

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_fonts::stated_widths::Simple as Widths;
use lopdf::{Dictionary, Document};

use super::codes::{Base, Codes};
use super::truetype::{Face, Mapper, Slot, rewrite};
use super::unicode::set_characters;
use super::widths::set_widths;
use super::{Fate, Program, StandIns, TOLERANCE, descriptor, drawn, file, outlines, substitute};
use crate::verdict::{Level, Repair, Rule};

/// Widths of a substitute font may differ by this much, in thousandths of an em.
const EQUAL: f64 = 12.0;

pub(super) fn mend(
    document: &mut Document,
    stand_ins: &StandIns<'_>,
    font: &Dictionary,
    codes: &[u16],
    is_open: bool,
    level: Level,
) -> Fate {
    let shown: Vec<u8> = codes.iter().filter_map(|code| u8::try_from(*code).ok()).collect();
    let encoding = Codes::new(document, font);
    match Program::of(document, font) {
        Program::Missing => match stand_ins {
            StandIns::Installed(fonts) => substitute(document, fonts, font, &encoding, &shown, is_open),
            StandIns::Drawn(session) => drawn::embed(document, session, font, &encoding, &shown, is_open),
            StandIns::None => Fate::Broken(Rule::FontNotEmbedded),
        },
        Program::TrueType(data) => true_type(document, font, &encoding, &shown, &data),
        Program::Type1(data) => {
            outlines::mend(document, font, &encoding, &shown, &outlines::Source::Type1(&data), level)
        }
        Program::Compact(data) => {
            outlines::mend(document, font, &encoding, &shown, &outlines::Source::Compact(&data), level)
        }
        Program::OpenType(_) | Program::Unreadable => Fate::Broken(Rule::FontProgram),
    }
}

fn true_type(document: &mut Document, font: &Dictionary, encoding: &Codes, shown: &[u8], data: &[u8]) -> Fate {
    let Some(face) = Face::new(data) else { return Fate::Broken(Rule::FontProgram) };
    let flags = descriptor::flags(document, font);
    let (symbolic, plain) = (descriptor::is_symbolic(flags), descriptor::is_plain(flags));
    let mapper = Mapper::new(&face, encoding, symbolic, plain);
    let widths = Widths::new(document, font);
    let slots: Vec<Slot> = shown
        .iter()
        .map(|code| {
            let glyph = mapper.glyph(encoding, *code);
            let width = widths.of(*code).or_else(|| face.width(glyph)).unwrap_or(0.0);
            Slot { code: (*code).into(), glyph, width }
        })
        .collect();
    let same = |slot: &Slot| {
        slot.glyph != 0 && face.width(slot.glyph).is_some_and(|width| (width - slot.width).abs() <= TOLERANCE)
    };
    let listed = shown.iter().all(|code| widths.lists(*code));
    let is_encoded = if symbolic {
        !plain && !font.has(b"Encoding") && mapper.is_symbolic()
    } else {
        plain
            && matches!(encoding.base, Base::Windows | Base::Macintosh)
            && mapper.is_plain(encoding.has_differences())
            && shown.iter().all(|code| {
                encoding.difference(*code).is_none_or(|name| read_fonts::ps::agl::name_to_char(name).is_some())
            })
            && !encoding.has_differences()
    };
    if document.name(font, b"Subtype") == Some(b"TrueType") && listed && is_encoded && slots.iter().all(same) {
        return Fate::Kept;
    }
    let own = if symbolic { Base::Own } else { Base::Standard };
    let characters = characters(encoding, shown, own);
    symbols(document, font, &face, &slots, &characters)
        .map_or(Fate::Broken(Rule::FontProgram), |font| Fate::New(font, Repair::FontRewritten))
}

fn characters(encoding: &Codes, shown: &[u8], own: Base) -> Vec<(u8, char)> {
    shown.iter().filter_map(|code| Some((*code, encoding.character(*code, own)?))).collect()
}

/// The font as a symbolic font whose program maps the codes.
fn symbols(
    document: &mut Document,
    font: &Dictionary,
    face: &Face<'_>,
    slots: &[Slot],
    characters: &[(u8, char)],
) -> Option<Dictionary> {
    let rewritten = rewrite(face, slots, true)?;
    let (file, tag) = file(document, &rewritten.data, None)?;
    let name = format!("{tag}+{}", descriptor::plain_name(document.name(font, b"BaseFont").unwrap_or(b"Font")));
    let descriptor = descriptor::with_file(document, font, &name, "FontFile2", file, Some(face));
    let mut new = font.clone();
    new.set("Type", "Font");
    new.set("Subtype", "TrueType");
    new.set("BaseFont", name.as_str());
    new.set("FontDescriptor", descriptor);
    new.remove(b"Encoding");
    set_widths(&mut new, slots.iter().map(|slot| (slot.code, slot.width)));
    set_characters(document, &mut new, characters);
    Some(new)
}

/// Embeds a font of the same widths.
fn substitute(
    document: &mut Document,
    installed: &Fonts,
    font: &Dictionary,
    encoding: &Codes,
    shown: &[u8],
    is_open: bool,
) -> Fate {
    let missing = Fate::Broken(Rule::FontNotEmbedded);
    let name = descriptor::plain_name(document.name(font, b"BaseFont").unwrap_or_default());
    let Some(data) = substitute::find(installed, &name) else { return missing };
    let Some(face) = Face::new(&data) else { return missing };
    let own = if document.name(font, b"Subtype") == Some(b"TrueType") { Base::Windows } else { Base::Standard };
    let widths = Widths::new(document, font);
    let slot = |code: u8| {
        let character = encoding.character(code, own)?;
        let glyph = face.of_character(twin(character)).or_else(|| face.of_character(character))?;
        let own = face.width(glyph)?;
        // Codes outside the stated widths have width 0 and are invisible.
        let width = widths.of(code).filter(|_| widths.lists(code)).unwrap_or(own);
        ((width - own).abs() <= EQUAL).then_some((Slot { code: code.into(), glyph, width }, character))
    };
    let mut slots = Vec::new();
    for code in shown {
        let Some(slot) = slot(*code) else { return missing };
        slots.push(slot);
    }
    if is_open {
        // Text that is entered later may use any of them.
        slots.extend((32..=u8::MAX).filter(|code| !shown.contains(code)).filter_map(slot));
    }
    let characters: Vec<(u8, char)> =
        slots.iter().filter_map(|(slot, character)| Some((u8::try_from(slot.code).ok()?, *character))).collect();
    let slots: Vec<Slot> = slots.into_iter().map(|(slot, _)| slot).collect();
    match symbols(document, font, &face, &slots, &characters) {
        Some(font) => Fate::New(font, Repair::FontEmbedded),
        None => missing,
    }
}

/// The usual replacement of special spaces and hyphens.
pub(super) const fn twin(character: char) -> char {
    match character {
        '\u{a0}' => ' ',
        '\u{ad}' => '-',
        other => other,
    }
}
