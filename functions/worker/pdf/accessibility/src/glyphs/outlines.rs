//! Programs whose glyphs have names: Type 1, CFF, and the procedures of Type 3 fonts.

use std::collections::HashMap;

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_core::tokens::{Token, Tokens};
use docmill_pdf_fonts::outline;
use docmill_pdf_fonts::type1;
use lopdf::{Dictionary, Document};
use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::cs::CommandSink;
use read_fonts::ps::encoding::PredefinedEncoding;
use read_fonts::ps::string::Sid;
use read_fonts::types::{Fixed, GlyphId};

use super::{Glyph, UNDEFINED, twin};

/// Most bytes of a glyph of a Type 3 font.
const PROCEDURE: usize = 4 << 20;

const MISSING: Glyph = Glyph { is_present: false, width: None };

/// A Type 1 program.
pub(super) struct Type1 {
    program: type1::Type1,
    names: HashMap<String, ()>,
}

impl Type1 {
    pub(super) fn new(data: &[u8]) -> Option<Self> {
        let program = type1::Type1::new(data)?;
        let names = program.glyphs.iter().map(|(name, _)| (name.clone(), ())).collect();
        Some(Self { program, names })
    }

    /// `name`: the document's own, if it has one.
    pub(super) fn glyph(&self, name: Option<String>, code: u8) -> Glyph {
        let own = || match &self.program.encoding {
            Some(names) => names.get(&code).cloned(),
            None => Some(PredefinedEncoding::Standard.name(code).to_owned()),
        };
        let Some(name) = name.or_else(own) else { return MISSING };
        let known = if self.names.contains_key(&name) { Some(name) } else { self.twin(&name) };
        let Some(name) = known else { return MISSING };
        let width = outline::read(&self.program, &name).map(|outline| outline.width);
        Glyph { is_present: name != UNDEFINED, width }
    }

    fn twin(&self, name: &str) -> Option<String> {
        twin(&self.names, name)?;
        let character = read_fonts::ps::agl::name_to_char(name)?;
        self.names.keys().find(|other| read_fonts::ps::agl::name_to_char(other) == Some(character)).cloned()
    }
}

/// A CFF program.
pub(super) struct Compact<'f> {
    font: CffFontRef<'f>,
    /// By the names of glyphs: empty if they have numbers.
    names: HashMap<String, u16>,
    scale: f64,
}

impl<'f> Compact<'f> {
    pub(super) fn new(data: &'f [u8]) -> Option<Self> {
        let font = CffFontRef::new_cff(data, 0, None).ok()?;
        let charset = font.charset().filter(|_| !font.is_cid());
        let name = |glyph: u32| {
            let name = font.string(charset.as_ref()?.string_id(GlyphId::new(glyph)).ok()?)?;
            Some((String::from_utf8_lossy(name).into_owned(), u16::try_from(glyph).ok()?))
        };
        let names = (0..font.num_glyphs()).filter_map(name).collect();
        let scale = 1000.0 / f64::from(font.upem().max(1));
        Some(Self { names, scale, font })
    }

    /// The glyph of a simple font's code. `name`: the document's own, if it has one.
    pub(super) fn of_name(&self, name: Option<String>, code: u8) -> Glyph {
        let glyph = match name {
            Some(name) if name == UNDEFINED => Some(0),
            Some(name) => twin(&self.names, &name).copied(),
            None => self.font.encoding().and_then(|encoding| u16::try_from(encoding.map(code)?.to_u32()).ok()),
        };
        glyph.map_or(MISSING, |glyph| Glyph { is_present: glyph != 0, width: self.width(glyph) })
    }

    /// The glyph of a character in a composite font.
    pub(super) fn of_character(&self, cid: u16) -> Glyph {
        let by_charset = || {
            let glyph = self.font.charset()?.glyph_id(Sid::new(cid)).ok()?;
            u16::try_from(glyph.to_u32()).ok()
        };
        let glyph = if self.font.is_cid() { by_charset() } else { Some(cid) };
        let known = glyph.filter(|glyph| u32::from(*glyph) < self.font.num_glyphs());
        known.map_or(MISSING, |glyph| Glyph { is_present: glyph != 0, width: self.width(glyph) })
    }

    fn width(&self, glyph: u16) -> Option<f64> {
        let glyph = GlyphId::new(glyph.into());
        let subfont = self.font.subfont(self.font.subfont_index(glyph)?, &[]).ok()?;
        let width = self.font.evaluate_charstring(&subfont, glyph, &[], &mut Nothing).ok()?;
        Some(width.map_or(0.0, Fixed::to_f64) * self.scale)
    }
}

/// Draws nothing: only the width is asked for.
struct Nothing;

impl CommandSink for Nothing {
    fn move_to(&mut self, _: Fixed, _: Fixed) {}
    fn line_to(&mut self, _: Fixed, _: Fixed) {}
    fn curve_to(&mut self, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed, _: Fixed) {}
    fn close(&mut self) {}
}

/// The procedures of a Type 3 font.
pub(super) struct Procedures<'f> {
    document: &'f Document,
    glyphs: Option<&'f Dictionary>,
}

impl<'f> Procedures<'f> {
    pub(super) fn new(document: &'f Document, font: &'f Dictionary) -> Self {
        Self { document, glyphs: document.child(font, b"CharProcs") }
    }

    pub(super) fn glyph(&self, name: Option<String>) -> Glyph {
        let found = self.glyphs.zip(name).and_then(|(glyphs, name)| self.document.value(glyphs, name.as_bytes()));
        let Some(content) = found.and_then(|glyph| unpacked(glyph.as_stream().ok()?, PROCEDURE)) else {
            return MISSING;
        };
        // The first operation states the width, which comes first.
        let mut first = None;
        for token in Tokens::new(&content) {
            match token {
                Token::Number(number) => first = first.or(Some(f64::from(number))),
                Token::Operator(b"d0" | b"d1") => return Glyph { is_present: true, width: first },
                Token::Operator(_) | Token::Name(_) | Token::Literal(_) | Token::Hex(_) | Token::Other => break,
            }
        }
        Glyph { is_present: true, width: None }
    }
}
