//! A document's text, and where it may be parted.

use std::collections::HashMap;
use std::ops::Range;

use docmill_pdf_text::is_cjk;
use unicode_segmentation::UnicodeSegmentation as _;

use super::super::model::{Block, Document, Role, Table};

pub(super) struct Plain<'d> {
    pub text: String,
    /// Blocks that have text, each with the line breaks after it.
    pub parts: Vec<Part<'d>>,
    /// Starts of words, and of rows in tables.
    pub cuts: Vec<usize>,
    /// Those of them at which sentences, lines or rows begin.
    pub sentences: Vec<usize>,
}

pub(super) struct Part<'d> {
    pub block: &'d Block,
    pub range: Range<usize>,
    /// Of a table: where its rows begin in the text, and their numbers.
    pub rows: Vec<(usize, usize)>,
    pub table: Option<&'d Table>,
    /// The part with the heading above it.
    pub under: Option<usize>,
}

impl Part<'_> {
    /// The numbers of the rows of which this range of the text has something.
    pub(super) fn rows_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.rows.partition_point(|(start, _)| *start <= range.start).saturating_sub(1);
        let after = self.rows.partition_point(|(start, _)| *start < range.end);
        let inside = self.rows.get(first..after).unwrap_or_default();
        match (inside.first(), inside.last()) {
            (Some((_, first)), Some((_, last))) => *first..last + 1,
            (None, _) | (_, None) => 0..0,
        }
    }
}

impl<'d> Plain<'d> {
    pub(super) fn new(document: &'d Document) -> Self {
        let mut plain = Self { text: String::new(), parts: Vec::new(), cuts: Vec::new(), sentences: Vec::new() };
        let tables = document.tables.iter().map(|table| (table.id.0.as_str(), table)).collect();
        let blocks = document.blocks.iter().filter_map(|block| Some((block, Content::of(block, &tables)?)));
        let mut blocks = blocks.peekable();
        let mut headings: Vec<(u8, usize)> = Vec::new();
        while let Some((block, content)) = blocks.next() {
            let between = match blocks.peek() {
                Some((next, _)) if are_items_of_one_list(block, next) => "\n",
                Some(_) => "\n\n",
                None => "",
            };
            let own = level(block);
            while own.is_some_and(|own| headings.last().is_some_and(|(above, _)| *above >= own)) {
                headings.pop();
            }
            let under = headings.last().map(|(_, part)| *part);
            headings.extend(own.map(|own| (own, plain.parts.len())));
            let (range, rows) = plain.push(&content, between);
            let table = if let Content::Rows { table, .. } = content { Some(table) } else { None };
            plain.parts.push(Part { block, range, rows, table, under });
        }
        plain
    }

    /// The range of this text, with the line breaks after it, and where the rows begin.
    fn push(&mut self, content: &Content<'_>, between: &str) -> (Range<usize>, Vec<(usize, usize)>) {
        let start = self.text.len();
        let mut places = Vec::new();
        match content {
            Content::Words { mark, text } => {
                self.text.push_str(mark);
                let after_mark = self.text.len();
                self.text.push_str(text);
                let starts = word_starts(text);
                let sentences = text.split_sentence_bound_indices().map(|(at, _)| at);
                let sentences = sentences.filter(|at| starts.binary_search(at).is_ok());
                self.sentences.push(start);
                self.sentences.extend(sentences.map(|at| after_mark + at));
                self.cuts.push(start);
                self.cuts.extend(starts.iter().map(|at| after_mark + at));
            }
            Content::Rows { rows, .. } => {
                for (index, (number, row)) in rows.iter().enumerate() {
                    if index > 0 {
                        self.text.push('\n');
                    }
                    places.push((self.text.len(), *number));
                    self.cuts.push(self.text.len());
                    self.sentences.push(self.text.len());
                    self.text.push_str(row);
                }
            }
        }
        self.text.push_str(between);
        (start..self.text.len(), places)
    }
}

enum Content<'d> {
    /// A mark that stays with what follows, such as an item's number, and the text.
    Words { mark: String, text: String },
    /// Rows of a table with their numbers, and tabs between cells.
    Rows { table: &'d Table, rows: Vec<(usize, String)> },
}

impl<'d> Content<'d> {
    /// `None`: the block has no text.
    fn of(block: &Block, tables: &HashMap<&str, &'d Table>) -> Option<Self> {
        if let Role::Table { table } = &block.role
            && let Some(table) = tables.get(table.0.as_str())
        {
            let rows = rows(table);
            return (!rows.is_empty()).then_some(Self::Rows { table, rows });
        }
        let text = block.text.trim_end();
        let mark = match &block.role {
            Role::Item { depth, number, .. } => {
                let mark = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
                format!("{}{mark} ", "  ".repeat(usize::from(*depth)))
            }
            Role::Footnote { mark } => format!("{mark} "),
            Role::Title
            | Role::Heading { .. }
            | Role::Paragraph
            | Role::Table { .. }
            | Role::Figure { .. }
            | Role::Caption { .. }
            | Role::Header
            | Role::Footer
            | Role::Code
            | Role::Formula
            | Role::FormField { .. } => String::new(),
        };
        (!text.is_empty()).then(|| Self::Words { mark, text: text.to_owned() })
    }
}

/// One line for each row that has text, and the row's number.
fn rows(table: &Table) -> Vec<(usize, String)> {
    let rows = table.cells.chunk_by(|one, next| one.row == next.row).map(|cells| {
        let texts = cells.iter().map(|cell| cell.text.split_whitespace().collect::<Vec<_>>().join(" "));
        (cells.first().map_or(0, |cell| cell.row), texts.collect::<Vec<_>>().join("\t"))
    });
    rows.filter(|(_, row)| !row.trim().is_empty()).collect()
}

fn are_items_of_one_list(one: &Block, next: &Block) -> bool {
    let list = |block: &Block| if let Role::Item { list, .. } = block.role { Some(list) } else { None };
    list(one).is_some() && list(one) == list(next)
}

/// The level of a heading; that of a title is 0.
pub(super) fn level(block: &Block) -> Option<u8> {
    match block.role {
        Role::Title => Some(0),
        Role::Heading { level } => Some(level),
        Role::Paragraph
        | Role::Item { .. }
        | Role::Table { .. }
        | Role::Figure { .. }
        | Role::Caption { .. }
        | Role::Header
        | Role::Footer
        | Role::Footnote { .. }
        | Role::Code
        | Role::Formula
        | Role::FormField { .. } => None,
    }
}

/// Where words begin after others: after spaces, and between the characters of scripts that have none.
fn word_starts(text: &str) -> Vec<usize> {
    let followed = text.char_indices().zip(text.chars().skip(1));
    let starts = followed.filter(|((_, before), next)| {
        let is_after_space = before.is_whitespace() && !next.is_whitespace();
        is_after_space || is_cjk(*before) && is_cjk(*next) && next.is_alphanumeric()
    });
    starts.map(|((at, before), _)| at + before.len_utf8()).collect()
}
