//! GitHub Flavored Markdown.

use std::fmt::Write as _;

use super::super::model::{Block, Document, Role, Span, Table};
use crate::text::{escape, guard_start};

pub(super) fn markdown(document: &Document) -> String {
    let mut text = String::new();
    let mut before = None;
    for block in &document.blocks {
        let list = if let Role::Item { list, .. } = block.role { Some(list) } else { None };
        let written = written(document, block);
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

fn written(document: &Document, block: &Block) -> String {
    match &block.role {
        Role::Title => format!("# {}", escape(&block.text)),
        Role::Heading { level } => format!("{} {}", "#".repeat(usize::from(*level)), escape(&block.text)),
        Role::Paragraph
        | Role::Caption { .. }
        | Role::Header
        | Role::Footer
        | Role::Formula
        | Role::FormField { .. } => guard_start(&inline(block)),
        Role::Item { depth, number, .. } => {
            let marker = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
            format!("{}{marker} {}", "    ".repeat(usize::from(*depth)), inline(block))
        }
        Role::Table { table: id } => {
            document.tables.iter().find(|table| table.id == *id).map_or_else(String::new, table)
        }
        Role::Figure { figure: id } => {
            let figure = document.figures.iter().find(|figure| figure.id == *id);
            let address = figure.and_then(|figure| figure.file.as_ref().or(figure.data.as_ref()));
            address.map_or_else(String::new, |address| format!("![{}]({address})", escape(&block.text)))
        }
        Role::Footnote { mark } => format!("[^{mark}]: {}", inline(block)),
        Role::Code => format!("```\n{}\n```", block.text),
    }
}

fn inline(block: &Block) -> String {
    if block.spans.is_empty() { escape(&block.text) } else { spans(&block.spans) }
}

fn spans(spans: &[Span]) -> String {
    // If everything is emphasised, nothing is.
    let (bold, italic) = (spans.iter().all(|span| span.bold), spans.iter().all(|span| span.italic));
    let mut text = String::new();
    for span in spans {
        let inner = span.text.trim();
        let mark = match (span.bold && !bold, span.italic && !italic) {
            (true, true) => "***",
            (true, false) => "**",
            (false, true) => "*",
            (false, false) => "",
        };
        let inner = match (span.code, inner.chars().any(char::is_alphanumeric)) {
            (true, true) => format!("`{}`", inner.replace('`', "")),
            (false, true) => format!("{mark}{}{mark}", escape(inner)),
            (_, false) => escape(inner),
        };
        let inner = match &span.link {
            Some(address) => format!("[{inner}]({})", address.replace([' ', '(', ')'], "%20")),
            None => inner,
        };
        let end = span.text.trim_end().len();
        text.push_str(&inner);
        text.push_str(span.text.get(end..).unwrap_or_default());
    }
    text.trim().to_owned()
}

fn table(table: &Table) -> String {
    let mut rows = vec![vec![String::new(); table.columns]; table.rows];
    for cell in &table.cells {
        if let Some(place) = rows.get_mut(cell.row).and_then(|row| row.get_mut(cell.column)) {
            *place = escape(&cell.text).replace('|', "\\|").replace('\n', " ");
        }
    }
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let _ = writeln!(text, "| {} |", row.join(" | "));
        if index == 0 {
            let _ = writeln!(text, "|{}", " --- |".repeat(row.len()));
        }
    }
    text.trim_end().to_owned()
}
