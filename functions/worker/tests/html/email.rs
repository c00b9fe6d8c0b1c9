//! Email to PDF: the confined child that reads a message, the browser that prints it, and the conversion of attachments.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_domain::job::JobErrorCode;
use docmill_domain::tool::{EngineKind, Slug};
use docmill_engine::{
    Conversion, Engine, Engines, Failure, Limits, Operation, PictureLimits, Source, Task, Unfinished,
};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_pdf_engine::PdfTools;
use docmill_plan::{Recipe, Runner};
use lopdf::Document;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, launcher, policy};

const PHOTO_SIDE: u32 = 200;

/// Replaces LibreOffice, which has its own tests: it makes the same PDF from every document, with a picture above the resolution
/// that it names.
struct Office(Arc<dyn Engine>);

#[async_trait]
impl Engine for Office {
    async fn convert(&self, task: Task<'_>) -> Result<Conversion, Failure> {
        let Source::Document { name: Some(name), .. } = task.source()? else { panic!("no document") };
        let mut photo = Vec::new();
        let pixels: Vec<u8> = (0..PHOTO_SIDE * PHOTO_SIDE).map(|at| (at * at / 7) as u8).collect();
        image::codecs::jpeg::JpegEncoder::new(&mut photo)
            .encode(&pixels, PHOTO_SIDE, PHOTO_SIDE, image::ExtendedColorType::L8)
            .unwrap();
        let photo = BASE64.encode(photo);
        let photo = format!("<img style='width: 1in' src='data:image/jpeg;base64,{photo}'>");
        let sources = vec![Source::html(format!("<p>Printed {name}</p>{photo}"))];
        let printed = self.0.convert(Task { operation: Operation::Tool(Slug::HTML_TO_PDF), sources, ..task }).await?;
        let pictures = Some(PictureLimits { dpi: 75, quality: 90 });
        Ok(Conversion { unfinished: Unfinished { pictures, ..Unfinished::default() }, ..printed })
    }
}

fn engine(server: Option<&Server>) -> Engines {
    let browser: Arc<dyn Engine> = Arc::new(HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(server)));
    Engines::default()
        .with(EngineKind::PdfTools, Arc::new(PdfTools::new(launcher())))
        .with(EngineKind::Chromium, browser.clone())
        .with(EngineKind::LibreOffice, Arc::new(Office(browser)))
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/email").join(name)
}

async fn convert(
    engines: &Engines,
    message: &[u8],
    media: Format,
    options: Value,
) -> Result<(TempDir, Conversion), Failure> {
    let scratch = TempDir::new().unwrap();
    let path = scratch.path().join("source");
    std::fs::write(&path, message).unwrap();
    let name = Some("message.eml".to_owned());
    let file = docmill_pdf_request::Source { name, ..docmill_pdf_request::Source::new(path, media) };
    let (deadline, limits) = (Instant::now() + Duration::from_secs(120), Limits::default());
    let recipe = Recipe::of(Slug::EMAIL_TO_PDF, &options)?;
    let runner =
        Runner { engines, scratch: scratch.path(), deadline, limits: &limits, fonts: &NO_FONTS, account: None };
    let conversion = runner.run(&recipe, vec![Source::File(file)]).await?;
    Ok((scratch, conversion))
}

async fn figures(engines: &Engines, options: Value) -> (TempDir, Conversion) {
    convert(engines, &std::fs::read(fixture("figures.eml")).unwrap(), Format::Eml, options).await.unwrap()
}

fn said(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

fn text_of(pdf: &Path) -> String {
    said(Command::new("pdftotext").arg("-layout").arg(pdf).arg("-"))
}

fn codes(conversion: &Conversion) -> Vec<&str> {
    conversion.warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[track_caller]
fn assert_has(text: &str, expected: &[&str]) {
    for part in expected {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

#[tokio::test]
async fn a_message_written_in_word_begins_below_its_headers() {
    let message = "From: ada@example.com\r\nSubject: Word\r\nContent-Type: text/html\r\n\r\n<html><head><style><!-- @page \
        WordSection1 {size:612.0pt 792.0pt; margin:72.0pt;} div.WordSection1 {page:WordSection1;} --></style></head><body><div \
        class=WordSection1><p class=MsoNormal>Dear Bob</p></div></body></html>";
    let (_scratch, made) = convert(&engine(None), message.as_bytes(), Format::Eml, json!({})).await.unwrap();
    let first_page = said(Command::new("pdftotext").args(["-l", "1"]).arg(made.path()).arg("-"));
    assert_has(&first_page, &["ada@example.com", "Dear Bob"]);
}

#[tokio::test]
async fn a_message_has_its_headers_pictures_and_list_of_attachments() {
    let (_scratch, made) = figures(&engine(None), json!({})).await;
    assert_eq!(codes(&made), ["remote_content_blocked"]);
    assert_eq!(made.warnings[0].detail.as_deref(), Some("1"));
    assert_eq!(made.engine.name, "chromium");
    let text = text_of(made.path());
    assert_has(
        &text,
        &[
            "Quarterly figures – Größe &",
            "数字",
            "Jörg Müller <joerg@example.com>",
            "Ada Lovelace <ada@example.com>, bob@example.com",
            "Team <team@example.com>",
            "Sun, 22 Nov 2026 10:00:00 +0100",
            "Letter.docx",
            "earlier.eml",
            "Figures of the third quarter",
            "revenue rose by 12",
            "1,204",
            "styled end",
        ],
    );
    for absent in ["by script", "as text alone", "Ignored title", "logo.png", "Attached page"] {
        assert!(!text.contains(absent), "{absent} is in {text}");
    }
    // Content that the message fixes to the top of the page stays in the message's own area.
    assert!(text.find("The Bank").unwrap() > text.find("earlier.eml").unwrap(), "{text}");
    let pictures = said(Command::new("pdfimages").arg("-list").arg(made.path()));
    assert!(pictures.contains("image       1     1 "), "{pictures}");
    let information = said(Command::new("pdfinfo").arg(made.path()));
    assert_has(
        &information,
        &[
            "Title:           Quarterly figures",
            "Author:          Jörg Müller <joerg@example.com>",
            "Tagged:          yes",
            "(A4)",
        ],
    );
    let links = said(Command::new("pdfinfo").arg("-url").arg(made.path()));
    assert!(links.contains("https://example.com/report?id=7") && !links.contains("javascript"), "{links}");
    let report = made.report.as_ref().unwrap();
    assert_eq!(report["attachments"][4], json!({"name": "empty.zip", "bytes": 22, "result": "listed"}));
}

#[tokio::test]
async fn attachments_go_into_the_pdf_as_they_are() {
    let (scratch, made) = figures(&engine(None), json!({"attachments": "embed", "pageSize": "A5"})).await;
    assert_eq!(codes(&made), ["remote_content_blocked"]);
    let out = scratch.path().join("files");
    std::fs::create_dir(&out).unwrap();
    let listed = said(Command::new("pdfdetach").arg("-saveall").arg("-o").arg(&out).arg(made.path()));
    let letter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office/letter.docx");
    assert_eq!(std::fs::read(out.join("Letter.docx")).unwrap(), std::fs::read(letter).unwrap(), "{listed}");
    assert_has(&String::from_utf8(std::fs::read(out.join("earlier.eml")).unwrap()).unwrap(), &["The earlier message."]);
    let count = std::fs::read_dir(&out).unwrap().count();
    assert_eq!((count, made.report.as_ref().unwrap()["attachments"][0]["result"].clone()), (6, json!("embedded")));
    assert!(said(Command::new("pdfinfo").arg(made.path())).contains("Page size:       420 x "));
}

#[tokio::test]
async fn attachments_follow_as_pages() {
    let (_scratch, made) = figures(&engine(None), json!({"attachments": "convert"})).await;
    let text = text_of(made.path());
    assert_has(
        &text,
        &[
            "Figures of the third quarter",
            "Printed Letter.docx",
            "Attached page",
            "# Notes",
            "Re: earlier",
            "The earlier message.",
        ],
    );
    let pictures = said(Command::new("pdfimages").arg("-list").arg(made.path()));
    assert!(pictures.contains("      75    75  gray"), "the picture was not scaled down: {pictures}");
    assert!(!text.contains("by script"));
    assert_eq!(codes(&made), ["remote_content_blocked", "remote_content_blocked", "attachment_not_converted"]);
    assert_eq!(made.warnings[2].detail.as_deref(), Some("empty.zip"));
    let document = Document::load(made.path()).unwrap();
    assert_eq!(document.get_pages().len(), 6);
    let titles: Vec<_> =
        document.get_toc().unwrap().toc.into_iter().filter(|entry| entry.level == 1).map(|entry| entry.title).collect();
    assert_eq!(
        titles,
        ["Quarterly figures – Größe & 数字", "Letter.docx", "page.html", "notes.md", "Photo.png", "earlier.eml"]
    );
    let results: Vec<_> = made.report.as_ref().unwrap()["attachments"]
        .as_array()
        .unwrap()
        .iter()
        .map(|each| each["result"].clone())
        .collect();
    assert_eq!(results, ["converted", "converted", "converted", "converted", "listed", "converted"]);
    assert!(said(Command::new("pdfinfo").arg(made.path())).contains("Title:           Quarterly figures"));
}

#[tokio::test]
async fn messages_of_outlook_are_printed() {
    let (_scratch, made) = convert(
        &engine(None),
        &std::fs::read(fixture("meeting.msg")).unwrap(),
        Format::Msg,
        json!({"attachments": "convert"}),
    )
    .await
    .unwrap();
    let text = text_of(made.path());
    assert_has(
        &text,
        &[
            "Meeting in München",
            "Ada Lovelace <ada@example.com>",
            "Table.csv",
            "Printed Table.csv",
            "Earlier.msg",
            "Café",
        ],
    );
}

#[tokio::test]
async fn remote_pictures_are_loaded_if_they_are_allowed_and_only_from_the_internet() {
    let pixel =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office/pixel.png")).unwrap();
    let server = Server::start(move |_| (200, "Content-Type: image/png\r\n", pixel.clone()));
    let message = format!(
        "From: a@example.com\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n<img src='http://127.0.0.1:{}/a.png'>\
         <img src='http://10.0.0.1/b.png'><script src='http://127.0.0.1:{}/c.js'></script>",
        server.port, server.port
    );
    let message = message.as_bytes();
    let engine = engine(Some(&server));
    let (_scratch, blocked) = convert(&engine, message, Format::Eml, json!({})).await.unwrap();
    assert_eq!(
        (codes(&blocked).as_slice(), blocked.warnings[0].detail.as_deref()),
        (["remote_content_blocked"].as_slice(), Some("2"))
    );
    assert!(!said(Command::new("pdfimages").arg("-list").arg(blocked.path())).contains("image  "));
    let (_scratch, loaded) = convert(&engine, message, Format::Eml, json!({"allowRemote": true})).await.unwrap();
    assert_eq!(codes(&loaded), ["resource_blocked"]);
    assert!(said(Command::new("pdfimages").arg("-list").arg(loaded.path())).contains("image       1     1 "));
}

#[tokio::test]
async fn long_messages_break_across_pages() {
    let lines: String = (0..400).map(|number| format!("<p>Line {number}</p>")).collect();
    let message = format!("From: a@example.com\r\nSubject: Long\r\nContent-Type: text/html\r\n\r\n{lines}");
    let (_scratch, made) = convert(&engine(None), message.as_bytes(), Format::Eml, json!({})).await.unwrap();
    let document = Document::load(made.path()).unwrap();
    assert!(document.get_pages().len() >= 8);
    let text = text_of(made.path());
    for number in 0..400 {
        assert_eq!(text.matches(&format!("Line {number}\n")).count(), 1, "{number}");
    }
}

#[tokio::test]
async fn damaged_messages_are_refused() {
    let broken = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest";
    let failure = convert(&engine(None), broken, Format::Msg, json!({})).await.unwrap_err();
    assert_eq!(failure.code, JobErrorCode::CorruptDocument);
}
