//! The blocks of a document: headings, paragraphs, lists, tables and code, in reading order.

use serde::Deserialize;

use crate::pdfium::Rect;

use super::PageContent;
use super::builder::{Builder, placeholder};
use super::order::{self, Line};
use super::running::Running;
use super::styles::{Styles, key};
use super::tables::{self, Table};
use super::words::{self, Word};

/// The largest share of a document's words that can be running headers and footers.
const MOST_RUNNING: f32 = 0.4;
/// Headings have fewer lines and characters than that.
const HEADING_LINES: usize = 4;
const HEADING_CHARACTERS: usize = 240;

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
    /// The direction in which its blocks' areas are upright.
    angle: u16,
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
    /// A table that goes on over pages is one, on its first page.
    Table(Table),
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
                pages.iter_mut().map(|page| running.take(page, |line| styles.is_heading(line))).collect()
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
        let mut document = Self { pages: pages.map(|(page, running)| page_blocks(page, running, &styles)).collect() };
        document.join_tables();
        document.level_headings();
        document
    }

    /// The number of running lines.
    pub(crate) fn running_lines(&self) -> usize {
        let blocks = self.pages.iter().flat_map(|page| &page.blocks);
        blocks.map(|block| if let Content::Running { lines } = &block.content { lines.len() } else { 0 }).sum()
    }

    /// Joins the parts of tables that go on over pages.
    fn join_tables(&mut self) {
        let mut pages = std::mem::take(&mut self.pages).into_iter();
        self.pages.extend(pages.next());
        // The page on which the table that ends the text so far begins.
        let mut begins = 0;
        for mut page in pages {
            let next = self.pages.len();
            let first = page.blocks.iter().position(Block::is_text);
            let table = first.and_then(|first| {
                let before = self.pages.get_mut(begins)?.blocks.iter_mut().rfind(|block| block.is_text());
                match (before.map(|block| &mut block.content), page.blocks.get(first).map(|block| &block.content)) {
                    (Some(Content::Table(above)), Some(Content::Table(below))) if above.goes_on_in(below) => {
                        Some((first, above))
                    }
                    _ => None,
                }
            });
            if let Some((first, above)) = table
                && let Block { area, content: Content::Table(below) } = page.blocks.remove(first)
            {
                above.append(below, page.number, area);
            }
            if page.blocks.iter().any(Block::is_text) {
                begins = next;
            }
            self.pages.push(page);
        }
    }

    /// Numbers the levels of headings: larger ones are higher, and bold ones higher than others of their size.
    fn level_headings(&mut self) {
        let style = |lines: &[Line]| {
            let size = lines.first().map_or(0.0, Line::size);
            (key(size), lines.iter().all(|line| line.all(|word| word.font.bold)))
        };
        let blocks = || self.pages.iter().flat_map(|page| &page.blocks);
        let headings = blocks().filter_map(|block| {
            if let Content::Heading { lines, .. } = &block.content { Some(style(lines)) } else { None }
        });
        let mut styles: Vec<(i32, bool)> = headings.collect();
        styles.sort_unstable_by(|a, b| b.cmp(a));
        styles.dedup();
        for block in self.pages.iter_mut().flat_map(|page| &mut page.blocks) {
            if let Content::Heading { level, lines } = &mut block.content {
                let rank = styles.iter().position(|known| *known == style(lines)).unwrap_or(5);
                *level = u8::try_from(rank + 1).unwrap_or(6).min(6);
            }
        }
    }
}

impl PageBlocks {
    /// The place of a block's area on the page as shown.
    pub(crate) fn place(&self, area: &Rect) -> Rect {
        words::shown(area, self.angle, (self.width, self.height))
    }
}

impl Block {
    /// Whether it is part of what the document says, not of its margins.
    fn is_text(&self) -> bool {
        !matches!(self.content, Content::Running { .. } | Content::Aside { .. })
    }

    /// A heading as long as a paragraph is one.
    fn checked(mut self) -> Self {
        if let Content::Heading { lines, .. } = &mut self.content {
            let length: usize = lines.iter().map(|line| line.text().chars().count()).sum();
            if lines.len() > HEADING_LINES || length > HEADING_CHARACTERS {
                self.content = Content::Paragraph { lines: std::mem::take(lines) };
            }
        }
        self
    }
}

fn area_of(lines: &[Line]) -> Option<Rect> {
    lines.iter().map(|line| line.area).reduce(|a, b| a.union(&b))
}

fn page_blocks(page: PageContent, running: Vec<Line>, styles: &Styles) -> PageBlocks {
    let PageContent { number, width, height, rotation, angle, mut words, aside, ruling } = page;
    let mut blocks = Vec::new();
    // Each table becomes one word as large as the table, which takes its place in the order.
    let mut found = Vec::new();
    for grid in tables::without_frames(ruling.grids, &words) {
        let area = grid.area();
        let inside: Vec<Word> = words.extract_if(.., |word| area.contains(word.area.center())).collect();
        let Some(first) = inside.first().cloned() else { continue };
        let table = grid.table(inside);
        if table.rows.iter().flatten().count() < 2 {
            let cells = table.rows.into_iter().flatten();
            words.extend(cells.flat_map(|cell| cell.lines).flat_map(|line| line.words));
            continue;
        }
        words.push(Word { area, place: area, text: placeholder(found.len()), tail: None, raised: None, ..first });
        found.push(Some(table));
    }
    for block in order::blocks(words, &ruling.rules) {
        let builder = Builder::new(styles, &ruling.rules);
        blocks.extend(builder.blocks(order::lines(block), &mut found).into_iter().map(Block::checked));
    }
    let aside = order::lines(aside);
    if let Some(area) = area_of(&aside) {
        blocks.push(Block { area, content: Content::Aside { lines: aside } });
    }
    if let Some(area) = area_of(&running) {
        blocks.push(Block { area, content: Content::Running { lines: running } });
    }
    PageBlocks { number, width, height, rotation, angle, blocks }
}
