//! The blocks of a page by its structure.

use std::collections::HashMap;

use docmill_pdf_core::pdfium::Tag;

use super::super::PageContent;
use super::super::blocks::{Block, Content, PageBlocks, area_of};
use super::super::markers::marker;
use super::super::order::{self, Line};
use super::super::styles::Styles;
use super::super::tables::{self, Table};
use super::super::words::Word;
use super::judge::{Traits, is_margin};
use super::lines::lines;
use super::{Cell, Element, Node, Part, Role, Tagged};

/// The blocks of a page whose structure is sound. `running`: what repeats in its margins.
pub(crate) fn page_blocks(page: PageContent, running: Vec<Line>, styles: &Styles, traits: Traits) -> PageBlocks {
    let PageContent { number, width, height, rotation, angle, words, aside, structure, .. } = page;
    let size = if angle.is_multiple_of(180) { (width, height) } else { (height, width) };
    let mut parts: HashMap<Part, Vec<Word>> = HashMap::new();
    let (mut others, mut margins) = (Vec::new(), Vec::new());
    for word in words {
        match word.tag {
            Tag::Part(part) => parts.entry(part).or_default().push(word),
            Tag::Artifact if is_margin(&word.area, size.1) => margins.push(word),
            // Bullets that are drawn.
            Tag::None if word.is_bullet() => {}
            Tag::Artifact | Tag::None => others.push(word),
        }
    }
    let (blocks, notes, left) = (Vec::new(), Vec::new(), Vec::new());
    let mut maker = Maker { parts, styles, traits, label: None, blocks, notes, left };
    for node in structure.map(|structure| structure.nodes).into_iter().flatten() {
        maker.node(node);
    }
    maker.keep_label();
    let Maker { mut blocks, notes, parts, left, .. } = maker;
    // What no element has is not lost.
    let mut parts: Vec<(Part, Vec<Word>)> = parts.into_iter().collect();
    parts.sort_by_key(|(part, _)| *part);
    others.extend(left.into_iter().chain(parts.into_iter().flat_map(|(_, words)| words)));
    blocks.extend(notes);
    let margins = running.into_iter().chain(order::lines(margins)).collect();
    let others = order::lines(others).into_iter().chain(order::lines(aside)).collect();
    blocks.extend(block(others, |lines| Content::Aside { lines }, None));
    blocks.extend(block(margins, |lines| Content::Running { lines }, None));
    PageBlocks { number, width, height, rotation, angle, blocks }
}

struct Maker<'s> {
    parts: HashMap<Part, Vec<Word>>,
    styles: &'s Styles,
    traits: Traits,
    /// The words of the label of the item that follows.
    label: Option<Vec<Word>>,
    blocks: Vec<Block>,
    notes: Vec<Block>,
    /// Labels that nothing follows.
    left: Vec<Word>,
}

impl Maker<'_> {
    fn node(&mut self, node: Node) {
        match node {
            Node::Label { part } => {
                self.keep_label();
                self.label = self.parts.remove(&part);
            }
            Node::Text { role, of, part } => self.text(role, of, part),
            Node::Table { of, rows } => self.table(of, &rows),
        }
    }

    fn keep_label(&mut self) {
        self.left.extend(self.label.take().into_iter().flatten());
    }

    fn text(&mut self, role: Role, of: Element, part: Part) {
        let label = self.label.take();
        let words = self.parts.remove(&part).unwrap_or_default();
        let tagged = Some(Tagged { role, of });
        let made = match role {
            Role::Item(depth) => {
                let (number, lines) = item(label.unwrap_or_default(), words);
                block(lines, |lines| Content::Item { number, depth, marker: None, lines }, tagged)
            }
            Role::Heading(level) => {
                let lines = lines(all(label, words));
                block(lines, |lines| Content::Heading { level, lines }, tagged).map(Block::checked)
            }
            Role::Code => block(order::lines(all(label, words)), |lines| Content::Code { lines }, tagged),
            Role::Paragraph => {
                let lines = lines(all(label, words));
                block(lines, |lines| self.plain(lines), tagged).map(|made| Block {
                    tagged: made.tagged.filter(|_| matches!(made.content, Content::Paragraph { .. })),
                    ..made
                })
            }
            Role::Title | Role::Caption | Role::Note | Role::Formula | Role::Table => {
                block(lines(all(label, words)), |lines| Content::Paragraph { lines }, tagged)
            }
        };
        if role == Role::Note { self.notes.extend(made) } else { self.blocks.extend(made) }
    }

    /// Text that is tagged as a paragraph. What no tag of the document says is told by the type, as without tags.
    fn plain(&self, lines: Vec<Line>) -> Content {
        if !self.traits.has_headings && lines.iter().all(|line| self.styles.is_heading(line)) {
            return Content::Heading { level: 1, lines };
        }
        match lines.split_first().and_then(|(first, rest)| Some((marker(first)?, rest))) {
            Some(((number, first), rest)) if !self.traits.has_lists => {
                let lines = std::iter::once(first).chain(rest.iter().cloned()).collect();
                Content::Item { number, depth: 0, marker: None, lines }
            }
            Some(_) | None => Content::Paragraph { lines },
        }
    }

    fn table(&mut self, of: Element, rows: &[Vec<Cell>]) {
        self.keep_label();
        let mut made = Table { element: Some(of), ..Table::default() };
        for (at, row) in rows.iter().enumerate() {
            let below = rows.len() - at;
            let cells = row.iter().map(|cell| {
                let lines = lines(self.parts.remove(&cell.part).unwrap_or_default());
                let (columns, rows) = (usize::from(cell.columns), usize::from(cell.rows).min(below));
                tables::Cell { lines, columns, rows, header: cell.header }
            });
            made.rows.push(cells.collect());
        }
        let cells = made.rows.iter().flatten();
        let Some(area) = cells.filter_map(|cell| area_of(&cell.lines)).reduce(|a, b| a.union(&b)) else { return };
        let tagged = Some(Tagged { role: Role::Table, of });
        self.blocks.push(Block { area, content: Content::Table(made), tagged });
    }
}

fn block(lines: Vec<Line>, content: impl FnOnce(Vec<Line>) -> Content, tagged: Option<Tagged>) -> Option<Block> {
    let area = area_of(&lines)?;
    Some(Block { area, content: content(lines), tagged })
}

fn all(label: Option<Vec<Word>>, words: Vec<Word>) -> Vec<Word> {
    label.into_iter().flatten().chain(words).collect()
}

/// The number of an item and its lines, without its bullet or number.
fn item(label: Vec<Word>, words: Vec<Word>) -> (Option<u32>, Vec<Line>) {
    let is_first = |word: &Word| words.first().is_none_or(|first| word.size >= first.size * 0.5);
    let text: String = label.iter().filter(|word| is_first(word)).map(|word| word.text.as_str()).collect();
    let digits = text.trim_matches(|c: char| matches!(c, '(' | ')' | '.') || c.is_whitespace());
    if label.is_empty() {
        let mut lines = lines(words);
        let Some((number, first)) = lines.first().and_then(marker) else { return (None, lines) };
        lines.splice(..1, [first]);
        return (number, lines);
    }
    match digits.parse() {
        Ok(number) => (Some(number), lines(words)),
        // A bullet, or letters, which are text.
        Err(_) if !text.chars().any(char::is_alphanumeric) || text == "o" => (None, lines(words)),
        Err(_) => (None, lines(label.into_iter().chain(words).collect())),
    }
}
