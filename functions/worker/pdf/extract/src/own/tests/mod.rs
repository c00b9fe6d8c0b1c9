//! Documents made here are read, and compared block by block.

#![allow(clippy::wildcard_enum_match_arm, reason = "a test looks for one shape")]

mod docx;
mod hostile;
mod html;
mod mail;
mod odf;
mod sheets;
mod slides;
mod words;

use std::fs;
use std::io::{Cursor, Write};

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Failure, Limits, Source, Warning};
use docmill_pdf_text::HeadersFooters;

use super::read;
use crate::model::{Document, Id, Role, Span};
use crate::pictures::{Images, Pictures};

const LIMITS: Limits = Limits { pages: 200, output_bytes: 64 << 20, pixels: 10_000_000, memory_bytes: 1 << 30 };

/// The smallest picture: one pixel.
const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\nIDATx\x9cc\0\x01\0\0\x05\0\x01\r\n-\xb4\0\0\0\0IEND\xaeB`\x82";

fn try_read(media: Format, bytes: &[u8], limits: &Limits) -> Result<(Document, Vec<Warning>), Failure> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source");
    fs::write(&path, bytes).unwrap();
    let base = Some("https://example.com/a/b".to_owned());
    let source = Source { base, ..Source::new(path, media) };
    let mut pictures = Pictures::new(Images::Inline, directory.path(), limits, "p".to_owned());
    read(&source, &mut pictures, limits, HeadersFooters::Keep)
}

fn document(media: Format, bytes: &[u8]) -> Document {
    let (document, warnings) = try_read(media, bytes, &LIMITS).unwrap();
    assert_eq!(warnings, []);
    let numbers: Vec<_> = (1..=document.blocks.len()).map(Id::block).collect();
    assert_eq!(document.blocks.iter().map(|block| block.id.clone()).collect::<Vec<_>>(), numbers);
    for block in document.blocks.iter().filter(|block| !block.spans.is_empty()) {
        assert_eq!(block.spans.iter().map(|span| span.text.as_str()).collect::<String>(), block.text);
    }
    document
}

/// Each block on a line: its role, and its text.
fn blocks(document: &Document) -> Vec<String> {
    let line = |role: &Role| match role {
        Role::Heading { level } => format!("h{level}"),
        Role::Item { list, depth, number: None } => format!("item {list}.{depth}"),
        Role::Item { list, depth, number: Some(number) } => format!("item {list}.{depth} {number}"),
        Role::Caption { of: Some(Id(id)) } => format!("caption of {id}"),
        Role::Footnote { mark } => format!("footnote {mark}"),
        Role::FormField { name } => format!("field {}", name.as_deref().unwrap_or_default()),
        Role::Table { .. } => "table".to_owned(),
        Role::Figure { .. } => "figure".to_owned(),
        Role::Title
        | Role::Paragraph
        | Role::Caption { of: None }
        | Role::Header
        | Role::Footer
        | Role::Code
        | Role::Formula => format!("{role:?}").to_lowercase(),
    };
    document.blocks.iter().map(|block| format!("{}: {}", line(&block.role), block.text)).collect()
}

/// Each cell: its text, row, column, and how many rows and columns it covers.
fn cells(document: &Document, table: usize) -> Vec<(&str, [usize; 4], bool)> {
    document.tables[table]
        .cells
        .iter()
        .map(|cell| (cell.text.as_str(), [cell.row, cell.column, cell.row_span, cell.column_span], cell.header))
        .collect()
}

/// The spans of a block that are not plain, each with the first letters of its styles.
fn styled(document: &Document, block: usize) -> Vec<String> {
    let letters = |span: &Span| {
        let styles = [
            (span.bold, "b"),
            (span.italic, "i"),
            (span.code, "c"),
            (span.superscript, "^"),
            (span.subscript, "_"),
            (span.link.is_some(), "l"),
        ];
        styles.into_iter().filter_map(|(on, letter)| on.then_some(letter)).collect::<String>()
    };
    let spans = document.blocks[block].spans.iter().filter(|span| !span.is_plain());
    spans.map(|span| format!("{} {}", letters(span), span.text.trim())).collect()
}

fn hidden(document: &Document) -> Vec<&str> {
    document.hidden.iter().map(|hidden| hidden.text.as_str()).collect()
}

/// An archive of parts.
fn packed(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn relations_of(relations: &str) -> String {
    format!("<Relationships>{relations}</Relationships>")
}
