//! Converts office documents to other formats with the installed LibreOffice, and checks the contents of results.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

#[path = "../helper/checked.rs"]
mod checked;
mod documents;
mod fields;
mod support;

use docmill_domain::job::JobErrorCode;
use serde_json::json;

use documents::{fixture, sheets, text};
use support::{convert, file};

const WORDS: [&str; 5] = ["Chapter one", "Grüße aus Köln", "Ελλάδα", "日本語の文章", "مرحبا بالعالم"];

#[tokio::test]
async fn a_text_keeps_words_headings_and_tables_through_docx_odt_and_docx_again() {
    let docx = convert(&text(), json!({"format": "docx"})).await;
    assert_eq!(docx.warnings(), Vec::<&str>::new());
    let odt = convert(&docx.as_source("docx"), json!({"format": "odt"})).await;
    let content = odt.part("content.xml");
    assert!(content.contains("text:outline-level=\"1\"") && content.contains("<table:table "), "{content}");
    let again = convert(&odt.as_source("odt"), json!({"format": "docx"})).await;
    let document = again.part("word/document.xml");
    for words in WORDS.into_iter().chain(["left cell", "right cell", "inserted words"]) {
        assert!(document.contains(words), "{words}: {document}");
    }
    assert!(document.contains("w:pStyle w:val=\"Heading1\"") && document.contains("<w:tbl>"), "{document}");
    assert!(document.contains("<w:del ") && document.contains("<w:ins "), "tracked changes stay: {document}");
    assert!(again.names().iter().any(|name| name.starts_with("word/media/")), "the picture stays");
    let rtf = convert(&text(), json!({"format": "rtf"})).await;
    let back = convert(&rtf.as_source("rtf"), json!({"format": "docx"})).await.part("word/document.xml");
    assert!(WORDS.iter().all(|words| back.contains(words)) && back.contains("<w:tbl>"), "{back}");
}

#[tokio::test]
async fn plain_text_has_the_words() {
    let done = convert(&text(), json!({"format": "txt"})).await;
    let plain = done.text();
    assert!(WORDS.iter().all(|words| plain.contains(words)), "{plain}");
    assert!(plain.starts_with("Chapter one") && !plain.contains("deleted words"), "{plain}");
    assert_eq!(done.warnings(), ["formatting_lost", "tracked_changes"]);
}

#[tokio::test]
async fn html_is_one_file_with_its_pictures() {
    let done = convert(&text(), json!({"format": "html"})).await;
    let page = done.text().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(WORDS.iter().all(|words| page.contains(words)), "{page}");
    assert!(page.contains("<h1") && page.contains("<table") && page.contains("src=\"data:image/"), "{page}");
    assert!(!page.contains("file:") && !page.contains("deleted words"), "{page}");
    assert_eq!(done.files(), 1);
    assert_eq!(done.warnings(), ["formatting_lost", "tracked_changes"]);
}

#[tokio::test]
async fn csv_has_the_cells_as_they_are_shown() {
    let done = convert(&sheets(), json!({"format": "csv"})).await;
    assert_eq!(done.text(), "Name,Amount,Share\nZoë Łódź 山田,\"1,234.50 €\",25%\n\"a,b \"\"c\"\"\",-3.00 €,100%\n");
    assert_eq!(done.warnings(), ["formatting_lost", "sheets_dropped"]);
    let options = json!({"format": "csv", "sheet": "Second; sheet", "separator": ";", "encoding": "utf-8-bom"});
    assert_eq!(convert(&sheets(), options).await.text(), "\u{feff}second;2\n");
    let third = convert(&sheets(), json!({"format": "csv", "sheet": 3, "separator": "\t"})).await;
    assert_eq!(third.text().trim(), "", "a sheet without cells");
    let narrow = convert(&sheets(), json!({"format": "csv", "encoding": "windows-1252"})).await;
    let bytes = narrow.bytes();
    assert!(bytes.windows(9).any(|window| window == b"Zo\xEB ?\xF3d? "), "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(narrow.warnings(), ["formatting_lost", "sheets_dropped", "characters_replaced"]);
}

#[tokio::test]
async fn every_sheet_can_become_a_file() {
    let done = convert(&sheets(), json!({"format": "csv", "sheet": "all"})).await;
    assert_eq!(done.filenames(), ["sheets-First.csv", "sheets-Second; sheet.csv", "sheets-Third.csv"]);
    assert_eq!(done.warnings(), ["formatting_lost"]);
    for sheet in [json!(4), json!("first")] {
        let (code, message) = convert(&sheets(), json!({"format": "csv", "sheet": sheet})).await.failure();
        assert_eq!(code, JobErrorCode::RenderFailed);
        assert_eq!(
            message,
            "The document has no such sheet. It has 3: \u{201c}First\u{201d}, \u{201c}Second; sheet\u{201d}, \u{201c}Third\u{201d}."
        );
    }
}

#[tokio::test]
async fn spreadsheets_keep_values_formulas_and_sheets() {
    let xlsx = convert(&sheets(), json!({"format": "xlsx"})).await;
    let workbook = xlsx.part("xl/workbook.xml");
    assert!(["First", "Second; sheet", "Third"].iter().all(|sheet| workbook.contains(sheet)), "{workbook}");
    let sheet = xlsx.part("xl/worksheets/sheet2.xml");
    assert!(sheet.contains("<f aca=\"false\">1+1</f>"), "{sheet}");
    let ods = convert(&xlsx.as_source("xlsx"), json!({"format": "ods"})).await;
    let content = ods.part("content.xml");
    assert!(content.contains("of:=1+1") && content.contains("office:value=\"1234.5\""), "{content}");
    assert!(content.contains("Zoë Łódź ") && content.contains("山田"), "{content}");
}

#[tokio::test]
async fn values_of_a_table_stay_as_they_are_written() {
    let done = convert(&fixture("codes.csv"), json!({"format": "xlsx"})).await;
    assert!(done.part("xl/sharedStrings.xml").contains(">01067<"));
    assert_eq!(done.warnings(), ["cells_as_text"]);
}

#[tokio::test]
async fn presentations_keep_their_slides() {
    let odp = convert(&fixture("talk.pptx"), json!({"format": "odp"})).await;
    let content = odp.part("content.xml");
    assert_eq!(content.matches("<draw:page ").count(), 2);
    assert!(content.contains("Opening slide") && content.contains("Remember to breathe"), "{content}");
    let pptx = convert(&odp.as_source("odp"), json!({"format": "pptx"})).await;
    assert!(pptx.part("ppt/slides/slide1.xml").contains("Opening slide"));
    assert!(pptx.part("ppt/slides/slide2.xml").contains("Closing slide"));
    assert!(!pptx.names().contains(&"ppt/slides/slide3.xml".to_owned()));
}

#[tokio::test]
async fn a_page_becomes_a_picture() {
    for (name, options) in [
        ("talk.pptx", json!({"format": "png", "page": 2, "dpi": 72})),
        ("sketch.odg", json!({"format": "png", "dpi": 72})),
    ] {
        let done = convert(&fixture(name), options).await;
        let (width, height) = done.size();
        assert!(width > 300 && height > 300, "{name}: {width} by {height}");
        assert!(done.bytes().starts_with(b"\x89PNG") && done.files() == 1, "{name}");
    }
    let (code, message) = convert(&fixture("letter.odt"), json!({"format": "png", "page": 9})).await.failure();
    assert_eq!(code, JobErrorCode::RenderFailed);
    assert!(message.contains("Check that `page` names pages that exist"), "{message}");
}

#[tokio::test]
async fn impossible_target_formats_are_refused() {
    for (name, formats, possible) in [
        ("letter.docx", &["xlsx", "ods", "csv", "pptx", "odp"][..], "docx, odt, rtf, txt, html, png."),
        ("table.xlsx", &["docx", "odt", "rtf", "txt", "html", "pptx", "odp"][..], "xlsx, ods, csv, png."),
        ("talk.odp", &["docx", "odt", "rtf", "txt", "html", "xlsx", "ods", "csv"][..], "pptx, odp, png."),
        ("sketch.odg", &["docx", "odp"][..], "png."),
    ] {
        for format in formats {
            let (code, message) = convert(&fixture(name), json!({"format": format})).await.failure();
            assert_eq!(code, JobErrorCode::UnsupportedFormat, "{name} to {format}");
            assert!(message.ends_with(&format!("They can be converted to: {possible}")), "{message}");
        }
    }
}

#[tokio::test]
async fn protected_documents_open_with_their_password() {
    for (name, format, part, words) in [
        ("protected.xlsx", "xlsx", "xl/workbook.xml", "sheet"),
        ("protected.doc", "docx", "word/document.xml", "<w:t"),
        ("protected-128.xls", "ods", "content.xml", "table:table-cell"),
    ] {
        let source = fixture(name);
        let (code, _) = convert(&source, json!({"format": format})).await.failure();
        assert_eq!(code, JobErrorCode::PasswordRequired, "{name}");
        let (code, _) = convert(&source, json!({"format": format, "password": "wrong"})).await.failure();
        assert_eq!(code, JobErrorCode::WrongPassword, "{name}");
        let done = convert(&source, json!({"format": format, "password": support::PASSWORD})).await;
        assert!(done.part(part).contains(words), "{name}");
        assert_eq!(done.warnings(), ["protection_removed"], "{name}");
    }
}

#[tokio::test]
async fn macros_are_only_kept_in_opendocument() {
    let dropped = convert(&fixture("macro.odt"), json!({"format": "docx"})).await;
    assert!(!dropped.names().iter().any(|name| name.contains("vba") || name.contains("Basic")));
    assert_eq!(dropped.warnings(), ["macros_dropped"]);
    let kept = convert(&fixture("macro.odt"), json!({"format": "odt"})).await;
    assert!(kept.names().iter().any(|name| name.starts_with("Basic/Standard/")), "{:?}", kept.names());
    assert_eq!(kept.warnings(), Vec::<&str>::new());
    let workbook = file("macros.xlsm", documents::with_macros("table.xlsm"));
    assert_eq!(convert(&workbook, json!({"format": "xlsx"})).await.warnings(), ["macros_dropped"]);
}
