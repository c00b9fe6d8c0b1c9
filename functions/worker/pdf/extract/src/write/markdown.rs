//! GitHub Flavored Markdown.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::super::model::{Block, Document, Figure, Footnote, Role, Span, Table};
use super::html;
use super::markup::{self, Styled, escape, fenced, guard_start};

/// What further lines of a list item or footnote begin with, so that they belong to it.
const INDENT: &str = "    ";

/// The whole document in its reading order.
pub fn markdown(document: &Document) -> String {
    let writer = Writer::new(document);
    let mut text = String::new();
    let mut before = None;
    for block in &document.blocks {
        let list = if let Role::Item { list, .. } = block.role { Some(list) } else { None };
        let written = writer.block(block);
        if written.is_empty() {
            continue;
        }
        if !text.is_empty() {
            text.push_str(if list.is_some() && list == before { "\n" } else { "\n\n" });
        }
        text.push_str(&written);
        before = list;
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

struct Writer<'d> {
    tables: HashMap<&'d str, &'d Table>,
    figures: HashMap<&'d str, &'d Figure>,
    /// What footnotes are called here, by their block: each name once in the document.
    notes: HashMap<&'d str, String>,
    /// The same by the block that has their mark, and the mark.
    marks: HashMap<(&'d str, &'d str), String>,
}

impl<'d> Writer<'d> {
    fn new(document: &'d Document) -> Self {
        let tables = document.tables.iter().map(|table| (table.id.0.as_str(), table)).collect();
        let figures = document.figures.iter().map(|figure| (figure.id.0.as_str(), figure)).collect();
        let mut writer = Self { tables, figures, notes: HashMap::new(), marks: HashMap::new() };
        writer.name_notes(document);
        writer
    }

    /// Names the footnotes that the text refers to. Markdown drops others, which stay text.
    fn name_notes(&mut self, document: &'d Document) {
        let blocks: HashMap<&str, &Block> = document.blocks.iter().map(|block| (block.id.0.as_str(), block)).collect();
        let mut used: HashMap<&str, usize> = HashMap::new();
        for Footnote { mark, from, block } in &document.footnotes {
            let from = from.as_ref().and_then(|from| blocks.get(from.0.as_str())).filter(|from| refers(from, mark));
            let Some(from) = from else { continue };
            let count = used.entry(mark).and_modify(|count| *count += 1).or_insert(1);
            let name = if *count == 1 { mark.clone() } else { format!("{mark}-{count}") };
            self.marks.insert((from.id.0.as_str(), mark), name.clone());
            self.notes.insert(block.0.as_str(), name);
        }
    }

    fn block(&self, block: &Block) -> String {
        match &block.role {
            Role::Title => format!("# {}", heading(block)),
            Role::Heading { level } => format!("{} {}", "#".repeat(usize::from(*level)), heading(block)),
            Role::Paragraph
            | Role::Caption { .. }
            | Role::Header
            | Role::Footer
            | Role::Formula
            | Role::FormField { .. } => self.inline(block, ""),
            Role::Item { depth, number, .. } => {
                let indent = INDENT.repeat(usize::from(*depth));
                let marker = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
                format!("{indent}{marker} {}", self.inline(block, &(indent.clone() + INDENT)))
            }
            Role::Table { table } => self.tables.get(table.0.as_str()).map_or_else(String::new, |table| written(table)),
            Role::Figure { figure } => {
                let figure = self.figures.get(figure.0.as_str());
                let address = figure.and_then(|figure| figure.file.as_ref().or(figure.data.as_ref()));
                let text = escape(&block.text.replace('\n', " "));
                match address {
                    Some(address) => format!("![{text}]({address})"),
                    // What is drawn is text of the page; what is said of a picture is not.
                    None if figure.is_some_and(|figure| figure.text.is_none()) => guard_start(&text),
                    None => String::new(),
                }
            }
            Role::Footnote { mark } => match self.notes.get(block.id.0.as_str()) {
                Some(name) => format!("[^{name}]: {}", self.inline(block, INDENT)),
                None => guard_start(&format!("{} {}", escape(mark), self.inline(block, ""))),
            },
            Role::Code => fenced(&block.text),
        }
    }

    /// The text of a block. Its own line breaks stay, with `indent` after each.
    fn inline(&self, block: &Block, indent: &str) -> String {
        let text = if block.spans.is_empty() {
            escape(&block.text)
        } else {
            let runs: Vec<Styled<'_>> = block.spans.iter().flat_map(|span| self.runs(span, block)).collect();
            markup::inline(&runs)
        };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).map(guard_start);
        lines.collect::<Vec<_>>().join(&format!("  \n{indent}"))
    }

    /// A span, with the marks of footnotes in runs of their own.
    fn runs<'s>(&'s self, span: &'s Span, block: &'s Block) -> Vec<Styled<'s>> {
        let name = |mark: &'s str| self.marks.get(&(block.id.0.as_str(), mark)).map(String::as_str);
        if !span.superscript || !marks(&span.text).any(|mark| name(mark).is_some()) {
            return vec![styled(span, &span.text)];
        }
        let parts = span.text.split_inclusive(is_between).flat_map(|part| {
            let mark = part.trim_end_matches(is_between);
            let rest = part.get(mark.len()..).unwrap_or_default();
            let rest = Styled { element: None, ..styled(span, rest) };
            [Styled { note: name(mark), ..styled(span, mark) }, rest]
        });
        parts.filter(|run| !run.text.is_empty()).collect()
    }
}

/// Whether a block has the mark of a footnote where it can be written as one.
fn refers(block: &Block, mark: &str) -> bool {
    match block.role {
        Role::Title | Role::Heading { .. } | Role::Table { .. } | Role::Figure { .. } | Role::Code => false,
        Role::Paragraph
        | Role::Item { .. }
        | Role::Caption { .. }
        | Role::Header
        | Role::Footer
        | Role::Footnote { .. }
        | Role::Formula
        | Role::FormField { .. } => {
            block.spans.iter().any(|span| span.superscript && marks(&span.text).any(|own| own == mark))
        }
    }
}

/// The marks in raised text, such as `1, 2`.
fn marks(raised: &str) -> impl Iterator<Item = &str> {
    raised.split(is_between).filter(|mark| !mark.is_empty())
}

fn is_between(c: char) -> bool {
    c == ',' || c.is_whitespace()
}

fn heading(block: &Block) -> String {
    escape(&block.text).replace('\n', " ")
}

fn styled<'s>(span: &'s Span, text: &'s str) -> Styled<'s> {
    let Span { text: _, bold, italic, code, superscript, subscript, link } = span;
    let element = match (superscript, subscript) {
        (true, _) => Some("sup"),
        (false, true) => Some("sub"),
        (false, false) => None,
    };
    Styled { text, bold: *bold, italic: *italic, code: *code, element, link: link.as_deref(), note: None }
}

/// A table of pipes, or in HTML if cells span rows or columns, which pipes can't show.
fn written(table: &Table) -> String {
    if table.cells.iter().any(|cell| cell.row_span > 1 || cell.column_span > 1) {
        return format!("<table>\n{}</table>", html::rows(table));
    }
    let mut text = String::new();
    for (index, row) in table.places().enumerate() {
        text.push('|');
        for cell in row {
            let inner = cell.map_or_else(String::new, |cell| escape(&cell.text).replace('|', "\\|").replace('\n', " "));
            let _ = write!(text, " {inner} |");
        }
        text.push('\n');
        if index == 0 {
            let _ = writeln!(text, "|{}", " --- |".repeat(table.columns));
        }
    }
    text.trim_end().to_owned()
}
