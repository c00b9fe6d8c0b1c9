//! Writes documents as JSON: pages, blocks, lines, cells and words with their boxes.

use docmill_pdf_request::Failure;
use serde::Serialize;

use super::blocks::{self, PageBlocks};
use super::document::Document;
use super::inline;
use super::order;
use super::places::{Corners, corners, place, round};
use super::render::Write;
use super::tables::{self, Part};

#[derive(Serialize)]
struct Page<'d> {
    number: u32,
    width: f64,
    height: f64,
    rotation: u16,
    blocks: Vec<Block<'d>>,
}

#[derive(Serialize)]
struct Block<'d> {
    /// Unique in the document.
    id: String,
    #[serde(flatten)]
    content: Content<'d>,
    #[serde(rename = "box")]
    corners: Corners,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Content<'d> {
    Heading {
        level: u8,
        #[serde(flatten)]
        text: Text<'d>,
    },
    Paragraph(Text<'d>),
    ListItem {
        depth: u8,
        number: Option<u32>,
        #[serde(flatten)]
        text: Text<'d>,
    },
    Code(Text<'d>),
    Aside(Text<'d>),
    Table(Table),
}

#[derive(Serialize)]
struct Text<'d> {
    text: String,
    lines: Vec<Line<'d>>,
}

#[derive(Serialize)]
struct Line<'d> {
    text: String,
    #[serde(rename = "box")]
    corners: Corners,
    words: Vec<Written<'d>>,
}

#[derive(Serialize)]
struct Written<'d> {
    text: &'d str,
    #[serde(rename = "box")]
    corners: Corners,
    font: &'d str,
    size: f64,
    bold: bool,
    italic: bool,
}

#[derive(Serialize)]
struct Table {
    /// The cells' texts, and an empty one for each further column that a cell spans.
    rows: Vec<Vec<String>>,
    cells: Vec<Cell>,
    /// Where the table goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    continued: Vec<Continued>,
}

#[derive(Serialize)]
struct Continued {
    page: u32,
    #[serde(rename = "box")]
    corners: Corners,
}

/// Rows and columns count from 0.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cell {
    page: u32,
    row: usize,
    column: usize,
    row_span: usize,
    column_span: usize,
    header: bool,
    text: String,
    /// Of its words. Empty cells have none.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    corners: Option<Corners>,
}

/// The pages as JSON, piece by piece.
///
/// # Errors
/// What `write` fails with, or that the pages can't be read.
pub fn json(document: &Document, mut write: impl Write) -> Result<(), Failure> {
    let mut before = "{\"pages\":[";
    document.for_each(|page| {
        let blocks = page.blocks.iter().zip(1..).map(|(block, at)| block_of(&page, block, at)).collect();
        let PageBlocks { number, width, height, rotation, .. } = page;
        let page = Page { number, width: round(width), height: round(height), rotation, blocks };
        let page = serde_json::to_string(&page).map_err(|error| Failure::internal(error.to_string()))?;
        write(std::mem::replace(&mut before, ","))?;
        write(&page)
    })?;
    write(if before == "," { "]}" } else { "{\"pages\":[]}" })
}

fn block_of<'d>(page: &PageBlocks, block: &'d blocks::Block, at: usize) -> Block<'d> {
    let content = match &block.content {
        blocks::Content::Heading { level, lines } => Content::Heading { level: *level, text: text(lines) },
        blocks::Content::Paragraph { lines } => Content::Paragraph(text(lines)),
        blocks::Content::Item { number, depth, lines, .. } => {
            Content::ListItem { depth: *depth, number: *number, text: text(lines) }
        }
        blocks::Content::Code { lines } => Content::Code(text(lines)),
        blocks::Content::Aside { lines } | blocks::Content::Running { lines } => Content::Aside(text(lines)),
        blocks::Content::Table(table) => Content::Table(table_of(page.number, table)),
    };
    let area = match &block.content {
        blocks::Content::Heading { lines, .. }
        | blocks::Content::Paragraph { lines }
        | blocks::Content::Item { lines, .. }
        | blocks::Content::Code { lines }
        | blocks::Content::Aside { lines }
        | blocks::Content::Running { lines } => place(lines.iter().flat_map(|line| &line.words)).unwrap_or_default(),
        blocks::Content::Table(_) => page.place(&block.area),
    };
    Block { id: format!("p{}-{at}", page.number), content, corners: corners(&area) }
}

fn text(lines: &[order::Line]) -> Text<'_> {
    Text { text: inline::text(lines), lines: lines.iter().map(line).collect() }
}

fn line(line: &order::Line) -> Line<'_> {
    let words = line.words.iter().map(|word| Written {
        text: &word.text,
        corners: corners(&word.place),
        font: &word.font.name,
        size: round(word.size),
        bold: word.font.bold,
        italic: word.font.italic,
    });
    let area = place(line.words.iter()).unwrap_or_default();
    Line { text: line.text(), corners: corners(&area), words: words.collect() }
}

fn table_of(page: u32, table: &tables::Table) -> Table {
    let headers = table.headers();
    let cells = table.placed().map(|(row, column, cell)| Cell {
        page: table.continued.iter().rfind(|part| part.row <= row).map_or(page, |part| part.page),
        row,
        column,
        row_span: cell.rows,
        column_span: cell.columns,
        header: row < headers,
        text: cell.text(),
        corners: place(cell.lines.iter().flat_map(|line| &line.words)).map(|area| corners(&area)),
    });
    let continued = |part: &Part| Continued { page: part.page, corners: corners(&part.area) };
    Table {
        rows: table.rows.iter().map(|row| row.iter().flat_map(texts).collect()).collect(),
        cells: cells.collect(),
        continued: table.continued.iter().map(continued).collect(),
    }
}

fn texts(cell: &tables::Cell) -> impl Iterator<Item = String> {
    std::iter::once(cell.text()).chain(std::iter::repeat_n(String::new(), cell.columns.saturating_sub(1)))
}
