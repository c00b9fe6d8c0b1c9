//! What becomes of a document's pictures: files beside the result, data in it, or nothing.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use docmill_formats::Format;
use docmill_pdf_request::{Artifact, ErrorCode, Failure, Limits};
use serde::Deserialize;

use super::model::Figure;

/// What becomes of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Images {
    /// They are left out.
    #[default]
    None,
    /// Each is a file beside the result.
    Files,
    /// Each is a `data:` URL in the result.
    Inline,
}

/// Most pictures of a document. Further figures have no file.
const MOST: usize = 1_000;

/// The pictures of a document, while it is read.
#[derive(Debug)]
pub struct Pictures<'r> {
    images: Images,
    directory: &'r Path,
    limits: &'r Limits,
    /// The names of files begin with it.
    prefix: String,
    bytes: u64,
    kept: usize,
    /// Those that were written so far.
    pub files: Vec<Artifact>,
}

impl<'r> Pictures<'r> {
    /// `directory`: of the request. `prefix`: different for each source.
    pub fn new(images: Images, directory: &'r Path, limits: &'r Limits, prefix: String) -> Self {
        Self { images, directory, limits, prefix, bytes: 0, kept: 0, files: Vec::new() }
    }

    /// Whether `keep` would keep one more: if not, there is no need to encode it.
    pub fn wanted(&self) -> bool {
        self.images != Images::None && self.kept < MOST
    }

    /// Keeps the picture of a figure in the way that was asked for. `bytes`: a whole file of this media type.
    ///
    /// # Errors
    /// If its file can't be written, or the result grows too large.
    pub fn keep(&mut self, figure: &mut Figure, media: Format, bytes: &[u8]) -> Result<(), Failure> {
        if !self.wanted() {
            return Ok(());
        }
        self.bytes += bytes.len() as u64;
        if self.bytes > self.limits.output_bytes {
            let most = self.limits.output_bytes >> 20;
            let message =
                format!("The pictures are larger than {most} MiB together, which is the limit. Select fewer pages.");
            return Err(Failure::new(ErrorCode::RenderFailed, message, "pictures beyond the limit"));
        }
        self.kept += 1;
        if self.images == Images::Inline {
            figure.data = Some(format!("data:{};base64,{}", media.content_type(), STANDARD.encode(bytes)));
            return Ok(());
        }
        let file = format!("{}{}.{}", self.prefix, figure.id.0, media.extension());
        std::fs::write(self.directory.join(&file), bytes)
            .map_err(|error| Failure::internal(format!("file: {}", error.kind())))?;
        figure.file = Some(file.clone());
        self.files.push(Artifact { filename: Some(file.clone()), ..Artifact::new(file, media) });
        Ok(())
    }
}
