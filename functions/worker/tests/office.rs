//! Office documents through the installed LibreOffice.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "helper/checked.rs"]
mod checked;

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::Slug;
use docmill_engine::Operation;
use docmill_engine::{Conversion, Engine, Failure, Limits, Source, Task};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use serde_json::{Value, json};
use tempfile::TempDir;

use checked::checked;

const PATIENCE: Duration = Duration::from_secs(100);

thread_local! {
    /// One engine, and so one warm LibreOffice, per test, which has its own thread and runtime.
    static ENGINE: Rc<OfficeEngine> = Rc::new(engine());
}

fn engine() -> OfficeEngine {
    let launcher = Launcher::new(env!("CARGO_BIN_EXE_worker"));
    OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), launcher).unwrap()
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office").join(name)
}

struct Done {
    result: Result<Conversion, Failure>,
    scratch: TempDir,
}

impl Done {
    fn code(&self) -> JobErrorCode {
        self.result.as_ref().unwrap_err().code
    }

    fn pages(&self) -> u32 {
        self.result.as_ref().unwrap().pages()
    }

    /// The result's text by `pdftotext`.
    fn text(&self) -> String {
        self.tool("pdftotext", &["-layout"], &["-"])
    }

    /// The output of `pdfinfo` for the result.
    fn info(&self) -> String {
        self.tool("pdfinfo", &[], &[])
    }

    fn tool(&self, program: &str, before: &[&str], after: &[&str]) -> String {
        let pdf = self.result.as_ref().unwrap().path();
        assert!(pdf.starts_with(self.scratch.path()));
        let output = Command::new(program).args(before).arg(pdf).args(after).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    /// Whether the file contains these characters uncompressed, as in metadata.
    fn contains(&self, characters: &str) -> bool {
        let bytes = std::fs::read(self.result.as_ref().unwrap().path()).unwrap();
        bytes.windows(characters.len()).any(|window| window == characters.as_bytes())
    }

    fn warnings(&self) -> Vec<&str> {
        self.result.as_ref().unwrap().warnings.iter().map(|warning| warning.code.as_str()).collect()
    }
}

async fn convert(name: &str, options: Value) -> Done {
    convert_within(name, options, PATIENCE, Limits::default()).await
}

async fn convert_within(name: &str, options: Value, patience: Duration, limits: Limits) -> Done {
    convert_by(&ENGINE.with(Rc::clone), name, options, patience, limits).await
}

async fn convert_by(engine: &OfficeEngine, name: &str, options: Value, patience: Duration, limits: Limits) -> Done {
    attempt(engine, Attempt::First, name, options, patience, limits).await
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempt {
    First,
    AfterCrash,
}

async fn attempt(
    engine: &OfficeEngine,
    attempt: Attempt,
    name: &str,
    options: Value,
    patience: Duration,
    limits: Limits,
) -> Done {
    let scratch = TempDir::new().unwrap();
    let format = Format::from_extension(name.rsplit('.').next().unwrap()).unwrap();
    let inspection = docmill_sniff::check(&fixture(name), format, &limits);
    // Sources that the check would refuse go to the engine here too: it must not rely on the check.
    let source = Source::Document {
        path: fixture(name),
        name: Some(name.into()),
        format,
        inspection: inspection.unwrap_or_default(),
    };
    let deadline = Instant::now() + patience;
    let task = Task {
        operation: Operation::Tool(Slug::OFFICE_TO_PDF),
        sources: vec![source],
        options: &options,
        scratch: scratch.path(),
        deadline,
        limits: &limits,
        fonts: &NO_FONTS,
        account: None,
    };
    let converted = match attempt {
        Attempt::First => engine.convert(task).await,
        Attempt::AfterCrash => engine.convert_after_crash(task).await,
    };
    let result = match converted {
        Ok(conversion) => checked(conversion, scratch.path(), &limits).await,
        Err(failure) => Err(failure),
    };
    Done { result, scratch }
}

#[tokio::test]
async fn text_documents_of_every_format() {
    for name in ["letter.docx", "letter.doc", "letter.dotx", "letter.odt", "letter.rtf", "letter.fodt"] {
        let done = convert(name, json!({})).await;
        let text = done.text();
        for words in ["Quarterly letter", "this paragraph is the letter", "Grüße aus Köln", "Ελλάδα"] {
            assert!(text.contains(words), "{name}: {text}");
        }
        assert_eq!((done.pages(), done.warnings()), (1, vec![]), "{name}");
    }
}

#[tokio::test]
async fn spreadsheets_of_every_format() {
    for name in ["table.xlsx", "table.xls", "table.xlsm", "table.ods", "table.fods"] {
        let done = convert(name, json!({})).await;
        let text = done.text();
        assert!(["Pencils", "1234", "Erasers"].iter().all(|word| text.contains(word)), "{name}: {text}");
        assert_eq!(done.pages(), 2, "{name}");
    }
}

#[tokio::test]
async fn presentations_and_drawings_of_every_format() {
    for name in ["talk.pptx", "talk.odp", "talk.fodp"] {
        let done = convert(name, json!({})).await;
        let text = done.text();
        assert!(text.contains("Opening slide") && text.contains("Closing slide"), "{name}: {text}");
        assert!(!text.contains("Remember to breathe"), "{name}: notes are not asked for");
        assert_eq!(done.pages(), 2, "{name}");
    }
    assert!(convert("box.ppt", json!({})).await.text().contains("this box should be shown just once"));
    assert!(convert("sketch.odg", json!({})).await.text().contains("Ground plan"));
}

#[tokio::test]
async fn plain_text_and_tables_keep_their_characters_and_columns() {
    assert!(convert("latin1.txt", json!({})).await.text().contains("of text, naïve"));
    let row = |text: &str, first: &str| text.lines().find(|line| line.contains(first)).unwrap().to_owned();
    let semicolons = convert("semicolons.csv", json!({})).await.text();
    assert_eq!(row(&semicolons, "Pens").split_whitespace().collect::<Vec<_>>(), ["Pens", "12", "a;", "b"]);
    assert!(semicolons.contains("Zażółć"), "{semicolons}");
    assert!(semicolons.contains("semicolons") && !semicolons.contains("source"), "the sheet has the document's name");
    let codes = convert("codes.csv", json!({})).await.text();
    let ann = row(&codes, "Meier");
    assert_eq!(ann.split_whitespace().collect::<Vec<_>>(), ["Meier,", "Ann", "01067", "12.50", "4111111111111111"]);
    let tabs = convert("table.tsv", json!({})).await.text();
    assert_eq!(row(&tabs, "Paper").split_whitespace().collect::<Vec<_>>(), ["Paper", "99"]);
}

#[tokio::test]
async fn paper_is_a4_by_default() {
    assert!(convert("semicolons.csv", json!({})).await.info().contains("(A4)"));
    assert!(convert("latin1.txt", json!({})).await.info().contains("(A4)"));
}

#[tokio::test]
async fn a_page_range_selects_pages() {
    let done = convert("talk.odp", json!({ "pageRange": "2" })).await;
    assert_eq!(done.pages(), 1);
    let text = done.text();
    assert!(text.contains("Closing slide") && !text.contains("Opening slide"), "{text}");
    let beyond = convert("talk.odp", json!({ "pageRange": "7-9" })).await;
    assert_eq!(beyond.code(), JobErrorCode::RenderFailed);
    assert!(beyond.result.unwrap_err().message.contains("pageRange"));
}

#[tokio::test]
async fn pdf_versions_and_structure_are_what_was_asked_for() {
    let plain = convert("letter.odt", json!({})).await.info();
    assert!(plain.contains("PDF version:     1.7") && plain.contains("Tagged:          no"), "{plain}");
    let best = convert("letter.odt", json!({ "conversionProviderMode": "best_output" })).await;
    assert!(best.info().contains("Tagged:          yes"));
    assert!(outline(&best) && !outline(&convert("letter.odt", json!({ "bookmarks": false })).await));
    for (version, part) in [("pdfa-1b", "1"), ("pdfa-2b", "2"), ("pdfa-3b", "3")] {
        let archival = convert("letter.odt", json!({ "pdfVersion": version })).await;
        assert!(archival.contains(&format!("<pdfaid:part>{part}</pdfaid:part>")), "{version}");
    }
    let accessible = convert("letter.odt", json!({ "pdfVersion": "pdfua" })).await;
    assert!(accessible.contains("pdfuaid:part") && accessible.info().contains("Tagged:          yes"));
}

fn outline(done: &Done) -> bool {
    let document = lopdf::Document::load(done.result.as_ref().unwrap().path()).unwrap();
    document.catalog().unwrap().has(b"Outlines")
}

#[tokio::test]
async fn notes_and_single_page_sheets() {
    let notes = convert("talk.odp", json!({ "includeNotes": true })).await;
    assert!(notes.text().contains("Remember to breathe"));
    assert_eq!(notes.pages(), 4);
    let sheets = convert("table.ods", json!({ "singlePageSheets": true })).await;
    assert_eq!(sheets.pages(), 2);
    assert!(!sheets.info().contains("(A4)"), "pages have the size of their sheets");
    assert_eq!(convert("letter.odt", json!({ "singlePageSheets": true })).await.warnings(), ["option_without_effect"]);
}

#[tokio::test]
async fn a_missing_font_is_named() {
    let done = convert("fonts.fodt", json!({})).await;
    // Two are missing, one has a substitute with the same metrics, and one is declared but not used.
    let missing: Vec<_> = done.result.as_ref().unwrap().warnings.iter().collect();
    let named: Vec<_> = missing.iter().map(|warning| (warning.code.as_str(), warning.detail.as_deref())).collect();
    assert_eq!(named, [("font_substituted", Some("Acme Grotesk")), ("font_substituted", Some("Calibri Light"))]);
    let pages: Vec<_> = missing.iter().map(|warning| warning.pages.as_ref().unwrap().to_string()).collect();
    assert_eq!(pages, ["1,3", "2"]);
    // The font with a substitute is not printed in the system's default.
    assert!(missing[1].message.contains("\"Carlito\" was used"), "{}", missing[1].message);
}

#[tokio::test]
async fn pages_are_turned_where_they_can_be() {
    for name in ["letter.docx", "table.xlsx", "semicolons.csv"] {
        let turned = convert(name, json!({ "landscape": true })).await;
        assert!(turned.info().contains("841.89 x 595.304 pts (A4)"), "{name}: {}", turned.info());
    }
    let turned = convert("letter.docx", json!({ "landscape": true })).await;
    assert!(turned.text().contains("Grüße aus Köln, naïve café"), "{}", turned.text());
    assert!(convert("letter.docx", json!({ "landscape": false })).await.info().contains("595.304 x 841.89"));
    assert_eq!(convert("talk.odp", json!({ "landscape": false })).await.warnings(), ["option_without_effect"]);
}

#[tokio::test]
async fn a_password_opens_its_document() {
    for name in ["protected.xlsx", "protected.doc"] {
        let opened = convert(name, json!({ "password": "secret" })).await;
        assert!(opened.pages() >= 1 && !opened.text().trim().is_empty(), "{name}");
        assert_eq!(convert(name, json!({ "password": "wrong" })).await.code(), JobErrorCode::WrongPassword, "{name}");
        assert_eq!(convert(name, json!({})).await.code(), JobErrorCode::PasswordRequired, "{name}");
    }
    // An unneeded password does no harm.
    assert_eq!(convert("letter.odt", json!({ "password": "secret" })).await.pages(), 1);
}

/// After a crash of the engine, another attempt uses the same directory and file.
#[tokio::test]
async fn a_second_attempt_finds_the_unchanged_source() {
    let scratch = TempDir::new().unwrap();
    let path = scratch.path().join("source");
    std::fs::copy(fixture("letter.docx"), &path).unwrap();
    let engine = ENGINE.with(Rc::clone);
    let (options, limits) = (json!({}), Limits::default());
    for attempt in 1..=2 {
        let source = Source::Document {
            path: path.clone(),
            name: None,
            format: Format::Docx,
            inspection: docmill_engine::Inspection::default(),
        };
        let deadline = Instant::now() + PATIENCE;
        let task = Task {
            operation: Operation::Tool(Slug::OFFICE_TO_PDF),
            sources: vec![source],
            options: &options,
            scratch: scratch.path(),
            deadline,
            limits: &limits,
            fonts: &NO_FONTS,
            account: None,
        };
        let pdf = engine.convert(task).await.unwrap().path().to_owned();
        let output = Command::new("pdftotext").arg(pdf).arg("-").output().unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).contains("Quarterly letter"), "attempt {attempt}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(fixture("letter.docx")).unwrap());
}

/// An engine whose helper is a shell script.
fn engine_with_helper(directory: &Path, helper: &str) -> OfficeEngine {
    let broken = directory.join("worker");
    let worker = env!("CARGO_BIN_EXE_worker");
    let script = format!("#!/bin/sh\ncase \"$*\" in *office-zygote*) {helper} ;; esac\nexec {worker} \"$@\"\n");
    std::fs::write(&broken, script).unwrap();
    std::fs::set_permissions(&broken, Permissions::from_mode(0o755)).unwrap();
    OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), Launcher::new(broken)).unwrap()
}

/// An engine whose helper does not start, but reports why.
fn engine_without_helper(directory: &Path) -> OfficeEngine {
    engine_with_helper(directory, "echo '{\"Failed\":\"no room\"}'; exit 1")
}

/// An engine whose helper's children crash on every document.
fn engine_that_crashes(directory: &Path) -> OfficeEngine {
    let replies = "echo '\"Ready\"'; while read -r _; do echo '{\"Signaled\":11}'; echo '\"Ready\"'; done; exit 0";
    engine_with_helper(directory, replies)
}

#[tokio::test]
async fn a_fresh_libreoffice_converts_a_document_that_crashed_the_warm_one() {
    let directory = TempDir::new().unwrap();
    let engine = engine_that_crashes(directory.path());
    let convert =
        async |which, options| attempt(&engine, which, "letter.docx", options, PATIENCE, Limits::default()).await;
    assert_eq!(convert(Attempt::First, json!({})).await.code(), JobErrorCode::EngineCrashed);
    let done = convert(Attempt::AfterCrash, json!({})).await;
    assert!(done.text().contains("Grüße aus Köln"), "{}", done.text());
    assert_eq!(done.warnings(), ["simplified_conversion"]);
    // The command line can't turn pages, so the warm LibreOffice gets a second try.
    let turned = convert(Attempt::AfterCrash, json!({"landscape": true})).await;
    assert_eq!(turned.code(), JobErrorCode::EngineCrashed);
}

#[tokio::test]
async fn a_fresh_libreoffice_stands_in_for_a_warm_one_that_does_not_start() {
    let directory = TempDir::new().unwrap();
    let engine = engine_without_helper(directory.path());
    let done = convert_by(&engine, "letter.docx", json!({}), PATIENCE, Limits::default()).await;
    assert!(done.text().contains("Grüße aus Köln"), "{}", done.text());
}

#[tokio::test]
async fn an_engine_that_is_not_ready_says_why() {
    let directory = TempDir::new().unwrap();
    let log = directory.path().join("log");
    // A global subscriber that ignores everything: with only one subscriber, `tracing` may not ask this thread.
    drop(tracing::subscriber::set_global_default(tracing::subscriber::NoSubscriber::new()));
    let lines = std::fs::File::create(&log).unwrap();
    let guard = tracing::subscriber::set_default(docmill_telemetry::subscriber("warn", lines));
    engine_without_helper(directory.path()).get_ready().await;
    drop(guard);
    let log = std::fs::read_to_string(log).unwrap();
    let line: Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(line["message"], "LibreOffice is not ready for the next job: a fresh process will serve it");
    assert_eq!(line["error"], "the helper failed: no room");
}

#[tokio::test]
async fn damaged_and_protected_documents_fail_with_their_own_error() {
    assert_eq!(convert("trunc.docx", json!({})).await.code(), JobErrorCode::CorruptDocument);
    assert_eq!(convert("protected.xlsx", json!({})).await.code(), JobErrorCode::PasswordRequired);
}

#[tokio::test]
async fn a_document_reaches_nothing_beyond_itself() {
    // The linked picture exists.
    let secret = PictureAt("/tmp/secret.png");
    std::fs::write(secret.0, PIXEL).unwrap();
    let done = convert("extimg-file.docx", json!({})).await;
    let document = lopdf::Document::load(done.result.as_ref().unwrap().path()).unwrap();
    let images: usize = document.page_iter().map(|page| document.get_page_images(page).unwrap().len()).sum();
    assert_eq!(images, 0, "a file of this machine is in the output");
    let marker = Path::new("/tmp/macro-ran");
    assert!(!marker.exists());
    convert("macro.odt", json!({})).await.result.unwrap();
    assert!(!marker.exists(), "a macro ran");
}

/// A picture that is removed when the test ends in any way.
struct PictureAt(&'static str);

impl Drop for PictureAt {
    fn drop(&mut self) {
        std::fs::remove_file(self.0).unwrap();
    }
}

/// A PNG of one red pixel.
const PIXEL: &[u8] = include_bytes!("../../../tests/fixtures/office/pixel.png");

#[tokio::test]
async fn limits_and_the_deadline_are_kept() {
    let few = Limits { pages: 1, ..Limits::default() };
    assert_eq!(convert_within("talk.odp", json!({}), PATIENCE, few).await.code(), JobErrorCode::PageLimitExceeded);
    let small = Limits { output_bytes: 4096, ..Limits::default() };
    assert_eq!(convert_within("letter.odt", json!({}), PATIENCE, small).await.code(), JobErrorCode::RenderFailed);
    // Shorter than any conversion: a warm one takes some thirty milliseconds on an idle machine.
    let late = convert_within("letter.odt", json!({}), Duration::from_millis(3), Limits::default()).await;
    assert_eq!(late.code(), JobErrorCode::ConversionTimeout);
}
