//! Shown text: each glyph is found by its place, and text of several elements is parted.

use std::rc::Rc;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_fonts::widths::Font;

use super::super::places::{Found, Owner};
use super::marks::{Role, Span};
use super::operations::{Operand, Operation};
use super::walk::Walk;

/// Where in a glyph its word is looked for, above the baseline, in ems.
const MIDDLE: f32 = 0.25;

/// A glyph or a distance in shown text.
enum Part {
    Glyph {
        code: Vec<u8>,
        found: Option<Found>,
        center: (f32, f32),
    },
    /// In thousandths of the size, against the direction of writing.
    Distance(f32),
}

impl Walk<'_, '_, '_> {
    /// Moves over shown text, and says whose it is.
    pub(super) fn show(&mut self, operation: &Operation<'_>) -> Role {
        if let (b"\"", [word, character]) = (operation.operator, operation.numbers().as_slice()) {
            (self.state.word_space, self.state.character_space) = (*word, *character);
        }
        if matches!(operation.operator, b"'" | b"\"") {
            self.state.next_line();
        }
        let font = self.font();
        let mut parts = Vec::new();
        // The first two numbers of `"` are no distances.
        let operands = if operation.operator == b"\"" { operation.operands.get(2..) } else { None };
        for operand in operands.unwrap_or(&operation.operands) {
            match operand {
                Operand::Text(text) => self.glyphs(&font, text, &mut parts),
                Operand::Number(distance) => {
                    self.state.advance(-distance / 1000.0 * self.state.size * self.state.stretch);
                    parts.push(Part::Distance(*distance));
                }
                Operand::Name(_) | Operand::Other => {}
            }
        }
        let spans = self.spans(&parts);
        match spans.as_slice() {
            [] => Role::Empty,
            [(span, _)] => Role::Paint(*span),
            [(span, _), ..] if self.marker.keeps_text => Role::Paint(*span),
            _ => {
                self.marker.has_parted = true;
                Role::Split(written(operation, &parts, &spans))
            }
        }
    }

    fn glyphs(&mut self, font: &Font, text: &[u8], parts: &mut Vec<Part>) {
        for (code, width) in font.codes(text) {
            let state = &self.state;
            let space = if code == b" " { state.word_space } else { 0.0 };
            let distance = (width * state.size + state.character_space + space) * state.stretch;
            let middle = (width * state.size * state.stretch / 2.0, state.rise + MIDDLE * state.size);
            let (x, y) = state.text.then(state.matrix).apply(middle.0, middle.1);
            let center = self.sheet.shown((x, y));
            let found = self.sheet.places.of_glyph(center);
            parts.push(Part::Glyph { code: code.to_vec(), found, center });
            self.state.advance(distance);
        }
    }

    /// The spans of shown text, and the part with which each begins.
    fn spans(&self, parts: &[Part]) -> Vec<(Span, usize)> {
        let glyphs = || {
            parts.iter().enumerate().filter_map(|(at, part)| match part {
                Part::Glyph { found, center, .. } => Some((at, *found, *center)),
                Part::Distance(_) => None,
            })
        };
        // Spaces are in no word: they go with what is before them.
        let first = glyphs().find_map(|(_, found, _)| found);
        let stray = || glyphs().next().map(|(_, _, center)| self.sheet.places.of_stray(center));
        let Some(mut last) = first.or_else(stray) else { return Vec::new() };
        let mut spans: Vec<(Span, usize)> = Vec::new();
        for (at, found, _) in glyphs() {
            last = found.unwrap_or(last);
            let next = self.owned(last.into());
            match spans.last_mut().and_then(|(span, _)| Some((span.with(next)?, span))) {
                Some((both, span)) => *span = both,
                None => spans.push((next, at)),
            }
        }
        // Words in another order than they are drawn in are parted only for different elements.
        spans.dedup_by(|(next, _), (span, _)| {
            let is_same = span.owner == next.owner && matches!(span.owner, Owner::Node(_));
            if is_same {
                span.last = span.last.max(next.last);
                span.first = span.first.min(next.first);
            }
            is_same
        });
        spans
    }

    fn font(&mut self) -> Rc<Font> {
        let document = &*self.marker.document;
        let entry = self.state.font.as_deref().and_then(|name| {
            let fonts = document.child(&self.resources, b"Font")?;
            fonts.get(name).ok()
        });
        let id = entry.and_then(|entry| entry.as_reference().ok());
        if let Some(known) = id.and_then(|id| self.marker.fonts.get(&id)) {
            return Rc::clone(known);
        }
        let font = entry.and_then(|entry| document.dictionary(entry));
        let is_wide = font.is_some_and(|font| document.name(font, b"Subtype") == Some(b"Type0"));
        let read = font.and_then(|font| Font::read(document, font, self.marker.metrics).ok());
        let font = Rc::new(read.unwrap_or_else(|| Font::unknown(is_wide)));
        if let Some(id) = id {
            self.marker.fonts.insert(id, Rc::clone(&font));
        }
        font
    }
}

/// The parts of shown text as operations of their own.
fn written(operation: &Operation<'_>, parts: &[Part], spans: &[(Span, usize)]) -> Vec<(Span, Vec<u8>)> {
    let mut before = String::new();
    if let (b"\"", [word, character]) = (operation.operator, operation.numbers().as_slice()) {
        before.push_str(&format!("{word} Tw {character} Tc "));
    }
    if matches!(operation.operator, b"'" | b"\"") {
        before.push_str("T* ");
    }
    let starts = spans.iter().skip(1).map(|(_, at)| *at).chain([parts.len()]);
    let mut from = 0;
    let mut written = Vec::with_capacity(spans.len());
    for ((span, _), to) in spans.iter().zip(starts) {
        let mut text = std::mem::take(&mut before);
        text.push('[');
        let mut in_string = false;
        for part in parts.get(from..to).unwrap_or_default() {
            let is_glyph = matches!(part, Part::Glyph { .. });
            if is_glyph != in_string {
                text.push(if is_glyph { '<' } else { '>' });
                in_string = is_glyph;
            }
            match part {
                Part::Glyph { code, .. } => code.iter().for_each(|byte| text.push_str(&format!("{byte:02X}"))),
                Part::Distance(distance) => text.push_str(&format!("{distance} ")),
            }
        }
        text.push_str(if in_string { ">] TJ" } else { "] TJ" });
        written.push((*span, text.into_bytes()));
        from = to;
    }
    written
}
