//! Blocks that may be headings, with what they and their neighbours tell.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use docmill_pdf_core::pdfium::Rect;

use super::features::Local;
use crate::blocks::{Block, Content, PageBlocks, area_of};
use crate::order::Line;
use crate::styles;

/// Longer ones are no headings.
const LINES: usize = 3;
const CHARACTERS: usize = 150;
/// Titles may be longer.
const TITLE_LINES: usize = 6;
const TITLE_CHARACTERS: usize = 400;
/// What is farther, in ems, is as far.
const FAR: f32 = 20.0;
/// Longer neighbours are as long, in words.
const LONG: usize = 60;
/// What Roman numbers are instead of a depth.
pub(super) const ROMAN: f32 = 10.0;
/// Deeper numbers are as deep.
const DEEP: usize = 5;

/// The type of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Style {
    /// In half points.
    pub size: i32,
    pub bold: bool,
    pub italic: bool,
}

/// A block that may be a heading.
#[derive(Debug)]
pub(super) struct Candidate {
    pub page: usize,
    pub block: usize,
    pub size: f32,
    pub style: Style,
    /// The hash of its text without a number.
    pub name: u64,
    pub local: Local,
}

impl Candidate {
    /// Its page and block.
    pub(super) fn place(&self) -> (usize, usize) {
        (self.page, self.block)
    }

    fn is_long(&self) -> bool {
        self.local.lines > LINES as f32 || self.local.chars > CHARACTERS as f32
    }

    /// Those of a document with the same value look alike.
    pub(super) fn group(&self) -> (Style, bool, u32, bool) {
        (self.style, self.local.caps > 0.9, self.local.number.min(6.0).to_bits(), self.local.item > 0.0)
    }
}

/// A page whose candidates are looked for.
pub(super) struct PageOf<'p> {
    page: &'p PageBlocks,
    at: usize,
    is_first: bool,
    /// What stands in the text, with its number.
    pub blocks: Vec<(usize, &'p Block)>,
    /// The edges of the text.
    left: f32,
    right: f32,
}

impl<'p> PageOf<'p> {
    pub(super) fn new(page: &'p PageBlocks, at: usize, is_first: bool) -> Self {
        let stands = |block: &Block| {
            matches!(block.content, Content::Table(_))
                || lines_of(&block.content).is_some_and(|lines| lines.iter().any(|line| !line.words.is_empty()))
        };
        let blocks: Vec<(usize, &Block)> =
            page.blocks.iter().enumerate().filter(|(_, block)| block.is_text() && stands(block)).collect();
        let areas = || blocks.iter().filter_map(|(_, block)| area_of(text_of(&block.content)?));
        let left = areas().map(|area| area.x0).reduce(f32::min).unwrap_or(0.0);
        let right = areas().map(|area| area.x1).reduce(f32::max).unwrap_or(page.width);
        Self { page, at, is_first, blocks, left, right }
    }

    pub(super) fn candidates(&self) -> impl Iterator<Item = Candidate> {
        (0..self.blocks.len()).filter_map(|at| self.candidate(at, LINES, CHARACTERS))
    }

    /// The blocks that are too long for headings, but not for a title.
    pub(super) fn long(&self) -> impl Iterator<Item = Candidate> {
        let long = |at| self.candidate(at, TITLE_LINES, TITLE_CHARACTERS).filter(Candidate::is_long);
        (0..self.blocks.len()).filter_map(long)
    }

    fn candidate(&self, at: usize, most_lines: usize, most_characters: usize) -> Option<Candidate> {
        let (number, block) = self.blocks.get(at)?;
        let lines = text_of(&block.content).filter(|_| block.tagged.is_none())?;
        let text = text(&block.content, lines);
        let chars = text.chars().count();
        if lines.len() > most_lines || chars > most_characters || !text.chars().any(char::is_alphabetic) {
            return None;
        }
        let (size, style) = style(lines);
        let area = area_of(lines)?;
        let mut local = wording(&text);
        local.rule = said(matches!(block.content, Content::Heading { .. }));
        local.item = match &block.content {
            Content::Item { number: None, .. } => 1.0,
            Content::Item { number: Some(_), .. } => 2.0,
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Code { .. }
            | Content::Table(_)
            | Content::Aside { .. }
            | Content::Running { .. } => 0.0,
        };
        (local.lines, local.chars) = (lines.len() as f32, chars as f32);
        (local.bold, local.italic) = (said(style.bold), said(style.italic));
        self.places(&mut local, &area, size.max(1.0));
        let before = at.checked_sub(1).and_then(|at| self.blocks.get(at)).map(|(_, block)| *block);
        let after = self.blocks.get(at + 1).map(|(_, block)| *block);
        let above = before.map(|other| Near::new(other, |there| area.y0 - there.y1, (size, style)));
        let below = after.map(|other| Near::new(other, |there| there.y0 - area.y1, (size, style)));
        let above = above.unwrap_or(NONE);
        (local.above_gap, local.above_kind, local.above_same) = (above.gap, above.kind, above.same);
        (local.above_words, local.above_size) = (above.words, above.size);
        let below = below.unwrap_or(NONE);
        (local.below_gap, local.below_kind, local.below_same) = (below.gap, below.kind, below.same);
        (local.below_words, local.below_size) = (below.words, below.size);
        Some(Candidate { page: self.at, block: *number, size, style, name: hash(&letters(&text)), local })
    }

    fn places(&self, local: &mut Local, area: &Rect, em: f32) {
        let far = |points: f32| (points / em).clamp(-FAR, FAR);
        local.top = area.y0 / self.page.height.max(1.0);
        local.indent = far(area.x0 - self.left);
        local.centre = far((area.x0 + area.x1 - self.left - self.right) / 2.0);
        local.wide = area.width() / (self.right - self.left).max(1.0);
        local.first = said(self.is_first);
        local.landscape = said(self.page.width > self.page.height);
    }
}

/// A neighbour.
struct Near {
    gap: f32,
    kind: f32,
    same: f32,
    words: f32,
    size: f32,
}

const NONE: Near = Near { gap: FAR, kind: 0.0, same: 0.0, words: 0.0, size: 0.0 };

impl Near {
    fn new(other: &Block, gap: impl Fn(&Rect) -> f32, (size, style): (f32, Style)) -> Self {
        let em = size.max(1.0);
        let kind = match &other.content {
            Content::Heading { .. } => 1.0,
            Content::Paragraph { .. } => 2.0,
            Content::Item { .. } => 3.0,
            Content::Table(_) => 4.0,
            Content::Code { .. } => 5.0,
            Content::Aside { .. } | Content::Running { .. } => 0.0,
        };
        let lines = lines_of(&other.content);
        let area = lines.and_then(area_of).unwrap_or(other.area);
        let near = Self { gap: (gap(&area) / em).clamp(-FAR, FAR), kind, ..NONE };
        let Some(lines) = lines else { return near };
        let (there, of) = self::style(lines);
        let is_same = (there - size).abs() < 0.3 && (of.bold, of.italic) == (style.bold, style.italic);
        let words: usize = lines.iter().map(|line| line.words.len()).sum();
        Self { same: said(is_same), words: words.min(LONG) as f32, size: there / em, ..near }
    }
}

/// The lines of a block that may be a heading.
pub(super) fn text_of(content: &Content) -> Option<&[Line]> {
    match content {
        Content::Heading { lines, .. } | Content::Paragraph { lines } | Content::Item { lines, .. } => Some(lines),
        Content::Code { .. } | Content::Table(_) | Content::Aside { .. } | Content::Running { .. } => None,
    }
}

fn lines_of(content: &Content) -> Option<&[Line]> {
    match content {
        Content::Code { lines } => Some(lines),
        Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Item { .. }
        | Content::Table(_)
        | Content::Aside { .. }
        | Content::Running { .. } => text_of(content),
    }
}

/// The text of a block, with its number.
fn text(content: &Content, lines: &[Line]) -> String {
    let text = lines.iter().map(Line::text).collect::<Vec<_>>().join(" ");
    match content {
        Content::Item { number: Some(number), .. } => format!("{number}. {text}"),
        Content::Item { number: None, .. }
        | Content::Heading { .. }
        | Content::Paragraph { .. }
        | Content::Code { .. }
        | Content::Table(_)
        | Content::Aside { .. }
        | Content::Running { .. } => text,
    }
}

fn style(lines: &[Line]) -> (f32, Style) {
    let size = lines.first().map_or(0.0, Line::size);
    let all = |is: fn(&crate::Word) -> bool| lines.iter().all(|line| line.all(is));
    let (bold, italic) = (all(|word| word.font.bold), all(|word| word.font.italic));
    (size, Style { size: styles::key(size), bold, italic })
}

/// What the wording tells.
fn wording(text: &str) -> Local {
    let count = |is: fn(char) -> bool| text.chars().filter(|c| is(*c)).count() as f32;
    let firsts = || text.split_whitespace().filter_map(|word| word.chars().next()).filter(|c| c.is_alphabetic());
    Local {
        words: text.split_whitespace().count() as f32,
        caps: count(char::is_uppercase) / count(char::is_alphabetic).max(1.0),
        titled: firsts().filter(|c| c.is_uppercase()).count() as f32 / (firsts().count() as f32).max(1.0),
        digits: count(|c| c.is_ascii_digit()) / count(|_| true).max(1.0),
        ends: said(text.ends_with(['.', '!', '?', '…', '。'])),
        colon: said(text.ends_with([':', '：'])),
        comma: said(text.ends_with([',', ';'])),
        lower: said(text.starts_with(char::is_lowercase)),
        number: numbering(text),
        entry: said(styles::is_entry(text)),
        ..Local::default()
    }
}

/// How deep the number of a section is; 10 for Roman ones, 11 for letters, and 12 for words such as chapter.
fn numbering(text: &str) -> f32 {
    let mut words = text.split_whitespace();
    let Some(first) = words.next() else { return 0.0 };
    let next = words.next();
    let number = first.strip_prefix('(').unwrap_or(first);
    let number = number.strip_suffix(['.', ')']).unwrap_or(number);
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    if number.split('.').all(is_digits) {
        return number.split('.').count().min(DEEP) as f32;
    }
    let is_roman = |c: char| matches!(c, 'I' | 'V' | 'X');
    let marked = first.strip_suffix(['.', ')']).filter(|mark| !mark.is_empty() && next.is_some());
    match marked {
        Some(mark) if mark.chars().all(is_roman) => return ROMAN,
        Some(mark) if mark.len() == 1 && mark.bytes().all(|c| c.is_ascii_alphabetic()) => return 11.0,
        Some(_) | None => {}
    }
    let begins = |next: &str, is: &dyn Fn(char) -> bool| {
        let rest = next.trim_start_matches(is);
        rest.len() < next.len() && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    };
    let counts = next.is_some_and(|next| begins(next, &|c| c.is_ascii_digit()) || begins(next, &is_roman));
    if counts && first.chars().all(char::is_alphabetic) { 12.0 } else { 0.0 }
}

/// The text from its first letter on, without what is neither letter nor digit.
fn letters(text: &str) -> String {
    let is_letter = |c: &char| c.is_ascii_lowercase() || !c.is_ascii();
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric()).skip_while(|c| !is_letter(c)).collect()
}

/// The hash of the title that a line of a table of contents names.
pub(super) fn title_of_entry(text: &str) -> u64 {
    let is_leader = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | '…' | '·' | '_');
    hash(&letters(text.trim_end_matches(is_leader)))
}

/// The hash of a title without its number. `None` if it has no letters.
pub(super) fn letters_hash(title: &str) -> Option<u64> {
    Some(letters(title)).filter(|letters| !letters.is_empty()).map(|letters| hash(&letters))
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

pub(super) fn said(is: bool) -> f32 {
    if is { 1.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_sections_are_as_deep_as_their_parts() {
        let depths = ["1 One", "2. Two", "(3) Three", "1.2 a", "1.2.3.", "1.2.3.4.5.6 b"].map(numbering);
        assert_eq!(depths, [1.0, 1.0, 1.0, 2.0, 3.0, 5.0]);
        let others = ["IV. Four", "B) Two", "Chapter 3: Three", "Part II", "A", "One 2x", "1a b", "x"].map(numbering);
        assert_eq!(others, [10.0, 11.0, 12.0, 12.0, 0.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn titles_are_those_of_their_lines_in_the_table_of_contents() {
        let hash = |text: &str| hash(&letters(text));
        assert_eq!(title_of_entry("1.2 The Ships ........ 12"), hash("1.2 The Ships"));
        assert_eq!(hash("The Ships"), hash("3.  THE SHIPS"));
        assert_ne!(hash("The Ships"), hash("The Shops"));
    }
}
