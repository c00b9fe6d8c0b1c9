//! From a request to finished files, without AWS: fetch, plan, convert step by step, mark, measure.
//!
//! The Lambda pipeline and the `convert` command both use this, so that both have the same checks and limits.

mod for_each;
mod signed;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docmill_domain::api_key::Mode;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{EngineInfo, JobErrorCode, MAX_WARNINGS, SourceDigest, StepRun, Warning};
use docmill_domain::request::JobRequest;
use docmill_domain::time::millis;
use docmill_domain::tool::{Definition, EngineKind, QueueName, Slug};
use docmill_engine::page::read_page;
use docmill_engine::{Artifact, Conversion, Engines, Failure, Limits, Source};
use docmill_fetch::Fetcher;
use docmill_fonts::{NO_FONTS, OwnFonts};
use docmill_formats::Format;
use docmill_plan::checker::Checker;
use docmill_plan::{Call, Plan, Runner};
use serde_json::Value;

use crate::fonts::{FontSource, uses_fonts};
use crate::progress::Tracker;
use crate::results::{self, Files};
use crate::sources::{self, Given, Obtained};

#[derive(Debug)]
pub struct Converter {
    pub catalogue: Catalogue,
    pub fetcher: Fetcher,
    pub engines: Engines,
    /// Whether pages can be loaded here.
    pub network: Network,
}

/// What this worker reaches by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Network {
    #[default]
    Open,
    /// Nothing but the bucket and the tables: sources and results go through the relay.
    Isolated,
}

/// Files that are ready to be stored, and how they were made.
#[derive(Debug)]
pub struct Converted {
    pub files: Files,
    pub report: Option<Value>,
    /// What it was made of.
    pub sources: Vec<SourceDigest>,
    /// The engine of the job's main tool.
    pub engine: EngineInfo,
    pub warnings: Vec<Warning>,
    /// All steps, if there are several.
    pub steps: Vec<StepRun>,
    pub fetch: Duration,
    pub convert: Duration,
}

/// Most bytes of a step's report: five of them fit into the item of a job.
const MOST_STEP_REPORT_BYTES: usize = 16 << 10;

/// Directory, deadline and limits of a job.
#[derive(Clone, Copy, Debug)]
pub struct Workspace<'a> {
    /// A directory for this job only.
    pub scratch: &'a Path,
    /// When everything must have ended.
    pub deadline: Instant,
    pub mode: Mode,
    pub limits: &'a Limits,
    pub fonts: FontSource<'a>,
    pub progress: &'a Tracker,
}

impl Converter {
    /// Runs a request. `given`: sources that are already local.
    pub async fn run(&self, request: &JobRequest, given: Given, at: Workspace<'_>) -> Result<Converted, Failure> {
        let tool = self.catalogue.find(&request.tool);
        let tool = tool.ok_or_else(|| Failure::internal(format!("no tool {} in this build", request.tool)))?;
        let converted = self.convert(request, &tool.definition, given, at).await;
        converted.map_err(|failure| with_password_property(failure, &tool.definition))
    }

    async fn convert(
        &self,
        request: &JobRequest,
        tool: &Definition,
        given: Given,
        at: Workspace<'_>,
    ) -> Result<Converted, Failure> {
        let started = Instant::now();
        let (digests, obtained) =
            sources::obtain(&self.fetcher, request.sources(), given, tool, at.scratch, at.limits).await?;
        let fetch = started.elapsed();

        let started = Instant::now();
        let at = Workspace { deadline: at.deadline.min(started + at.limits.conversion), ..at };
        let what: Vec<_> = obtained.iter().map(|obtained| obtained.what).collect();
        let plan = Plan::of(request, &what, &self.catalogue)?;
        if self.network == Network::Isolated && plan.engines().any(EngineKind::loads_pages) {
            return Err(Failure::elsewhere(QueueName::Html));
        }
        let name = request.filename().map(str::to_owned).or_else(|| first_name(&obtained));
        let own = if plan.engines().any(uses_fonts) { Some(at.fonts.obtain(at.scratch).await?) } else { None };
        let fonts = own.as_ref().unwrap_or(&NO_FONTS);
        let mut warnings: Vec<_> = self.invalidated(&obtained, &plan).into_iter().collect();
        let mut sources = self.prepare(obtained, &plan.prepare, &mut warnings, fonts, at).await?;
        let keeps_signatures = request.output.keep_signatures;
        signed::refuse_broken(keeps_signatures, &warnings, &tool.slug)?;
        let mut steps = Vec::with_capacity(plan.calls.len());
        let mut last: Option<Conversion> = None;
        for (index, call) in plan.calls.iter().enumerate() {
            let began = Instant::now();
            let name_of_step = format!("step-{index}");
            let step = Step { call, index, name: &name_of_step, is_last: index + 1 == plan.calls.len() };
            let made = last.take().map(|conversion| conversion.artifacts);
            let mut conversion = if call.for_each {
                self.step_for_each(step, made.unwrap_or_default(), fonts, at).await?
            } else {
                if let Some(made) = made {
                    sources = as_sources(&made, name.as_deref(), call.engine, at.limits).await?;
                }
                let sources = std::mem::take(&mut sources);
                self.step(step, sources, fonts, &mut Place::new(at.scratch, step.name), at).await?
            };
            signed::refuse_broken(keeps_signatures, &conversion.warnings, call.tool.as_str())?;
            keep(&mut warnings, &mut conversion.warnings);
            steps.push(StepRun {
                tool_slug: call.tool.as_str().to_owned(),
                engine: conversion.engine.clone(),
                duration_ms: millis(began.elapsed()),
                warnings: std::mem::take(&mut conversion.warnings),
                report: if step.is_last { None } else { small(conversion.report.take()) },
            });
            last = Some(conversion);
        }
        let last = last.ok_or_else(|| Failure::internal("a plan without calls"))?;
        let Conversion { artifacts, report, engine, .. } = last;
        let convert = started.elapsed();
        let files = results::finish(artifacts, name, at.scratch).await?;
        let engine = steps.first().map_or(engine, |first| first.engine.clone());
        let steps = if steps.len() > 1 { steps } else { Vec::new() };
        Ok(Converted { files, report, sources: digests, engine, warnings, steps, fetch, convert })
    }

    /// Makes a step's call, and marks and checks its result.
    async fn step(
        &self,
        step: Step<'_>,
        mut sources: Vec<Source>,
        fonts: &OwnFonts,
        place: &mut Place<'_>,
        at: Workspace<'_>,
    ) -> Result<Conversion, Failure> {
        let Step { call, is_last, .. } = step;
        let marks = is_last && at.mode == Mode::Test;
        let mut of_marks = Vec::new();
        if marks && !self.can_be_marked(call) {
            self.mark_sources(call, &mut sources, &mut of_marks, place, at).await?;
        }
        let password = password_of_result(call, &sources);
        let mut conversion = self.call(call, sources, fonts, place, at).await?;
        if marks && self.can_be_marked(call) {
            self.mark(&mut conversion.artifacts, &mut of_marks, place, at).await?;
        }
        // The next PDF tool opens the result of the one before, so it need not be checked in between.
        if is_last || call.engine != EngineKind::PdfTools {
            conversion = self.check(call, conversion, password.as_deref(), place, at).await?;
        }
        of_marks.append(&mut conversion.warnings);
        Ok(Conversion { warnings: of_marks, ..conversion })
    }

    /// Makes a PDF of each source that the tool does not read directly.
    async fn prepare(
        &self,
        obtained: Vec<Obtained>,
        calls: &[Option<Call>],
        warnings: &mut Vec<Warning>,
        fonts: &OwnFonts,
        at: Workspace<'_>,
    ) -> Result<Vec<Source>, Failure> {
        let mut sources = Vec::with_capacity(obtained.len());
        for (index, (Obtained { source, name, .. }, call)) in obtained.into_iter().zip(calls).enumerate() {
            let Some(call) = call else {
                sources.push(source);
                continue;
            };
            let name_of_source = format!("source-{index}");
            let mut place = Place::new(at.scratch, &name_of_source);
            let conversion = self.call(call, vec![source], fonts, &mut place, at).await?;
            let mut conversion = self.check(call, conversion, None, &mut place, at).await?;
            keep(warnings, &mut conversion.warnings);
            for artifact in &conversion.artifacts {
                sources.push(as_source(artifact, name.as_deref())?);
            }
        }
        Ok(sources)
    }

    /// Makes a call: all its steps. Leftovers of one call can't affect the next.
    async fn call(
        &self,
        call: &Call,
        sources: Vec<Source>,
        fonts: &OwnFonts,
        place: &mut Place<'_>,
        at: Workspace<'_>,
    ) -> Result<Conversion, Failure> {
        let Workspace { deadline, limits, .. } = at;
        let account = at.fonts.account();
        let runner = Runner { engines: &self.engines, scratch: &place.next()?, deadline, limits, fonts, account };
        runner.run(&call.recipe, sources).await.map_err(|failure| failure.of(call.engine))
    }

    fn checker<'a>(&'a self, at: Workspace<'a>) -> Result<Checker<'a>, Failure> {
        Ok(Checker { tools: self.engines.checker()?, limits: at.limits, deadline: at.deadline })
    }

    async fn check(
        &self,
        call: &Call,
        conversion: Conversion,
        password: Option<&str>,
        place: &mut Place<'_>,
        at: Workspace<'_>,
    ) -> Result<Conversion, Failure> {
        let checked = self.checker(at)?.check(conversion, password, &place.next()?).await;
        checked.map_err(|failure| failure.of(call.engine))
    }

    /// Pictures, texts and encrypted files can't be marked, so their source is marked instead.
    fn can_be_marked(&self, call: &Call) -> bool {
        let (Some(tool), Some(options)) = (self.catalogue.find(call.tool.as_str()), call.options.as_object()) else {
            return false;
        };
        match call.tool {
            Slug::PROTECT_PDF | Slug::SIGN_PDF => false,
            // A mark would break the result's conformance: level 1b does not allow its transparency.
            Slug::PDF_TO_PDFA => options.get("level").is_some_and(|level| level == "1b"),
            Slug::EDIT_METADATA if options.contains_key("facturX") => false,
            // The sources of this tool can't be marked.
            Slug::HTML_TO_IMAGE => true,
            Slug::CONVERT_OFFICE if tool.definition.output(options) == Format::Png => true,
            _ => tool.definition.output(options) == Format::Pdf,
        }
    }

    /// The warning that the first call makes a document of a signed one.
    fn invalidated(&self, sources: &[Obtained], plan: &Plan) -> Option<Warning> {
        let call = plan.calls.first()?;
        let (tool, options) = (self.catalogue.find(call.tool.as_str())?, call.options.as_object()?);
        let source = sources.first().and_then(|source| source.what.format());
        signed::invalidated(sources, call.tool, tool.definition.output_from(options, source))
    }

    fn makes_pdf(&self, call: &Call) -> bool {
        let tool = self.catalogue.find(call.tool.as_str());
        tool.zip(call.options.as_object()).is_some_and(|(tool, options)| tool.definition.output(options) == Format::Pdf)
    }

    async fn mark_sources(
        &self,
        call: &Call,
        sources: &mut [Source],
        warnings: &mut Vec<Warning>,
        place: &mut Place<'_>,
        at: Workspace<'_>,
    ) -> Result<(), Failure> {
        // A mark would change what is to be checked: it ends signatures, and the claim to be PDF/A. Nobody sees it in an invoice's data.
        let is_kept = matches!(call.tool, Slug::VERIFY_SIGNATURES | Slug::VALIDATE_INVOICE | Slug::READ_INVOICE);
        if is_kept || !sources.iter().any(takes_mark) {
            keep(warnings, &mut vec![unmarked()]);
            return Ok(());
        }
        let makes_pdf = self.makes_pdf(call);
        for source in sources {
            if takes_mark(source)
                && let Source::File(file) = source
            {
                let (path, signed) = self.checker(at)?.mark(file.clone(), &place.next()?).await?;
                file.path = path;
                warnings.extend(signed.filter(|_| makes_pdf));
            }
        }
        Ok(())
    }

    async fn mark(
        &self,
        artifacts: &mut [Artifact],
        warnings: &mut Vec<Warning>,
        place: &mut Place<'_>,
        at: Workspace<'_>,
    ) -> Result<(), Failure> {
        for artifact in artifacts.iter_mut() {
            let unmarked = docmill_pdf_request::Source::new(artifact.path.clone(), artifact.media);
            let (path, signed) = self.checker(at)?.mark(unmarked, &place.next()?).await?;
            artifact.path = path;
            warnings.extend(signed);
        }
        Ok(())
    }
}

/// What opens the result of a call: it is protected anew, or signed and protected as it was.
fn password_of_result(call: &Call, sources: &[Source]) -> Option<String> {
    match sources.first() {
        Some(Source::File(file)) if call.tool == Slug::SIGN_PDF => file.password.clone(),
        Some(_) | None => call.options.get("userPassword").and_then(Value::as_str).map(str::to_owned),
    }
}

/// A step's report, if the record of a job has room for it.
fn small(report: Option<Value>) -> Option<Value> {
    report.filter(|report| report.to_string().len() <= MOST_STEP_REPORT_BYTES)
}

/// Names the property in which this tool takes the password that is missing.
fn with_password_property(failure: Failure, tool: &Definition) -> Failure {
    if failure.code != JobErrorCode::PasswordRequired {
        return failure;
    }
    let message = match tool.password_property() {
        Some(property) => format!("The document is protected. Send its password as `{property}`."),
        None => format!("The document is protected, and {} takes no password. Save it without protection.", tool.slug),
    };
    Failure { message, ..failure }
}

fn takes_mark(source: &Source) -> bool {
    matches!(source, Source::File(file) if file.media == Format::Pdf)
}

fn unmarked() -> Warning {
    Warning::new("test_mark_missing", "The result of this test job has no TEST mark: its format can't be marked.")
}

/// A call of the plan.
#[derive(Clone, Copy)]
struct Step<'a> {
    call: &'a Call,
    index: usize,
    name: &'a str,
    is_last: bool,
}

/// Directories for the calls of one step, so that leftovers of one can't affect the next.
struct Place<'a> {
    scratch: &'a Path,
    name: &'a str,
    calls: usize,
}

impl<'a> Place<'a> {
    const fn new(scratch: &'a Path, name: &'a str) -> Self {
        Self { scratch, name, calls: 0 }
    }

    fn next(&mut self) -> Result<PathBuf, Failure> {
        let directory = self.scratch.join(format!("{}-{}", self.name, self.calls));
        self.calls += 1;
        std::fs::create_dir_all(&directory).map_err(|error| Failure::internal(format!("no directory: {error}")))?;
        Ok(directory)
    }
}

/// Adds a call's warnings up to the limit of a job's description, and removes the rest from the call. A child under a document's
/// control may send any number.
fn keep(all: &mut Vec<Warning>, of_call: &mut Vec<Warning>) {
    of_call.truncate(MAX_WARNINGS.saturating_sub(all.len()));
    all.extend(of_call.iter().cloned());
}

fn first_name(obtained: &[Obtained]) -> Option<String> {
    obtained.iter().find_map(|obtained| obtained.name.clone())
}

/// A result as sources of the next step.
async fn as_sources(
    artifacts: &[Artifact],
    name: Option<&str>,
    engine: EngineKind,
    limits: &Limits,
) -> Result<Vec<Source>, Failure> {
    if engine != EngineKind::LibreOffice {
        return artifacts.iter().map(|artifact| as_source(artifact, name)).collect();
    }
    let (artifacts, name, limits) = (artifacts.to_vec(), name.map(str::to_owned), limits.clone());
    let checked = tokio::task::spawn_blocking(move || {
        artifacts.iter().map(|artifact| sources::office(artifact, name.as_deref(), &limits)).collect()
    });
    checked.await.map_err(|_panicked| Failure::internal("the check of a result panicked"))?
}

/// A result as a source of the next step.
fn as_source(artifact: &Artifact, name: Option<&str>) -> Result<Source, Failure> {
    if artifact.media == Format::Html {
        let name = artifact.filename.clone();
        return Ok(Source::Html { html: read_page(&artifact.path)?, name });
    }
    let name = artifact.filename.clone().or_else(|| name.map(str::to_owned));
    Ok(Source::File(docmill_pdf_request::Source {
        name,
        ..docmill_pdf_request::Source::new(artifact.path.clone(), artifact.media)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_password_is_asked_for_where_the_tool_takes_it() {
        let catalogue = Catalogue::load().unwrap();
        let message = |slug: &str| {
            let failure = Failure::new(JobErrorCode::PasswordRequired, "Send it.", "locked");
            with_password_property(failure, &catalogue.find(slug).unwrap().definition).message
        };
        assert!(message("office-to-pdf").ends_with("as `options.password`."));
        assert!(message("compress-pdf").ends_with("as `input.password`."));
        assert!(message("merge-pdf").ends_with("as `input.sources[].password`."));
        assert!(message("email-to-pdf").contains("email-to-pdf takes no password"));
        let other = Failure::new(JobErrorCode::WrongPassword, "Check it.", "locked");
        let definition = &catalogue.find("compress-pdf").unwrap().definition;
        assert_eq!(with_password_property(other, definition).message, "Check it.");
    }

    #[test]
    fn a_job_keeps_a_limited_number_of_warnings_from_all_calls() {
        let told = |count| vec![Warning::new("a", "b"); count];
        let (mut all, mut first, mut second) = (Vec::new(), told(MAX_WARNINGS - 1), told(MAX_WARNINGS));
        keep(&mut all, &mut first);
        keep(&mut all, &mut second);
        assert_eq!((first.len(), second.len(), all.len()), (MAX_WARNINGS - 1, 1, MAX_WARNINGS));
    }
}
