//! Shaped lines as content of a document.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use docmill_pdf_core::character_map::utf16;
use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::fonts::emoji::is_ignorable;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_request::Failure;
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};
use svg2pdf::usvg::fontdb::ID;

use super::embed::Subset;
use super::pictures::Pictures;
use super::shape::{self, Glyph, Ink, Run};
use super::{Align, LINE_EM, Label, Look, Missing};

/// Room for what letters draw outside of their line, in ems.
const ROOM_EM: f32 = 2.0;
/// Smaller differences between a glyph's width and its advance are not written, in thousandths of an em.
const UNSEEN: f32 = 0.5;

/// Labels in the order of their texts, and what no font has.
type Written = (Vec<Option<Label>>, Missing);

/// A label's content, before it is an object.
struct Drawn {
    content: String,
    width: f32,
    height: f32,
    baseline: f32,
}

/// Writes all labels, with shared fonts. The inner error is a face that can't be embedded: nothing was added then.
pub(super) fn write(
    fonts: &Fonts,
    document: &mut Document,
    texts: &[String],
    look: Look<'_>,
    refused: &[ID],
) -> Result<Result<Written, ID>, Failure> {
    let lines: Vec<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    let mut shaped = shape::shape(fonts, &lines, refused).into_iter();
    let mut writer =
        Writer { fonts, look, subsets: BTreeMap::new(), pictures: Pictures::default(), missing: Missing::default() };
    let drawn: Vec<Option<Drawn>> = texts
        .iter()
        .map(|text| writer.label(&shaped.by_ref().take(text.lines().count()).collect::<Vec<_>>()))
        .collect();
    let mut embedded = Vec::new();
    for (face, (number, subset)) in &writer.subsets {
        match subset.embed(fonts, *face) {
            Some(font) => embedded.push((number, font)),
            None => return Ok(Err(*face)),
        }
    }
    let mut resources = Dictionary::new();
    for (number, font) in embedded {
        resources.set(format!("F{number}"), font.add(document));
    }
    if !writer.pictures.is_empty() {
        let (ids, boxed) = writer.pictures.add(fonts, document, look.color)?;
        for (number, id) in ids.into_iter().enumerate() {
            resources.set(format!("P{number}"), id);
        }
        boxed
            .iter()
            .for_each(|text| writer.missing.0.extend(text.chars().filter(|character| !is_ignorable(*character))));
    }
    let resources = document.add_object(dictionary! { "Font" => resources });
    let labels = drawn.into_iter().map(|drawn| Some(drawn?.add(document, resources, look.size))).collect();
    Ok(Ok((labels, writer.missing)))
}

impl Drawn {
    fn add(self, document: &mut Document, resources: ObjectId, size: f32) -> Label {
        let room = ROOM_EM * size;
        let bounds = [-room, -room, self.width + room, self.height + room].map(Object::Real).to_vec();
        let head = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => bounds, "Resources" => resources,
        };
        let form = document.add_object(Stream::new(head, self.content.into_bytes()));
        Label { form, width: self.width, height: self.height, baseline: self.baseline, matrix: Matrix::scale(1.0) }
    }
}

struct Writer<'a> {
    fonts: &'a Fonts,
    look: Look<'a>,
    /// Each with the number in its name.
    subsets: BTreeMap<ID, (usize, Subset)>,
    pictures: Pictures,
    missing: Missing,
}

impl Writer<'_> {
    /// The content of a label. `None` if it shows nothing.
    fn label(&mut self, lines: &[Vec<Run>]) -> Option<Drawn> {
        let size = self.look.size;
        let width_of = |line: &[Run]| line.iter().map(|run| run.width).sum::<f32>();
        let width = lines.iter().map(|line| width_of(line)).fold(0.0, f32::max);
        // Upwards from the first baseline, in ems.
        let line_at = |number: usize| -(number as f32) * LINE_EM;
        let (mut top, mut bottom) = (f32::MIN, f32::MAX);
        for (number, run) in
            lines.iter().enumerate().flat_map(|(number, line)| line.iter().map(move |run| (number, run)))
        {
            top = top.max(line_at(number) + run.ascent);
            bottom = bottom.min(line_at(number) + run.descent.min(0.0));
        }
        let is_seen = lines.iter().flatten().any(|run| !run.text.trim().is_empty());
        if !is_seen || width <= 0.0 || top <= bottom {
            return None;
        }
        let mut content = format!("BT\n{} rg\n", color(self.look.color));
        for (number, line) in lines.iter().enumerate() {
            let free = width - width_of(line);
            let mut x = match self.look.align {
                Align::Start => 0.0,
                Align::Center => free / 2.0,
                Align::End => free,
            };
            for run in line {
                let _ = writeln!(content, "1 0 0 1 {} {} Tm", x * size, (line_at(number) - bottom) * size);
                self.run(run, &mut content);
                x += run.width;
            }
        }
        content.push_str("ET\n");
        Some(Drawn { content, width: width * size, height: (top - bottom) * size, baseline: -bottom * size })
    }

    fn run(&mut self, run: &Run, content: &mut String) {
        match run.ink {
            Ink::Glyphs(face) => self.glyphs(run, face, content),
            Ink::Picture(face) => {
                for glyph in &run.glyphs {
                    self.picture(Some(face), glyph, content);
                }
            }
            Ink::Box => {
                for glyph in &run.glyphs {
                    self.missing.0.extend(glyph.text.chars().filter(|character| !is_ignorable(*character)));
                    self.picture(None, glyph, content);
                }
            }
        }
    }

    fn picture(&mut self, face: Option<ID>, glyph: &Glyph, content: &mut String) {
        let (font, code) = self.pictures.code(face, &glyph.text, glyph.advance);
        // The color of boxes' lines.
        let color = color(self.look.color);
        let _ = writeln!(content, "{color} RG /P{font} {} Tf <{code:02X}> Tj", self.look.size);
    }

    fn glyphs(&mut self, run: &Run, face: ID, content: &mut String) {
        for glyph in run.glyphs.iter().filter(|glyph| glyph.id == 0) {
            let lacks = |character: &char| !is_ignorable(*character) && !self.fonts.has(face, *character);
            self.missing.0.extend(glyph.text.chars().filter(lacks));
        }
        let next = self.subsets.len();
        let (number, subset) = self.subsets.entry(face).or_insert_with(|| (next, Subset::new(self.fonts, face)));
        let mut is_exact = true;
        let mut shown = String::new();
        let (mut rise, mut pending) = (0.0, 0.0);
        let size = self.look.size;
        for glyph in &run.glyphs {
            let (code, says_so) = subset.code(glyph.id, &glyph.text);
            is_exact &= says_so;
            if (glyph.up - rise).abs() * 1000.0 > UNSEEN {
                rise = glyph.up;
                let _ = write!(shown, "] TJ {} Ts [", rise * size);
            }
            // What a number in the list moves back by.
            let before = (pending - glyph.right) * 1000.0;
            if before.abs() > UNSEEN {
                let _ = write!(shown, "{before} ");
            }
            let _ = write!(shown, "<{code:04X}> ");
            pending = glyph.width + glyph.right - glyph.advance;
        }
        let reset = if rise == 0.0 { "" } else { "0 Ts " };
        let (open, close) = if is_exact || run.is_reversed {
            (String::new(), "")
        } else {
            (format!("/Span << /ActualText <FEFF{}> >> BDC ", utf16(&run.text)), " EMC")
        };
        let _ = writeln!(content, "{open}/F{number} {size} Tf [{shown}] TJ {reset}{close}");
    }
}

/// The operands of a color.
fn color(hex: &str) -> String {
    let part = |at: usize| {
        let part = hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0);
        (f32::from(part) / 255.0 * 1000.0).round() / 1000.0
    };
    format!("{} {} {}", part(1), part(3), part(5))
}
