//! The widths of fonts' glyphs, which give the positions of text.

#![allow(clippy::wildcard_enum_match_arm, reason = "an object of any other type is the same as none")]

use std::collections::HashMap;

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::objects::Lookup;
use lopdf::{Dictionary, Document, Object, ObjectId};

use super::Encoding;

/// Most codes of an entry in a composite font's list of widths.
const MOST_CODES: i64 = 0xffff;

/// Why the widths of a font are not known.
pub type Unknown = &'static str;

/// The widths of a font.
#[derive(Debug)]
pub struct Font {
    /// Two bytes per code.
    is_wide: bool,
    widths: HashMap<u16, f32>,
    default: f32,
    /// How far its glyphs reach below and above the baseline, in text space units at size 1.
    pub bottom: f32,
    /// As for `bottom`.
    pub top: f32,
}

impl Font {
    /// The widths that the font, or else `metrics`, gives its codes.
    ///
    /// # Errors
    /// If the font has no widths, or an encoding that is not read.
    pub fn read(document: &Document, font: &Dictionary, metrics: &Fonts) -> Result<Self, Unknown> {
        match document.name(font, b"Subtype") {
            Some(b"Type0") => wide(document, font),
            Some(b"Type3") => drawn(document, font),
            Some(_) => simple(document, font, metrics),
            None => Err("a font without a kind"),
        }
    }

    /// A font of which nothing else is known.
    pub fn unknown(is_wide: bool) -> Self {
        Self { is_wide, widths: HashMap::new(), default: 0.5, bottom: BOTTOM, top: TOP }
    }

    /// The codes of a string, each with its bytes and its width for size 1.
    pub fn codes<'s>(&'s self, text: &'s [u8]) -> impl Iterator<Item = (&'s [u8], f32)> + 's {
        text.chunks(if self.is_wide { 2 } else { 1 }).map(|bytes| {
            let code = bytes.iter().fold(0u16, |code, byte| code << 8 | u16::from(*byte));
            (bytes, self.widths.get(&code).copied().unwrap_or(self.default))
        })
    }
}

/// Makes each font a separate object that can be looked up and changed.
pub fn separate(document: &mut Document) {
    let mut next = document.max_id;
    let mut fonts = Vec::new();
    for object in document.objects.values_mut() {
        take_fonts(
            object,
            &mut |font| {
                next += 1;
                fonts.push(((next, 0), font));
                (next, 0)
            },
            0,
        );
    }
    document.max_id = next;
    document.objects.extend(fonts.into_iter().map(|(id, font)| (id, Object::Dictionary(font))));
}

fn take_fonts(object: &mut Object, take: &mut dyn FnMut(Dictionary) -> ObjectId, depth: usize) {
    /// Resources in a page or a form, or in a glyph's font.
    const DEPTH: usize = 6;
    let dictionary = match object {
        Object::Dictionary(dictionary) => dictionary,
        Object::Stream(stream) => &mut stream.dict,
        _ => return,
    };
    if depth > DEPTH {
        return;
    }
    if let Ok(Object::Dictionary(fonts)) = dictionary.get_mut(b"Font") {
        for (_, font) in fonts.iter_mut() {
            if let Object::Dictionary(own) = font {
                *font = take(std::mem::take(own)).into();
            }
        }
    }
    for (_, value) in dictionary.iter_mut() {
        take_fonts(value, take, depth + 1);
    }
}

fn simple(document: &Document, font: &Dictionary, metrics: &Fonts) -> Result<Font, Unknown> {
    let descriptor = document.child(font, b"FontDescriptor");
    let number = |key: &[u8]| descriptor.and_then(|descriptor| document.number(descriptor.get(key).ok()?));
    let mut widths = listed(document, font, 0.001);
    if widths.is_empty() {
        widths = standard(document, font, metrics)?;
    }
    Ok(Font {
        is_wide: false,
        widths,
        default: number(b"MissingWidth").unwrap_or(0.0) / 1000.0,
        bottom: BOTTOM,
        top: TOP,
    })
}

/// The usual extent of letters.
const BOTTOM: f32 = -0.2;
const TOP: f32 = 0.75;

fn listed(document: &Document, font: &Dictionary, scale: f32) -> HashMap<u16, f32> {
    let first = document.integer(font, b"FirstChar").unwrap_or(0).clamp(0, 255);
    let first = u16::try_from(first).unwrap_or(0);
    let widths = document.array(font, b"Widths").iter().take(256);
    (first..).zip(widths).filter_map(|(code, width)| Some((code, document.number(width)? * scale))).collect()
}

/// The widths of the standard fonts, taken from fonts designed with the same widths.
fn standard(document: &Document, font: &Dictionary, metrics: &Fonts) -> Result<HashMap<u16, f32>, Unknown> {
    let name = String::from_utf8_lossy(document.name(font, b"BaseFont").unwrap_or_default()).to_lowercase();
    let family = match () {
        () if name.contains("courier") => "Liberation Mono",
        () if name.contains("helvetica") || name.contains("arial") => "Liberation Sans",
        () if name.contains("times") => "Liberation Serif",
        () => return Err("a font without widths"),
    };
    let (bold, italic) = (name.contains("bold"), name.contains("oblique") || name.contains("italic"));
    let encoding = Encoding::new(document, font);
    let widths: HashMap<u16, f32> = (0..=255u8)
        .filter_map(|code| {
            let character = encoding.characters(code).into_iter().next()?;
            Some((u16::from(code), metrics.advance(family, bold, italic, character)?))
        })
        .collect();
    if widths.is_empty() { Err("a font whose widths are not known") } else { Ok(widths) }
}

/// A font whose glyphs are content.
fn drawn(document: &Document, font: &Dictionary) -> Result<Font, Unknown> {
    let numbers = |key: &[u8]| -> Vec<f32> {
        document.array(font, key).iter().filter_map(|number| document.number(number)).collect()
    };
    let Ok([scale, 0.0, 0.0, up, _, _]) = <[f32; 6]>::try_from(numbers(b"FontMatrix")) else {
        return Err("a drawn font that is turned");
    };
    let box_: Vec<f32> = numbers(b"FontBBox");
    let (bottom, top) = match box_.as_slice() {
        [_, bottom, _, top] if top > bottom => ((bottom * up).max(-0.3), (top * up).min(1.0)),
        _ => (BOTTOM, TOP),
    };
    Ok(Font { is_wide: false, widths: listed(document, font, scale), default: 0.0, bottom, top })
}

/// A font of characters with two bytes each. Other encodings would have to be read first.
fn wide(document: &Document, font: &Dictionary) -> Result<Font, Unknown> {
    if document.name(font, b"Encoding") != Some(b"Identity-H") {
        return Err("a font with an encoding of its own");
    }
    let descendant = document.array(font, b"DescendantFonts").first().and_then(|font| document.dictionary(font));
    let descendant = descendant.ok_or("a font without its parts")?;
    let default = descendant.get(b"DW").ok().and_then(|width| document.number(width)).unwrap_or(1000.0) / 1000.0;
    let mut widths = HashMap::new();
    let mut entries = document.array(descendant, b"W").iter().filter_map(|entry| document.resolve(entry));
    while let (Some(first), Some(next)) = (entries.next(), entries.next()) {
        let Ok(first) = first.as_i64() else { return Err("a list of widths that is damaged") };
        match next {
            Object::Array(own) => {
                for (code, width) in (first..=MOST_CODES).zip(own) {
                    let width = document.number(width).unwrap_or(0.0) / 1000.0;
                    widths.insert(u16::try_from(code).unwrap_or(0), width);
                }
            }
            last => {
                let width = entries.next().and_then(|width| document.number(width)).unwrap_or(0.0) / 1000.0;
                for code in first..=last.as_i64().unwrap_or(first).min(MOST_CODES) {
                    widths.insert(u16::try_from(code).unwrap_or(0), width);
                }
            }
        }
    }
    Ok(Font { is_wide: true, widths, default, bottom: BOTTOM, top: TOP })
}
