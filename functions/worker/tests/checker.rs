//! Results before they count: what an engine leaves is opened in a child, and marked there for test jobs.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use docmill::domain::api_key::Mode;
use docmill::domain::catalogue::Catalogue;
use docmill::domain::job::{EngineInfo, JobErrorCode};
use docmill::domain::request::JobRequest;
use docmill::domain::tool::EngineKind;
use serde_json::{Value, json};
use tempfile::TempDir;
use worker::checker::Checker;
use worker::confine::Launcher;
use worker::converter::{Converter, Workplace};
use worker::egress::{EgressPolicy, SourceExceptions};
use worker::engine::pdf_tools::PdfTools;
use worker::engine::{Conversion, Engines, Failure, Limits};
use worker::source::{Fetched, Fetcher};
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
async fn a_result_that_is_not_whole_or_beyond_a_limit_is_refused() {
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
async fn what_is_no_file_is_not_followed() {
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

/// Runs a job of a test key on one PDF, and reads its result's text.
async fn text_of_test_job(tool: &str, options: Value, password: &str) -> String {
    let catalogue = Catalogue::load().unwrap();
    let body = json!({"uploadId": "upl_00000000000000000000000000000000", "options": options});
    let (request, _) = JobRequest::parse(&catalogue, catalogue.find(tool).unwrap(), body.as_object().unwrap()).unwrap();
    let tools = Arc::new(tools());
    let converter = Converter {
        fetcher: Fetcher::new(EgressPolicy::new(SourceExceptions::default())).unwrap(),
        engines: Engines::default().with(EngineKind::PdfTools, tools.clone()).checked_by(tools),
        catalogue,
    };
    let scratch = TempDir::new().unwrap();
    let path = sources::place(scratch.path(), 0).await.unwrap();
    let bytes = std::fs::copy(fixture("text.pdf"), &path).unwrap();
    let filename = Some("text.pdf".to_owned());
    let given = Given::from([(0, Fetched { path, bytes, content_type: None, url: None, filename })]);
    let deadline = Instant::now() + Duration::from_secs(60);
    let at = Workplace { scratch: scratch.path(), deadline, mode: Mode::Test, limits: &Limits::default() };
    let converted = converter.run(&request, given, at).await.unwrap();
    let result = &converted.files.primary().unwrap().path;
    if result.extension().is_some_and(|extension| extension == "txt") {
        return std::fs::read_to_string(result).unwrap();
    }
    let read = Command::new("pdftotext").args(["-upw", password]).arg(result).arg("-").output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    String::from_utf8(read.stdout).unwrap()
}

#[tokio::test]
async fn test_jobs_are_marked_whatever_comes_of_the_pages() {
    let plain = text_of_test_job("organize-pdf", json!({"rotate": [{"pages": "1", "degrees": 90}]}), "").await;
    assert!(plain.contains("TEST"), "{plain}");
    let text = text_of_test_job("pdf-to-text", json!({}), "").await;
    assert!(text.contains("TEST"), "{text}");
    let encrypted = text_of_test_job("protect-pdf", json!({"userPassword": "open"}), "open").await;
    assert!(encrypted.contains("TEST"), "{encrypted}");
}
