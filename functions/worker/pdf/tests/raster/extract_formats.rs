use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Source, Tool};
use serde_json::{Value, json};

use crate::pdf_to_text::{LAYOUTS, form};
use crate::{Run, fixture, run, run_on, source};

const TABLE: &str = "layouts/table-ruled.pdf";
const TEXT: &str = "layouts/headings.pdf";

fn extracted(name: &str, options: Value) -> Run {
    run_on(Tool::ExtractDocument, name, options)
}

fn text(made: &Run) -> String {
    String::from_utf8(made.files().remove(0)).unwrap()
}

#[test]
fn html_and_chunks_have_the_text_of_the_blocks() {
    let document: Value = serde_json::from_str(&text(&extracted(TEXT, json!({})))).unwrap();
    let made = extracted(TEXT, json!({"format": "html"}));
    assert_eq!(made.outcome().artifacts[0].media, Format::Html);
    let html = text(&made);
    let options = json!({"format": "chunks", "chunks": {"maxTokens": 32, "splitAt": "none"}});
    let made = extracted(TEXT, options);
    assert_eq!(made.outcome().artifacts[0].media, Format::JsonLines);
    let lines = text(&made);
    let chunks: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(chunks.len() > 1 && chunks.iter().all(|chunk| chunk["tokens"].as_u64().unwrap() <= 32), "{lines}");
    let all: String = chunks.iter().map(|chunk| chunk["text"].as_str().unwrap()).collect();
    for block in document["blocks"].as_array().unwrap() {
        assert!(html.contains(&format!("id={} data-page=\"1\"", block["id"])), "{block}: {html}");
        assert!(all.contains(block["text"].as_str().unwrap()), "{block}: {all}");
    }
}

#[test]
fn tables_are_files_and_a_document_without_them_has_a_warning() {
    let alone = extracted(TABLE, json!({"format": "tables"}));
    let artifacts = &alone.outcome().artifacts;
    assert_eq!((artifacts.len(), artifacts[0].media), (1, Format::Csv));
    let document: Value = serde_json::from_str(&text(&extracted(TABLE, json!({})))).unwrap();
    let table = &document["tables"][0];
    assert_eq!(text(&alone).lines().count() as u64, table["rows"].as_u64().unwrap());
    assert!(text(&alone).starts_with(table["cells"][0]["text"].as_str().unwrap()));

    let sources = [TEXT, TABLE].map(|name| source(&fixture(name), Format::Pdf));
    let made = run(Tool::ExtractDocument, sources.to_vec(), json!({"format": "tables"}));
    assert_eq!(made.outcome().artifacts[0].filename.as_deref(), Some("table-ruled.csv"));
    let warnings = &made.outcome().warnings;
    let about: Vec<_> = warnings.iter().map(|warning| (warning.code.as_str(), warning.detail.as_deref())).collect();
    assert!(about.contains(&("no_tables", Some("headings.pdf"))), "{about:?}");

    assert_eq!(extracted(TEXT, json!({"format": "tables"})).failure().code, ErrorCode::RenderFailed);
}

#[test]
fn tables_are_one_workbook_too() {
    let made = extracted(TABLE, json!({"format": "xlsx"}));
    let artifacts = &made.outcome().artifacts;
    assert_eq!((artifacts.len(), artifacts[0].media), (1, Format::Xlsx));
    let workbook = source(&made.path(&artifacts[0]), Format::Xlsx);
    let cells = |table: &Value| {
        let cells = table["cells"].as_array().unwrap().iter().filter(|cell| cell["text"] != "");
        cells.map(|cell| (cell["row"].clone(), cell["column"].clone(), cell["text"].clone())).collect::<Vec<_>>()
    };
    let read: Value = serde_json::from_str(&text(&run(Tool::ExtractDocument, vec![workbook], json!({})))).unwrap();
    let document: Value = serde_json::from_str(&text(&extracted(TABLE, json!({})))).unwrap();
    assert_eq!(cells(&read["tables"][0]), cells(&document["tables"][0]));
    assert_eq!(extracted(TEXT, json!({"format": "xlsx"})).failure().code, ErrorCode::RenderFailed);
}

#[test]
fn what_ocr_wrote_is_read_like_the_text_of_any_page() {
    let drawn = run_on(Tool::PdfToImages, TEXT, json!({"dpi": 150, "pages": "1"}));
    let first = |made: &Run, media| source(&made.path(&made.outcome().artifacts[0]), media);
    let scan = run(Tool::ImagesToPdf, vec![first(&drawn, Format::Png)], json!({"dpi": 150}));
    let blocks_of = |searchable: Run| {
        let made = run(Tool::ExtractDocument, vec![first(&searchable, Format::Pdf)], json!({"ocr": "never"}));
        let document: Value = serde_json::from_str(&text(&made)).unwrap();
        assert_eq!(document["hidden"], json!([]));
        let blocks = document["blocks"].as_array().unwrap().iter();
        blocks.map(|block| (block["role"].clone(), block["text"].clone())).collect::<Vec<_>>()
    };
    let blocks = blocks_of(run(Tool::OcrPdf, vec![first(&scan, Format::Pdf)], json!({})));
    assert!(blocks.contains(&(json!("title"), json!("The Handbook of Gardens"))), "{blocks:?}");
    assert!(blocks.iter().all(|(role, _)| *role != "code"), "{blocks:?}");
    // A small picture with text, on a page with other text.
    let blocks = blocks_of(run_on(Tool::OcrPdf, "redact/ccitt.pdf", json!({"mode": "redo"})));
    assert!(blocks.contains(&(json!("paragraph"), json!("Griffinshire"))), "{blocks:?}");
}

#[test]
fn pdf_to_text_makes_the_same_markdown() {
    let hidden = "BT /F 12 Tf 52 305 Td (Signed below.) Tj 3 Tr (secret) Tj ET";
    let file = tempfile::NamedTempFile::with_suffix(".pdf").unwrap();
    std::fs::write(file.path(), form(hidden)).unwrap();
    let layouts = LAYOUTS.map(|layout| source(&fixture(&format!("layouts/{layout}.pdf")), Format::Pdf));
    let sources: Vec<Source> = layouts.into_iter().chain([source(file.path(), Format::Pdf)]).collect();
    for source in sources {
        for options in [json!({}), json!({"pages": "1", "headersFooters": "keep"})] {
            let made = |tool: Tool| {
                let mut options = options.clone();
                options["format"] = json!("markdown");
                options["ocr"] = json!("auto");
                let made = run(tool, vec![source.clone()], options);
                let codes: Vec<String> = made.outcome().warnings.iter().map(|warning| warning.code.clone()).collect();
                (text(&made), codes)
            };
            let extracted = made(Tool::ExtractDocument);
            assert!(!extracted.0.is_empty() && !extracted.0.contains("secret"));
            assert_eq!(made(Tool::PdfToText), extracted, "{:?}", source.name);
        }
    }
}
