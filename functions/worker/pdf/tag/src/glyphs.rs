//! The outlines of a font's glyphs, by its codes.

use std::collections::HashMap;

use docmill_pdf_core::objects::{Lookup, unpacked};
use docmill_pdf_fonts::outline::{self, Step};
use docmill_pdf_fonts::stated::Stated;
use docmill_pdf_fonts::type1::Type1;
use lopdf::{Dictionary, Document};
use read_fonts::ps::agl;
use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::encoding::PredefinedEncoding;
use read_fonts::ps::string::Sid;
use read_fonts::types::GlyphId;
use skrifa::outline::OutlinePen as _;
use skrifa::{FontRef, MetadataProvider as _};

use super::characters::Codes;
use super::drawn;
use super::ink::Drawing;

/// Most unpacked bytes of a font program, and of a map of glyphs.
const FILE_BYTES: usize = 64 << 20;
const MAP_BYTES: usize = 8 << 20;
/// Most unpacked bytes of a glyph that is drawn like a page.
const GLYPH_BYTES: usize = 1 << 20;
/// The units of an em in Type 1 and CFF programs.
const UNITS: f32 = 1000.0;

/// A font's program, and what its codes mean in it.
pub(super) struct Glyphs<'d> {
    program: Program<'d>,
    /// Of a composite font: glyphs by code, two bytes each.
    map: Option<Vec<u8>>,
}

enum Program<'d> {
    Type1(Type1),
    Compact(Vec<u8>),
    TrueType(Vec<u8>),
    /// Glyphs are drawn like pages.
    Drawn {
        document: &'d Document,
        glyphs: &'d Dictionary,
        matrix: [f32; 6],
    },
}

impl<'d> Glyphs<'d> {
    /// `None`: the font has no program, or one that is not read.
    pub(super) fn new(document: &'d Document, font: &'d Dictionary) -> Option<Self> {
        if document.name(font, b"Subtype") == Some(b"Type3") {
            let numbers = document.array(font, b"FontMatrix").iter().filter_map(|number| document.number(number));
            let matrix = numbers.collect::<Vec<f32>>().try_into().ok()?;
            let program = Program::Drawn { document, glyphs: document.child(font, b"CharProcs")?, matrix };
            return Some(Self { program, map: None });
        }
        let below = document.array(font, b"DescendantFonts").first().and_then(|font| document.dictionary(font));
        let holder = below.unwrap_or(font);
        let is_plain = matches!(document.name(font, b"Encoding"), Some(b"Identity-H" | b"Identity-V"));
        if below.is_some() && !is_plain {
            return None;
        }
        let descriptor = document.child(holder, b"FontDescriptor")?;
        let file = |key: &[u8]| unpacked(document.value(descriptor, key)?.as_stream().ok()?, FILE_BYTES);
        let compact = || file(b"FontFile3").map(Program::Compact);
        let type1 = || Type1::new(&file(b"FontFile")?).map(Program::Type1);
        let program = file(b"FontFile2").map(Program::TrueType).or_else(compact).or_else(type1)?;
        let map = document.value(holder, b"CIDToGIDMap").and_then(|map| unpacked(map.as_stream().ok()?, MAP_BYTES));
        Some(Self { program, map })
    }

    /// What the font draws for these codes. Those that it has no glyph for, or that are damaged, are left out.
    pub(super) fn drawings(&self, stated: &Stated<'_>, codes: impl Iterator<Item = u16>) -> HashMap<u16, Drawing> {
        match &self.program {
            Program::Type1(font) => {
                let drawing = |code| of_steps(&outline::read(font, &type1_name(font, stated, code)?)?.steps);
                codes.filter_map(|code| Some((code, drawing(code)?))).collect()
            }
            Program::Compact(data) => {
                let Ok(font) = CffFontRef::new_cff(data, 0, None) else { return HashMap::new() };
                let names = names(&font);
                let drawing = |code| {
                    let glyph = compact_glyph(&font, &names, stated, code).filter(|glyph| *glyph != 0)?;
                    of_steps(&outline::of_compact(&font, glyph)?.steps)
                };
                codes.filter_map(|code| Some((code, drawing(code)?))).collect()
            }
            Program::Drawn { document, glyphs, matrix } => {
                let drawing = |code| {
                    let glyph = document.value(glyphs, stated.name(code)?.as_bytes())?.as_stream().ok()?;
                    drawn::drawing(&unpacked(glyph, GLYPH_BYTES)?, *matrix)
                };
                codes.filter_map(|code| Some((code, drawing(code)?))).collect()
            }
            Program::TrueType(data) => {
                let (Ok(font), Some(own)) = (FontRef::new(data), Codes::new(data)) else { return HashMap::new() };
                let drawing = |code| Drawing::of_glyph(&font, self.true_type_glyph(&font, &own, stated, code)?);
                codes.filter_map(|code| Some((code, drawing(code)?))).collect()
            }
        }
    }

    fn true_type_glyph(&self, font: &FontRef<'_>, own: &Codes<'_>, stated: &Stated<'_>, code: u16) -> Option<u16> {
        if stated.is_composite() {
            return match &self.map {
                None => Some(code),
                Some(map) => map.as_chunks().0.get(usize::from(code)).map(|pair| u16::from_be_bytes(*pair)),
            };
        }
        let by_code = own.glyph(code);
        // A font with an encoding has the glyph of the character, one without it that of the code. Where both differ, viewers do, too.
        let character = stated.name(code).and_then(agl::name_to_char);
        let by_name = character.and_then(|character| font.charmap().map(character));
        let by_name = by_name.and_then(|glyph| u16::try_from(glyph.to_u32()).ok());
        match (by_name, by_code) {
            (Some(one), Some(other)) if one != other => None,
            (one, other) => one.or(other),
        }
    }
}

fn type1_name(font: &Type1, stated: &Stated<'_>, code: u16) -> Option<String> {
    let own = || match &font.encoding {
        Some(names) => names.get(&u8::try_from(code).ok()?).cloned(),
        None => Some(PredefinedEncoding::Standard.name(u8::try_from(code).ok()?).to_owned()),
    };
    stated.name(code).map(str::to_owned).or_else(|| usual_name(stated, code)).or_else(own)
}

/// The name of a code in the encoding that the document names as a whole.
fn usual_name(stated: &Stated<'_>, code: u16) -> Option<String> {
    let mut buffer = [0; 64];
    let character: char = stated.of_base(u8::try_from(code).ok()?)?.parse().ok()?;
    agl::char_to_name(character, &mut buffer).map(str::to_owned)
}

/// The glyphs of a simple CFF program by their names.
fn names(font: &CffFontRef<'_>) -> HashMap<Vec<u8>, u16> {
    let Some(charset) = font.charset().filter(|_| !font.is_cid()) else { return HashMap::new() };
    let count = u16::try_from(font.num_glyphs()).unwrap_or(u16::MAX);
    let name = |glyph: u16| font.string(charset.string_id(GlyphId::new(glyph.into())).ok()?).map(<[u8]>::to_vec);
    (1..count).filter_map(|glyph| Some((name(glyph)?, glyph))).collect()
}

fn compact_glyph(font: &CffFontRef<'_>, names: &HashMap<Vec<u8>, u16>, stated: &Stated<'_>, code: u16) -> Option<u16> {
    if stated.is_composite() {
        let glyph = match font.is_cid() {
            true => font.charset()?.glyph_id(Sid::new(code)).ok()?.to_u32(),
            false => code.into(),
        };
        return u16::try_from(glyph).ok();
    }
    let name = stated.name(code).map(str::to_owned).or_else(|| usual_name(stated, code));
    match name {
        Some(name) => names.get(name.as_bytes()).copied(),
        None => {
            let glyph: GlyphId = font.encoding()?.map(u8::try_from(code).ok()?)?;
            u16::try_from(glyph.to_u32()).ok()
        }
    }
}

fn of_steps(steps: &[Step]) -> Option<Drawing> {
    let mut drawing = Drawing::default();
    #[expect(clippy::cast_possible_truncation, reason = "a place in a glyph")]
    let ems = |number: f64| number as f32 / UNITS;
    for step in steps {
        match step {
            Step::Move([x, y]) => {
                drawing.close();
                drawing.move_to(ems(*x), ems(*y));
            }
            Step::Line([x, y]) => drawing.line_to(ems(*x), ems(*y)),
            Step::Curve([a, b, c, d, x, y]) => drawing.curve_to(ems(*a), ems(*b), ems(*c), ems(*d), ems(*x), ems(*y)),
            Step::Hints(_) => {}
        }
    }
    drawing.close();
    drawing.is_drawn().then_some(drawing)
}
