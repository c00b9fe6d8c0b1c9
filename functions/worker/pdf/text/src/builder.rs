//! Groups the lines of one column into blocks.

use docmill_pdf_core::pdfium::Rect;

use super::blocks::{Block, Content, area_of};
use super::markers::{Lettered, marker};
use super::order::{self, Line};
use super::rules::Horizontal;
use super::styles::Styles;
use super::tables::{self, Surroundings, Table};
use super::wording;
use super::words::Word;

/// Stands for a table in a word's text. No font has this character.
const PLACEHOLDER: char = '\u{10fffd}';

/// The text of the word that stands for a table.
pub(super) fn placeholder(index: usize) -> String {
    format!("{PLACEHOLDER}{index}")
}

pub(super) struct Builder<'s> {
    styles: &'s Styles,
    rules: &'s [Horizontal],
    blocks: Vec<Block>,
    /// The left edges of the open lists' items.
    indents: Vec<f32>,
    lettered: Lettered,
}

impl<'s> Builder<'s> {
    pub(super) fn new(styles: &'s Styles, rules: &'s [Horizontal]) -> Self {
        Self { styles, rules, blocks: Vec::new(), indents: Vec::new(), lettered: Lettered::default() }
    }

    /// The blocks of these lines. `found`: the tables that placeholders stand for.
    pub(super) fn blocks(mut self, lines: Vec<Line>, found: &mut [Option<Table>]) -> Vec<Block> {
        let area = lines.iter().map(|line| line.area).reduce(|a, b| a.union(&b)).unwrap_or_default();
        let mut at = 0;
        // Where the text begins that is after the last table.
        let mut start = 0;
        while let Some(line) = lines.get(at) {
            if line.words.iter().any(is_placeholder) {
                self.beside_tables(line, &area, found);
                at += 1;
                start = at;
                continue;
            }
            let (before, after) = lines.split_at(at);
            let above = before.get(start..).unwrap_or_default();
            if let Some(taken) = self.aligned_table(after, above) {
                at += taken;
                start = at;
                continue;
            }
            self.line(line, above.last(), &area);
            at += 1;
        }
        self.blocks
    }

    /// Takes the table that begins with the first of these lines, and returns how many lines it has.
    /// `above`: the lines of text before them.
    fn aligned_table(&mut self, lines: &[Line], above: &[Line]) -> Option<usize> {
        let line = lines.first()?;
        // A rule that is typed is no text, and parts a table from what is above it.
        let rules = usize::from(tables::is_typed_rule(line));
        let goes_on = above.last().is_some_and(|above| !tables::is_typed_rule(above) && self.continues(above, line));
        if marker(line).is_some() || goes_on && rules == 0 && !tables::is_typed_row(line) {
            return None;
        }
        let unruled = lines.get(rules..)?.iter().take_while(|line| !line.words.iter().any(is_placeholder));
        let around = Surroundings { above, leading: self.styles.leading, rules: self.rules };
        let found = tables::aligned(unruled, &around)?;
        (0..found.above).for_each(|_| self.take_line());
        self.table(found.area, found.table);
        Some(rules + found.lines)
    }

    /// Takes the last line out of its block.
    fn take_line(&mut self) {
        let Some(block) = self.blocks.last_mut() else { return };
        let (Content::Heading { lines, .. }
        | Content::Paragraph { lines }
        | Content::Item { lines, .. }
        | Content::Code { lines }
        | Content::Aside { lines }
        | Content::Running { lines }) = &mut block.content
        else {
            return;
        };
        lines.pop();
        match area_of(lines) {
            Some(area) => block.area = area,
            None => drop(self.blocks.pop()),
        }
    }

    /// Whether a line is as close to the one above as those of a paragraph are.
    fn continues(&self, above: &Line, line: &Line) -> bool {
        let step = line.area.center().1 - above.area.center().1;
        same_style(above, line) && step < line.size() * (self.styles.leading + 0.15)
    }

    /// A line with tables in it, which are as high as several lines of the text beside them.
    fn beside_tables(&mut self, line: &Line, area: &Rect, found: &mut [Option<Table>]) {
        for part in line.words.chunk_by(|a, b| !is_placeholder(a) && !is_placeholder(b)) {
            match part {
                [word] if is_placeholder(word) => {
                    if let Some(table) = table_of(word, found) {
                        self.table(word.area, table);
                    }
                }
                words => {
                    let mut above = None;
                    for line in order::lines(words.to_vec()) {
                        self.line(&line, above.as_ref(), area);
                        above = Some(line);
                    }
                }
            }
        }
    }

    fn table(&mut self, area: Rect, table: Table) {
        self.indents.clear();
        self.blocks.push(Block { area, content: Content::Table(table), tagged: None });
    }

    fn line(&mut self, line: &Line, above: Option<&Line>, area: &Rect) {
        let goes_on = matches!(self.blocks.last(), Some(Block { content: Content::Code { .. }, .. }));
        let code = line.all(|word| word.font.fixed) && (goes_on || line.text().chars().count() > 1);
        let gap = above.map_or(f32::MAX, |above| line.area.y0 - above.area.y1);
        if code {
            match self.blocks.last_mut() {
                Some(Block { area, content: Content::Code { lines }, .. }) if gap < line.size() * 1.5 => {
                    *area = area.union(&line.area);
                    lines.push(line.clone());
                }
                _ => self.push(line, Content::Code { lines: vec![line.clone()] }),
            }
            return;
        }
        if let Some(item) = self.item(line, area) {
            self.push(line, item);
            return;
        }
        if self.styles.is_heading(line) {
            self.indents.clear();
            let goes_on = above.is_some_and(|above| same_style(above, line) && !is_whole(above, line, area))
                && gap < line.size() * 0.7;
            match self.blocks.last_mut() {
                Some(Block { area, content: Content::Heading { lines, .. }, .. }) if goes_on => {
                    *area = area.union(&line.area);
                    lines.push(line.clone());
                }
                _ => self.push(line, Content::Heading { level: 1, lines: vec![line.clone()] }),
            }
            return;
        }
        self.text(line, above, gap, area);
    }

    /// Appends a line to the paragraph or item above, or starts a new paragraph.
    fn text(&mut self, line: &Line, above: Option<&Line>, gap: f32, area: &Rect) {
        let size = line.size();
        let indented = start(line, area);
        // Arabic fonts leave more space between lines.
        let leading = if line.rtl { 1.2 } else { 0.75 };
        let goes_on = |before: &[Line]| {
            let Some(last) = above else { return false };
            let same_size = (last.size() - size).abs() < size * 0.15;
            let first_line = before.len() == 1;
            // An indented line begins a paragraph, unless all lines of it are as far in.
            let begins = indented > start(last, area) + size * 0.8 && !(first_line && indented < size * 0.5);
            same_size && gap < size * leading && !begins && !ends_early(last, line, area)
        };
        match self.blocks.last_mut() {
            Some(Block { area: whole, content: Content::Paragraph { lines }, .. }) if goes_on(lines) => {
                *whole = whole.union(&line.area);
                lines.push(line.clone());
            }
            Some(Block { area: whole, content: Content::Item { lines, .. }, .. })
                if gap < size * 0.75 && self.indents.last().is_some_and(|indent| indented > indent + size * 0.4) =>
            {
                *whole = whole.union(&line.area);
                lines.push(line.clone());
            }
            _ => {
                self.indents.clear();
                self.push(line, Content::Paragraph { lines: vec![line.clone()] });
            }
        }
    }

    /// The item that a line begins.
    fn item(&mut self, line: &Line, area: &Rect) -> Option<Content> {
        if self.styles.is_larger(line) {
            return None;
        }
        let is_first = self.blocks.is_empty();
        let (number, marker, rest) = match marker(line) {
            // "1. ábra" is a caption.
            Some((Some(_), _)) if wording::is_caption(line) => return None,
            Some((number, rest)) => (number, number.and(line.words.first()).cloned().map(Box::new), rest),
            // Letters say what no number of an item can, so they stay in its text.
            None if !self.styles.is_heading(line) && self.lettered.is_item(line, is_first) => {
                (None, None, line.clone())
            }
            None => return None,
        };
        let start = start(line, area);
        while self.indents.last().is_some_and(|indent| *indent > start + line.size() * 0.5) {
            self.indents.pop();
        }
        if self.indents.last().is_none_or(|indent| start > *indent + line.size() * 0.5) {
            self.indents.push(start);
        }
        let depth = u8::try_from(self.indents.len().saturating_sub(1)).unwrap_or(u8::MAX);
        Some(Content::Item { number, depth, marker, lines: vec![rest] })
    }

    fn push(&mut self, line: &Line, content: Content) {
        self.blocks.push(Block { area: line.area, content, tagged: None });
    }
}

fn same_style(a: &Line, b: &Line) -> bool {
    let is_bold = |line: &Line| line.all(|word| word.font.bold);
    (a.size() - b.size()).abs() < 0.3 && is_bold(a) == is_bold(b)
}

/// How far a line is indented.
fn start(line: &Line, area: &Rect) -> f32 {
    if line.rtl { area.x1 - line.area.x1 } else { line.area.x0 - area.x0 }
}

/// The room that a line leaves.
fn room(line: &Line, area: &Rect) -> f32 {
    if line.rtl { line.area.x0 - area.x0 } else { area.x1 - line.area.x1 }
}

/// Whether the next line's first word would have fitted on this line, after what looks like the end of a sentence.
fn ends_early(line: &Line, next: &Line, area: &Rect) -> bool {
    let (room, first) = (room(line, area), first_width(next));
    let ended = line.words.last().is_some_and(|word| word.text.ends_with(['.', '!', '?', ':', '…', '。', '؟']));
    let size = line.size();
    room > first + size && (ended && room > first + size * 2.0 || room > area.width() * 0.4)
}

/// Whether a line of a heading is a heading of its own: the next one begins at the same place, and its first word would have fitted on
/// this one, which fills less than half of the width.
fn is_whole(line: &Line, next: &Line, area: &Rect) -> bool {
    let room = room(line, area);
    (start(line, area) - start(next, area)).abs() < line.size() * 0.2
        && room > first_width(next) + line.size()
        && room > area.width() * 0.5
}

fn first_width(line: &Line) -> f32 {
    line.words.first().map_or(0.0, |word| word.area.width())
}

fn is_placeholder(word: &Word) -> bool {
    word.text.starts_with(PLACEHOLDER)
}

/// The cells of the table that a word stands for, once.
fn table_of(word: &Word, found: &mut [Option<Table>]) -> Option<Table> {
    let index: usize = word.text.trim_start_matches(PLACEHOLDER).parse().ok()?;
    found.get_mut(index)?.take()
}
