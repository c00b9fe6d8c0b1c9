//! Groups lines into headings, lists, tables, code and paragraphs.

use std::collections::HashMap;

use serde::Deserialize;

use crate::pdfium::Rect;

use super::order::{self, Line};
use super::running::Running;
use super::words::Word;
use super::{PageContent, tables};

/// A font size marks a heading if it is larger than the text's by this factor.
const LARGER: f32 = 1.1;
/// A longer line is text, even if all of it is bold.
const HEADING_CHARACTERS: usize = 90;

/// The largest share of a document's words that can be running headers and footers.
const MOST_RUNNING: f32 = 0.4;

#[derive(Debug)]
pub(crate) struct Document {
    pub pages: Vec<PageBlocks>,
}

#[derive(Debug)]
pub(crate) struct PageBlocks {
    pub number: u32,
    pub width: f32,
    pub height: f32,
    pub rotation: u16,
    pub blocks: Vec<Block>,
}

#[derive(Debug)]
pub(crate) struct Block {
    pub area: Rect,
    pub content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// From 1 to 6.
    Heading {
        level: u8,
        lines: Vec<Line>,
    },
    Paragraph {
        lines: Vec<Line>,
    },
    /// `number` is that of an ordered list; `depth` counts from 0.
    Item {
        number: Option<u32>,
        depth: u8,
        lines: Vec<Line>,
    },
    Code {
        lines: Vec<Line>,
    },
    Table {
        rows: Vec<Vec<Vec<Line>>>,
    },
    /// Text in another direction.
    Aside {
        lines: Vec<Line>,
    },
    /// Running headers, footers and page numbers.
    Running {
        lines: Vec<Line>,
    },
}

/// What becomes of running headers and footers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HeadersFooters {
    /// They are told apart from the text.
    #[default]
    Drop,
    /// They are text.
    Keep,
}

impl Document {
    /// Finds the blocks of all pages: sizes of headings and running lines are only known from all of them.
    pub(crate) fn new(mut pages: Vec<PageContent>, headers_footers: HeadersFooters) -> Self {
        let styles = Styles::new(&pages);
        let mut running: Vec<Vec<Line>> = match headers_footers {
            HeadersFooters::Keep => vec![Vec::new(); pages.len()],
            HeadersFooters::Drop => {
                let running = Running::new(&pages, styles.body);
                pages.iter_mut().map(|page| running.take(page, |line| styles.level(line).is_some())).collect()
            }
        };
        // What is much of the text does not only accompany it.
        let words: usize = pages.iter().map(|page| page.words.len()).sum();
        let of_running: usize = running.iter().flatten().map(|line| line.words.len()).sum();
        if of_running as f32 > (words + of_running) as f32 * MOST_RUNNING {
            for (page, lines) in pages.iter_mut().zip(&mut running) {
                page.words.extend(lines.drain(..).flat_map(|line| line.words));
            }
        }
        let pages = pages.into_iter().zip(running);
        Self { pages: pages.map(|(page, running)| page_blocks(page, running, &styles)).collect() }
    }

    /// The number of running lines.
    pub(crate) fn running_lines(&self) -> usize {
        let blocks = self.pages.iter().flat_map(|page| &page.blocks);
        blocks.map(|block| if let Content::Running { lines } = &block.content { lines.len() } else { 0 }).sum()
    }
}

fn area_of(lines: &[Line]) -> Option<Rect> {
    lines.iter().map(|line| line.area).reduce(|a, b| a.union(&b))
}

/// The sizes of a document's text.
struct Styles {
    body: f32,
    /// The sizes of headings, largest first.
    headings: Vec<f32>,
}

impl Styles {
    fn new(pages: &[PageContent]) -> Self {
        let mut sizes: HashMap<i32, usize> = HashMap::new();
        for word in pages.iter().flat_map(|page| &page.words) {
            *sizes.entry(key(word.size)).or_default() += word.text.chars().count();
        }
        let body = sizes.iter().max_by_key(|(size, count)| (**count, **size)).map_or(0, |(size, _)| *size);
        let mut headings: Vec<i32> = sizes.into_keys().filter(|size| *size as f32 > body as f32 * LARGER).collect();
        headings.sort_unstable_by_key(|size| std::cmp::Reverse(*size));
        headings.truncate(5);
        Self { body: body as f32 / 2.0, headings: headings.into_iter().map(|size| size as f32 / 2.0).collect() }
    }

    /// The level of a line that may be a heading.
    fn level(&self, line: &Line) -> Option<u8> {
        let size = line.size();
        let text = line.text();
        if text.chars().count() < 2 || !text.chars().any(char::is_alphabetic) {
            return None;
        }
        if size > self.body * LARGER {
            let rank = self.headings.iter().position(|known| (known - size).abs() < 0.3).unwrap_or(self.headings.len());
            return Some(u8::try_from(rank + 1).unwrap_or(6).min(6));
        }
        let bold = line.all(|word| word.font.bold) && text.chars().count() < HEADING_CHARACTERS;
        let sentence = text.ends_with(['.', ',', ';', ':']) || size < self.body * 0.95;
        (bold && !sentence).then(|| u8::try_from(self.headings.len() + 1).unwrap_or(6).min(6))
    }
}

/// Half points.
fn key(size: f32) -> i32 {
    (size * 2.0).round() as i32
}

fn page_blocks(page: PageContent, running: Vec<Line>, styles: &Styles) -> PageBlocks {
    let PageContent { number, width, height, rotation, mut words, aside, tables } = page;
    let mut blocks = Vec::new();
    // Each table becomes one word as large as the table, which takes its place in the order.
    let mut found = Vec::new();
    for grid in tables::without_frames(tables, &words) {
        let area = grid.area();
        let inside: Vec<Word> = words.extract_if(.., |word| area.contains(word.area.center())).collect();
        let Some(first) = inside.first().cloned() else { continue };
        let rows = grid.fill(inside);
        if rows.len() * rows.first().map_or(0, Vec::len) < 2 {
            words.extend(rows.into_iter().flatten().flatten());
            continue;
        }
        words.push(Word { area, place: area, text: format!("{}{}", PLACEHOLDER, found.len()), tail: None, ..first });
        found.push(Some(rows));
    }
    for block in order::blocks(words) {
        let mut builder = Builder { styles, blocks: Vec::new(), indents: Vec::new() };
        builder.lines(order::lines(block), &mut found);
        blocks.append(&mut builder.blocks);
    }
    let aside = order::lines(aside);
    if let Some(area) = area_of(&aside) {
        blocks.push(Block { area, content: Content::Aside { lines: aside } });
    }
    if let Some(area) = area_of(&running) {
        blocks.push(Block { area, content: Content::Running { lines: running } });
    }
    PageBlocks { number, width, height, rotation, blocks }
}

/// Marks the word for a table. No font has this character.
const PLACEHOLDER: char = '\u{10fffd}';

struct Builder<'s> {
    styles: &'s Styles,
    blocks: Vec<Block>,
    /// The left edges of the open lists' items.
    indents: Vec<f32>,
}

impl Builder<'_> {
    fn lines(&mut self, lines: Vec<Line>, found: &mut [Option<Vec<Vec<Vec<Word>>>>]) {
        let area = lines.iter().map(|line| line.area).reduce(|a, b| a.union(&b)).unwrap_or_default();
        let mut at = 0;
        let mut above: Option<Line> = None;
        while let Some(line) = lines.get(at) {
            if line.words.iter().any(is_placeholder) {
                self.beside_tables(line, &area, found);
                (above, at) = (None, at + 1);
                continue;
            }
            let unruled = lines[at..].iter().take_while(|line| !line.words.iter().any(is_placeholder));
            if marker(line).is_none()
                && let Some((taken, rows)) = tables::unruled(unruled)
            {
                let area = lines[at..at + taken].iter().map(|line| line.area).reduce(|a, b| a.union(&b));
                self.table(area.unwrap_or_default(), rows);
                (above, at) = (None, at + taken);
                continue;
            }
            self.line(line, above.as_ref(), &area);
            above = Some(line.clone());
            at += 1;
        }
    }

    /// A line with tables in it, which are as high as several lines of the text beside them.
    fn beside_tables(&mut self, line: &Line, area: &Rect, found: &mut [Option<Vec<Vec<Vec<Word>>>>]) {
        for part in line.words.chunk_by(|a, b| !is_placeholder(a) && !is_placeholder(b)) {
            match part {
                [word] if is_placeholder(word) => {
                    if let Some(rows) = table_of(word, found) {
                        self.table(word.area, rows);
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

    fn table(&mut self, area: Rect, rows: Vec<Vec<Vec<Word>>>) {
        let rows = rows.into_iter().map(|row| row.into_iter().map(tables::cell_lines).collect()).collect();
        self.indents.clear();
        self.blocks.push(Block { area, content: Content::Table { rows } });
    }

    fn line(&mut self, line: &Line, above: Option<&Line>, area: &Rect) {
        let goes_on = matches!(self.blocks.last(), Some(Block { content: Content::Code { .. }, .. }));
        let code = line.all(|word| word.font.fixed) && (goes_on || line.text().chars().count() > 1);
        let gap = above.map_or(f32::MAX, |above| line.area.y0 - above.area.y1);
        if code {
            match self.blocks.last_mut() {
                Some(Block { area, content: Content::Code { lines } }) if gap < line.size() * 1.5 => {
                    *area = area.union(&line.area);
                    lines.push(line.clone());
                }
                _ => self.push(line, Content::Code { lines: vec![line.clone()] }),
            }
            return;
        }
        if let Some((number, rest)) = marker(line) {
            let start = start(line, area);
            while self.indents.last().is_some_and(|indent| *indent > start + line.size() * 0.5) {
                self.indents.pop();
            }
            if self.indents.last().is_none_or(|indent| start > *indent + line.size() * 0.5) {
                self.indents.push(start);
            }
            let depth = u8::try_from(self.indents.len().saturating_sub(1)).unwrap_or(u8::MAX);
            self.push(line, Content::Item { number, depth, lines: vec![rest] });
            return;
        }
        if let Some(level) = self.styles.level(line) {
            self.indents.clear();
            match self.blocks.last_mut() {
                Some(Block { area, content: Content::Heading { level: before, lines } })
                    if *before == level && gap < line.size() * 0.9 =>
                {
                    *area = area.union(&line.area);
                    lines.push(line.clone());
                }
                _ => self.push(line, Content::Heading { level, lines: vec![line.clone()] }),
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
            Some(Block { area: whole, content: Content::Paragraph { lines } }) if goes_on(lines) => {
                *whole = whole.union(&line.area);
                lines.push(line.clone());
            }
            Some(Block { area: whole, content: Content::Item { lines, .. } })
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

    fn push(&mut self, line: &Line, content: Content) {
        self.blocks.push(Block { area: line.area, content });
    }
}

/// How far a line is indented.
fn start(line: &Line, area: &Rect) -> f32 {
    if line.rtl { area.x1 - line.area.x1 } else { line.area.x0 - area.x0 }
}

/// Whether the next line's first word would have fitted on this line, after what looks like the end of a sentence.
fn ends_early(line: &Line, next: &Line, area: &Rect) -> bool {
    let room = if line.rtl { line.area.x0 - area.x0 } else { area.x1 - line.area.x1 };
    let first = next.words.first().map_or(0.0, |word| word.area.width());
    let ended = line.words.last().is_some_and(|word| word.text.ends_with(['.', '!', '?', ':', '…', '。', '؟']));
    let size = line.size();
    room > first + size && (ended && room > first + size * 2.0 || room > area.width() * 0.4)
}

fn is_placeholder(word: &Word) -> bool {
    word.text.starts_with(PLACEHOLDER)
}

/// The cells of the table that a word stands for, once.
fn table_of(word: &Word, found: &mut [Option<Vec<Vec<Vec<Word>>>>]) -> Option<Vec<Vec<Vec<Word>>>> {
    let index: usize = word.text.trim_start_matches(PLACEHOLDER).parse().ok()?;
    found.get_mut(index)?.take()
}

/// The number of an item, if it is in an ordered list, and the line without bullet or number.
fn marker(line: &Line) -> Option<(Option<u32>, Line)> {
    let first = line.words.first()?;
    let mut rest = line.clone();
    let is_bullet = |text: &str| {
        let mut chars = text.chars();
        let bullet = |c: char| {
            matches!(c, '•' | '‣' | '▪' | '●' | '○' | '■' | '□' | '–' | '∙' | '·' | '◦' | '➢' | '✓' | '*' | '-')
                || ('\u{e000}'..='\u{f8ff}').contains(&c)
        };
        chars.next().is_some_and(bullet) && chars.next().is_none()
    };
    let number = || {
        let digits = first.text.strip_suffix(['.', ')'])?;
        let digits = digits.strip_prefix('(').unwrap_or(digits);
        (digits.len() <= 3).then(|| digits.parse::<u32>().ok()).flatten()
    };
    let number = if is_bullet(&first.text) { None } else { Some(number()?) };
    if line.words.len() < 2 {
        return None;
    }
    rest.words.remove(0);
    rest.area = rest.words.iter().map(|word| word.area).reduce(|a, b| a.union(&b))?;
    Some((number, rest))
}
