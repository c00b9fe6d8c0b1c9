//! Tests that results are opened in a child before they count, and marked there for test jobs.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::api_key::Mode;
use docmill_domain::catalogue::Catalogue;
use docmill_domain::job::{EngineInfo, JobErrorCode};
use docmill_domain::request::JobRequest;
use docmill_domain::tool::EngineKind;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Conversion, Engine, Engines, Failure, Limits, Task};
use docmill_fetch::{Fetched, Fetcher};
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use docmill_pdf_engine::PdfTools;
use docmill_plan::checker::Checker;
use serde_json::{Value, json};
use tempfile::TempDir;
use worker::converter::{Converted, Converter, Network, Workspace};
use worker::fonts::FontSource;
use worker::progress::Tracker;
use worker::sources::{self, Given};

fn tools() -> PdfTools {
    PdfTools::new(Launcher::new(env!("CARGO_BIN_EXE_worker")))
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/pdf").join(name)
}

async fn check(result: &Path, limits: Limits) -> Result<Conversion, Failure> {
    let scratch = TempDir::new().unwrap();
    let engine = EngineInfo { name: "engine".into(), version: "1".into() };
    let conversion = Conversion::of_pdf(result.to_owned(), engine, Vec::new());
    let tools = tools();
    let checker = Checker { tools: &tools, limits: &limits, deadline: Instant::now() + Duration::from_secs(60) };
    checker.check(conversion, None, scratch.path()).await
}

#[tokio::test]
async fn pages_are_counted() {
    assert_eq!(check(&fixture("text.pdf"), Limits::default()).await.unwrap().pages(), 5);
}

#[tokio::test]
async fn incomplete_results_and_those_beyond_limits_are_refused() {
    let scratch = TempDir::new().unwrap();
    let whole = std::fs::read(fixture("text.pdf")).unwrap();
    let refused = async |content: &[u8], limits| {
        let path = scratch.path().join("result.pdf");
        std::fs::write(&path, content).unwrap();
        check(&path, limits).await.unwrap_err().code
    };
    for damaged in [&whole[..whole.len() / 2], b"<html>", b""] {
        assert_eq!(refused(damaged, Limits::default()).await, JobErrorCode::RenderFailed);
    }
    let few = Limits { pages: 0, ..Limits::default() };
    assert_eq!(refused(&whole, few).await, JobErrorCode::PageLimitExceeded);
    let small = Limits { output_bytes: 100, ..Limits::default() };
    assert_eq!(refused(&whole, small).await, JobErrorCode::RenderFailed);
}

#[tokio::test]
async fn results_that_are_not_files_are_not_followed() {
    let scratch = TempDir::new().unwrap();
    let link = scratch.path().join("link.pdf");
    std::os::unix::fs::symlink(fixture("text.pdf"), &link).unwrap();
    assert_eq!(check(&link, Limits::default()).await.unwrap_err().code, JobErrorCode::RenderFailed);
    assert_eq!(check(scratch.path(), Limits::default()).await.unwrap_err().code, JobErrorCode::RenderFailed);
    assert_eq!(
        check(&scratch.path().join("none"), Limits::default()).await.unwrap_err().code,
        JobErrorCode::RenderFailed
    );
}

/// An engine under a document's control: it leaves whatever this function makes.
struct Leaves(fn(&Path) -> PathBuf);

#[async_trait::async_trait]
impl Engine for Leaves {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let engine = EngineInfo { name: "engine".into(), version: "1".into() };
        Ok(Conversion::of_pdf((self.0)(task.scratch), engine, Vec::new()))
    }
}

/// Converts a document with an engine in LibreOffice's place, and then merges the result with another file.
async fn run_with(engine: impl Engine + 'static, then: bool) -> Result<Converted, Failure> {
    let rotate = json!([{"toolSlug": "organize-pdf", "options": {"rotate": [{"pages": "1", "degrees": 90}]}}]);
    let body = if then { json!({"then": rotate}) } else { json!({}) };
    let engines = Engines::default().with(EngineKind::LibreOffice, Arc::new(engine));
    let scratch = TempDir::new().unwrap();
    run_job("office-to-pdf", body, engines, "../office/letter.docx", (Mode::Live, scratch.path())).await
}

/// Runs a job on a fixture with the PDF tools and these engines. `at`: the mode of its key and its directory.
async fn run_job(
    tool: &str,
    mut body: Value,
    engines: Engines,
    file: &str,
    at: (Mode, &Path),
) -> Result<Converted, Failure> {
    let (mode, scratch) = at;
    let catalogue = Catalogue::load().unwrap();
    body["uploadId"] = "upl_00000000000000000000000000000000".into();
    let (request, _) = JobRequest::parse(&catalogue, catalogue.find(tool).unwrap(), body.as_object().unwrap()).unwrap();
    let tools = Arc::new(tools());
    let converter = Converter {
        fetcher: Fetcher::new(EgressPolicy::new(SourceExceptions::default())).unwrap(),
        engines: engines.with(EngineKind::PdfTools, tools.clone()).checked_by(tools),
        catalogue,
        network: Network::Open,
    };
    let path = sources::place(scratch, 0).await.unwrap();
    let bytes = std::fs::copy(fixture(file), &path).unwrap();
    let filename = Path::new(file).file_name().map(|name| name.to_string_lossy().into_owned());
    let given = Given::from([(0, Fetched { path, bytes, sha256: None, content_type: None, url: None, filename })]);
    let deadline = Instant::now() + Duration::from_secs(60);
    converter
        .run(
            &request,
            given,
            Workspace {
                scratch,
                deadline,
                mode,
                limits: &Limits::default(),
                fonts: FontSource::None,
                progress: &Tracker::default(),
            },
        )
        .await
}

/// Only files in the child's own directory are read as results.
#[tokio::test]
async fn what_a_child_leaves_instead_of_a_file_fails_the_document() {
    let link = |scratch: &Path| {
        std::os::unix::fs::symlink(fixture("text.pdf"), scratch.join("output.pdf")).unwrap();
        scratch.join("output.pdf")
    };
    let pipe = |scratch: &Path| {
        let path = scratch.join("output.pdf");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).unwrap();
        path
    };
    let directory = |scratch: &Path| {
        std::fs::create_dir(scratch.join("output.pdf")).unwrap();
        scratch.join("output.pdf")
    };
    // It would contain the role's credentials.
    let environment = |scratch: &Path| {
        std::os::unix::fs::symlink("/proc/self", scratch.join("results")).unwrap();
        scratch.join("results/environ")
    };
    let elsewhere = |scratch: &Path| {
        std::os::unix::fs::symlink(fixture("."), scratch.join("results")).unwrap();
        scratch.join("results/text.pdf")
    };
    for leave in [link, pipe, directory, environment, elsewhere] as [fn(&Path) -> PathBuf; 5] {
        for then in [false, true] {
            let failure = run_with(Leaves(leave), then).await.unwrap_err();
            assert_eq!(failure.code, JobErrorCode::RenderFailed, "{failure}");
            assert!(failure.cause.starts_with("no result"), "{failure}");
        }
    }
    let file = |scratch: &Path| {
        std::fs::copy(fixture("text.pdf"), scratch.join("output.pdf")).unwrap();
        scratch.join("output.pdf")
    };
    assert_eq!(run_with(Leaves(file), true).await.unwrap().files.primary().unwrap().output.pages, Some(5));
}

/// The same for a program in LibreOffice's place: its confinement allows neither links nor pipes.
#[tokio::test]
async fn what_libreoffice_leaves_instead_of_a_file_fails_the_document() {
    let directory = TempDir::new().unwrap();
    let program = directory.path().join("program");
    std::fs::create_dir(&program).unwrap();
    std::fs::write(program.join("bootstraprc"), "ProductKey=LibreOffice 25.2\n").unwrap();
    std::fs::write(program.join("versionrc"), "buildid=1\n").unwrap();
    std::fs::write(program.join("fundamentalrc"), "CONFIGURATION_LAYERS=user:!x\n").unwrap();
    for (leave, cause) in [
        ("os.makedirs(result)", "NotSaved"),
        ("os.mkdir(out); os.mkdir('output.pdf'); open(result, 'w')", "an empty file"),
    ] {
        let script = format!(
            "#!/usr/bin/python3 -IBS\nimport os, sys\nout = sys.argv[sys.argv.index('--outdir') + 1]\n\
             result = out + '/letter.pdf'\n{leave}\n"
        );
        std::fs::write(program.join("soffice.bin"), script).unwrap();
        std::fs::set_permissions(program.join("soffice.bin"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
        let engine = OfficeEngine::new(&program, Launcher::new(env!("CARGO_BIN_EXE_worker"))).unwrap();
        let failure = run_with(engine, false).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::RenderFailed, "{leave}: {failure}");
        assert!(failure.cause.contains(cause), "{leave}: {failure}");
    }
}

/// Runs a test key's job on one PDF, and returns the text of its result.
async fn text_of_test_job(tool: &str, options: Value, password: &str) -> String {
    let scratch = TempDir::new().unwrap();
    let at = (Mode::Test, scratch.path());
    let converted = run_job(tool, json!({"options": options}), Engines::default(), "text.pdf", at).await.unwrap();
    let result = &converted.files.primary().unwrap().path;
    if result.extension().is_some_and(|extension| extension == "txt") {
        return std::fs::read_to_string(result).unwrap();
    }
    let read = Command::new("pdftotext").args(["-upw", password]).arg(result).arg("-").output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    String::from_utf8(read.stdout).unwrap()
}

#[tokio::test]
async fn all_results_of_test_jobs_are_marked() {
    let plain = text_of_test_job("organize-pdf", json!({"rotate": [{"pages": "1", "degrees": 90}]}), "").await;
    assert!(plain.contains("TEST"), "{plain}");
    let text = text_of_test_job("pdf-to-text", json!({}), "").await;
    assert!(text.contains("TEST"), "{text}");
    let encrypted = text_of_test_job("protect-pdf", json!({"userPassword": "open"}), "open").await;
    assert!(encrypted.contains("TEST"), "{encrypted}");
}

/// LibreOffice and the PDF tools, as in a worker.
fn office_tools() -> Engines {
    let office =
        OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), Launcher::new(env!("CARGO_BIN_EXE_worker"))).unwrap();
    Engines::default().with(EngineKind::LibreOffice, Arc::new(office))
}

#[tokio::test]
async fn an_office_result_is_the_source_of_a_step() {
    let scratch = TempDir::new().unwrap();
    let then = json!([{"toolSlug": "convert-office", "options": {"format": "odt"}}, {"toolSlug": "office-to-pdf"}]);
    let body = json!({"options": {"format": "docx"}, "then": then});
    let at = (Mode::Live, scratch.path());
    let converted = run_job("convert-office", body, office_tools(), "../office/letter.rtf", at).await.unwrap();
    let steps: Vec<_> = converted.steps.iter().map(|step| step.tool_slug.as_str()).collect();
    assert_eq!(steps, ["convert-office", "convert-office", "office-to-pdf"]);
    let pdf = converted.files.primary().unwrap();
    assert_eq!((pdf.output.filename.as_str(), pdf.output.pages), ("letter.pdf", Some(1)));
    let read = Command::new("pdftotext").arg(&pdf.path).arg("-").output().unwrap();
    assert!(String::from_utf8_lossy(&read.stdout).contains("Quarterly letter"));
}

#[tokio::test]
async fn a_test_job_says_if_its_result_has_no_mark() {
    let warnings = async |format: &str| {
        let scratch = TempDir::new().unwrap();
        let (body, at) = (json!({"options": {"format": format}}), (Mode::Test, scratch.path()));
        let converted = run_job("convert-office", body, office_tools(), "../office/letter.odt", at).await.unwrap();
        let codes: Vec<_> = converted.warnings.into_iter().map(|warning| warning.code).collect();
        codes
    };
    assert_eq!(warnings("docx").await, ["test_mark_missing"]);
    assert_eq!(warnings("png").await, Vec::<String>::new());
}
