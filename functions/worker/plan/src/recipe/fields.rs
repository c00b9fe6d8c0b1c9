//! Fields of Word documents: the PDF tools compute them, and LibreOffice prints the document so that they know its pages. New contents can
//! move pages, so this is repeated until the fields stay as they are.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use docmill_confine::scratch;
use docmill_domain::job::{EngineInfo, Warning};
use docmill_domain::tool::Slug;
use docmill_engine::{Artifact, Conversion, Failure, Operation, Source, without_effect};
use docmill_formats::Format;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use super::run::Runner;
use super::{Options, Recipe, Step, Takes};

/// The option that asks for this.
pub(super) const UPDATE: &str = "updateFields";
/// Most prints of a document.
const ROUNDS: usize = 3;

/// Whether the options ask for it.
pub(super) fn is_wanted(options: &Value) -> bool {
    options[UPDATE] == true
}

impl Recipe {
    /// The same with the fields of Word documents brought up to date.
    pub(super) fn then_update_fields(self) -> Self {
        let last = self.steps.len() - 1;
        self.then(Operation::UpdateFields, Takes::FilesOf(last), Options::Given(Value::Null))
    }

    /// Only the fields of a Word document are brought up to date.
    #[must_use]
    pub fn of_fields() -> Self {
        Self::single(Operation::UpdateFields, Value::Null)
    }
}

/// A source as a file.
pub(super) fn file(source: &Source) -> Result<Artifact, Failure> {
    let (path, media) = match source {
        Source::Document { path, format, .. } => (path.clone(), *format),
        Source::File(file) => (file.path.clone(), file.media),
        Source::Page(_) | Source::Html { .. } => return Err(Failure::internal("a page has no fields")),
    };
    Ok(Artifact { path, media, pages: None, width: None, height: None, filename: None })
}

impl Runner<'_> {
    /// Brings the fields of all Word documents among these files up to date. The others stay as they are.
    /// `made_by`: the engine of the step that made them.
    pub(super) async fn update_fields(
        &self,
        files: Vec<Artifact>,
        made_by: Option<EngineInfo>,
    ) -> Result<Conversion, Failure> {
        let mut warnings: Vec<Warning> = Vec::new();
        let (mut artifacts, mut engine) = (Vec::with_capacity(files.len()), made_by);
        for file in files {
            if file.media != Format::Docx {
                let told = (file.media != Format::Json).then(|| without_effect(UPDATE, Format::Docx.extension()));
                warnings.extend(told.filter(|told| !warnings.contains(told)));
                artifacts.push(file);
                continue;
            }
            let Conversion { artifacts: made, warnings: told, engine: by, .. } = self.updated(&file.path).await?;
            for warning in told {
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
            let path = made.into_iter().next().map_or(file.path, |made| made.path);
            artifacts.push(Artifact { path, ..file });
            engine = engine.or(Some(by));
        }
        let engine = engine.ok_or_else(|| Failure::internal("no document to update"))?;
        Ok(Conversion { artifacts, report: None, engine, warnings, unfinished: docmill_engine::Unfinished::default() })
    }

    /// The document as the PDF tools have computed it last.
    async fn updated(&self, path: &Path) -> Result<Conversion, Failure> {
        let mut last = self.computed(path, None).await?;
        for _ in 0..ROUNDS {
            let Some(marked) = last.artifacts.get(1) else { return Ok(last) };
            let print = self.print(marked.path.clone()).await?;
            let next = self.computed(path, Some(print)).await?;
            let (before, after) = (last.path().to_owned(), next.path().to_owned());
            let compared = spawn_blocking(move || are_equal(&before, &after)).await;
            let is_final = compared.map_err(|_panicked| Failure::internal("a comparison panicked"))?;
            last = next;
            if is_final.map_err(|error| Failure::internal(format!("comparing documents: {error}")))? {
                return Ok(last);
            }
        }
        let message = "Page numbers in the document may be wrong: each update of its contents moved its pages again.";
        last.warnings.push(Warning::new("page_numbers_unstable", message));
        Ok(last)
    }

    async fn computed(&self, path: &Path, print: Option<PathBuf>) -> Result<Conversion, Failure> {
        let source = |path: PathBuf, format| Source::File(docmill_pdf_request::Source::new(path, format));
        let document = source(path.to_owned(), Format::Docx);
        let sources = std::iter::once(document).chain(print.map(|print| source(print, Format::Pdf))).collect();
        let step = Step::new(Operation::UpdateFields, Takes::Sources, Options::Given(Value::Null));
        self.step(&step, sources, &Value::Null, true).await
    }

    /// A PDF in which each bookmark has a name.
    async fn print(&self, path: PathBuf) -> Result<PathBuf, Failure> {
        let limits = self.limits.clone();
        let checked = spawn_blocking(move || {
            let inspection = docmill_sniff::check(&path, Format::Docx, &limits)?;
            Ok(Source::Document { path, name: None, format: Format::Docx, inspection })
        });
        let source: Result<Source, Failure> =
            checked.await.map_err(|_panicked| Failure::internal("the check of a document panicked"))?;
        let step = Step::new(Operation::Tool(Slug::OFFICE_TO_PDF), Takes::Sources, Options::Given(Value::Null));
        let printed = self.step(&step, vec![source?], &json!({"destinations": true}), true).await?;
        Ok(printed.path().to_owned())
    }
}

/// Whether two results have the same bytes.
fn are_equal(first: &Path, second: &Path) -> io::Result<bool> {
    let read = |path: &Path| -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        scratch::open_written(path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    Ok(read(first)? == read(second)?)
}
