//! The result of OCR as invisible text over a page: it can be found, selected and copied, and the page looks the same.

use std::collections::HashMap;
use std::fmt::Write;

use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_core::objects;
use docmill_pdf_core::pdfium::{Rect, View};
use docmill_pdf_core::space::PageSpace;
use docmill_pdf_structure::overlay::{self, Drawing, Layer, Role};
use docmill_pdf_text::{Placed, is_cjk, is_rtl, visual_order};
use lopdf::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::{Direction, Line, PageText, Sizes, Word, face};

/// A font whose glyphs are empty and half an em wide, from Tesseract (`pdf.ttf`, Apache 2.0).
const FONT: &[u8] = include_bytes!("glyphless.ttf");
const ADVANCE: f32 = 0.5;
/// The font's ascent and descent in ems.
const ASCENT: f32 = 0.68;
const DESCENT: f32 = 0.22;
/// Codes of the font.
const SPACE: u16 = 1;
const MOST_CODES: usize = 60_000;
/// The narrowest space in ems: readers join words that are at most 0.15 apart.
const LEAST_SPACE: f32 = 0.2;
/// Neighbouring lines whose sizes differ by less than this factor get the same size.
const ALIKE: f32 = 1.3;
/// Most entries in a block of a character map.
const BLOCK: usize = 100;

/// The text layer of a document, and its only font.
#[derive(Debug)]
pub struct TextLayer {
    font: ObjectId,
    codes: HashMap<char, u16>,
    /// By code, starting at [`SPACE`].
    characters: Vec<char>,
}

/// A run of text on the shown page, in points from its lower left corner.
struct Run {
    x: f32,
    y: f32,
    /// The direction of the text, with length 1.
    along: (f32, f32),
    length: f32,
}

impl TextLayer {
    /// A layer without text. Its font is added at the end.
    pub fn new(document: &mut Document) -> Self {
        let mut layer = Self { font: document.new_object_id(), codes: HashMap::new(), characters: Vec::new() };
        layer.code(' ');
        layer
    }

    /// Adds the text layer of a page. `view`: how the page as it is now was rotated to be read.
    pub fn add(&mut self, document: &mut Document, page: ObjectId, read: &PageText, view: View) {
        let Ok(dictionary) = document.get_dictionary(page) else { return };
        let space = PageSpace::of(document, dictionary);
        let shown = space.size();
        let (width, height) = if view.turn.is_multiple_of(180) { shown } else { (shown.1, shown.0) };
        let scale = (width / read.width.max(1) as f32, height / read.height.max(1) as f32);
        let mut content = String::from("BT 3 Tr\n");
        let scale = Scale { scale, height };
        for (line, size) in read.text.lines.iter().zip(font_sizes(&read.text.lines, &scale)) {
            self.line(&mut content, line, size, &scale);
        }
        content.push_str("ET\n");
        let head = dictionary! {
            "Type" => "XObject", "Subtype" => "Form",
            "BBox" => vec![0.into(), 0.into(), Object::Real(width), Object::Real(height)],
            "Resources" => dictionary! { "Font" => dictionary! { "F" => self.font } },
        };
        let form = document.add_object(Stream::new(head, content.into_bytes()));
        let drawing =
            Drawing { form, matrix: turned_back(view, (width, height), shown).then(space.shown_to_page()), mark: None };
        overlay::draw(document, page, &[drawing], Layer::Over, Role::Content);
    }

    /// Shows the words of a line.
    fn line(&mut self, content: &mut String, line: &Line, size: f32, scale: &Scale) {
        if !(size.is_finite() && size > 0.0) {
            return;
        }
        let rtl_words = line.words.iter().filter(|word| word.text.chars().any(is_rtl)).count();
        let is_line_rtl = 2 * rtl_words > line.words.len();
        let words = line_words(line, size, scale);
        let mut before: Option<&Word> = None;
        for word in &words {
            if let Some(before) = before
                && !joins(before, word)
            {
                let run = scale.gap(line, before, word, LEAST_SPACE * size);
                self.show(content, " ", &run, size);
            }
            self.show(content, &visual_order(&word.text, is_line_rtl), &scale.run(line, word), size);
            before = Some(word);
        }
    }

    /// Shows text, stretched to the length of its run.
    fn show(&mut self, content: &mut String, text: &str, run: &Run, size: f32) {
        let codes: Vec<u16> = text.chars().map(|character| self.code(character)).collect();
        let stretch = 100.0 * run.length / (codes.len() as f32 * ADVANCE * size);
        if !(stretch.is_finite() && stretch > 0.0) {
            return;
        }
        let ((cos, sin), Run { x, y, .. }) = (run.along, run);
        // Writing to a string does not fail.
        let _ = write!(
            content,
            "/F {size:.2} Tf {stretch:.2} Tz {cos:.4} {sin:.4} {:.4} {cos:.4} {x:.2} {y:.2} Tm <",
            -sin
        );
        for code in codes {
            let _ = write!(content, "{code:04x}");
        }
        content.push_str("> Tj\n");
    }

    fn code(&mut self, character: char) -> u16 {
        let next = self.characters.len();
        let character = if next < MOST_CODES || self.codes.contains_key(&character) { character } else { ' ' };
        *self.codes.entry(character).or_insert_with(|| {
            self.characters.push(character);
            // There are at most so many.
            SPACE.saturating_add(u16::try_from(next).unwrap_or(0))
        })
    }

    /// Adds the font after all pages.
    pub fn finish(self, document: &mut Document) {
        let length = objects::count(FONT.len());
        let file = document.add_object(Stream::new(dictionary! { "Length1" => length }, FONT.to_vec()));
        let to_unicode = document.add_object(Stream::new(Dictionary::new(), to_unicode(&self.characters)));
        // All codes have the only glyph with a width.
        let glyphs = std::iter::once([0, 0]).chain(self.characters.iter().map(|_| [0, 1])).flatten().collect();
        let glyphs = document.add_object(Stream::new(Dictionary::new(), glyphs));
        #[expect(clippy::cast_possible_truncation, reason = "parts of an em")]
        let em = |part: f32| (part * 1000.0) as i64;
        let descriptor = document.add_object(dictionary! {
            "Type" => "FontDescriptor", "FontName" => "GlyphLessFont", "Flags" => 5, "ItalicAngle" => 0,
            "FontBBox" => vec![0.into(), em(-DESCENT).into(), em(ADVANCE).into(), em(ASCENT).into()],
            "Ascent" => em(ASCENT), "Descent" => em(-DESCENT), "CapHeight" => em(ASCENT), "StemV" => 80, "FontFile2" => file,
        });
        let system = dictionary! {
            "Registry" => Object::string_literal("Adobe"), "Ordering" => Object::string_literal("Identity"), "Supplement" => 0,
        };
        let descendant = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "CIDFontType2", "BaseFont" => "GlyphLessFont", "CIDSystemInfo" => system,
            "FontDescriptor" => descriptor, "DW" => em(ADVANCE), "CIDToGIDMap" => glyphs,
        });
        let font = dictionary! {
            "Type" => "Font", "Subtype" => "Type0", "BaseFont" => "GlyphLessFont", "Encoding" => "Identity-H",
            "DescendantFonts" => vec![descendant.into()], "ToUnicode" => to_unicode,
        };
        document.objects.insert(self.font, font.into());
    }
}

/// The map from codes to characters.
fn to_unicode(characters: &[char]) -> Vec<u8> {
    let mut map = String::from(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) \
         /Supplement 0 >> def\n/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n1 begincodespacerange\n<0000> <ffff>\n\
         endcodespacerange\n",
    );
    for (block, characters) in characters.chunks(BLOCK).enumerate() {
        let _ = writeln!(map, "{} beginbfchar", characters.len());
        for (code, character) in (usize::from(SPACE) + block * BLOCK..).zip(characters) {
            let _ = write!(map, "<{code:04x}> <");
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(map, "{unit:04x}");
            }
            map.push_str(">\n");
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n");
    map.into_bytes()
}

/// From the rotated page to the one as shown, which have their origins in their lower left corners and the same centre.
fn turned_back(view: View, (width, height): (f32, f32), shown: (f32, f32)) -> Matrix {
    Matrix::translation(-width / 2.0, -height / 2.0)
        .then(Matrix::rotation(f32::from(view.turn) + view.skew))
        .then(Matrix::translation(shown.0 / 2.0, shown.1 / 2.0))
}

/// From the picture used for OCR, in pixels from the upper left corner, to the page.
struct Scale {
    /// Points per pixel, across and down.
    scale: (f32, f32),
    height: f32,
}

impl Scale {
    fn point(&self, x: f32, y: f32) -> (f32, f32) {
        (x * self.scale.0, self.height - y * self.scale.1)
    }

    /// Along the line's baseline, over the word's width.
    fn run(&self, line: &Line, word: &Word) -> Run {
        self.between(line, word, word.left, word.right, word.top, word.bottom, 0.0)
    }

    /// The space between two words, with a minimum width.
    fn gap(&self, line: &Line, one: &Word, other: &Word, least: f32) -> Run {
        let (left, right) = (one.right.min(other.right), one.left.max(other.left));
        let (top, bottom) = (one.bottom.min(other.bottom), one.top.max(other.top));
        self.between(line, one, left, right, top, bottom, least)
    }

    #[expect(clippy::too_many_arguments, reason = "a rectangle, and what it belongs to")]
    fn between(&self, line: &Line, word: &Word, left: f32, right: f32, top: f32, bottom: f32, least: f32) -> Run {
        let drop = |height: f32| height * DESCENT / (ASCENT + DESCENT);
        match line.direction {
            Direction::Up => {
                let [(x1, y1), (x2, y2)] =
                    line.baseline.unwrap_or([(word.left, word.bottom), (word.right, word.bottom)]);
                let slope = (y2 - y1) / (x2 - x1).max(1.0);
                let (x, y) = self.point(left, y1 + slope * (left - x1));
                let (end_x, end_y) = self.point(right, y1 + slope * (right - x1));
                let length = (end_x - x).hypot(end_y - y);
                let along = if end_x > x { ((end_x - x) / length, (end_y - y) / length) } else { (1.0, 0.0) };
                Run { x, y, along, length: if end_x > x { length.max(least) } else { least } }
            }
            Direction::Down => {
                let (x, y) = self.point(right, word.top + drop(word.bottom - word.top));
                Run { x, y, along: (-1.0, 0.0), length: ((right - left) * self.scale.0).max(least) }
            }
            Direction::Right => {
                let (x, y) = self.point(word.left + drop(word.right - word.left), top);
                Run { x, y, along: (0.0, -1.0), length: ((bottom - top) * self.scale.1).max(least) }
            }
            Direction::Left => {
                let (x, y) = self.point(word.right - drop(word.right - word.left), bottom);
                Run { x, y, along: (0.0, 1.0), length: ((bottom - top) * self.scale.1).max(least) }
            }
        }
    }
}

/// The words of an unrotated page with their places and sizes as a font would give them, in points from the upper left corner of
/// a page of this size. Words of lines that are not upright come last. `known`: the sizes of the pages before.
pub fn placed(read: &PageText, (width, height): (f32, f32), known: &mut Sizes) -> (Vec<Placed>, Vec<Placed>) {
    let scale = Scale { scale: (width / read.width.max(1) as f32, height / read.height.max(1) as f32), height };
    let (mut upright, mut others) = (Vec::new(), Vec::new());
    let faces = face::faces(&read.text.lines, scale.scale.1, known);
    for ((line, size), face) in read.text.lines.iter().zip(font_sizes(&read.text.lines, &scale)).zip(faces) {
        let size = face.map_or(size, |face| face.size);
        let bold = face.is_some_and(|face| face.bold);
        for word in line_words(line, size, &scale) {
            let Run { x, y, length, .. } = scale.run(line, &word);
            let (left, top) = (word.left * scale.scale.0, word.top * scale.scale.1);
            let (right, bottom) = (word.right * scale.scale.0, word.bottom * scale.scale.1);
            if line.direction == Direction::Up {
                let line = height - y;
                let area = Rect { x0: x, y0: line - ASCENT * size, x1: x + length, y1: line + DESCENT * size };
                upright.push(Placed { text: word.text, area, size, bold });
            } else {
                let area = Rect { x0: left, y0: top, x1: right, y1: bottom };
                others.push(Placed { text: word.text, area, size, bold });
            }
        }
    }
    (upright, others)
}

fn line_words(line: &Line, size: f32, scale: &Scale) -> Vec<Word> {
    match line.direction {
        Direction::Up => space_out(&line.words, size / scale.scale.0),
        Direction::Right | Direction::Down | Direction::Left => line.words.clone(),
    }
}

/// Whether two words have no space between them: OCR also splits scripts without spaces.
fn joins(one: &Word, other: &Word) -> bool {
    one.text.chars().next_back().is_some_and(is_cjk) && other.text.chars().next().is_some_and(is_cjk)
}

/// Joins words without a space between them, and narrows words that are too close to each other by up to a quarter: readers tell
/// words apart by gaps. `em` is in pixels.
fn space_out(words: &[Word], em: f32) -> Vec<Word> {
    let mut spaced: Vec<Word> = Vec::with_capacity(words.len());
    for word in words {
        let mut word = word.clone();
        if let Some(before) = spaced.last_mut() {
            let gap = word.left.max(before.left) - word.right.min(before.right);
            if joins(before, &word) && gap.abs() < em {
                before.text.push_str(&word.text);
                before.left = before.left.min(word.left);
                before.right = before.right.max(word.right);
                before.top = before.top.min(word.top);
                before.bottom = before.bottom.max(word.bottom);
                continue;
            }
            let missing = (LEAST_SPACE * em - gap) / 2.0;
            if missing > 0.0 {
                let (left, right) = if before.left <= word.left { (before, &mut word) } else { (&mut word, before) };
                left.right -= missing.min((left.right - left.left) / 4.0);
                right.left += missing.min((right.right - right.left) / 4.0);
            }
        }
        spaced.push(word);
    }
    spaced
}

/// Font sizes for these lines. Neighbours of similar size get the same one, because readers use sizes to find paragraphs, and not
/// every line has tall letters.
fn font_sizes(lines: &[Line], scale: &Scale) -> Vec<f32> {
    let mut sizes: Vec<f32> = lines.iter().map(|line| font_size(line, scale)).collect();
    for group in sizes.chunk_by_mut(|one, other| one.max(*other) < ALIKE * one.min(*other)) {
        let mut sorted = group.to_vec();
        sorted.sort_by(f32::total_cmp);
        if let Some(middle) = sorted.get(sorted.len() / 2) {
            group.fill(*middle);
        }
    }
    sizes
}

/// Makes the letters reach from the line's bottom to its top, in points.
fn font_size(line: &Line, scale: &Scale) -> f32 {
    let highest = |height: fn(&Word) -> f32| line.words.iter().map(height).fold(0.0, f32::max);
    match (line.direction, line.baseline) {
        (Direction::Up, Some([(x1, y1), (x2, y2)])) => {
            let slope = (y2 - y1) / (x2 - x1).max(1.0);
            // Measured at the centre of a word, since the box of a sloping word is higher than its letters.
            let above = |word: &Word| {
                y1 + slope * (f32::midpoint(word.left, word.right) - x1)
                    - word.top
                    - slope.abs() * (word.right - word.left) / 2.0
            };
            let ascent = line.words.iter().map(above).fold(0.0, f32::max);
            ascent * scale.scale.1 / ASCENT
        }
        (Direction::Up | Direction::Down, _) => highest(|word| word.bottom - word.top) * scale.scale.1,
        (Direction::Right | Direction::Left, _) => highest(|word| word.right - word.left) * scale.scale.0,
    }
}
