//! Markdown to PDF: the confined child that reads it, and the browser that prints it.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use docmill_browser::{BrowserSettings, HtmlBrowser};
use docmill_domain::tool::{EngineKind, Slug};
use docmill_engine::{Conversion, Engines, Limits, Source};
use docmill_fonts::NO_FONTS;
use docmill_formats::Format;
use docmill_pdf_engine::PdfTools;
use docmill_plan::{Recipe, Runner};
use lopdf::Document;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Server, launcher, policy};

fn engine(server: Option<&Server>) -> Engines {
    let browser = HtmlBrowser::new(BrowserSettings::default(), launcher(), policy(server));
    Engines::default()
        .with(EngineKind::PdfTools, Arc::new(PdfTools::new(launcher())))
        .with(EngineKind::Chromium, Arc::new(browser))
}

/// Converts Markdown from `base`, in a directory that is dropped with the result.
async fn convert(engines: &Engines, markdown: &str, base: Option<String>, options: Value) -> (TempDir, Conversion) {
    let scratch = TempDir::new().unwrap();
    let path = scratch.path().join("source");
    std::fs::write(&path, markdown).unwrap();
    let name = Some("notes.md".to_owned());
    let file = docmill_pdf_request::Source { name, base, ..docmill_pdf_request::Source::new(path, Format::Markdown) };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let limits = Limits::default();
    let recipe = Recipe::of(Slug::MARKDOWN_TO_PDF, &options).unwrap();
    let runner =
        Runner { engines, scratch: scratch.path(), deadline, limits: &limits, fonts: &NO_FONTS, account: None };
    let conversion = runner.run(&recipe, vec![Source::File(file)]).await.unwrap();
    (scratch, conversion)
}

fn text_of(pdf: &Path) -> String {
    said(Command::new("pdftotext").arg("-layout").arg(pdf).arg("-"))
}

fn information_of(pdf: &Path) -> String {
    said(Command::new("pdfinfo").arg(pdf))
}

fn said(command: &mut Command) -> String {
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[tokio::test]
async fn a_document_has_its_text_bookmarks_tags_and_metadata() {
    let markdown = "---\ntitle: Über Bücher\nauthor: [Ada, Bob]\ndate: 2026-11-22\nlang: de\n---\n\n# Anfang\n\n\
        | Titel | Preis |\n|---|--:|\n| Buch | 7 |\n\n- [x] gelesen\n\nSiehe [^1] und 漢字.\n\n[^1]: Die Fußnote.\n\n\
        ## Ende\n\n~~weg~~ https://a.example/x\n";
    let (_scratch, made) = convert(&engine(None), markdown, None, json!({"toc": true})).await;
    assert_eq!(made.warnings, []);
    assert_eq!(made.engine.name, "chromium");
    let text = text_of(made.path());
    for expected in
        ["Über Bücher", "Ada, Bob", "2026-11-22", "Inhalt", "Anfang", "Titel", "gelesen", "漢字", "Die Fußnote.", "weg"]
    {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    let information = information_of(made.path());
    for expected in ["Title:           Über Bücher", "Author:          Ada, Bob", "Tagged:          yes", "(A4)"] {
        assert!(information.contains(expected), "{expected} is not in {information}");
    }
    let document = Document::load(made.path()).unwrap();
    let bookmarks = document.get_toc().unwrap().toc;
    let titles: Vec<_> = bookmarks.iter().map(|entry| entry.title.as_str()).collect();
    assert_eq!(titles, ["Über Bücher", "Anfang", "Ende"]);
    let entries = document.trailer.get(b"Info").unwrap().as_reference().unwrap();
    assert!(document.get_dictionary(entries).unwrap().has(b"Date"));
}

#[tokio::test]
async fn an_accessible_document_has_what_the_markdown_says_and_is_pdf_ua() {
    let markdown = "---\ntitle: Bücher\nlang: de\n---\n\n# Anfang\n\n### Mehr\n\n| Titel | Preis |\n|---|--:|\n| Buch | 7 |\n\n\
        - eins\n  - zwei\n\n- [x] gelesen\n\nSiehe [die Seite](https://a.example/x) und [^1].\n\n[^1]: Die Fußnote.\n";
    let (_scratch, made) = convert(&engine(None), markdown, None, json!({"accessible": true, "toc": true})).await;
    assert_eq!(made.warnings, []);
    let report = &made.report.as_ref().unwrap()["accessibility"];
    assert_eq!(report["failed"], json!([]));
    assert_eq!(
        (&report["conforms"], &report["language"], &report["tags"]),
        (&json!(true), &json!("de"), &json!("repaired"))
    );
    for kind in ["H1", "H2", "Table", "TH", "LBody", "Link"] {
        assert!(report["elements"][kind].as_u64().is_some(), "{kind} is not in {report}");
    }
    let document = Document::load(made.path()).unwrap();
    let descriptions: Vec<String> = document
        .objects
        .values()
        .filter_map(|object| lopdf::decode_text_string(object.as_dict().ok()?.get(b"Contents").ok()?).ok())
        .collect();
    assert!(descriptions.iter().any(|said| said == "die Seite"), "{descriptions:?}");
    let (_scratch, picture) = convert(
        &engine(None),
        "Text\n\n<svg role=img width=9 height=9><rect width=9 height=9 /></svg>\n",
        None,
        json!({"accessible": true}),
    )
    .await;
    assert_eq!(picture.report.unwrap()["accessibility"]["tags"], "repaired");
}

#[tokio::test]
async fn relative_pictures_are_loaded_and_options_apply() {
    let pixel =
        std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office/pixel.png")).unwrap();
    let server = Server::start(move |path| match path {
        "/docs/img/a.png" => (200, "Content-Type: image/png\r\n", pixel.clone()),
        _ => (404, "", Vec::new()),
    });
    let base = Some(format!("http://127.0.0.1:{}/docs/README.md", server.port));
    let options = json!({"theme": "github", "pageSize": "A5", "css": "p::after{content: ' styled'}",
        "footerHtml": "<span class=pageNumber></span> of all"});
    let (_scratch, made) = convert(&engine(Some(&server)), "![A](img/a.png)\n\nText\n", base, options.clone()).await;
    assert_eq!(made.warnings, []);
    let text = text_of(made.path());
    assert!(text.contains("Text styled") && text.contains("of all"), "{text}");
    let pictures = said(Command::new("pdfimages").arg("-list").arg(made.path()));
    assert!(pictures.contains("image       1     1 "), "{pictures}");
    assert!(information_of(made.path()).contains("Page size:       420 x "));
    let (_scratch, alone) = convert(&engine(None), "![A](img/a.png)\n", None, json!({})).await;
    assert_eq!(alone.warnings[0].code, "relative_reference");
}

#[tokio::test]
async fn raw_html_is_confined_like_any_page() {
    let markdown = "<img src=\"http://10.0.0.1/x.png\">\n\n<script>document.body.append('by script')</script>\n";
    let (_scratch, made) = convert(&engine(None), markdown, None, json!({})).await;
    assert!(text_of(made.path()).contains("by script"));
    let warnings: Vec<_> = made.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert_eq!(warnings, ["resource_blocked"]);
}

#[tokio::test]
async fn each_theme_names_installed_fonts() {
    for theme in ["document", "github", "letter"] {
        let markdown =
            "---\nfrom: Ada\nto: Bob\n---\n# T\n\n`code` **b**\n\n> [!NOTE]\n> n[^1]\n\n[^1]: n\n\n```\nx\n```\n";
        let (_scratch, made) = convert(&engine(None), markdown, None, json!({"theme": theme, "toc": true})).await;
        assert_eq!(made.warnings, [], "{theme}");
    }
}
