//! GitHub Flavored Markdown.

use std::fmt::Write as _;

use super::super::model::{Block, Document, Role, Span, Table};
use crate::text::markup::{self, Styled, escape, fenced, guard_start};

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
        | Role::FormField { .. } => guard_start(&inline(document, block)),
        Role::Item { depth, number, .. } => {
            let marker = number.map_or_else(|| "-".to_owned(), |number| format!("{number}."));
            format!("{}{marker} {}", "    ".repeat(usize::from(*depth)), inline(document, block))
        }
        Role::Table { table: id } => {
            document.tables.iter().find(|table| table.id == *id).map_or_else(String::new, table)
        }
        Role::Figure { figure: id } => {
            let figure = document.figures.iter().find(|figure| figure.id == *id);
            let address = figure.and_then(|figure| figure.file.as_ref().or(figure.data.as_ref()));
            address.map_or_else(String::new, |address| format!("![{}]({address})", escape(&block.text)))
        }
        Role::Footnote { mark } => format!("[^{mark}]: {}", inline(document, block)),
        Role::Code => fenced(&block.text),
    }
}

fn inline(document: &Document, block: &Block) -> String {
    if block.spans.is_empty() {
        return escape(&block.text);
    }
    let notes = document.footnotes.iter().filter(|note| note.from.as_ref() == Some(&block.id));
    let notes: Vec<&str> = notes.map(|note| note.mark.as_str()).collect();
    let mut text = String::new();
    // A note's mark is written as it is.
    for runs in block.spans.chunk_by(|one, next| is_note(one, &notes) == is_note(next, &notes)) {
        match runs {
            [mark] if is_note(mark, &notes) => text.push_str(&format!("[^{}]", mark.text.trim())),
            runs => push(&mut text, runs),
        }
    }
    text.trim().to_owned()
}

fn is_note(span: &Span, notes: &[&str]) -> bool {
    span.superscript && notes.contains(&span.text.trim())
}

/// Runs with the spaces around them.
fn push(text: &mut String, spans: &[Span]) {
    let ends_with_space = |text: &str| text.ends_with(char::is_whitespace);
    let starts = spans.first().is_some_and(|span| span.text.starts_with(char::is_whitespace));
    if starts {
        text.push(' ');
    }
    text.push_str(&markup::inline(&spans.iter().map(styled).collect::<Vec<_>>()));
    if spans.last().is_some_and(|span| ends_with_space(&span.text)) {
        text.push(' ');
    }
}

fn styled(span: &Span) -> Styled<'_> {
    let Span { text, bold, italic, code, superscript, subscript, link } = span;
    let element = match (superscript, subscript) {
        (true, _) => Some("sup"),
        (false, true) => Some("sub"),
        (false, false) => None,
    };
    Styled { text, bold: *bold, italic: *italic, code: *code, element, link: link.as_deref() }
}

/// Cells that span others have their text at their first place.
fn table(table: &Table) -> String {
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
