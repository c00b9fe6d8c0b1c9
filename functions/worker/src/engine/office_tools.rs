//! The tools for office documents. LibreOffice serves all of them; pictures of pages are rendered from its PDF.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use docmill_pdf::Media;
use serde_json::{Value, json};

use super::office::convert::{ConvertOptions, TOOL, Target};
use super::office::{OfficeEngine, Way};
use super::{Artifact, Conversion, Engine, Failure, Source, Task, Unfinished};
use crate::checker;

/// Slugs of the calls for pictures.
const PRINT: &str = "office-to-pdf";
const DRAW: &str = "pdf-to-images";

const DEFAULT_DPI: u16 = 150;

pub struct OfficeTools {
    office: OfficeEngine,
    tools: Arc<dyn Engine>,
}

impl std::fmt::Debug for OfficeTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OfficeTools").finish_non_exhaustive()
    }
}

impl OfficeTools {
    /// `tools`: the PDF tools.
    pub fn new(office: OfficeEngine, tools: Arc<dyn Engine>) -> Self {
        Self { office, tools }
    }

    async fn convert_by(&self, way: Way, task: &Task<'_>) -> Result<Conversion, Failure> {
        if task.tool == TOOL {
            let options = ConvertOptions::read(task.options)?;
            if options.format == Target::Png {
                return self.picture(way, task, &options).await;
            }
        }
        self.office.convert_by(way, task).await
    }

    async fn picture(&self, way: Way, task: &Task<'_>, options: &ConvertOptions) -> Result<Conversion, Failure> {
        let mut print = json!({"pageRange": options.page.unwrap_or(1).to_string()});
        if let Some(password) = &options.password {
            print["password"] = json!(password);
        }
        let scratch = &room(task.scratch, PRINT)?;
        let printed = self.office.convert_by(way, &part(task, PRINT, task.source()?.clone(), &print, scratch)).await;
        let printed = printed.map_err(in_terms_of_page)?;
        let pdf = Source::File(checker::file(printed.path().to_owned(), Media::Pdf, None));
        let draw = json!({"format": "png", "dpi": options.dpi.unwrap_or(DEFAULT_DPI)});
        let scratch = &room(task.scratch, DRAW)?;
        let drawn = self.tools.convert(part(task, DRAW, pdf, &draw, scratch)).await?;
        let artifacts = drawn.artifacts.into_iter().map(|artifact| Artifact { filename: None, ..artifact }).collect();
        let mut warnings = options.without_effect();
        warnings.extend(printed.warnings.into_iter().chain(drawn.warnings));
        Ok(Conversion { artifacts, report: None, engine: printed.engine, warnings, unfinished: Unfinished::default() })
    }
}

#[async_trait]
impl Engine for OfficeTools {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        self.convert_by(Way::Warm, &task).await
    }

    async fn convert_after_crash(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        self.convert_by(Way::Fresh, &task).await
    }

    async fn get_ready(&self) {
        self.office.get_ready().await;
    }
}

/// A part of a task, with its deadline, limits and fonts.
fn part<'a>(task: &Task<'a>, tool: &'a str, source: Source, options: &'a Value, scratch: &'a Path) -> Task<'a> {
    let (deadline, limits, fonts) = (task.deadline, task.limits, task.fonts);
    Task { tool, sources: vec![source], options, scratch, deadline, limits, fonts }
}

/// A directory for one call.
fn room(scratch: &Path, name: &str) -> Result<PathBuf, Failure> {
    let directory = scratch.join(name);
    std::fs::create_dir(&directory).map_err(|error| Failure::internal(format!("no directory: {error}")))?;
    Ok(directory)
}

/// The option has another name there.
fn in_terms_of_page(failure: Failure) -> Failure {
    Failure { message: failure.message.replace("`pageRange`", "`page`"), ..failure }
}
