//! Removes glyphs, paths and pictures in areas from content streams, including nested forms.

mod drawn;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_core::operations;
use docmill_pdf_core::rectangle::Rectangle;
use docmill_pdf_core::text_state::State;
use docmill_pdf_fonts::widths::Font;
use lopdf::content::{Content, Operation};
use lopdf::{Dictionary, Document, Object, ObjectId, StringFormat};

use super::Unsafe;
use super::needle::Needles;
use super::paths::{Paint, Path};
use super::pictures::Pictures;
use super::shapes::{corners, grown, meets, overlap};
use super::strings;

/// Most unpacked bytes of a content stream, and the deepest nesting of forms.
const CONTENT_BYTES: usize = 64 << 20;
const DEPTH: usize = 12;
/// Most forms that a page may draw.
const FORMS: usize = 5_000;
/// A glyph is removed if at least this share of it is in an area. Less belongs to a neighbour.
const GLYPH_PART: f32 = 0.12;

/// Changes of a page's content.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Numbers of marked content that lost something.
    pub(super) marks: HashSet<i64>,
    /// A form lost something. Its marked content has its own numbers.
    pub(super) in_forms: bool,
    /// Objects that were replaced.
    pub(super) replaced: HashSet<ObjectId>,
}

/// The replacement of a stream's content.
pub(super) struct Edited {
    pub(super) content: Vec<u8>,
    pub(super) resources: Dictionary,
}

/// Edits one page.
pub(super) struct Editor<'p> {
    pub(super) document: &'p mut Document,
    pub(super) pictures: &'p dyn Pictures,
    pub(super) metrics: &'p docmill_pdf_core::fonts::Fonts,
    pub(super) needles: &'p Needles,
    /// In the page's own units.
    pub(super) areas: Vec<Rectangle>,
    pub(super) changes: Changes,
    fonts: HashMap<ObjectId, Rc<Font>>,
    forms: usize,
}

/// The content being written.
struct Output {
    operations: Vec<Operation>,
    resources: Dictionary,
    /// Open marked content: its start and number.
    open: Vec<(usize, Option<i64>)>,
    /// Starts of marked content that lost something.
    touched: HashSet<usize>,
    changed: bool,
}

impl Output {
    fn push(&mut self, operator: &str, operands: Vec<Object>) {
        self.operations.push(Operation::new(operator, operands));
    }

    fn paint(&mut self, path: &Path, operator: &str) {
        if !path.is_empty() {
            self.operations.extend(path.operations());
            self.push(operator, Vec::new());
        }
    }

    fn clip(&mut self, path: &Path, operations: [Operation; 2]) {
        if path.is_empty() {
            self.push("re", vec![0.into(); 4]);
        }
        self.operations.extend(path.operations());
        self.operations.extend(operations);
    }
}

/// Content while it is edited.
struct Run {
    output: Output,
    state: State,
    /// The saved states.
    states: Vec<State>,
    /// The path under construction, and its operations.
    path: Path,
    constructed: Vec<Operation>,
    /// The operation that makes it a clip.
    clip: Option<Operation>,
}

/// Most saved states.
const MOST_STATES: usize = 500;

/// How an operator fills a path, and whether it strokes it.
fn painting(operator: &str) -> (Option<&'static str>, bool) {
    match operator {
        "S" | "s" => (None, true),
        "f" | "F" => (Some("f"), false),
        "f*" => (Some("f*"), false),
        "B" | "b" => (Some("f"), true),
        "B*" | "b*" => (Some("f*"), true),
        _ => (None, false),
    }
}

impl<'p> Editor<'p> {
    pub(super) fn new(
        document: &'p mut Document,
        pictures: &'p dyn Pictures,
        metrics: &'p docmill_pdf_core::fonts::Fonts,
        needles: &'p Needles,
        areas: Vec<Rectangle>,
    ) -> Self {
        let (changes, fonts) = (Changes::default(), HashMap::new());
        Self { document, pictures, metrics, needles, areas, changes, fonts, forms: 0 }
    }

    /// Edits content. `None` if nothing changes.
    pub(super) fn edit(
        &mut self,
        content: &[u8],
        resources: &Dictionary,
        start: State,
        depth: usize,
    ) -> Result<Option<Edited>, Unsafe> {
        let content = operations::decode(content).ok_or(Unsafe("content that can't be read"))?;
        let output = Output {
            operations: Vec::with_capacity(content.operations.len()),
            resources: resources.clone(),
            open: Vec::new(),
            touched: HashSet::new(),
            changed: false,
        };
        let mut run = Run {
            output,
            state: start,
            states: Vec::new(),
            path: Path::default(),
            constructed: Vec::new(),
            clip: None,
        };
        for operation in content.operations {
            self.operation(&mut run, operation, depth)?;
        }
        Ok(self.finish(run.output))
    }

    /// Edits one operation, or collects it.
    fn operation(&mut self, run: &mut Run, operation: Operation, depth: usize) -> Result<(), Unsafe> {
        let numbers: Vec<f32> = operation.operands.iter().filter_map(|operand| self.document.number(operand)).collect();
        let operator = operation.operator.clone();
        if run.path.push(&operator, &numbers) {
            run.constructed.push(operation);
            return Ok(());
        }
        let Run { output, state, .. } = run;
        match operator.as_str() {
            "W" | "W*" => {
                run.clip = Some(operation);
                return Ok(());
            }
            "S" | "s" | "f" | "F" | "f*" | "B" | "B*" | "b" | "b*" | "n" => return self.paint(run, operation),
            "Tj" | "TJ" | "'" | "\"" => return self.show(output, state, operation),
            "Do" => return self.draw(output, state, operation, depth),
            "BI" => return self.inline_picture(output, state, operation),
            "BDC" | "BMC" => {
                self.begin_mark(output, operation);
                return Ok(());
            }
            "MP" | "DP" => {
                self.point_mark(output, operation);
                return Ok(());
            }
            "q" if run.states.len() > MOST_STATES => return Err(Unsafe("states too deep")),
            "q" => run.states.push(state.clone()),
            "Q" => run.state = run.states.pop().unwrap_or_else(|| state.clone()),
            "sh" => self.shade(output, state, &operation)?,
            "gs" => self.set_state(output, state, &operation, depth)?,
            "Tf" => {
                state.font = operation.operands.first().and_then(|name| name.as_name().ok()).map(<[u8]>::to_vec);
                state.size = numbers.first().copied().unwrap_or(0.0);
            }
            "cs" | "CS" | "sc" | "SC" | "scn" | "SCN" | "g" | "G" | "rg" | "RG" | "k" | "K" => {
                self.set_color(output, state, &operation);
            }
            "EMC" => drop(output.open.pop()),
            operator => state.set(operator, &numbers),
        }
        run.output.operations.push(operation);
        Ok(())
    }

    fn finish(&mut self, mut output: Output) -> Option<Edited> {
        for index in &output.touched {
            if let Some(properties) = output.operations.get_mut(*index).and_then(|mark| mark.operands.get_mut(1)) {
                forget_words(self.document, &output.resources, properties);
            }
        }
        if !output.changed {
            return None;
        }
        let content = Content { operations: output.operations }.encode().ok()?;
        Some(Edited { content, resources: output.resources })
    }

    /// Something was removed, so the text of the surrounding marked content is no longer true.
    fn removed(&mut self, output: &mut Output) {
        output.changed = true;
        for (index, mark) in &output.open {
            output.touched.insert(*index);
            self.changes.marks.extend(mark);
        }
    }

    fn begin_mark(&mut self, output: &mut Output, mut operation: Operation) {
        self.scrub(output, &mut operation);
        let properties = operation.operands.get(1);
        let properties = properties.and_then(|properties| property_list(self.document, &output.resources, properties));
        let mark = properties.and_then(|properties| self.document.integer(properties, b"MCID"));
        output.open.push((output.operations.len(), mark));
        output.operations.push(operation);
    }

    fn point_mark(&mut self, output: &mut Output, mut operation: Operation) {
        self.scrub(output, &mut operation);
        output.operations.push(operation);
    }

    /// Removes matches from the text of a mark.
    fn scrub(&self, output: &mut Output, operation: &mut Operation) {
        for operand in operation.operands.iter_mut().filter(|operand| operand.as_dict().is_ok()) {
            output.changed |= strings::scrub(operand, self.needles) > 0;
        }
    }

    fn paint(&mut self, run: &mut Run, operation: Operation) -> Result<(), Unsafe> {
        let (mut path, constructed) = (std::mem::take(&mut run.path), std::mem::take(&mut run.constructed));
        let clip = run.clip.take();
        let Run { output, state, .. } = run;
        let operator = operation.operator.as_str();
        let (fills, strokes) = painting(operator);
        let unchanged = |output: &mut Output| {
            output.operations.extend(constructed.iter().cloned().chain(clip.clone()).chain([operation.clone()]));
        };
        let around = path.bounds(state.matrix);
        let margin = if strokes { state.stroke_margin() } else { 0.0 };
        let touches = around.is_some_and(|around| {
            let around = grown(around, margin.max(0.01));
            self.areas.iter().any(|area| meets(*area, around))
        });
        if let Some(around) = around.filter(|_| clip.is_some()) {
            let clip = state.clip.map_or(Some(around), |clip| clip.intersection(around));
            // An empty clip hides everything.
            state.clip = Some(clip.unwrap_or(Rectangle { left: 0.0, bottom: 0.0, right: 0.0, top: 0.0 }));
        }
        if !touches || path.is_empty() {
            unchanged(output);
            return Ok(());
        }
        if fills.is_some() && state.fill_is_unsafe || strokes && state.stroke_is_unsafe {
            return Err(Unsafe("a pattern in an area"));
        }
        if matches!(operator, "s" | "b" | "b*") {
            path.close();
        }
        let filled = path.without(state.matrix, &self.areas, Paint::Fill, 0.0);
        let stroked = if strokes { path.without(state.matrix, &self.areas, Paint::Stroke, margin) } else { None };
        if (fills.is_none() && clip.is_none() || filled.is_none()) && stroked.is_none() {
            unchanged(output);
            return Ok(());
        }
        if clip.is_some() && operator != "n" {
            return Err(Unsafe("a clip that is painted, too"));
        }
        self.removed(output);
        if let Some(clip) = clip {
            output.clip(&filled.unwrap_or(path), [clip, operation]);
            return Ok(());
        }
        if let Some(operator) = fills {
            output.paint(filled.as_ref().unwrap_or(&path), operator);
        }
        if strokes {
            output.paint(&stroked.unwrap_or(path), "S");
        }
        Ok(())
    }

    fn font(&mut self, output: &Output, state: &State) -> Result<Rc<Font>, Unsafe> {
        let name = state.font.as_deref().ok_or(Unsafe("text without a font"))?;
        let fonts = self.document.child(&output.resources, b"Font").ok_or(Unsafe("no fonts"))?;
        let entry = fonts.get(name).map_err(|_| Unsafe("a font that is missing"))?;
        let id = entry.as_reference().ok();
        if let Some(known) = id.and_then(|id| self.fonts.get(&id)) {
            return Ok(Rc::clone(known));
        }
        let font = self.document.dictionary(entry).ok_or(Unsafe("a font that is missing"))?;
        let font = Rc::new(Font::read(self.document, font, self.metrics).map_err(Unsafe)?);
        if let Some(id) = id {
            self.fonts.insert(id, Rc::clone(&font));
        }
        Ok(font)
    }

    fn show(&mut self, output: &mut Output, state: &mut State, operation: Operation) -> Result<(), Unsafe> {
        if self.areas.is_empty() {
            output.operations.push(operation);
            return Ok(());
        }
        let operator = operation.operator.as_str();
        if let ("\"", [word, character, _]) = (operator, operation.operands.as_slice()) {
            state.word_space = self.document.number(word).unwrap_or(0.0);
            state.character_space = self.document.number(character).unwrap_or(0.0);
        }
        if matches!(operator, "'" | "\"") {
            state.next_line();
        }
        let parts = match operation.operands.last() {
            Some(Object::Array(parts)) => parts.clone(),
            Some(text) => vec![text.clone()],
            None => Vec::new(),
        };
        let font = self.font(output, state)?;
        let Some(left) = self.glyphs_left(&font, state, &parts) else {
            output.operations.push(operation);
            return Ok(());
        };
        self.removed(output);
        if let ("\"", [word, character, _]) = (operator, operation.operands.as_slice()) {
            output.push("Tw", vec![word.clone()]);
            output.push("Tc", vec![character.clone()]);
        }
        if matches!(operator, "'" | "\"") {
            output.push("T*", Vec::new());
        }
        output.push("TJ", vec![left.into()]);
        Ok(())
    }

    /// Moves the position over text. Returns the text without the glyphs in areas but with their space; `None` if no glyph is in
    /// one.
    fn glyphs_left(&self, font: &Font, state: &mut State, parts: &[Object]) -> Option<Vec<Object>> {
        let mut left: Vec<Object> = Vec::new();
        let (mut kept, mut room, mut removed) = (Vec::new(), 0.0f32, false);
        let flush = |left: &mut Vec<Object>, kept: &mut Vec<u8>| {
            if !kept.is_empty() {
                left.push(Object::String(std::mem::take(kept), StringFormat::Hexadecimal));
            }
        };
        // What a distance is in thousandths of the size, against the direction of writing.
        let unit = state.size * state.stretch;
        let thousandths = |distance: f32| if unit == 0.0 { 0.0 } else { -distance / unit * 1000.0 };
        for part in parts {
            let Object::String(text, _) = part else {
                let number = self.document.number(part).unwrap_or(0.0);
                flush(&mut left, &mut kept);
                room += number;
                state.advance(-number / 1000.0 * unit);
                continue;
            };
            for (code, width) in font.codes(text) {
                let space = if code == b" " { state.word_space } else { 0.0 };
                let distance = (width * state.size + state.character_space + space) * state.stretch;
                let across = width * unit;
                let glyph = Rectangle {
                    left: across.min(0.0),
                    bottom: state.rise + (font.bottom * state.size).min(font.top * state.size),
                    right: across.max(0.0),
                    top: state.rise + (font.bottom * state.size).max(font.top * state.size),
                };
                let shape = corners(glyph, state.text.then(state.matrix));
                if self.areas.iter().any(|area| overlap(&shape, *area) > GLYPH_PART) {
                    flush(&mut left, &mut kept);
                    room += thousandths(distance);
                    removed = true;
                } else {
                    if room != 0.0 {
                        left.push(Object::Real(room));
                        room = 0.0;
                    }
                    kept.extend_from_slice(code);
                }
                state.advance(distance);
            }
        }
        flush(&mut left, &mut kept);
        if room != 0.0 {
            left.push(Object::Real(room));
        }
        removed.then_some(left)
    }

    fn shade(&self, output: &Output, state: &State, operation: &Operation) -> Result<(), Unsafe> {
        let touches = state.clip.is_none_or(|clip| self.areas.iter().any(|area| meets(*area, clip)));
        let shading = self.resource(output, b"Shading", operation.operands.first());
        if touches && !self.areas.is_empty() && shading.is_some_and(|shading| self.shading_is_unsafe(shading)) {
            return Err(Unsafe("a shading in an area"));
        }
        Ok(())
    }

    /// Whether a shading might show a picture: only straight and round gradients never do.
    fn shading_is_unsafe(&self, shading: &Dictionary) -> bool {
        !matches!(self.document.integer(shading, b"ShadingType"), Some(2 | 3))
    }

    fn resource<'d>(&'d self, output: &'d Output, kind: &[u8], name: Option<&Object>) -> Option<&'d Dictionary> {
        let entries = self.document.child(&output.resources, kind)?;
        self.document.child(entries, name?.as_name().ok()?)
    }

    fn set_color(&self, output: &Output, state: &mut State, operation: &Operation) {
        let pattern = self.resource(output, b"Pattern", operation.operands.last());
        let is_unsafe = pattern.is_some_and(|pattern| {
            self.document.child(pattern, b"Shading").is_none_or(|shading| self.shading_is_unsafe(shading))
        });
        if operation.operator.starts_with(|c: char| c.is_ascii_uppercase()) {
            state.stroke_is_unsafe = is_unsafe;
        } else {
            state.fill_is_unsafe = is_unsafe;
        }
    }

    /// A graphics state may set a font, and a mask with its own content.
    fn set_state(
        &mut self,
        output: &Output,
        state: &mut State,
        operation: &Operation,
        depth: usize,
    ) -> Result<(), Unsafe> {
        let Some(set) = self.resource(output, b"ExtGState", operation.operands.first()) else { return Ok(()) };
        if let Some(width) = set.get(b"LW").ok().and_then(|width| self.document.number(width)) {
            state.line_width = width;
        }
        if set.has(b"Font") && !self.areas.is_empty() {
            return Err(Unsafe("a font in a graphics state"));
        }
        let mask = self.document.child(set, b"SMask").and_then(|mask| mask.get(b"G").ok()?.as_reference().ok());
        let unclipped = state.unclipped();
        if let Some(mask) = mask
            && self.form(output, &unclipped, mask, depth)?.is_some()
        {
            return Err(Unsafe("a mask in an area"));
        }
        Ok(())
    }
}

fn property_list<'d>(
    document: &'d Document,
    resources: &'d Dictionary,
    properties: &'d Object,
) -> Option<&'d Dictionary> {
    match properties {
        Object::Name(name) => document.child(document.child(resources, b"Properties")?, name),
        properties => properties.as_dict().ok(),
    }
}

/// Removes the texts of a mark from a copy of its properties.
fn forget_words(document: &Document, resources: &Dictionary, properties: &mut Object) {
    let Some(list) = property_list(document, resources, properties) else { return };
    if super::tags::WORDS.iter().any(|key| list.has(key)) {
        let mut list = list.clone();
        for key in super::tags::WORDS {
            list.remove(key);
        }
        *properties = list.into();
    }
}
