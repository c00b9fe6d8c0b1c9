//! Writes documents as files.

mod markdown;

use std::path::Path;

use serde::Deserialize;

use super::model::Document;
use crate::{Artifact, ErrorCode, Failure, Limits, Media};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Format {
    #[default]
    Json,
    Markdown,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WriteOptions {
    pub format: Format,
}

/// Writes a document as files in this directory, whose names begin with `prefix`.
pub(crate) fn write(
    document: &Document,
    options: &WriteOptions,
    prefix: &str,
    directory: &Path,
    limits: &Limits,
) -> Result<Vec<Artifact>, Failure> {
    let (written, media) = match options.format {
        Format::Json => {
            let json = serde_json::to_string(document).map_err(|error| Failure::internal(error.to_string()))?;
            (json, Media::Json)
        }
        Format::Markdown => (markdown::markdown(document), Media::Markdown),
    };
    if written.len() as u64 > limits.output_bytes {
        let most = limits.output_bytes >> 20;
        let message = format!("The result is larger than {most} MiB, which is the limit. Select fewer pages.");
        return Err(Failure::new(ErrorCode::RenderFailed, message, "result beyond the limit"));
    }
    let file = format!("{prefix}document.{}", media.extension());
    std::fs::write(directory.join(&file), written)
        .map_err(|error| Failure::internal(format!("file: {}", error.kind())))?;
    Ok(vec![Artifact::new(file, media)])
}
