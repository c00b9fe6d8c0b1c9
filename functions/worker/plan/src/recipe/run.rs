//! Runs the steps of a recipe, each in its engine.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::EngineKind;
use docmill_engine::page::read_page_up_to;
use docmill_engine::{Artifact, Conversion, Engines, Failure, Limits, Operation, Source, Task, Unfinished};
use docmill_fonts::OwnFonts;
use docmill_formats::Format;
use serde_json::{Map, Value};

use super::message::{self, Converted};
use super::{Options, Recipe, Report, Step, Takes, fields, metadata};
use crate::checker::{self, Checker};

/// Under this name, a step's options have what an earlier one reports.
const PREPARED: &str = "prepared";

/// What all steps of a call share.
#[derive(Clone, Copy, Debug)]
pub struct Runner<'a> {
    /// All engines of this worker.
    pub engines: &'a Engines,
    /// A directory, deleted after the job. Each step has one of its own in it.
    pub scratch: &'a Path,
    /// When everything that works on this job is killed.
    pub deadline: Instant,
    /// Of each step.
    pub limits: &'a Limits,
    /// The account's fonts.
    pub fonts: &'a OwnFonts,
    /// The account whose job it is. `None` on a machine of one's own.
    pub account: Option<&'a str>,
}

/// What a step has made.
struct Made {
    conversion: Conversion,
    engine: EngineKind,
}

impl Runner<'_> {
    /// Runs all steps. A step whose engine crashes is repeated once, in a fresh engine and in another way if there is one: the crash
    /// may not be the document's fault.
    ///
    /// # Errors
    /// Like the first step that fails.
    pub async fn run(&self, recipe: &Recipe, sources: Vec<Source>) -> Result<Conversion, Failure> {
        self.run_steps(recipe, sources, true).await
    }

    /// The same without repeating anything.
    pub(super) async fn once(&self, recipe: &Recipe, sources: Vec<Source>) -> Result<Conversion, Failure> {
        Box::pin(self.run_steps(recipe, sources, false)).await
    }

    async fn run_steps(&self, recipe: &Recipe, sources: Vec<Source>, repeats: bool) -> Result<Conversion, Failure> {
        let mut made: Vec<Made> = Vec::with_capacity(recipe.steps.len());
        let (mut warnings, mut converted) = (recipe.warnings.clone(), Vec::new());
        let password = password_of(&sources);
        let mut sources = Some(sources);
        for step in &recipe.steps {
            if step.operation == Operation::UpdateFields {
                let (files, by) = match step.takes {
                    Takes::FilesOf(of) => (artifacts(&made, of)?.to_vec(), Some(step_of(&made, of)?.engine.clone())),
                    Takes::Sources | Takes::PageOf(..) | Takes::Printed { .. } | Takes::Attached { .. } => {
                        let given = sources.take().unwrap_or_default();
                        (given.iter().map(fields::file).collect::<Result<_, _>>()?, None)
                    }
                };
                let mut conversion = self.update_fields(files, by).await?;
                warnings.append(&mut conversion.warnings);
                made.push(Made { conversion, engine: EngineKind::PdfTools });
                continue;
            }
            let mut taken = match step.takes {
                Takes::Sources => sources.take().unwrap_or_default(),
                Takes::FilesOf(of) => files(artifacts(&made, of)?),
                Takes::PageOf(of, most) => vec![Source::html(read_page_up_to(step_of(&made, of)?.path(), most)?)],
                Takes::Attached { pdf, message } => {
                    let attached = message::files(step_of(&made, message)?);
                    files(artifacts(&made, pdf)?.iter().chain(attached))
                }
                Takes::Printed { pdf, message, within } => {
                    let (pdf, message) = (step_of(&made, pdf)?, step_of(&made, message)?);
                    let all = self.convert_attachments(pdf, message, given(recipe, 0), within).await?;
                    let Converted { parts, numbers, warnings: told } = all;
                    warnings.extend(told);
                    converted = numbers;
                    // There is nothing to append.
                    if parts.len() > 1 { parts } else { Vec::new() }
                }
            };
            // A signed file is as protected as it was before.
            if let (Operation::KeepEvidence, Some(Source::File(signed))) = (step.operation, taken.first_mut()) {
                signed.password.clone_from(&password);
            }
            let options = options(step, &made)?;
            let (Some(options), false) = (options, taken.is_empty()) else {
                made.push(passed_on(step, &made)?);
                continue;
            };
            let mut conversion = self.step(step, taken, &options, repeats).await?;
            let mut told = std::mem::take(&mut conversion.warnings);
            told.retain(|warning| step.hushed != Some(warning.code.as_str()));
            // Nobody has seen the file whose metadata is written.
            if matches!(step.options, Options::Given(_) | Options::Prepared { .. }) {
                warnings.extend(told);
            }
            made.push(Made { conversion, engine: engine(step, &options) });
        }
        finish(recipe, made, &converted).map(|conversion| Conversion { warnings, ..conversion })
    }

    pub(super) async fn step(
        &self,
        step: &Step,
        sources: Vec<Source>,
        options: &Value,
        repeats: bool,
    ) -> Result<Conversion, Failure> {
        let kind = engine(step, options);
        let engine = self.engines.find(kind)?;
        let scratch = self.directory()?;
        let task = self.task(step, sources.clone(), options, &scratch);
        let (first, ()) = tokio::join!(engine.convert(task), self.engines.get_ready_to_check(kind));
        let conversion = match first {
            Err(failure)
                if repeats && failure.code == JobErrorCode::EngineCrashed && Instant::now() < self.deadline =>
            {
                tracing::warn!(cause = %failure.cause, "an engine crashed; the conversion is repeated once");
                // Leftovers of one attempt can't affect the next.
                let scratch = self.directory()?;
                engine.convert_after_crash(self.task(step, sources, options, &scratch)).await
            }
            result => result,
        };
        let conversion = conversion.and_then(|conversion| checker::are_files(&conversion).map(|()| conversion));
        conversion.map_err(|failure| in_users_terms(failure, step))
    }

    fn task<'t>(&'t self, step: &Step, sources: Vec<Source>, options: &'t Value, scratch: &'t Path) -> Task<'t> {
        let Self { deadline, limits, fonts, account, .. } = *self;
        Task { operation: step.operation, sources, options, scratch, deadline, limits, fonts, account }
    }

    fn directory(&self) -> Result<PathBuf, Failure> {
        let made = tempfile::Builder::new().prefix("step-").tempdir_in(self.scratch);
        Ok(made.map_err(|error| Failure::internal(format!("no directory: {error}")))?.keep())
    }

    pub(super) async fn checked(&self, conversion: Conversion) -> Result<Conversion, Failure> {
        let tools = self.engines.find(EngineKind::PdfTools)?;
        let checker = Checker { tools, limits: self.limits, deadline: self.deadline };
        checker.check(conversion, None, &self.directory()?).await
    }
}

/// What opens the first source, if that is a file.
fn password_of(sources: &[Source]) -> Option<String> {
    match sources.first() {
        Some(Source::File(file)) => file.password.clone(),
        Some(Source::Document { .. } | Source::Page(_) | Source::Html { .. }) | None => None,
    }
}

fn engine(step: &Step, options: &Value) -> EngineKind {
    step.operation.engine(options.get("renderMode").and_then(Value::as_str))
}

fn step_of(made: &[Made], place: usize) -> Result<&Conversion, Failure> {
    let step = made.get(place).map(|made| &made.conversion);
    step.ok_or_else(|| Failure::internal("a step takes what a later one makes"))
}

fn artifacts(made: &[Made], place: usize) -> Result<&[Artifact], Failure> {
    Ok(&step_of(made, place)?.artifacts)
}

fn files<'a>(artifacts: impl IntoIterator<Item = &'a Artifact>) -> Vec<Source> {
    let file =
        |artifact: &Artifact| Source::File(docmill_pdf_request::Source::new(artifact.path.clone(), artifact.media));
    artifacts.into_iter().map(file).collect()
}

/// The options of a step; `None` if it is left out.
fn options<'a>(step: &'a Step, made: &[Made]) -> Result<Option<Cow<'a, Value>>, Failure> {
    Ok(match &step.options {
        Options::Given(options) => Some(Cow::Borrowed(options)),
        Options::FrontMatter(of) => metadata::of_front_matter(step_of(made, *of)?.report.as_ref()).map(Cow::Owned),
        Options::Headers { message, embeds } => Some(Cow::Owned(message::metadata(step_of(made, *message)?, *embeds))),
        Options::Prepared { by, given } => {
            let mut all = given.clone();
            all[PREPARED] = step_of(made, *by)?.report.clone().unwrap_or_default();
            Some(Cow::Owned(all))
        }
    })
}

fn given(recipe: &Recipe, place: usize) -> &Value {
    match recipe.steps.get(place).map(|step| &step.options) {
        Some(Options::Given(options)) => options,
        Some(Options::FrontMatter(_) | Options::Headers { .. } | Options::Prepared { .. }) | None => &Value::Null,
    }
}

/// What a step that is left out passes on.
fn passed_on(step: &Step, made: &[Made]) -> Result<Made, Failure> {
    let (Takes::FilesOf(of) | Takes::Printed { pdf: of, .. } | Takes::Attached { pdf: of, .. }) = step.takes else {
        return Err(Failure::internal("a step without sources"));
    };
    let from = made.get(of).ok_or_else(|| Failure::internal("a step takes what a later one makes"))?;
    let Conversion { artifacts, engine, .. } = &from.conversion;
    let (artifacts, engine) = (artifacts.clone(), engine.clone());
    let unfinished = Unfinished::default();
    let conversion = Conversion { artifacts, report: None, engine, warnings: Vec::new(), unfinished };
    Ok(Made { conversion, engine: EngineKind::PdfTools })
}

/// The files of the last step, by the engine that did the main work: the first that is not one of the PDF tools, or the only one.
fn finish(recipe: &Recipe, mut made: Vec<Made>, converted: &[usize]) -> Result<Conversion, Failure> {
    let report = match recipe.report {
        Report::OfTool => None,
        Report::Of(place) => step_of(&made, place)?.report.clone(),
        Report::Attachments { message, handling } => {
            Some(message::report(step_of(&made, message)?, handling, converted))
        }
    };
    let tags = recipe.tags.and_then(|place| made.get(place)?.conversion.report.clone());
    let last = made.pop().ok_or_else(|| Failure::internal("a recipe without steps"))?.conversion;
    let main = made.into_iter().find(|made| made.engine != EngineKind::PdfTools);
    let Some(Made { conversion: main, .. }) = main else {
        return Ok(Conversion { report: report.or(last.report), ..last });
    };
    // The result is named after the source.
    let files = last.artifacts.into_iter().map(|artifact| Artifact { filename: None, ..artifact });
    let artifacts: Vec<_> = files.collect();
    let are_pdfs = artifacts.iter().all(|artifact| artifact.media == Format::Pdf);
    // Further steps may have chosen or added pages.
    let unfinished = if are_pdfs { Unfinished { word: None, ..main.unfinished } } else { Unfinished::default() };
    Ok(Conversion { artifacts, report: with_tags(report.or(main.report), tags), unfinished, ..main })
}

/// A report with what was said of tags.
fn with_tags(report: Option<Value>, tags: Option<Value>) -> Option<Value> {
    let Some(tags) = tags else { return report };
    let mut members = match report {
        Some(Value::Object(members)) => members,
        Some(_) | None => Map::new(),
    };
    members.insert("accessibility".to_owned(), tags);
    Some(Value::Object(members))
}

/// An option may have another name in the step than in the tool.
fn in_users_terms(failure: Failure, step: &Step) -> Failure {
    match step.renames {
        Some((own, users)) => {
            Failure { message: failure.message.replace(&format!("`{own}`"), &format!("`{users}`")), ..failure }
        }
        None => failure,
    }
}
