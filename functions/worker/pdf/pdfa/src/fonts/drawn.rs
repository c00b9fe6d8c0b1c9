//! Fonts that are not embedded, as pdfium draws them.

use std::collections::BTreeSet;

use docmill_pdf_core::character_map;
use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::pdfium::{DrawnFont, Segment, Session};
use docmill_pdf_fonts::outline::{Outline, Step};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use read_fonts::ps::agl;

use super::codes::{Base, Codes};
use super::outlines::{self, Glyph};
use super::simple::twin;
use super::{Fate, descriptor};
use crate::verdict::{Level, Repair, Rule};
use docmill_pdf_fonts::stated_widths::Simple as Widths;

/// The first of the private characters that stand for codes.
const PRIVATE: u16 = 0xE000;
/// Undefined codes above this one are bullets.
const FIRST_BULLET: u8 = 40;
/// Most objects that a font consists of, and how deeply they are nested.
const OBJECTS: usize = 1_000;
const DEPTH: u8 = 16;
/// pdfium counts widths in whole thousandths of an em.
const WHOLE: f64 = 1.0;

/// Embeds a simple font of the glyphs that are drawn.
pub(super) fn embed(
    document: &mut Document,
    session: &Session<'_>,
    font: &Dictionary,
    encoding: &Codes,
    shown: &[u8],
    is_open: bool,
) -> Fate {
    let mut codes: BTreeSet<u8> = shown.iter().copied().collect();
    if is_open {
        // Text that is entered later may use any of them.
        codes.extend(32..=u8::MAX);
    }
    let codes: Vec<u8> = codes.into_iter().collect();
    let Some(drawn) = draw(document, session, font, &codes) else { return Fate::Broken(Rule::FontNotEmbedded) };
    let own = base(document, font);
    let widths = Widths::new(document, font);
    let glyph = |(code, drawn): (&u8, docmill_pdf_core::pdfium::DrawnGlyph)| {
        let character = encoding.character(*code, own).map(twin);
        let mut buffer = [0; 64];
        let mut usual = || character.and_then(|character| agl::char_to_name(character, &mut buffer).map(str::to_owned));
        let name = encoding.difference(*code).map(str::to_owned).or_else(|| match own {
            Base::Symbol | Base::Dingbats if encoding.base == Base::Own => encoding.name(*code, own),
            Base::Own | Base::Standard | Base::Windows | Base::Macintosh | Base::Symbol | Base::Dingbats => usual(),
        });
        let stated = widths.of(*code).filter(|stated| (stated - drawn.width).abs() < WHOLE);
        let width = stated.unwrap_or(drawn.width);
        let outline = Outline { width, steps: steps(&drawn.outline), hints: Vec::new() };
        let character = character.or_else(|| undefined(encoding.base, *code, &outline));
        Glyph { code: *code, name, character, outline }
    };
    let glyphs: Vec<Glyph> = codes.iter().zip(drawn.glyphs).map(glyph).collect();
    let bounds = bounds(&glyphs);
    match outlines::embedded(document, font, &bounds, Outline::default(), glyphs, Level::Two) {
        Some(font) => Fate::New(font, Repair::FontEmbedded),
        None => Fate::Broken(Rule::FontNotEmbedded),
    }
}

/// The character of a code that its encoding leaves undefined: nothing is a space, and ISO 32000-1, D.2 has a bullet for what Windows
/// leaves undefined.
fn undefined(base: Base, code: u8, outline: &Outline) -> Option<char> {
    if outline.is_blank() {
        return Some(' ');
    }
    (base == Base::Windows && code > FIRST_BULLET).then_some('•')
}

/// The characters of a simple font's codes, as far as its encoding and its name say them.
pub fn characters(document: &Document, font: &Dictionary) -> Vec<(u8, char)> {
    let (encoding, own) = (Codes::new(document, font), base(document, font));
    (0..=u8::MAX).filter_map(|code| Some((code, twin(encoding.character(code, own)?)))).collect()
}

/// The encoding that the font has by its name.
fn base(document: &Document, font: &Dictionary) -> Base {
    let name = descriptor::plain_name(document.name(font, b"BaseFont").unwrap_or_default());
    let is_true_type = document.name(font, b"Subtype") == Some(b"TrueType");
    Base::of_missing(&name, is_true_type, descriptor::is_symbolic(descriptor::flags(document, font)))
}

fn steps(outline: &[Segment]) -> Vec<Step> {
    let step = |segment: &Segment| match *segment {
        Segment::Move(to) => Step::Move(to),
        Segment::Line(to) => Step::Line(to),
        Segment::Curve(points) => Step::Curve(points),
    };
    outline.iter().map(step).collect()
}

/// The box around all glyphs.
fn bounds(glyphs: &[Glyph]) -> Vec<f64> {
    let [mut left, mut bottom, mut right, mut top] = [0.0_f64; 4];
    for step in glyphs.iter().flat_map(|glyph| &glyph.outline.steps) {
        let points: &[f64] = match step {
            Step::Move(to) | Step::Line(to) => to,
            Step::Curve(points) => points,
            Step::Hints(_) => &[],
        };
        for [x, y] in points.as_chunks().0 {
            (left, right) = (left.min(*x), right.max(*x));
            (bottom, top) = (bottom.min(*y), top.max(*y));
        }
    }
    vec![left.floor(), bottom.floor(), right.ceil(), top.ceil()]
}

/// What pdfium draws for codes of a font.
fn draw(document: &Document, session: &Session<'_>, font: &Dictionary, codes: &[u8]) -> Option<DrawnFont> {
    let characters: Vec<char> =
        codes.iter().filter_map(|code| char::from_u32(u32::from(PRIVATE) + u32::from(*code))).collect();
    let texts: Vec<(u16, String)> =
        codes.iter().zip(&characters).map(|(code, character)| (u16::from(*code), character.to_string())).collect();
    let pairs: Vec<(u16, &str)> = texts.iter().map(|(code, text)| (*code, text.as_str())).collect();
    let map = Stream::new(Dictionary::new(), character_map::table(&pairs, 1));
    session.drawn_glyphs(&page(document, font, map)?, &characters)
}

/// A document with a text in a font. `map`: the characters of its codes.
fn page(document: &Document, font: &Dictionary, map: Stream) -> Option<Vec<u8>> {
    let mut new = Document::with_version("1.7");
    let mut font = font.clone();
    font.remove(b"ToUnicode");
    let mut copied = BTreeSet::new();
    for (_, value) in &font {
        copy(document, value, &mut new, &mut copied, DEPTH)?;
    }
    new.max_id = copied.iter().map(|(number, _)| *number).max().unwrap_or(0);
    let map = new.add_object(map);
    font.set("ToUnicode", map);
    let content = new.add_object(Stream::new(Dictionary::new(), b"BT /F 9 Tf (A) Tj ET".to_vec()));
    let pages = new.new_object_id();
    let page = new.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
    });
    new.objects.insert(pages, dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] }.into());
    let catalog = new.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    new.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    new.save_to(&mut bytes).ok()?;
    Some(bytes)
}

/// Copies what an object refers to. `None` if that is too much.
fn copy(from: &Document, object: &Object, to: &mut Document, copied: &mut BTreeSet<ObjectId>, depth: u8) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    match object {
        Object::Reference(id) if copied.insert(*id) => {
            (copied.len() <= OBJECTS).then_some(())?;
            // One that is not there is null.
            let Ok(object) = from.get_object(*id) else { return Some(()) };
            to.objects.insert(*id, object.clone());
            copy(from, object, to, copied, depth)
        }
        Object::Array(elements) => elements.iter().try_for_each(|element| copy(from, element, to, copied, depth)),
        Object::Dictionary(entries) => entries.iter().try_for_each(|(_, value)| copy(from, value, to, copied, depth)),
        Object::Stream(stream) => stream.dict.iter().try_for_each(|(_, value)| copy(from, value, to, copied, depth)),
        _ => Some(()),
    }
}
