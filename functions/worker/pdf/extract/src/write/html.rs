//! One HTML document. Every text in it is escaped, and addresses are links only if they are of the web or of mail.

use std::collections::HashMap;
use std::fmt::Write as _;

use docmill_pdf_text::is_rtl;

use super::super::model::{Block, Cell, Document, Figure, Id, Role, Span, Table};
use super::markup::is_safe;

pub(super) fn html(document: &Document) -> String {
    let title = document.blocks.iter().find(|block| block.role == Role::Title).map(|block| block.text.as_str());
    let title = document.title.as_deref().or(title).unwrap_or("Document");
    let language = attribute("lang", document.language.as_deref());
    format!(
        "<!DOCTYPE html>\n<html{language}>\n<head><meta charset=\"utf-8\"><title>{}</title></head>\n<body>\n{}</body>\n</html>\n",
        escape(title),
        Writer::new(document).body()
    )
}

struct Writer<'d> {
    document: &'d Document,
    tables: HashMap<&'d str, &'d Table>,
    figures: HashMap<&'d str, &'d Figure>,
    /// By the block of their table or figure, in which they are written.
    captions: HashMap<&'d str, Vec<&'d Block>>,
    /// The blocks of footnotes, by the block that has their mark, and the mark.
    notes: HashMap<(&'d str, &'d str), &'d str>,
    /// The blocks that have the marks of footnotes, by the footnote's block.
    marked: HashMap<&'d str, &'d str>,
}

impl<'d> Writer<'d> {
    fn new(document: &'d Document) -> Self {
        let owners = document.blocks.iter().filter(|block| is_owner(block));
        let mut captions: HashMap<_, _> = owners.map(|block| (id(&block.id), Vec::new())).collect();
        for block in &document.blocks {
            if let Some(own) = caption_of(block).and_then(|of| captions.get_mut(of)) {
                own.push(block);
            }
        }
        let notes = document.footnotes.iter().filter_map(|note| Some((id(note.from.as_ref()?), note)));
        Self {
            document,
            tables: document.tables.iter().map(|table| (id(&table.id), table)).collect(),
            figures: document.figures.iter().map(|figure| (id(&figure.id), figure)).collect(),
            captions,
            notes: notes.clone().map(|(from, note)| ((from, note.mark.as_str()), id(&note.block))).collect(),
            marked: notes.map(|(from, note)| (id(&note.block), from)).collect(),
        }
    }

    fn body(&self) -> String {
        let is_written = |block: &&Block| caption_of(block).is_none_or(|of| !self.captions.contains_key(of));
        let blocks: Vec<_> = self.document.blocks.iter().filter(is_written).collect();
        let mut text = String::new();
        for run in blocks.chunk_by(|one, next| Item::of(one).is_some() && Item::of(next).is_some()) {
            let items: Vec<_> = run.iter().filter_map(|block| Item::of(block)).collect();
            if items.is_empty() {
                run.iter().for_each(|block| text.push_str(&self.block(block)));
            } else {
                text.push_str(&self.lists(&items));
            }
        }
        text
    }

    /// Items, with those that are deeper inside the one before them.
    fn lists(&self, items: &[Item<'_>]) -> String {
        let mut text = String::new();
        let mut open: Option<(&str, u32)> = None;
        let mut rest = items;
        while let Some((item, after)) = rest.split_first() {
            let inner = after.iter().take_while(|next| next.depth > item.depth).count();
            let (inner, next) = after.split_at(inner);
            let (tag, value) = match item.number {
                Some(number) => ("ol", format!(" value=\"{number}\"")),
                None => ("ul", String::new()),
            };
            if open != Some((tag, item.list)) {
                if let Some((before, _)) = open {
                    let _ = writeln!(text, "</{before}>");
                }
                let _ = writeln!(text, "<{tag}>");
                open = Some((tag, item.list));
            }
            let _ = write!(text, "<li{value}{}>{}", attributes(item.block), self.inline(item.block));
            if !inner.is_empty() {
                let _ = write!(text, "\n{}", self.lists(inner));
            }
            text.push_str("</li>\n");
            rest = next;
        }
        if let Some((tag, _)) = open {
            let _ = writeln!(text, "</{tag}>");
        }
        text
    }

    fn block(&self, block: &Block) -> String {
        let own = attributes(block);
        let inner = || self.inline(block);
        match &block.role {
            Role::Title => format!("<h1{own}>{}</h1>\n", inner()),
            Role::Heading { level } => {
                let level = (*level).clamp(1, 6);
                format!("<h{level}{own}>{}</h{level}>\n", inner())
            }
            Role::Paragraph | Role::Item { .. } => format!("<p{own}>{}</p>\n", inner()),
            Role::Caption { .. } => format!("<p{own} data-role=\"caption\">{}</p>\n", inner()),
            Role::Formula => format!("<p{own} data-role=\"formula\">{}</p>\n", inner()),
            Role::FormField { name } => {
                let name = attribute("data-field", name.as_deref());
                format!("<p{own} data-role=\"formField\"{name}>{}</p>\n", inner())
            }
            Role::Header => format!("<header{own}>{}</header>\n", inner()),
            Role::Footer => format!("<footer{own}>{}</footer>\n", inner()),
            Role::Code => format!("<pre{own}><code>{}</code></pre>\n", escape(&block.text)),
            Role::Footnote { mark } => self.footnote(block, mark),
            Role::Table { table } => self.tables.get(id(table)).map_or_else(String::new, |table| {
                format!("<table{own}>\n{}{}</table>\n", self.captions_of(block, "caption"), rows(table))
            }),
            Role::Figure { figure } => {
                let picture = self.figures.get(id(figure)).map_or_else(String::new, |figure| picture(figure, block));
                format!("<figure{own}>{picture}{}</figure>\n", self.captions_of(block, "figcaption"))
            }
        }
    }

    fn footnote(&self, block: &Block, mark: &str) -> String {
        let back = self
            .marked
            .get(id(&block.id))
            .map_or_else(String::new, |from| format!(" <a href=\"#{}\" role=\"doc-backlink\">↩</a>", escape(from)));
        let mark = escape(mark);
        format!(
            "<aside{} role=\"doc-footnote\"><sup>{mark}</sup> {}{back}</aside>\n",
            attributes(block),
            self.inline(block)
        )
    }

    fn captions_of(&self, block: &Block, tag: &str) -> String {
        let captions = self.captions.get(id(&block.id)).map_or(&[][..], Vec::as_slice);
        if captions.is_empty() {
            return String::new();
        }
        let captions = captions.iter().map(|block| format!("<p{}>{}</p>", attributes(block), self.inline(block)));
        format!("<{tag}>{}</{tag}>\n", captions.collect::<String>())
    }

    fn inline(&self, block: &Block) -> String {
        if block.spans.is_empty() {
            return lines(&block.text);
        }
        block.spans.iter().map(|span| self.span(span, block)).collect()
    }

    fn span(&self, span: &Span, block: &Block) -> String {
        let Span { text, bold, italic, code, superscript, subscript, link } = span;
        let mut inner = lines(text);
        let tags = [(code, "code"), (italic, "em"), (bold, "strong"), (subscript, "sub"), (superscript, "sup")];
        for (_, tag) in tags.into_iter().filter(|(is, _)| **is) {
            inner = format!("<{tag}>{inner}</{tag}>");
        }
        let note = self.notes.get(&(id(&block.id), text.trim())).filter(|_| *superscript);
        match (note, link.as_deref().filter(|address| is_safe(address))) {
            (Some(note), _) => format!("<a href=\"#{}\" role=\"doc-noteref\">{inner}</a>", escape(note)),
            (None, Some(address)) => format!("<a href=\"{}\">{inner}</a>", escape(address)),
            (None, None) => inner,
        }
    }
}

struct Item<'d> {
    block: &'d Block,
    list: u32,
    depth: u8,
    number: Option<u32>,
}

impl<'d> Item<'d> {
    fn of(block: &'d Block) -> Option<Self> {
        if let Role::Item { list, depth, number } = block.role {
            Some(Self { block, list, depth, number })
        } else {
            None
        }
    }
}

fn id(id: &Id) -> &str {
    &id.0
}

fn is_owner(block: &Block) -> bool {
    matches!(block.role, Role::Table { .. } | Role::Figure { .. })
}

fn caption_of(block: &Block) -> Option<&str> {
    if let Role::Caption { of: Some(of) } = &block.role { Some(id(of)) } else { None }
}

/// Cells where they are, and empty ones at the places that no cell covers.
pub(super) fn rows(table: &Table) -> String {
    let cells: HashMap<_, _> = table.cells.iter().map(|cell| ((cell.row, cell.column), cell)).collect();
    // The row from which each column is free again.
    let mut free = vec![0; table.columns];
    let mut text = String::new();
    for row in 0..table.rows {
        text.push_str("<tr>");
        for column in 0..table.columns {
            match cells.get(&(row, column)) {
                Some(cell) => {
                    let spans =
                        (cell.row_span.clamp(1, table.rows - row), cell.column_span.clamp(1, table.columns - column));
                    free.iter_mut().skip(column).take(spans.1).for_each(|free| *free = row + spans.0);
                    text.push_str(&written(cell, spans));
                }
                None if free.get(column).is_some_and(|free| *free <= row) => text.push_str("<td></td>"),
                None => {}
            }
        }
        text.push_str("</tr>\n");
    }
    text
}

fn written(cell: &Cell, (rows, columns): (usize, usize)) -> String {
    let tag = if cell.header { "th" } else { "td" };
    let rows = if rows > 1 { format!(" rowspan=\"{rows}\"") } else { String::new() };
    let columns = if columns > 1 { format!(" colspan=\"{columns}\"") } else { String::new() };
    format!("<{tag}{rows}{columns}>{}</{tag}>", lines(&cell.text))
}

/// The picture, or its alternative text if there is none.
fn picture(figure: &Figure, block: &Block) -> String {
    let text = figure.text.as_deref().unwrap_or(&block.text);
    match figure.file.as_deref().or(figure.data.as_deref()) {
        Some(address) => format!("<img src=\"{}\" alt=\"{}\">", escape(address), escape(text)),
        None if text.is_empty() => String::new(),
        None => format!("<p>{}</p>", lines(text)),
    }
}

/// The id, the first page, the language and the direction of a block.
fn attributes(block: &Block) -> String {
    let page = block.places.first().map(|place| place.page.to_string());
    let direction = block.text.chars().any(is_rtl).then_some("auto");
    [
        attribute("id", Some(id(&block.id))),
        attribute("data-page", page.as_deref()),
        attribute("lang", block.language.as_deref()),
        attribute("dir", direction),
    ]
    .concat()
}

fn attribute(name: &str, value: Option<&str>) -> String {
    value.map_or_else(String::new, |value| format!(" {name}=\"{}\"", escape(value)))
}

fn lines(text: &str) -> String {
    escape(text).replace('\n', "<br>")
}

fn escape(text: &str) -> String {
    maud::html! { (text) }.into_string()
}
