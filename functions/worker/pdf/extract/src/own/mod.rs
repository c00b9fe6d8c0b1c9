//! Reads office documents, HTML, Markdown and messages by their own structure, without pages.

mod builder;
mod csv;
mod docx;
mod drawing;
mod grid;
mod html;
mod mail;
mod markdown;
mod math;
mod odf;
mod package;
mod pptx;
mod sheet;
mod text;
mod xlsx;

use std::fs;

use docmill_formats::Format;
use docmill_mail::MessageFormat;
use docmill_pdf_request::{Failure, Limits, Source, Warning};
use docmill_pdf_text::HeadersFooters;

use builder::Builder;
use text::Text;

use crate::model::{Document, Role};
use crate::pictures::Pictures;

/// Whether `read` reads it.
pub const fn reads(format: Format) -> bool {
    Reader::of(format).is_some()
}

/// The readers of documents' own structure.
enum Reader {
    Text,
    Markdown,
    Html,
    Docx,
    Pptx,
    Xlsx,
    Csv,
    OpenDocument,
    Message(MessageFormat),
}

impl Reader {
    const fn of(format: Format) -> Option<Self> {
        if matches!(format, Format::Txt) {
            Some(Self::Text)
        } else if matches!(format, Format::Markdown) {
            Some(Self::Markdown)
        } else if matches!(format, Format::Html) {
            Some(Self::Html)
        } else if matches!(format, Format::Docx) {
            Some(Self::Docx)
        } else if matches!(format, Format::Pptx) {
            Some(Self::Pptx)
        } else if matches!(format, Format::Xlsx) {
            Some(Self::Xlsx)
        } else if matches!(format, Format::Csv) {
            Some(Self::Csv)
        } else if matches!(format, Format::Odt | Format::Ods | Format::Odp) {
            Some(Self::OpenDocument)
        } else if matches!(format, Format::Eml) {
            Some(Self::Message(MessageFormat::Eml))
        } else if matches!(format, Format::Msg) {
            Some(Self::Message(MessageFormat::Msg))
        } else {
            None
        }
    }
}

/// Running headers and footers are blocks, if they are kept.
///
/// # Errors
/// If the file can't be read, is damaged, or is larger than the limits allow.
pub fn read(
    source: &Source,
    pictures: &mut Pictures<'_>,
    limits: &Limits,
    headers_footers: HeadersFooters,
) -> Result<(Document, Vec<Warning>), Failure> {
    let mut builder = Builder::new(pictures, limits);
    let mut warnings = Vec::new();
    let bytes = || fs::read(&source.path).map_err(|error| Failure::io(&error));
    let reader = Reader::of(source.media)
        .ok_or_else(|| Failure::internal(format!("{:?} has no structure of its own", source.media)))?;
    match reader {
        Reader::Html => html::read(&html::decoded(&bytes()?), source.base.as_deref(), &|_| None, &mut builder)?,
        Reader::Markdown => {
            let text = html::decoded(&bytes()?);
            warnings.extend(markdown::read(&text, source.base.as_deref(), &mut builder)?);
        }
        Reader::Docx => docx::read(&source.path, headers_footers, &mut builder)?,
        Reader::Pptx => pptx::read(&source.path, headers_footers, &mut builder)?,
        Reader::Xlsx => xlsx::read(&source.path, &mut builder)?,
        Reader::Csv => csv::read(&html::decoded(&bytes()?), &mut builder)?,
        Reader::OpenDocument => odf::read(&source.path, headers_footers, &mut builder)?,
        Reader::Message(format) => warnings = mail::read(&bytes()?, format, &mut builder)?,
        Reader::Text => plain(&html::decoded(&bytes()?), &mut builder),
    }
    Ok((builder.finish()?, warnings))
}

/// Paragraphs of plain text: blank lines stand between them.
fn plain(text: &str, builder: &mut Builder<'_, '_>) {
    let mut paragraph = String::new();
    for line in text.lines().chain([""]) {
        if line.trim().is_empty() {
            builder.block(Role::Paragraph, Text::plain(&paragraph));
            paragraph.clear();
        } else {
            paragraph.push_str(line.trim_end());
            paragraph.push('\n');
        }
    }
}

#[cfg(test)]
mod tests;
