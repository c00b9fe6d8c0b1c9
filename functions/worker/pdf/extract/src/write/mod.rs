//! Writes documents as files.

mod chunks;
mod html;
mod markdown;
mod markup;
mod plain;
mod tables;
#[cfg(test)]
mod tests;
mod workbook;

use std::path::Path;

use docmill_formats::Format;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Limits};
use serde::Deserialize;

use super::model::Document;

#[cfg(test)]
pub(crate) use chunks::Chunk;
use chunks::ChunkOptions;
pub use markdown::markdown;
pub use markup::is_safe;

/// What a document is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocumentFormat {
    /// The model itself.
    #[default]
    Json,
    /// GitHub Flavored Markdown.
    Markdown,
    /// One page.
    Html,
    /// JSON lines for search and language models.
    Chunks,
    /// Each in a file of its own, as CSV.
    Tables,
    /// All tables as one workbook.
    Xlsx,
}

/// How a document is written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct WriteOptions {
    /// As what.
    pub format: DocumentFormat,
    /// Only for chunks.
    pub chunks: ChunkOptions,
}

impl WriteOptions {
    /// Whether the format has a place for pictures.
    pub fn takes_pictures(&self) -> bool {
        match self.format {
            DocumentFormat::Json | DocumentFormat::Markdown | DocumentFormat::Html => true,
            DocumentFormat::Chunks | DocumentFormat::Tables | DocumentFormat::Xlsx => false,
        }
    }
}

/// The most tables that one document may give.
const MOST_TABLES: usize = 1_000;

struct Written {
    name: String,
    media: Format,
    content: Vec<u8>,
}

/// Writes a document as files in this directory, whose names begin with `prefix`. There are none if it has no tables, and they were
/// asked for.
///
/// # Errors
/// If a file can't be written, or grows too large.
pub fn write(
    document: &Document,
    options: &WriteOptions,
    prefix: &str,
    directory: &Path,
    limits: &Limits,
) -> Result<Vec<Artifact>, Failure> {
    let internal = |error: serde_json::Error| Failure::internal(error.to_string());
    let files = match options.format {
        DocumentFormat::Json => vec![whole(serde_json::to_string(document).map_err(internal)?, Format::Json)],
        DocumentFormat::Markdown => vec![whole(markdown(document), Format::Markdown)],
        DocumentFormat::Html => vec![whole(html::html(document), Format::Html)],
        DocumentFormat::Chunks => {
            vec![whole(
                chunks::json_lines(document, options.chunks, limits.output_bytes).map_err(internal)?,
                Format::JsonLines,
            )]
        }
        DocumentFormat::Tables => tables(document)?,
        DocumentFormat::Xlsx => {
            let content = sheets(document, &workbook::numbered(&document.tables))?;
            let name = format!("document.{}", Format::Xlsx.extension());
            content.map(|content| Written { name, media: Format::Xlsx, content }).into_iter().collect()
        }
    };
    let bytes: usize = files.iter().map(|file| file.content.len()).sum();
    if bytes as u64 > limits.output_bytes {
        let most = limits.output_bytes >> 20;
        let message = format!("The result is larger than {most} MiB, which is the limit. Select fewer pages.");
        return Err(Failure::new(ErrorCode::RenderFailed, message, "result beyond the limit"));
    }
    let is_alone = files.len() == 1;
    let artifacts = files.into_iter().map(|Written { name, media, content }| {
        let file = format!("{prefix}{name}");
        std::fs::write(directory.join(&file), content)
            .map_err(|error| Failure::internal(format!("file: {}", error.kind())))?;
        let filename = (!is_alone).then(|| file.clone());
        Ok(Artifact { filename, ..Artifact::new(file, media) })
    });
    artifacts.collect()
}

fn whole(text: String, media: Format) -> Written {
    Written { name: format!("document.{}", media.extension()), media, content: text.into_bytes() }
}

fn tables(document: &Document) -> Result<Vec<Written>, Failure> {
    not_too_many(document.tables.len())?;
    let media = Format::Csv;
    let written = document.tables.iter().map(|table| {
        let content = tables::csv(table).map_err(|error| Failure::internal(format!("CSV: {error}")))?;
        Ok(Written { name: format!("{}.{}", table.id.0, media.extension()), media, content })
    });
    written.collect()
}

/// A workbook with a sheet for each table, named after its caption. `None` if there are no tables.
///
/// # Errors
/// If the workbook can't be made.
pub fn workbook(document: &Document) -> Result<Option<Vec<u8>>, Failure> {
    sheets(document, &workbook::captioned(document))
}

fn sheets(document: &Document, names: &[String]) -> Result<Option<Vec<u8>>, Failure> {
    not_too_many(document.tables.len())?;
    if !document.tables.iter().all(workbook::fits) {
        let message =
            "A table has more rows or columns than a sheet has room for. The format `tables` has no such limit.";
        return Err(Failure::new(ErrorCode::RenderFailed, message, "table beyond a sheet"));
    }
    if document.tables.is_empty() {
        return Ok(None);
    }
    let content = workbook::xlsx(&document.tables, names);
    content.map(Some).map_err(|error| Failure::internal(format!("xlsx: {error}")))
}

fn not_too_many(tables: usize) -> Result<(), Failure> {
    if tables > MOST_TABLES {
        let message = format!("The document has {tables} tables, and {MOST_TABLES} are allowed: select fewer pages.");
        return Err(Failure::new(ErrorCode::RenderFailed, message, "too many tables"));
    }
    Ok(())
}
