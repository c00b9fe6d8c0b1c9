//! Checks results: a confined child of the PDF tools opens each one, and marks those of test jobs. This process has the role's
//! credentials and does not parse anything that an engine made.

use std::path::{Path, PathBuf};
use std::time::Instant;

use docmill::domain::job::JobErrorCode;
use docmill_pdf::Media;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engine::{Artifact, Conversion, Engine, Failure, Limits, NO_FONTS, Source, Task};
use crate::tree;

/// Slugs of internal calls, which are not in the catalogue.
const VERIFY: &str = "verify";
const MARK: &str = "mark-test";

/// How results are checked.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    /// The engine for these calls.
    pub tools: &'a dyn Engine,
    pub limits: &'a Limits,
    pub deadline: Instant,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

impl Checker<'_> {
    /// Opens each file, which must be complete, of its format and within the limits. Counts pages and measures pictures. Makes the
    /// pictures of PDFs smaller if the engine left that to the check.
    ///
    /// `password` opens files that were just encrypted. `scratch` is an empty directory.
    pub async fn check(
        &self,
        conversion: Conversion,
        password: Option<&str>,
        scratch: &Path,
    ) -> Result<Conversion, Failure> {
        are_files(&conversion)?;
        let sources = conversion.artifacts.iter().map(|artifact| {
            let password = password.map(str::to_owned);
            Source::File(file(artifact.path.clone(), artifact.media, password))
        });
        let options = conversion.pictures.map_or(Value::Null, |pictures| json!({ "pictures": pictures }));
        let Conversion { artifacts: seen, report, .. } =
            self.call(VERIFY, sources.collect(), &options, scratch).await?;
        if seen.len() != conversion.artifacts.len() {
            return Err(Failure::internal("the check did not answer for every file"));
        }
        let fitted: Vec<usize> = report.and_then(|report| Vec::deserialize(&report["fitted"]).ok()).unwrap_or_default();
        let artifacts = conversion.artifacts.into_iter().zip(seen).enumerate();
        let artifacts = artifacts.map(|(position, (made, Artifact { path, pages, width, height, .. }))| {
            // The format's own tool may know more, such as the pages in a picture.
            Artifact {
                path: if fitted.contains(&position) { path } else { made.path },
                pages: pages.or(made.pages),
                width: width.or(made.width),
                height: height.or(made.height),
                ..made
            }
        });
        let conversion = Conversion { artifacts: artifacts.collect(), ..conversion };
        are_files(&conversion)?;
        Ok(conversion)
    }

    /// Writes a copy of a PDF with a large "TEST" on every page.
    pub async fn mark(&self, pdf: docmill_pdf::Source, scratch: &Path) -> Result<PathBuf, Failure> {
        let marked = self.call(MARK, vec![Source::File(pdf)], &Value::Null, scratch).await?;
        Ok(marked.path().to_owned())
    }

    async fn call(
        &self,
        tool: &str,
        sources: Vec<Source>,
        options: &Value,
        scratch: &Path,
    ) -> Result<Conversion, Failure> {
        let (limits, deadline) = (self.limits, self.deadline);
        let fonts = &NO_FONTS;
        self.tools.convert(Task { tool, sources, options, scratch, deadline, limits, fonts }).await
    }
}

/// A link that a child put in place of a file is not followed.
pub(crate) fn are_files(conversion: &Conversion) -> Result<(), Failure> {
    let opened = conversion.artifacts.iter().try_for_each(|artifact| tree::open_written(&artifact.path).map(drop));
    opened.map_err(|error| missing(&error))
}

/// A file without the client's description.
pub(crate) fn file(path: PathBuf, media: Media, password: Option<String>) -> docmill_pdf::Source {
    docmill_pdf::Source { path, media, name: None, password, page_range: None, title: None, base: None }
}

fn missing(error: &std::io::Error) -> Failure {
    let message = "The conversion produced no valid file. Check that the document opens and has content.";
    Failure::new(JobErrorCode::RenderFailed, message, format!("no result: {}", error.kind()))
}
