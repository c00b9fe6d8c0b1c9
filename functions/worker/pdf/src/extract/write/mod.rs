//! Writes documents as files.

mod chunks;
mod html;
mod markdown;
mod markup;
mod plain;
mod tables;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde::Deserialize;

use super::model::Document;
use crate::{Artifact, ErrorCode, Failure, Limits, Media, OfficeFile};
use chunks::ChunkOptions;
pub(crate) use markdown::markdown;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Json,
    Markdown,
    Html,
    Chunks,
    Tables,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WriteOptions {
    pub format: Format,
    pub chunks: ChunkOptions,
}

impl WriteOptions {
    /// Whether the format has a place for pictures.
    pub(crate) fn takes_pictures(&self) -> bool {
        match self.format {
            Format::Json | Format::Markdown | Format::Html => true,
            Format::Chunks | Format::Tables => false,
        }
    }
}

/// The most tables that one document may give.
const MOST_TABLES: usize = 1_000;

struct Written {
    name: String,
    media: Media,
    content: Vec<u8>,
}

/// Writes a document as files in this directory, whose names begin with `prefix`. There are none if it has no tables, and they were
/// asked for.
pub(crate) fn write(
    document: &Document,
    options: &WriteOptions,
    prefix: &str,
    directory: &Path,
    limits: &Limits,
) -> Result<Vec<Artifact>, Failure> {
    let internal = |error: serde_json::Error| Failure::internal(error.to_string());
    let files = match options.format {
        Format::Json => vec![whole(serde_json::to_string(document).map_err(internal)?, Media::Json)],
        Format::Markdown => vec![whole(markdown(document), Media::Markdown)],
        Format::Html => vec![whole(html::html(document), Media::Html)],
        Format::Chunks => {
            vec![whole(
                chunks::json_lines(document, options.chunks, limits.output_bytes).map_err(internal)?,
                Media::JsonLines,
            )]
        }
        Format::Tables => tables(document)?,
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

fn whole(text: String, media: Media) -> Written {
    Written { name: format!("document.{}", media.extension()), media, content: text.into_bytes() }
}

fn tables(document: &Document) -> Result<Vec<Written>, Failure> {
    let count = document.tables.len();
    if count > MOST_TABLES {
        let message = format!("The document has {count} tables, and {MOST_TABLES} are allowed: select fewer pages.");
        return Err(Failure::new(ErrorCode::RenderFailed, message, "too many tables"));
    }
    let media = Media::Office(OfficeFile::Csv);
    let written = document.tables.iter().map(|table| {
        let content = tables::csv(table).map_err(|error| Failure::internal(format!("CSV: {error}")))?;
        Ok(Written { name: format!("{}.{}", table.id.0, media.extension()), media, content })
    });
    written.collect()
}
