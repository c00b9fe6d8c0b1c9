//! Glyphs that draw nothing: they are spaces.

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::tokens::{Token, Tokens};
use docmill_pdf_fonts::outline;
use docmill_pdf_fonts::stated::Stated;
use docmill_pdf_fonts::type1::Type1;
use lopdf::{Dictionary, Document};
use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::string::Sid;
use read_fonts::types::GlyphId;

/// Most unpacked bytes of a font program.
const FILE_BYTES: usize = 64 << 20;
/// Most unpacked bytes of a glyph that is drawn like a page.
const GLYPH_BYTES: usize = 1 << 20;
/// What glyphs that are drawn like pages may do without a trace.
const SILENT: [&[u8]; 8] = [b"d0", b"d1", b"q", b"Q", b"cm", b"n", b"g", b"w"];

/// The program of a font.
enum Program<'d> {
    Type1(Type1),
    Compact(Vec<u8>),
    /// Glyphs are drawn like pages.
    Drawn(&'d Dictionary),
    /// None, or TrueType.
    Other,
}

/// The glyphs of a font that draw nothing.
pub(super) struct Blanks<'d> {
    document: &'d Document,
    program: Program<'d>,
}

impl<'d> Blanks<'d> {
    pub(super) fn new(document: &'d Document, font: &'d Dictionary) -> Self {
        let below = document.array(font, b"DescendantFonts").first().and_then(|font| document.dictionary(font));
        let descriptor = document.child(below.unwrap_or(font), b"FontDescriptor");
        let file = |key: &[u8]| {
            let file = document.value(descriptor?, key)?.as_stream().ok()?;
            unpacked(file, FILE_BYTES)
        };
        let program = match document.name(font, b"Subtype") {
            Some(b"Type3") => document.child(font, b"CharProcs").map(Program::Drawn),
            _ => match file(b"FontFile3") {
                Some(data) => Some(Program::Compact(data)),
                None => file(b"FontFile").and_then(|data| Type1::new(&data)).map(Program::Type1),
            },
        };
        Self { document, program: program.unwrap_or(Program::Other) }
    }

    /// Whether the font has a glyph for the code that draws nothing.
    pub(super) fn has(&self, stated: &Stated<'_>, code: u16) -> bool {
        let found = match &self.program {
            Program::Type1(font) => {
                let own = || font.encoding.as_ref()?.get(&u8::try_from(code).ok()?).map(String::as_str);
                let name = stated.name(code).or_else(own).filter(|name| *name != ".notdef");
                name.and_then(|name| outline::read(font, name)).map(|outline| outline.is_blank())
            }
            Program::Compact(data) => is_blank_in(data, stated, code),
            Program::Drawn(glyphs) => stated.name(code).and_then(|name| {
                let glyph = self.document.value(glyphs, name.as_bytes())?.as_stream().ok()?;
                Some(draws_nothing(&unpacked(glyph, GLYPH_BYTES)?))
            }),
            Program::Other => None,
        };
        found.unwrap_or(false)
    }
}

fn is_blank_in(data: &[u8], stated: &Stated<'_>, code: u16) -> Option<bool> {
    let font = CffFontRef::new_cff(data, 0, None).ok()?;
    let charset = font.charset();
    let glyph = match (stated.is_composite(), font.is_cid()) {
        (true, true) => charset?.glyph_id(Sid::new(code)).ok()?,
        (true, false) => GlyphId::new(code.into()),
        (false, _) => match stated.name(code) {
            Some(name) => {
                let names = |glyph: &GlyphId| font.string(charset.as_ref()?.string_id(*glyph).ok()?);
                (1..font.num_glyphs()).map(GlyphId::new).find(|glyph| names(glyph) == Some(name.as_bytes()))?
            }
            None => font.encoding()?.map(u8::try_from(code).ok()?)?,
        },
    };
    let glyph = u16::try_from(glyph.to_u32()).ok().filter(|glyph| *glyph != 0)?;
    outline::of_compact(&font, glyph).map(|outline| outline.is_blank())
}

fn draws_nothing(glyph: &[u8]) -> bool {
    Tokens::new(glyph).all(|token| match token {
        Token::Operator(operator) => SILENT.contains(&operator),
        Token::Number(_) | Token::Name(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => true,
    })
}

#[cfg(test)]
mod tests {
    use lopdf::{Object, Stream, dictionary};

    use super::*;

    #[test]
    fn a_glyph_that_paints_is_no_space() {
        let mut document = Document::new();
        let mut glyph = |content: &str| {
            Object::from(document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec())))
        };
        let glyphs = dictionary! { "g1" => glyph("500 0 d0"), "g2" => glyph("500 0 d0 0 0 300 300 re f") };
        let names = vec![Object::Integer(1), "g1".into(), "g2".into(), "g3".into()];
        let font = dictionary! {
            "Subtype" => "Type3", "CharProcs" => glyphs, "Encoding" => dictionary! { "Differences" => names },
        };
        let (blanks, stated) = (Blanks::new(&document, &font), Stated::new(&document, &font));
        assert_eq!([1, 2, 3].map(|code| blanks.has(&stated, code)), [true, false, false]);
    }
}
