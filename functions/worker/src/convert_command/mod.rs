//! `worker convert`: converts a source with the service's engines, checks and limits, without AWS.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use docmill_browser::wait_for_dropped_browsers;
use docmill_confine::Launcher;
use docmill_confine::scratch::{self, Scratch};
use docmill_domain::api_key::Mode;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{JobErrorCode, Mistake, Warning};
use docmill_domain::request::JobRequest;
use docmill_domain::source::SourceKind;
use docmill_domain::tool::{Definition, EngineKind, Slug};
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Failure, Limits};
use docmill_fetch::{Fetched, Fetcher};
use docmill_fonts::Font;
use docmill_office::DEFAULT_PROGRAM_DIRECTORY;
use docmill_plan::Recipe;
use docmill_telemetry as telemetry;
use serde_json::{Map, Value, json};
use url::Url;

use crate::converter::{Converted, Converter, Network, Workspace};
use crate::engines;
use crate::fonts::FontSource;
use crate::progress::Tracker;
use crate::sources::{self, Given};

pub mod batch;
mod cpu;

/// The arguments of `worker convert`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Slug of the tool, e.g. `office-to-pdf`.
    #[arg(long)]
    tool: String,
    /// A file, or an http(s) URL. Tools with several sources take one `--in` for each, in order.
    #[arg(long = "in", required = true)]
    sources: Vec<String>,
    /// The result's path: one file, or a ZIP of several.
    #[arg(long)]
    out: PathBuf,
    /// The job's `options`, as JSON.
    #[arg(long, default_value = "{}")]
    options: String,
    /// The job's further steps, `then`, as JSON.
    #[arg(long, default_value = "[]")]
    then: String,
    /// Fail instead of rewriting a signed document.
    #[arg(long)]
    keep_signatures: bool,
    /// Password of an encrypted source, for tools that accept one.
    #[arg(long)]
    password: Option<String>,
    /// An additional font for the conversion: TTF, OTF, TTC or WOFF2.
    #[arg(long = "font")]
    fonts: Vec<PathBuf>,
    /// Convert this many times and keep the last result.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Print one JSON object instead of a line of text.
    #[arg(long)]
    json: bool,
    /// Mark the pages like those of a test key's jobs.
    #[arg(long)]
    test: bool,
    #[command(flatten)]
    engines: EngineArgs,
}

/// Settings of the engines, for every command that runs them.
#[derive(Clone, Debug, clap::Args)]
struct EngineArgs {
    /// Comma-separated `host:port` pairs that may be fetched from although they are not public.
    #[arg(long, default_value = "")]
    allow: String,
    /// The longest conversion, in seconds.
    #[arg(long, default_value_t = Limits::default().conversion.as_secs())]
    conversion_seconds: u64,
    /// LibreOffice's program directory.
    #[arg(long, default_value = DEFAULT_PROGRAM_DIRECTORY)]
    libreoffice: PathBuf,
}

/// Why nothing was converted, with the API's error code if there is one.
#[derive(Debug)]
struct Refused {
    code: String,
    message: String,
    details: Vec<Mistake>,
}

impl Refused {
    fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: Vec::new() }
    }

    fn view(&self) -> Value {
        let Self { code, message, details } = self;
        let mut error = json!({ "code": code, "message": message });
        if !details.is_empty() {
            error["details"] = json!(details);
        }
        json!({ "error": error })
    }

    fn invalid(message: impl Into<String>) -> Self {
        Self::new("validation_failed", message)
    }
}

impl From<Failure> for Refused {
    /// Prints the cause too: the service only logs it, but here the user runs the command.
    fn from(failure: Failure) -> Self {
        let Failure { code, message, cause, details, engine: _, sent: _, elsewhere: _ } = failure;
        let message = if code == JobErrorCode::Internal { format!("{message} ({cause})") } else { message };
        Self { details, ..Self::new(code.as_str(), message) }
    }
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::new(JobErrorCode::Internal.as_str(), error.to_string())
    }
}

/// Runs the command. Exit code 0, or 1 with the error on standard output (`--json`) or standard error.
pub fn run(args: &Args) -> ExitCode {
    let outcome = run_to_the_end(convert_all(args));
    let printed = match &outcome {
        Ok(report) => print(args, report),
        Err(refused) => print_refusal(args, refused),
    };
    if outcome.is_ok() && printed.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Does a command's work and leaves no processes or files behind.
fn run_to_the_end<T, E: From<io::Error>>(work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    telemetry::init_for_people();
    let done = docmill_confine::hide_own_memory().map_err(E::from).and_then(|()| {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        runtime.block_on(work)
    });
    wait_for_dropped_browsers();
    done
}

fn print(args: &Args, report: &Value) -> io::Result<()> {
    if args.json {
        writeln!(io::stdout(), "{report}")
    } else {
        let output = &report["output"];
        writeln!(io::stdout(), "{}: {} pages, {} bytes", args.out.display(), output["pages"], output["bytes"])
    }
}

fn print_refusal(args: &Args, refused: &Refused) -> io::Result<()> {
    if args.json {
        writeln!(io::stdout(), "{}", refused.view())
    } else {
        writeln!(io::stderr(), "{}: {}", refused.code, refused.message)
    }
}

async fn convert_all(args: &Args) -> Result<Value, Refused> {
    let inputs = Input::read_all(args)?;
    let catalogue = catalogue()?;
    let (request, mut warnings) = request(args, &inputs, &catalogue)?;
    let fonts = args.fonts.iter().map(|path| font(path)).collect::<Result<Vec<_>, _>>()?;
    let converter = converter(&args.engines, engines_of(&request), catalogue)?;
    let mut runs = Vec::new();
    let mut last = Value::Null;
    for _ in 0..args.repeat {
        converter.engines.get_ready().await;
        let scratch = Scratch::new()?;
        let cpu = cpu::of_process_tree()?;
        let converted = convert(&converter, &inputs, &request, &fonts, args, scratch.path()).await?;
        runs.push(json!({
            "fetchMs": rounded_millis(converted.fetch),
            "convertMs": rounded_millis(converted.convert),
            "cpuMs": rounded_millis(cpu::of_process_tree()?.saturating_sub(cpu)),
        }));
        last = keep(&converted, &args.out)?;
        if runs.len() == 1 {
            warnings.extend(converted.warnings);
        }
    }
    last["runs"] = json!(runs);
    last["warnings"] = json!(warnings);
    Ok(last)
}

/// Copies the primary result to its path and describes all results.
fn keep(converted: &Converted, out: &Path) -> Result<Value, Refused> {
    let primary = converted.files.primary().ok_or_else(|| Refused::invalid("no result"))?;
    io::copy(&mut scratch::open_written(&primary.path)?, &mut File::create(out)?)?;
    let outputs: Vec<_> = converted.files.each.iter().map(|made| &made.output).collect();
    Ok(json!({
        "output": primary.output,
        "outputs": outputs,
        "engine": converted.engine,
        "steps": converted.steps,
        "report": converted.report,
    }))
}

fn rounded_millis(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 10_000.0).round() / 10.0
}

enum Input {
    Url(Url),
    File(PathBuf),
}

impl Input {
    fn read_all(args: &Args) -> Result<Vec<Self>, Refused> {
        args.sources.iter().map(|source| Self::read(source)).collect()
    }

    fn read(source: &str) -> Result<Self, Refused> {
        let is_url = ["http://", "https://"].iter().any(|scheme| source.starts_with(scheme));
        if is_url {
            return Url::parse(source).map(Self::Url).map_err(|error| Refused::invalid(error.to_string()));
        }
        std::fs::metadata(source).map_err(|error| Refused::invalid(format!("{source}: {error}")))?;
        Ok(Self::File(PathBuf::from(source)))
    }

    /// The source as part of a request.
    fn as_source(&self, tool: &Definition, password: Option<&str>) -> Value {
        let mut source = match self {
            Self::Url(url) if !tool.sources.kinds.contains(&SourceKind::SourceUrl) => json!({ "url": url.as_str() }),
            Self::Url(url) => json!({ "sourceUrl": url.as_str() }),
            // The service has no local files, so this one is treated as an upload.
            Self::File(_) => json!({ "uploadId": "upl_00000000000000000000000000000000" }),
        };
        if let Some(password) = password {
            source["password"] = json!(password);
        }
        source
    }
}

fn catalogue() -> Result<Catalogue, Refused> {
    Catalogue::load().map_err(|error| Refused::invalid(error.to_string()))
}

/// The request that this command stands for, checked against the tool's schema.
fn request(args: &Args, inputs: &[Input], catalogue: &Catalogue) -> Result<(JobRequest, Vec<Warning>), Refused> {
    let tool =
        catalogue.find(&args.tool).ok_or_else(|| Refused::new("tool_not_found", format!("no tool {}", args.tool)))?;
    let read = |name: &str, text: &str| {
        serde_json::from_str::<Value>(text).map_err(|error| Refused::new("invalid_json", format!("--{name}: {error}")))
    };
    let mut sources: Vec<_> =
        inputs.iter().map(|input| input.as_source(&tool.definition, args.password.as_deref())).collect();
    let input = match sources.pop() {
        Some(source) if sources.is_empty() && !tool.definition.sources.are_several() => source,
        last => json!({ "sources": sources.into_iter().chain(last).collect::<Vec<_>>() }),
    };
    let mut body = Map::new();
    body.insert("input".into(), input);
    body.insert("options".into(), read("options", &args.options)?);
    body.insert("then".into(), read("then", &args.then)?);
    body.insert("output".into(), json!({ "keepSignatures": args.keep_signatures }));
    JobRequest::parse(catalogue, tool, &body).map_err(|breaches| {
        let all: Vec<_> = breaches.iter().map(|breach| format!("{} {}", breach.path, breach.message)).collect();
        Refused::invalid(all.join("; "))
    })
}

/// The engines that a request's job uses, and the PDF tools, which check every result.
fn engines_of(request: &JobRequest) -> HashSet<EngineKind> {
    let options = Value::Object(request.options.clone());
    let recipe = Slug::parse(&request.tool).and_then(|tool| Recipe::of(tool, &options).ok());
    recipe.iter().flat_map(Recipe::engines).chain([EngineKind::PdfTools]).collect()
}

/// A converter that keeps these engines warm.
fn converter(args: &EngineArgs, warm: HashSet<EngineKind>, catalogue: Catalogue) -> Result<Converter, Refused> {
    let exceptions: SourceExceptions = args.allow.parse().map_err(|_| Refused::invalid("--allow: not host:port"))?;
    let policy = EgressPolicy::new(exceptions);
    let fetcher = Fetcher::new(policy.clone())?;
    let launcher = Launcher::current()?;
    if launcher.is_watched() {
        tracing::warn!("this platform has no system call filters: `worker probe` shows what documents could reach");
    }
    let engines = engines::all(&launcher, policy, fetcher.clone(), None, &args.libreoffice)?.keeping_warm(warm);
    Ok(Converter { catalogue, fetcher, engines, network: Network::Open })
}

async fn convert(
    converter: &Converter,
    inputs: &[Input],
    request: &JobRequest,
    fonts: &[Font],
    args: &Args,
    scratch: &Path,
) -> Result<Converted, Failure> {
    let mode = if args.test { Mode::Test } else { Mode::Live };
    let conversion = Duration::from_secs(args.engines.conversion_seconds);
    let limits = &Limits { conversion, ..Limits::default() };
    let deadline = Instant::now() + limits.fetch + limits.conversion;
    let mut given = Given::new();
    for (index, input) in inputs.iter().enumerate() {
        if let Input::File(path) = input {
            given.insert(index, local(path, scratch, index).await?);
        }
    }
    let (fonts, progress) = (FontSource::Read(fonts), &Tracker::default());
    converter.run(request, given, Workspace { scratch, deadline, mode, limits, fonts, progress }).await
}

/// A font file, with the service's checks.
fn font(path: &Path) -> Result<Font, Refused> {
    let invalid = |error: &dyn std::fmt::Display| Refused::invalid(format!("{}: {error}", path.display()));
    let file = std::fs::read(path).map_err(|error| invalid(&error))?;
    docmill_fonts::read(&file).map_err(|error| invalid(&error))
}

/// Copies a local file to the job's directory, the only place that an engine sees.
async fn local(path: &Path, scratch: &Path, index: usize) -> Result<Fetched, Failure> {
    let to = sources::place(scratch, index).await?;
    let copied = tokio::fs::copy(path, &to).await;
    let bytes = copied.map_err(|error| Failure::internal(format!("copying the source: {error}")))?;
    let filename = path.file_name().map(|name| name.to_string_lossy().into_owned());
    Ok(Fetched { path: to, bytes, sha256: None, content_type: None, url: None, filename })
}
