//! What glyphs look like, and the characters of those that look like known ones.
//!
//! `shapes.bin` has the usual shapes of characters, measured by the ignored test below in fonts with free licences: Latin Modern Roman
//! and Math, TeX Gyre Heros, Termes, Cursor, Pagella and Termes Math (GUST Font License), STIX General, Carlito (SIL Open Font License) and
//! Caladea (Apache License).

use std::sync::LazyLock;

use docmill_pdf_fonts::stated::plain;

use super::ink::Drawing;

const TABLE: &[u8] = include_bytes!("shapes.bin");
/// Bytes of an entry: its character, its box in thousandths of an em, and its cells.
const ENTRY: usize = 3 + 8 + SIDE * SIDE / 4;
/// Cells of a side, and lines of a cell at which its ink is measured.
const SIDE: usize = 16;
const LINES: u8 = 4;
/// Most ink of a cell.
const FULL: f32 = 3.0;
/// A glyph that is higher, in ems, may begin anywhere: brackets of formulas hang below the line, or are in its middle.
const TALL: f32 = 1.1;
/// A glyph that is lower, in ems, is a dash or a dot.
const FLAT: f32 = 0.15;
/// How far boxes may be apart at most, in ems and in parts of their size.
const APART: f32 = 0.03;
const PART: f32 = 0.15;
const RAISED: f32 = 0.12;
/// The least likeness to the usual shape of a character, to that of a dash, and to that of one that differs by little from others in some
/// fonts.
const LEAST: f32 = 0.63;
const LEAST_OF_DASHES: f32 = 0.92;
const DASHES: &str = "-−–—";
const LEAST_OF_DOUBTFUL: f32 = 0.96;
const DOUBTFUL: &str = "Il|0/⁄▪■∨ι";
/// The least likeness to another glyph of the document, and to one that is only a stroke, which may be any of these.
const LEAST_OWN: f32 = 0.95;
const SAME: f32 = 0.995;
const STROKES: &str = "Il1|";
/// How much less another character must be alike, for each part of likeness that is missing, and at least.
const AHEAD: f32 = 0.8;
const LEAST_AHEAD: f32 = 0.01;

static USUAL: LazyLock<Vec<Known>> = LazyLock::new(|| TABLE.chunks_exact(ENTRY).filter_map(Known::read).collect());

/// A shape, and the text that it stands for.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) text: String,
    pub(super) shape: Shape,
}

impl Known {
    fn read(entry: &[u8]) -> Option<Self> {
        let (character, rest) = entry.split_first_chunk::<3>()?;
        let (bounds, cells) = rest.split_first_chunk::<8>()?;
        let [high, middle, low] = *character;
        let text = plain(char::from_u32(u32::from_be_bytes([0, high, middle, low]))?);
        let mut edges = bounds.as_chunks().0.iter().map(|pair| f32::from(i16::from_be_bytes(*pair)) / 1000.0);
        let bounds = [edges.next()?, edges.next()?, edges.next()?, edges.next()?];
        let mut unpacked = [0; SIDE * SIDE];
        for (four, byte) in unpacked.as_chunks_mut::<4>().0.iter_mut().zip(cells) {
            *four = [byte >> 6, byte >> 4 & 3, byte >> 2 & 3, byte & 3];
        }
        Some(Self { text, shape: Shape { bounds, cells: unpacked } })
    }
}

/// The text of the glyph that a shape is: that of other fonts of its document, or the usual one. `None` if it looks like none, or like
/// several. `any_letters`: whether it may be a usual letter or digit.
pub(super) fn read<'k>(shape: &Shape, own: &'k [Known], any_letters: bool) -> Option<&'k str> {
    let is_stroke = |text: &str| shape.is_box() && STROKES.contains(text);
    let is_same = |likeness: f32, text: &str| likeness >= if is_stroke(text) { SAME } else { LEAST_OWN };
    let told = best(shape, own.iter()).filter(|(likeness, text)| is_same(*likeness, text));
    let usual = || {
        let (likeness, text) = best(shape, USUAL.iter())?;
        let least = match text {
            text if DASHES.contains(text) => LEAST_OF_DASHES,
            text if DOUBTFUL.contains(text) => LEAST_OF_DOUBTFUL,
            _ => LEAST,
        };
        let is_foreign = !any_letters && text.chars().any(char::is_alphanumeric);
        (likeness >= least && !is_foreign && !is_stroke(text)).then_some((likeness, text))
    };
    told.or_else(usual).map(|(_, text)| text)
}

/// What a shape is most like, by how much. `None` if another text is almost as much alike.
fn best<'k>(shape: &Shape, known: impl Iterator<Item = &'k Known>) -> Option<(f32, &'k str)> {
    let mut found: Option<(f32, &str)> = None;
    let mut next = 0.0_f32;
    for known in known {
        let Some(likeness) = shape.likeness(&known.shape) else { continue };
        match &mut found {
            Some((best, text)) if *text == known.text => *best = best.max(likeness),
            Some((best, text)) if likeness > *best => {
                next = next.max(*best);
                (*best, *text) = (likeness, &known.text);
            }
            Some(_) => next = next.max(likeness),
            None => found = Some((likeness, &known.text)),
        }
    }
    found.filter(|(best, _)| best - next >= (AHEAD * (1.0 - best)).max(LEAST_AHEAD))
}

/// A glyph: where its box is in the em, and how much ink each part of the box has.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// Left, bottom, right and top.
    bounds: [f32; 4],
    /// By lines from the bottom.
    cells: [u8; SIDE * SIDE],
}

impl Shape {
    /// `None`: the glyph has no area.
    pub(super) fn new(drawing: &Drawing) -> Option<Self> {
        let bounds = drawing.bounds();
        let [left, bottom, right, top] = bounds;
        let (width, height) = (right - left, top - bottom);
        if !(width > 0.0 && height > 0.0) {
            return None;
        }
        let mut cells = [0; SIDE * SIDE];
        for (row, cells) in cells.chunks_exact_mut(SIDE).enumerate() {
            let mut ink = [0.0_f32; SIDE];
            for line in 0..LINES {
                let part = (f32::from(line) + 0.5) / f32::from(LINES);
                let y = bottom + height * (row as f32 + part) / SIDE as f32;
                for (from, to) in drawing.ink(y) {
                    let place = |x: f32| (x - left) / width * SIDE as f32;
                    let (from, to) = (place(from), place(to));
                    for (column, ink) in ink.iter_mut().enumerate() {
                        let column = column as f32;
                        *ink += (to.min(column + 1.0) - from.max(column)).max(0.0);
                    }
                }
            }
            for (cell, ink) in cells.iter_mut().zip(ink) {
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 3")]
                let part = (ink / f32::from(LINES) * FULL).round().clamp(0.0, FULL) as u8;
                *cell = part;
            }
        }
        Some(Self { bounds, cells })
    }

    /// Whether it is all ink.
    fn is_box(&self) -> bool {
        self.cells.iter().all(|cell| f32::from(*cell) >= FULL)
    }

    /// How much it is like another one, up to 1. `None`: their sizes or places differ too much.
    fn likeness(&self, other: &Self) -> Option<f32> {
        let [left, bottom, right, top] = self.bounds;
        let [other_left, other_bottom, other_right, other_top] = other.bounds;
        let (width, height) = (right - left, top - bottom);
        let off = |one: f32, other: f32| (one - other).abs();
        let (wider, higher) = (off(width, other_right - other_left), off(height, other_top - other_bottom));
        let raised = if height > TALL { 0.0 } else { off(bottom, other_bottom) };
        if wider > APART + PART * width || higher > APART + PART * height || raised > RAISED {
            return None;
        }
        // Where a glyph begins says less than its size, unless it is a dash, which is all that tells some from a minus.
        let moved = off(left, other_left).min(0.2) * if height < FLAT { 1.0 } else { 0.3 };
        Some(self.shared(other) - wider - higher - raised - moved)
    }

    /// The part of the ink of both boxes that they share, if they are laid over each other.
    fn shared(&self, other: &Self) -> f32 {
        let (mut shared, mut all) = (0u16, 0u16);
        for (one, other) in self.cells.iter().zip(&other.cells) {
            shared += u16::from(*one.min(other));
            all += u16::from(*one.max(other));
        }
        if all == 0 { 0.0 } else { f32::from(shared) / f32::from(all) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use skrifa::{FontRef, MetadataProvider as _};
    use unicode_normalization::UnicodeNormalization as _;

    use super::*;

    const SANS: &[u8] = include_bytes!("../../../../../infra/worker/fonts/ArimoFitted-Regular.ttf");
    /// A font of another design than all that the table is of.
    const COMIC: &[u8] = include_bytes!("../../../../../infra/worker/fonts/ComicRelief-Regular.ttf");

    fn shape(data: &[u8], character: char) -> Shape {
        let font = FontRef::new(data).unwrap();
        let glyph = u16::try_from(font.charmap().map(character).unwrap().to_u32()).unwrap();
        Shape::new(&Drawing::of_glyph(&font, glyph).unwrap()).unwrap()
    }

    #[test]
    fn glyphs_that_look_as_usual_are_known() {
        let told = |any_letters| ['h', 'm', 'n', '+'].map(|character| read(&shape(SANS, character), &[], any_letters));
        assert_eq!(told(true), [Some("h"), Some("m"), Some("n"), Some("+")]);
        // Where the alphabet is not known, letters may be others.
        assert_eq!(told(false), [None, None, None, Some("+")]);
    }

    #[test]
    fn what_may_be_several_characters_is_not_told() {
        for character in ['I', 'l', '|', 'O'] {
            assert_eq!(read(&shape(SANS, character), &[], true), None, "{character}");
        }
        let wrong = ('!'..='~').filter(|character| {
            read(&shape(COMIC, *character), &[], true).is_some_and(|told| told != character.to_string())
        });
        assert_eq!(wrong.collect::<String>(), "");
    }

    #[test]
    fn other_glyphs_of_the_document_say_what_a_glyph_is() {
        let known = |character: char| Known { text: character.to_string(), shape: shape(COMIC, character) };
        let own: Vec<Known> = "adghIlt".chars().map(known).collect();
        let told = |character: char| read(&shape(COMIC, character), &own, false).map(str::to_owned);
        assert_eq!(
            ['a', 'I', 'l', 'q'].map(told),
            [Some("a".to_owned()), Some("I".to_owned()), Some("l".to_owned()), None]
        );
    }

    /// The characters of the table, besides ASCII.
    const CHARACTERS: &str = "«»‘’“”–—…•†‡§¶©®°±μ×÷¬·¡¿£¥€ß´ıȷℏℓℜℑ℘ℵ∂∇ΓΔΘΛΞΠΣΥΦΨΩαβγδεζηθικλνξπρςστυφχψωϑϕϖϰϱϵ←→↑↓↔⇐⇒⇑⇓⇔↦↗↘↖↙∀∃∅∈∉∋∏∐∑−∓∗∘√\
                              ∝∞∠∧∨∩∪∫∮∴∵∼≃≅≈≠≡≤≥⩽⩾≪≫⊂⊃⊆⊇⊄⊕⊖⊗⊙⊥⊢⊣⊎⊓⊔⋆⋄⋮⋯⋱⌈⌉⌊⌋⟨⟩‖′″‴□■▪▫▲△▶▷▼▽◀◁◆◇○★☆✓♠♣♥♦♭♮♯ﬀﬁﬂﬃﬄ≺≻≼≽∖⁄";
    /// Those whose larger glyphs are in it, too.
    const LARGE: &str = "()[]{}⟨⟩|‖√∑∏∐∫∮⌈⌉⌊⌋";
    /// Letters of formulas: italic ones, and Greek ones.
    const ITALIC: [std::ops::RangeInclusive<u32>; 3] = [0x210E..=0x210E, 0x1D434..=0x1D467, 0x1D6E2..=0x1D71B];

    fn is_listed(character: char) -> bool {
        character.is_ascii_graphic() || CHARACTERS.contains(character)
    }

    /// The glyphs of a font and their characters.
    fn listed(font: &FontRef<'_>) -> Vec<(u16, char)> {
        let mut by_name = HashMap::new();
        let mut found = Vec::new();
        let glyph = |glyph: skrifa::GlyphId| u16::try_from(glyph.to_u32()).unwrap();
        // Fonts of text give little besides letters and digits.
        let has_symbols = font.charmap().map('∀').is_some();
        for (code, id) in font.charmap().mappings() {
            let italic = ITALIC.iter().any(|range| range.contains(&code));
            let Some(character) = char::from_u32(code) else { continue };
            let character = if italic { character.nfkc().next().unwrap() } else { character };
            if is_listed(character) && (has_symbols || character.is_ascii() || "‘’“”".contains(character)) {
                found.push((glyph(id), character));
                by_name.insert(font.glyph_names().get(id).unwrap().to_string(), character);
            }
        }
        for (id, name) in font.glyph_names().iter() {
            let name = name.to_string();
            let larger = name.split_once('.').and_then(|(base, _)| by_name.get(base));
            found.extend(
                larger.filter(|character| LARGE.contains(**character)).map(|character| (glyph(id), *character)),
            );
        }
        found
    }

    /// Writes the table: `FONTS=FILE cargo test -p docmill-pdf-tag --lib -- --ignored the_table`. The file lists the fonts' paths.
    #[test]
    #[ignore = "needs fonts that are not installed"]
    fn the_table_is_measured() {
        let list = std::fs::read_to_string(std::env::var("FONTS").unwrap()).unwrap();
        let (mut known, mut bytes): (Vec<Known>, Vec<u8>) = (Vec::new(), Vec::new());
        for path in list.lines() {
            let data = std::fs::read(path).unwrap();
            let font = FontRef::new(&data).unwrap();
            for (glyph, character) in listed(&font) {
                let Some(shape) = Drawing::of_glyph(&font, glyph).and_then(|drawing| Shape::new(&drawing)) else {
                    continue;
                };
                let text = character.to_string();
                let is_same = |other: &Known| {
                    other.text == text && shape.likeness(&other.shape).is_some_and(|likeness| likeness > 0.95)
                };
                if known.iter().any(is_same) {
                    continue;
                }
                bytes.extend(&u32::from(character).to_be_bytes()[1..]);
                #[expect(clippy::cast_possible_truncation, reason = "thousandths of an em")]
                bytes.extend(shape.bounds.iter().flat_map(|edge| ((edge * 1000.0).round() as i16).to_be_bytes()));
                bytes.extend(shape.cells.chunks(4).map(|four| four.iter().fold(0, |byte, cell| byte << 2 | cell)));
                known.push(Known { text, shape });
            }
        }
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/shapes.bin"), &bytes).unwrap();
    }
}
