//! `worker convert`: the service's engines, checks and limits on one source, without AWS.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill::domain::api_key::Mode;
use docmill::domain::job::{JobErrorCode, Warning};
use docmill::domain::request::JobRequest;
use docmill::domain::tool::Catalogue;
use docmill::telemetry;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use url::Url;

use crate::confine::{self, Launcher};
use crate::converter::{Converted, Converter, Engines, checked_document};
use crate::egress::{EgressPolicy, SourceExceptions};
use crate::engine::html_basic::HtmlBasic;
use crate::engine::html_browser::{BrowserSettings, HtmlBrowser};
use crate::engine::office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use crate::engine::{Failure, Limits, Source};
use crate::sniff::Hints;
use crate::source::Fetcher;

pub mod batch;
mod cpu;

/// The arguments of `worker convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Slug of the tool, e.g. `office-to-pdf`.
    #[arg(long)]
    tool: String,
    /// A file, or an http(s) URL.
    #[arg(long = "in")]
    source: String,
    /// Where the PDF goes.
    #[arg(long)]
    out: PathBuf,
    /// The job's `options`, as JSON.
    #[arg(long, default_value = "{}")]
    options: String,
    /// Convert this often, anew each time; the last PDF is kept.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print one JSON object instead of a line of text.
    #[arg(long)]
    json: bool,
    /// Mark the pages as a test key's jobs are marked.
    #[arg(long)]
    test: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// What the engines are told, whichever command runs them.
#[derive(Clone, Debug, clap::Args)]
struct EngineArgs {
    /// `host:port` pairs, separated by commas, that may be fetched from although they are not public.
    #[arg(long, default_value = "")]
    allow: String,
    /// The longest conversion, in seconds.
    #[arg(long, default_value_t = Limits::default().conversion.as_secs())]
    conversion_seconds: u64,
    /// LibreOffice's program directory.
    #[arg(long, default_value = DEFAULT_PROGRAM_DIRECTORY)]
    libreoffice: PathBuf,
}

/// Why nothing was converted: a code of the contract where there is one.
#[derive(Debug)]
struct Refused {
    code: String,
    message: String,
}

impl Refused {
    fn invalid(message: impl Into<String>) -> Self {
        Self { code: "validation_failed".into(), message: message.into() }
    }
}

impl From<Failure> for Refused {
    /// The cause, which a service only logs, is for whoever runs this on a machine of their own.
    fn from(failure: Failure) -> Self {
        let Failure { code, message, cause, engine: _ } = failure;
        let message = if code == JobErrorCode::Internal { format!("{message} ({cause})") } else { message };
        Self { code: code.as_str().into(), message }
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self { code: JobErrorCode::Internal.as_str().into(), message: error.to_string() }
    }
}

/// Runs the command. Exit code 0, or 1 with the error on standard output (`--json`) or standard error.
pub fn run(args: &Args) -> ExitCode {
    telemetry::init_for_people();
    let outcome = confine::hide_own_memory().map_err(Refused::from).and_then(|()| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(convert_all(args))
    });
    let printed = match &outcome {
        Ok(report) => print(args, report),
        Err(refused) => print_refusal(args, refused),
    };
    if outcome.is_ok() && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(args: &Args, report: &Value) -> io::Result<()> {
    if args.json {
        writeln!(io::stdout(), "{report}")
    } else {
        let output = &report["output"];
        writeln!(io::stdout(), "{}: {} pages, {} bytes", args.out.display(), output["pages"], output["bytes"])
    }
}

fn print_refusal(args: &Args, Refused { code, message }: &Refused) -> io::Result<()> {
    if args.json {
        writeln!(io::stdout(), "{}", json!({ "error": { "code": code, "message": message } }))
    } else {
        writeln!(io::stderr(), "{code}: {message}")
    }
}

async fn convert_all(args: &Args) -> Result<Value, Refused> {
    let input = Input::read(args)?;
    let (request, mut warnings) = request(args, &input)?;
    let converter = converter(&args.engines, &request)?;
    let mut runs = Vec::new();
    let mut last = Value::Null;
    for _ in 0..args.repeat {
        converter.engines.get_ready().await;
        let scratch = TempDir::new()?;
        let cpu = cpu::of_process_tree()?;
        let converted = convert(&converter, &input, &request, args, scratch.path()).await?;
        runs.push(json!({
            "fetchMs": millis(converted.fetch),
            "convertMs": millis(converted.convert),
            "cpuMs": millis(cpu::of_process_tree()?.saturating_sub(cpu)),
        }));
        std::fs::copy(&converted.pdf, &args.out)?;
        last = json!({ "output": converted.output, "engine": converted.engine });
        if runs.len() == 1 {
            warnings.extend(converted.warnings);
        }
    }
    Ok(json!({ "runs": runs, "output": last["output"], "engine": last["engine"], "warnings": warnings }))
}

fn millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}

enum Input {
    Url(Url),
    File(PathBuf),
    Html(String),
}

impl Input {
    fn read(args: &Args) -> Result<Self, Refused> {
        let is_url = ["http://", "https://"].iter().any(|scheme| args.source.starts_with(scheme));
        if is_url {
            return Url::parse(&args.source).map(Self::Url).map_err(|error| Refused::invalid(error.to_string()));
        }
        let unreadable = |error: io::Error| Refused::invalid(format!("{}: {error}", args.source));
        if args.tool.starts_with("html") {
            return std::fs::read_to_string(&args.source).map(Self::Html).map_err(unreadable);
        }
        std::fs::metadata(&args.source).map_err(unreadable)?;
        Ok(Self::File(PathBuf::from(&args.source)))
    }

    /// The `input` of a request that would bring this source.
    fn as_request_input(&self, args: &Args) -> Value {
        match self {
            Self::Url(url) if args.tool.starts_with("html") => json!({ "url": url.as_str() }),
            Self::Url(url) => json!({ "sourceUrl": url.as_str() }),
            Self::Html(html) => json!({ "html": html }),
            // The service has no files. The schema wants an address, and nothing is fetched from this one.
            Self::File(_) => json!({ "sourceUrl": "https://local.invalid/" }),
        }
    }
}

/// The job that the service would make of this command, checked against the same schema.
fn request(args: &Args, input: &Input) -> Result<(JobRequest, Vec<Warning>), Refused> {
    let catalogue = Catalogue::load().map_err(|error| Refused::invalid(error.to_string()))?;
    let tool = catalogue
        .find(&args.tool)
        .ok_or_else(|| Refused { code: "tool_not_found".into(), message: format!("no tool {}", args.tool) })?;
    let options: Value = serde_json::from_str(&args.options)
        .map_err(|error| Refused { code: "invalid_json".into(), message: format!("--options: {error}") })?;
    let mut body = Map::new();
    body.insert("input".into(), input.as_request_input(args));
    body.insert("options".into(), options);
    JobRequest::parse(tool, &body).map_err(|breaches| {
        let all: Vec<_> = breaches.iter().map(|breach| format!("{} {}", breach.path, breach.message)).collect();
        Refused::invalid(all.join("; "))
    })
}

/// The converter with the one engine that this request needs.
fn converter(args: &EngineArgs, request: &JobRequest) -> Result<Converter, Refused> {
    let exceptions: SourceExceptions = args.allow.parse().map_err(|_| Refused::invalid("--allow: not host:port"))?;
    let policy = EgressPolicy::new(exceptions);
    let fetcher = Fetcher::new(policy.clone())?;
    let launcher = Launcher::current()?;
    let mut engines = Engines::default();
    if request.tool == "office-to-pdf" {
        engines.office = Some(Arc::new(OfficeEngine::new(&args.libreoffice, launcher)?));
    } else if request.option_str("renderMode") == Some("basic") {
        engines.html_basic = Some(Arc::new(HtmlBasic::new(launcher, fetcher.clone())));
    } else {
        engines.html_browser = Some(Arc::new(HtmlBrowser::new(BrowserSettings::default(), launcher, policy)));
    }
    let limits = Limits { conversion: Duration::from_secs(args.conversion_seconds), ..Limits::default() };
    Ok(Converter { fetcher, engines, limits })
}

async fn convert(
    converter: &Converter,
    input: &Input,
    request: &JobRequest,
    args: &Args,
    scratch: &Path,
) -> Result<Converted, Failure> {
    let mode = if args.test { Mode::Test } else { Mode::Live };
    let deadline = Instant::now() + converter.limits.fetch + converter.limits.conversion;
    match input {
        Input::Url(_) => converter.run(request, None, mode, scratch, deadline).await,
        Input::Html(html) => {
            converter.convert(Source::Html(html.clone()), None, request, mode, scratch, deadline).await
        }
        Input::File(path) => {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let hints = Hints { filename: name.as_deref(), ..Hints::default() };
            let source = checked_document(path.clone(), hints, &converter.limits)?;
            converter.convert(source, name.as_deref(), request, mode, scratch, deadline).await
        }
    }
}
