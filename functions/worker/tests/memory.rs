//! Documents that need more memory than a job may use: each fails at its first attempt, and the next one is served.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use docmill_confine::Launcher;
use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::Slug;
use docmill_egress::{EgressPolicy, SourceExceptions};
use docmill_engine::{Conversion, Engine, Failure, Inspection, Limits, Operation, Source, Task};
use docmill_fetch::Fetcher;
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_html_basic::HtmlBasic;
use docmill_office::{DEFAULT_PROGRAM_DIRECTORY, OfficeEngine};
use docmill_pdf_engine::PdfTools;
use serde_json::{Value, json};
use tempfile::TempDir;

fn launcher(mebibytes: u64) -> Launcher {
    Launcher::new(env!("CARGO_BIN_EXE_worker")).within(mebibytes << 20)
}

async fn convert(engine: &dyn Engine, tool: Slug, source: Source, options: &Value) -> Result<Conversion, Failure> {
    convert_in(TempDir::new().unwrap().path(), engine, tool, source, options).await
}

/// The results are in `scratch`.
async fn convert_in(
    scratch: &Path,
    engine: &dyn Engine,
    tool: Slug,
    source: Source,
    options: &Value,
) -> Result<Conversion, Failure> {
    let limits = Limits::default();
    let deadline = Instant::now() + Duration::from_secs(100);
    engine
        .convert(Task {
            operation: Operation::Tool(tool),
            sources: vec![source],
            options,
            scratch,
            deadline,
            limits: &limits,
            fonts: &NO_FONTS,
            account: None,
        })
        .await
}

fn assert_of_memory(failure: &Failure) {
    // A crash would be tried twice.
    assert_eq!(failure.code, JobErrorCode::RenderFailed, "{failure}");
    assert!(failure.message.contains("needs more memory than"), "{}", failure.message);
}

fn document(path: PathBuf, format: Format) -> Source {
    Source::Document { path, name: None, format, inspection: Inspection::default() }
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(name)
}

fn pdf(path: PathBuf) -> Source {
    Source::File(docmill_pdf_request::Source::new(path, Format::Pdf))
}

#[tokio::test]
async fn a_text_of_endless_lines_fails_alone() {
    let engine = OfficeEngine::new(Path::new(DEFAULT_PROGRAM_DIRECTORY), launcher(400)).unwrap();
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("lines.txt");
    std::fs::write(&path, "word\n".repeat(700_000)).unwrap();
    let next = async || {
        let letter = document(fixture("office/letter.docx"), Format::Docx);
        assert_eq!(convert(&engine, Slug::OFFICE_TO_PDF, letter, &Value::Null).await.unwrap().artifacts.len(), 1);
    };
    next().await;
    for _ in 0..2 {
        let failure = convert(&engine, Slug::OFFICE_TO_PDF, document(path.clone(), Format::Txt), &Value::Null).await;
        assert_of_memory(&failure.unwrap_err());
        next().await;
    }
}

#[tokio::test]
async fn a_page_of_endless_rows_fails_alone() {
    let fetcher = Fetcher::new(EgressPolicy::new(SourceExceptions::default())).unwrap();
    let engine = HtmlBasic::new(launcher(64), fetcher);
    let rows = "<tr><td>a cell with words</td><td>another one</td></tr>".repeat(15_000);
    let page = Source::html(format!("<table>{rows}</table>"));
    assert_of_memory(&convert(&engine, Slug::HTML_TO_PDF, page, &json!({})).await.unwrap_err());
    let small = Source::html("<p>next");
    assert_eq!(convert(&engine, Slug::HTML_TO_PDF, small, &json!({})).await.unwrap().artifacts.len(), 1);
}

/// A drawing whose bitmap alone exceeds the memory.
#[tokio::test]
async fn a_picture_of_a_vast_page_fails_alone() {
    let engine = PdfTools::new(launcher(120));
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("vast.pdf");
    let page = "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 14000 14000]>>endobj ";
    let objects = "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj ";
    std::fs::write(&path, format!("%PDF-1.7\n{objects}{page}\ntrailer<</Root 1 0 R/Size 4>>\n%%EOF\n")).unwrap();
    let options = json!({"dpi": 50});
    for _ in 0..2 {
        let failure = convert(&engine, Slug::PDF_TO_IMAGES, pdf(path.clone()), &options).await.unwrap_err();
        assert_eq!(failure.code, JobErrorCode::RenderFailed, "{failure}");
        let pages = convert(&engine, Slug::PDF_TO_IMAGES, pdf(fixture("pdf/text.pdf")), &options).await.unwrap();
        assert_eq!(pages.artifacts.len(), 5);
    }
}

/// A PDF whose pages are full of words, which are different on each.
fn book(pages: usize) -> String {
    let mut book =
        format!("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Count {pages}/Kids[");
    book.extend((0..pages).map(|page| format!("{} 0 R ", 4 + page * 2)));
    book.push_str("]>>endobj 3 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n");
    for page in 0..pages {
        let line = |line: usize| format!("({}) Tj T* ", format!("p{page}l{line} words ").repeat(6));
        let text: String = (0..50).map(line).collect();
        let content = format!("BT /F 9 Tf 40 780 Td 14 TL {text}ET");
        let (own, of_content, length) = (4 + page * 2, 5 + page * 2, content.len());
        book.push_str(&format!(
            "{own} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents {of_content} 0 R>>endobj\n\
             {of_content} 0 obj<</Length {length}>>stream\n{content}\nendstream endobj\n"
        ));
    }
    book + "trailer<</Root 1 0 R>>\n%%EOF\n"
}

#[tokio::test]
async fn a_long_text_needs_as_much_memory_as_a_short_one() {
    const PAGES: usize = 1_000;
    let engine = PdfTools::new(launcher(128));
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("book.pdf");
    std::fs::write(&path, book(PAGES)).unwrap();
    for (tool, options) in [
        (Slug::PDF_TO_TEXT, json!({"format": "markdown"})),
        (Slug::PDF_TO_TEXT, json!({"format": "json"})),
        (Slug::EXTRACT_DOCUMENT, json!({"ocr": "never"})),
    ] {
        let scratch = TempDir::new().unwrap();
        let conversion = convert_in(scratch.path(), &engine, tool, pdf(path.clone()), &options).await.unwrap();
        let text = std::fs::read_to_string(&conversion.artifacts[0].path).unwrap();
        for page in [0, PAGES - 1] {
            assert!(text.contains(&format!("p{page}l49 words")), "{tool} {options}: page {page} is missing");
        }
    }
}
