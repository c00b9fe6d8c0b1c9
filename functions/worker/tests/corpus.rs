//! Real-world and hostile sources, one after another in one process: each ends as it should, whatever came before it.
//!
//! `make test-corpus` runs them; what is expected is tied to a version of LibreOffice and to the fonts that it finds.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::{NamedTempFile, TempDir};

/// Longer than any good source takes on a busy machine, and short enough to wait for the endless ones.
const CONVERSION_SECONDS: &str = "10";

/// What the worker logs when it counts an `engine_fallbacks`.
const FALLBACK: &str = "a fresh engine stood in for the warm one";

#[derive(Debug, Deserialize)]
struct Expected {
    documents: BTreeMap<String, Vec<Outcome>>,
    basic: BTreeMap<String, Vec<Outcome>>,
    browser: BTreeMap<String, Vec<Outcome>>,
    messages: BTreeMap<String, Vec<Outcome>>,
    /// By file, then by tool: the errors, one of which each must end in. Every other tool yields a result.
    pdfs: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// By document: the errors, one of which a conversion to OpenDocument must end in; null is a result. Every other one yields
    /// a result.
    #[serde(rename = "convert-office")]
    converted: BTreeMap<String, Vec<Option<String>>>,
}

#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Outcome {
    Failed {
        error: String,
        /// The version that this is expected of, if not of all.
        libreoffice: Option<String>,
    },
    Converted {
        pages: u64,
        words: Option<usize>,
        starts: String,
        libreoffice: Option<String>,
    },
}

/// `worker convert-each`, which serves one line after another.
struct Worker {
    child: Child,
    requests: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    log: NamedTempFile,
}

impl Worker {
    fn start() -> Self {
        Self::start_in(&std::env::temp_dir())
    }

    /// With a directory of its own, unless it is a worker in the image.
    fn start_in(directory: &Path) -> Self {
        // In the image, another version of LibreOffice converts: `make test-image` names a command that runs there.
        let worker = std::env::var("DOCMILL_WORKER").unwrap_or_else(|_| env!("CARGO_BIN_EXE_worker").to_owned());
        let log = NamedTempFile::new().unwrap();
        let mut words = worker.split(' ');
        let mut child = Command::new(words.next().unwrap())
            .args(words)
            .args(["convert-each", "--conversion-seconds", CONVERSION_SECONDS])
            .env("TMPDIR", directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log.reopen().unwrap())
            .spawn()
            .unwrap();
        let requests = child.stdin.take().unwrap();
        let answers = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, requests, answers, log }
    }

    fn convert(&mut self, tool: &str, source: &Path, options: &Value, out: &Path) -> Value {
        let sources = if tool == "compare-documents" { json!([source, good_pdf()]) } else { json!(source) };
        let line = json!({"tool": tool, "in": sources, "out": out, "options": options});
        writeln!(self.requests, "{line}").unwrap();
        let answer = self.answers.next().expect("the worker is alive").unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// Tries every PDF tool on every PDF, and a good PDF after each. Returns what went wrong.
    fn try_pdfs(&mut self, expected: &BTreeMap<String, BTreeMap<String, Vec<String>>>, scratch: &Path) -> Vec<String> {
        let folder = corpus().join("pdfs");
        assert_eq!(names(&folder), expected.keys().cloned().collect(), "expected.json lists the files of {folder:?}");
        let mut wrong = Vec::new();
        for (name, failures) in expected {
            for (tool, options) in pdf_tools() {
                let answer = self.convert(tool, &folder.join(name), &options, &scratch.join(tool));
                let code = answer["error"]["code"].as_str();
                let right = match failures.get(tool) {
                    Some(codes) => code.is_some_and(|code| codes.iter().any(|expected| expected == code)),
                    None => answer["error"].is_null(),
                };
                if !right {
                    wrong.push(format!("{name}, {tool}: {answer}, and not {:?}", failures.get(tool)));
                }
            }
            let good = self.read_a_good_pdf(&scratch.join("good.txt"));
            if !good.contains("Reading a File") {
                wrong.push(format!("after {name}: {good}"));
            }
        }
        wrong
    }

    fn read_a_good_pdf(&mut self, out: &Path) -> String {
        let answer = self.convert("pdf-to-text", &good_pdf(), &json!({}), out);
        std::fs::read_to_string(out).unwrap_or_else(|error| format!("{error}: {answer}"))
    }

    /// Converts every document to OpenDocument. Returns what went wrong.
    fn try_conversions(&mut self, expected: &Expected, scratch: &Path) -> Vec<String> {
        let mut wrong = Vec::new();
        for (number, name) in expected.documents.keys().enumerate() {
            let format = match name.rsplit('.').next() {
                Some("xls" | "xlsx" | "xlsm" | "csv") => "ods",
                Some("ppt" | "pptx") => "odp",
                Some(_) | None => "odt",
            };
            let (source, out) = (corpus().join("documents").join(name), scratch.join(number.to_string()));
            let answer = self.convert("convert-office", &source, &json!({"format": format}), &out);
            let code = answer["error"]["code"].as_str();
            let right = match expected.converted.get(name) {
                Some(codes) => codes.iter().any(|expected| expected.as_deref() == code),
                None => code.is_none() && answer["output"]["format"] == json!(format),
            };
            if !right {
                wrong.push(format!("{name}: {answer}"));
            }
        }
        wrong
    }

    /// Every file of `folder` must end in one of its expected outcomes.
    fn try_all(mut self, tool: &str, folder: &str, options: &Value, expected: &BTreeMap<String, Vec<Outcome>>) {
        let folder = corpus().join(folder);
        assert_eq!(names(&folder), expected.keys().cloned().collect(), "expected.json lists the files of {folder:?}");
        let scratch = TempDir::new().unwrap();
        // That worker is another user.
        std::fs::set_permissions(scratch.path(), Permissions::from_mode(0o777)).unwrap();
        let mut wrong = Vec::new();
        // Errors don't name the engine's version, so the last answer's counts.
        let mut version = Value::Null;
        for (number, (name, outcomes)) in expected.iter().enumerate() {
            let out = scratch.path().join(format!("{number}.pdf"));
            let answer = self.convert(tool, &folder.join(name), options, &out);
            if let Some(engine) = answer.get("engine") {
                version = engine["version"].clone();
            }
            if !outcomes.iter().any(|outcome| outcome.is_of(&version) && outcome.is(&answer, &out)) {
                let words = if out.exists() { text(&out).split_whitespace().count() } else { 0 };
                wrong.push(format!("{name}: expected one of {outcomes:?}, got {words} words and {answer}"));
            }
        }
        drop(self.requests);
        assert!(self.child.wait().unwrap().success());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let log = std::fs::read_to_string(self.log.path()).unwrap();
        assert!(!log.contains(FALLBACK), "a warm engine was missing:\n{log}");
    }
}

impl Outcome {
    fn is_of(&self, version: &Value) -> bool {
        let (Self::Failed { libreoffice, .. } | Self::Converted { libreoffice, .. }) = self;
        libreoffice.as_ref().is_none_or(|expected| *version == json!(expected))
    }

    fn is(&self, answer: &Value, pdf: &Path) -> bool {
        match self {
            Self::Failed { error, .. } => answer["error"]["code"] == json!(error) && !pdf.exists(),
            Self::Converted { pages, words, starts, .. } => {
                if answer["output"]["pages"] != json!(pages) {
                    return false;
                }
                let text = text(pdf);
                let found = text.split_whitespace().count();
                text.starts_with(starts) && words.is_none_or(|words| words == found)
            }
        }
    }
}

/// The text of a PDF in one line, as poppler reads it.
fn text(pdf: &Path) -> String {
    let output = Command::new("pdftotext").arg(pdf).arg("-").output().expect("pdftotext: run `make setup`");
    assert!(output.status.success(), "pdftotext: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn names(folder: &Path) -> BTreeSet<String> {
    folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn pdf_tools() -> [(&'static str, Value); 20] {
    [
        ("merge-pdf", json!({})),
        ("split-pdf", json!({"mode": "every"})),
        ("organize-pdf", json!({"pages": "z-1"})),
        ("compress-pdf", json!({})),
        ("pdf-to-images", json!({"dpi": 36})),
        ("thumbnail", json!({})),
        ("pdf-to-text", json!({"format": "markdown"})),
        ("extract-document", json!({"ocr": "never", "images": "files"})),
        ("inspect-document", json!({})),
        ("edit-metadata", json!({"set": {"title": "New"}})),
        ("flatten-pdf", json!({})),
        ("fill-form", json!({"fields": {"name": "x"}})),
        ("ocr-pdf", json!({"mode": "force", "dpi": 100})),
        ("pdf-to-pdfa", json!({"onUnsupported": "warn"})),
        ("tag-pdf", json!({"ocr": "never", "existing": "replace"})),
        ("watermark-pdf", json!({"text": "Draft"})),
        ("protect-pdf", json!({"userPassword": "open"})),
        ("unlock-pdf", json!({"password": "open"})),
        ("compare-documents", json!({"dpi": 36})),
        ("redact-pdf", json!({"text": [{"literal": "the"}]})),
    ]
}

/// How many processes a process has started that still run, and those have.
fn descendants(id: u32) -> usize {
    let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    children.split_whitespace().map(|child| 1 + descendants(child.parse().unwrap())).sum()
}

fn good_pdf() -> PathBuf {
    corpus().join("../fixtures/pdf/layouts/code.pdf")
}

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus")
}

fn expected() -> Expected {
    serde_json::from_slice(&std::fs::read(corpus().join("expected.json")).unwrap()).unwrap()
}

#[test]
#[ignore = "takes a minute: make test-corpus"]
fn documents_end_as_they_should() {
    Worker::start().try_all("office-to-pdf", "documents", &json!({}), &expected().documents);
}

#[test]
#[ignore = "takes a minute: make test-corpus"]
fn documents_become_opendocument() {
    let scratch = TempDir::new().unwrap();
    std::fs::set_permissions(scratch.path(), Permissions::from_mode(0o777)).unwrap();
    let wrong = Worker::start().try_conversions(&expected(), scratch.path());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "takes a minute: make test-corpus"]
fn pages_end_as_they_should_in_the_fast_lane() {
    Worker::start().try_all("html-to-pdf", "pages", &json!({"renderMode": "basic"}), &expected().basic);
}

#[test]
#[ignore = "takes a minute: make test-corpus"]
fn pages_end_as_they_should_in_the_browser() {
    Worker::start().try_all("html-to-pdf", "pages", &json!({"renderMode": "browser"}), &expected().browser);
}

#[test]
#[ignore = "takes a minute: make test-corpus"]
fn messages_end_as_they_should() {
    Worker::start().try_all("email-to-pdf", "messages", &json!({"attachments": "embed"}), &expected().messages);
}

/// The image's pdfium can be newer than a developer's.
#[test]
#[ignore = "for the worker's image: make test-corpus"]
fn ligatures_hide_no_text() {
    let scratch = TempDir::new().unwrap();
    std::fs::set_permissions(scratch.path(), Permissions::from_mode(0o777)).unwrap();
    let out = scratch.path().join("ligatures.txt");
    let mut worker = Worker::start();
    let answer = worker.convert("pdf-to-text", &corpus().join("../fixtures/pdf/ligatures.pdf"), &json!({}), &out);
    let text = std::fs::read_to_string(&out).unwrap_or_else(|error| format!("{error}: {answer}"));
    let expected = "The first office The first efficient file of the office flow. Affinity, fluffy, find.";
    assert_eq!(text.split_whitespace().collect::<Vec<_>>().join(" "), expected);
}

/// Processes and files once their numbers have been the same for a second: what was killed may go a moment after its answer, and what
/// is kept ready for the next job comes after it.
fn at_rest(worker: &Worker, home: &Path) -> (usize, usize) {
    let deadline = Instant::now() + Duration::from_secs(30);
    let (mut seen, mut since) = ((0, 0), Instant::now());
    while since.elapsed() < Duration::from_secs(1) {
        assert!(Instant::now() < deadline, "processes and files keep changing: {seen:?}");
        let now = (descendants(worker.child.id()), names(home).len());
        if now != seen {
            (seen, since) = (now, Instant::now());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    seen
}

#[test]
#[ignore = "takes minutes: make test-corpus"]
fn pdfs_end_as_they_should_in_every_tool() {
    let scratch = TempDir::new().unwrap();
    std::fs::set_permissions(scratch.path(), Permissions::from_mode(0o777)).unwrap();
    let home = scratch.path().join("home");
    std::fs::create_dir(&home).unwrap();
    let mut worker = Worker::start_in(&home);
    // Each tool has a helper of its own in this command, which stays.
    for (tool, options) in pdf_tools() {
        worker.convert(tool, &good_pdf(), &options, &scratch.path().join(tool));
    }
    let before = at_rest(&worker, &home);
    let wrong = worker.try_pdfs(&expected().pdfs, scratch.path());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let after = at_rest(&worker, &home);
    assert!(after.0 <= before.0 && after.1 <= before.1, "{after:?} processes and files are left, {before:?} before");
    drop(worker.requests);
    assert!(worker.child.wait().unwrap().success());
}
