//! From a request to finished files, without AWS: obtain, plan, convert step by step, mark, measure.
//!
//! The Lambda pipeline and the `convert` command both go through here, so that both have the same checks and limits.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docmill::domain::api_key::Mode;
use docmill::domain::catalogue::Catalogue;
use docmill::domain::job::{EngineInfo, JobErrorCode, StepRun, Warning};
use docmill::domain::request::JobRequest;
use docmill::domain::tool::EngineKind;
use serde_json::Value;
use tokio::task::spawn_blocking;

use crate::engine::{Artifact, Conversion, Engines, Failure, Limits, Media, Source, Task};
use crate::pdf;
use crate::plan::{Call, Plan};
use crate::results::{self, Files};
use crate::source::Fetcher;
use crate::sources::{self, Given, Obtained};

#[derive(Debug)]
pub struct Converter {
    pub catalogue: Catalogue,
    pub fetcher: Fetcher,
    pub engines: Engines,
    pub limits: Limits,
}

/// Files that are ready to be stored, and how they came about.
#[derive(Debug)]
pub struct Converted {
    pub files: Files,
    pub report: Option<Value>,
    /// The engine of the job's own tool.
    pub engine: EngineInfo,
    pub warnings: Vec<Warning>,
    /// Every step, where there are several.
    pub steps: Vec<StepRun>,
    pub fetch: Duration,
    pub convert: Duration,
}

/// Where and how long a job is worked on.
#[derive(Clone, Copy, Debug)]
pub struct Workplace<'a> {
    /// A directory of this job alone.
    pub scratch: &'a Path,
    /// The latest end of everything.
    pub deadline: Instant,
    pub mode: Mode,
}

impl Converter {
    /// Runs a request to its end. `given`: sources that are here already.
    pub async fn run(&self, request: &JobRequest, given: Given, at: Workplace<'_>) -> Result<Converted, Failure> {
        let started = Instant::now();
        let obtained = self.obtain(request, given, at.scratch).await?;
        let fetch = started.elapsed();

        let started = Instant::now();
        let at = Workplace { deadline: at.deadline.min(started + self.limits.conversion), ..at };
        let formats: Vec<_> = obtained.iter().map(|obtained| obtained.format).collect();
        let plan = Plan::of(request, &formats, &self.catalogue)?;
        let name = request.filename().map(str::to_owned).or_else(|| first_name(&obtained));
        let mut warnings = Vec::new();
        let mut sources = self.prepare(obtained, &plan.prepare, &mut warnings, at).await?;
        let mut steps = Vec::with_capacity(plan.calls.len());
        let mut last = None;
        for (index, call) in plan.calls.iter().enumerate() {
            let began = Instant::now();
            let is_last = index + 1 == plan.calls.len();
            if is_last && at.mode == Mode::Test {
                self.mark_sources(call, &sources, at).await?;
            }
            let directory = directory(at.scratch, &format!("step-{index}"))?;
            let conversion = self.call(call, sources, &directory, at).await?;
            sources = conversion.artifacts.iter().map(|artifact| as_source(artifact, name.as_deref())).collect();
            steps.push(StepRun {
                tool_slug: call.tool.clone(),
                engine: conversion.engine.clone(),
                duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
                warnings: conversion.warnings.clone(),
            });
            warnings.extend(conversion.warnings.iter().cloned());
            last = Some(conversion);
        }
        let Some(Conversion { artifacts, report, engine, .. }) = last else {
            return Err(Failure::internal("a plan without calls"));
        };
        if at.mode == Mode::Test {
            mark(&artifacts).await?;
        }
        let convert = started.elapsed();
        let files = results::finish(artifacts, name, at.scratch).await?;
        let engine = steps.first().map_or(engine, |first| first.engine.clone());
        let steps = if steps.len() > 1 { steps } else { Vec::new() };
        Ok(Converted { files, report, engine, warnings, steps, fetch, convert })
    }

    async fn obtain(&self, request: &JobRequest, given: Given, scratch: &Path) -> Result<Vec<Obtained>, Failure> {
        let tool = self.catalogue.find(&request.tool);
        let tool = tool.ok_or_else(|| Failure::internal(format!("no tool {} in this build", request.tool)))?;
        sources::obtain(&self.fetcher, request.sources(), given, &tool.definition, scratch, &self.limits).await
    }

    /// Makes a PDF of each source that its tool does not take as it is.
    async fn prepare(
        &self,
        obtained: Vec<Obtained>,
        calls: &[Option<Call>],
        warnings: &mut Vec<Warning>,
        at: Workplace<'_>,
    ) -> Result<Vec<Source>, Failure> {
        let mut sources = Vec::with_capacity(obtained.len());
        for (index, (Obtained { source, name, .. }, call)) in obtained.into_iter().zip(calls).enumerate() {
            let Some(call) = call else {
                sources.push(source);
                continue;
            };
            let directory = directory(at.scratch, &format!("source-{index}"))?;
            let conversion = self.call(call, vec![source], &directory, at).await?;
            warnings.extend(conversion.warnings);
            sources.extend(conversion.artifacts.iter().map(|artifact| as_source(artifact, name.as_deref())));
        }
        Ok(sources)
    }

    async fn call(
        &self,
        call: &Call,
        sources: Vec<Source>,
        scratch: &Path,
        at: Workplace<'_>,
    ) -> Result<Conversion, Failure> {
        let engine = self.engines.find(call.engine)?;
        let task = |sources| Task {
            tool: &call.tool,
            sources,
            options: &call.options,
            scratch,
            deadline: at.deadline,
            limits: &self.limits,
        };
        let conversion = match engine.convert(task(sources.clone())).await {
            // Not every crash is the document's fault: once more, in a fresh engine.
            Err(failure) if failure.code == JobErrorCode::EngineCrashed && Instant::now() < at.deadline => {
                tracing::warn!(cause = %failure.cause, "an engine crashed; the conversion is repeated once");
                engine.convert(task(sources)).await
            }
            result => result,
        };
        conversion.map_err(|failure| failure.of(call.engine))
    }

    /// A picture or a text can't be marked afterwards: its pages are marked before the last step.
    async fn mark_sources(&self, call: &Call, sources: &[Source], _at: Workplace<'_>) -> Result<(), Failure> {
        let makes_pdf = call.engine != EngineKind::PdfTools || self.makes_pdf(call);
        if makes_pdf {
            return Ok(());
        }
        for source in sources {
            if let Source::File(docmill_pdf::Source { path, media: Media::Pdf, .. }) = source {
                mark_pdf(path.clone()).await?;
            }
        }
        Ok(())
    }

    fn makes_pdf(&self, call: &Call) -> bool {
        let (Some(tool), Some(options)) = (self.catalogue.find(&call.tool), call.options.as_object()) else {
            return false;
        };
        tool.definition.output(options).extension == Media::Pdf.extension()
    }
}

/// A directory of one call: what one step leaves is not in the next one's way.
fn directory(scratch: &Path, name: &str) -> Result<PathBuf, Failure> {
    let directory = scratch.join(name);
    std::fs::create_dir_all(&directory).map_err(|error| Failure::internal(format!("no directory: {error}")))?;
    Ok(directory)
}

fn first_name(obtained: &[Obtained]) -> Option<String> {
    obtained.iter().find_map(|obtained| obtained.name.clone())
}

/// A result as the next step's source.
fn as_source(artifact: &Artifact, name: Option<&str>) -> Source {
    Source::File(docmill_pdf::Source {
        path: artifact.path.clone(),
        media: artifact.media,
        name: artifact.filename.clone().or_else(|| name.map(str::to_owned)),
        password: None,
        page_range: None,
        title: None,
    })
}

async fn mark(artifacts: &[Artifact]) -> Result<(), Failure> {
    for artifact in artifacts.iter().filter(|artifact| artifact.media == Media::Pdf) {
        mark_pdf(artifact.path.clone()).await?;
    }
    Ok(())
}

async fn mark_pdf(path: PathBuf) -> Result<(), Failure> {
    let marked = spawn_blocking(move || pdf::watermark_test(&path)).await;
    let marked = marked.map_err(|_panicked| Failure::internal("marking panicked"))?;
    marked.map_err(|error| Failure::internal(format!("marking failed: {error}")))
}
