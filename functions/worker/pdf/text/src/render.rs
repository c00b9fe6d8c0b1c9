//! Writes documents as HTML, and as text that keeps its layout.

use std::fmt::Write as _;

use docmill_pdf_request::Failure;

use super::PageContent;
use super::blocks::{Block, Content, PageBlocks};
use super::columns::median;
use super::document::Document;
use super::inline;
use super::order::{self, Line};
use super::tables::Table;

/// Takes the parts of a text, one after the other.
pub trait Write: FnMut(&str) -> Result<(), Failure> {}
impl<W: FnMut(&str) -> Result<(), Failure>> Write for W {}

/// Lines in a monospaced font, with spaces for their indentation and gaps.
pub fn code(lines: &[Line]) -> String {
    let left = lines.iter().map(|line| line.area.x0).fold(f32::MAX, f32::min);
    let advance = lines
        .iter()
        .flat_map(|line| &line.words)
        .map(|word| word.area.width() / word.text.chars().count().max(1) as f32);
    let advance = median(advance.collect()).max(0.1);
    lines.iter().map(|line| spaced(line, left, advance)).collect::<Vec<_>>().join("\n")
}

/// A line with spaces in proportion to its gaps.
fn spaced(line: &Line, left: f32, advance: f32) -> String {
    const WIDEST: usize = 400;
    let mut words: Vec<_> = line.words.iter().collect();
    words.sort_by(|a, b| a.area.x0.total_cmp(&b.area.x0));
    let mut text = String::new();
    let mut length = 0;
    for word in words {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
        let column = (((word.area.x0 - left) / advance).round() as usize).min(WIDEST);
        let spaces = column.saturating_sub(length).max(usize::from(length > 0));
        text.extend(std::iter::repeat_n(' ', spaces));
        text.push_str(&word.text);
        length += spaces + word.text.chars().count();
    }
    text
}

/// The page's text with the words where they stand on the page.
pub fn layout(page: PageContent) -> String {
    let words = page.words;
    let advances = words.iter().map(|word| word.area.width() / word.text.chars().count().max(1) as f32);
    let advance = median(advances.collect()).max(0.5);
    let left = words.iter().map(|word| word.area.x0).fold(f32::MAX, f32::min);
    let height = median(words.iter().map(|word| word.size).collect()).max(1.0) * 1.3;
    let mut text = String::new();
    let mut above: Option<f32> = None;
    for line in order::lines(words) {
        if let Some(above) = above {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
            let empty = ((line.area.y0 - above) / height).round().clamp(0.0, 100.0) as usize;
            text.extend(std::iter::repeat_n('\n', empty));
        }
        above = Some(line.area.y1);
        text.push_str(&spaced(&line, left, advance));
        text.push('\n');
    }
    for line in order::lines(page.aside) {
        text.push_str(&line.text());
        text.push('\n');
    }
    text
}

/// One HTML page for the whole document, with a section for each page.
///
/// # Errors
/// What `write` fails with, or that the pages can't be read.
pub fn html(document: &Document, title: &str, mut write: impl Write) -> Result<(), Failure> {
    let title = html_escape(title);
    write(&format!("<!DOCTYPE html>\n<html>\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n<body>\n"))?;
    document.for_each(|page| write(&section(&page)))?;
    write("</body>\n</html>\n")
}

fn section(page: &PageBlocks) -> String {
    let mut text = format!("<section data-page=\"{}\">\n", page.number);
    let mut open: Vec<&str> = Vec::new();
    for block in &page.blocks {
        let (depth, tag) = match &block.content {
            Content::Item { number, depth, .. } => {
                (usize::from(*depth) + 1, if number.is_some() { "ol" } else { "ul" })
            }
            Content::Heading { .. }
            | Content::Paragraph { .. }
            | Content::Code { .. }
            | Content::Table(_)
            | Content::Aside { .. }
            | Content::Running { .. } => (0, ""),
        };
        close_lists(&mut text, &mut open, depth);
        if depth > 0 && open.len() == depth && open.last() != Some(&tag) {
            close_lists(&mut text, &mut open, depth - 1);
        }
        while open.len() < depth {
            let _ = writeln!(text, "<{tag}>");
            open.push(tag);
        }
        html_block(&mut text, block);
    }
    close_lists(&mut text, &mut open, 0);
    text + "</section>\n"
}

fn close_lists(text: &mut String, open: &mut Vec<&str>, depth: usize) {
    while open.len() > depth {
        if let Some(tag) = open.pop() {
            let _ = writeln!(text, "</{tag}>");
        }
    }
}

fn html_block(text: &mut String, block: &Block) {
    let direction = |lines: &[Line]| if lines.first().is_some_and(|line| line.rtl) { " dir=\"rtl\"" } else { "" };
    let _ = match &block.content {
        Content::Heading { level, lines } => {
            writeln!(text, "<h{level}{}>{}</h{level}>", direction(lines), html_escape(&inline::text(lines)))
        }
        Content::Paragraph { lines } => writeln!(text, "<p{}>{}</p>", direction(lines), html_spans(lines)),
        Content::Item { number, lines, .. } => {
            let value = number.map(|number| format!(" value=\"{number}\"")).unwrap_or_default();
            writeln!(text, "<li{value}{}>{}</li>", direction(lines), html_spans(lines))
        }
        Content::Code { lines } => writeln!(text, "<pre><code>{}</code></pre>", html_escape(&code(lines))),
        Content::Table(table) => writeln!(text, "{}", html_table(table)),
        Content::Aside { lines } | Content::Running { lines } => {
            writeln!(text, "<aside>{}</aside>", html_escape(&inline::text(lines)))
        }
    };
}

fn html_table(table: &Table) -> String {
    let headers = table.headers();
    let mut text = "<table>\n".to_owned();
    for (index, row) in table.rows.iter().enumerate() {
        let tag = if index < headers { "th" } else { "td" };
        text.push_str("<tr>");
        for cell in row {
            let span =
                |name: &str, count: usize| if count > 1 { format!(" {name}=\"{count}\"") } else { String::new() };
            let spans = span("colspan", cell.columns) + &span("rowspan", cell.rows);
            let _ = write!(text, "<{tag}{spans}>{}</{tag}>", html_escape(&cell.text()));
        }
        text.push_str("</tr>\n");
    }
    text + "</table>"
}

fn html_spans(lines: &[Line]) -> String {
    let mut text = String::new();
    for span in inline::spans(lines) {
        let mut inner = html_escape(&span.text);
        for (is, tag) in [(span.code, "code"), (span.italic, "em"), (span.bold, "strong")] {
            if is {
                inner = format!("<{tag}>{inner}</{tag}>");
            }
        }
        // Links to scripts and local files are dropped.
        match span.link.filter(|link| ["http://", "https://", "mailto:"].iter().any(|scheme| link.starts_with(scheme)))
        {
            Some(link) => {
                let _ = write!(text, "<a href=\"{}\">{inner}</a>", html_escape(&link));
            }
            None => text.push_str(&inner),
        }
    }
    text
}

fn html_escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
