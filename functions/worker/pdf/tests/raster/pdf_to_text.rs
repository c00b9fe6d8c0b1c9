use docmill_pdf::{Media, Tool};
use serde_json::{Value, json};

use crate::{ENGINES, fixture, run, run_on, source};

const LAYOUTS: [&str; 10] =
    ["columns", "table-ruled", "table-plain", "headings", "lists", "rtl", "rotated", "ligatures", "code", "running"];

fn text(name: &str, options: Value) -> String {
    String::from_utf8(run_on(Tool::PdfToText, name, options).files().remove(0)).unwrap()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

#[test]
fn markdown_has_the_expected_structure() {
    let mut wrong = Vec::new();
    for layout in LAYOUTS {
        let is = text(&format!("layouts/{layout}.pdf"), json!({"format": "markdown"}));
        let expected = std::fs::read_to_string(fixture(&format!("layouts/{layout}.md"))).unwrap();
        if words(&is) != words(&expected) {
            wrong.push(format!("{layout}:\n{is}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n----\n"));
}

#[test]
fn ligatures_neither_split_nor_hide_words() {
    let expected = "The first office The first efficient file of the office flow. Affinity, fluffy, find.";
    assert_eq!(words(&text("ligatures.pdf", json!({}))), words(expected));
}

#[test]
fn the_libraries_are_there_and_pdfium_asks_this_program_for_glyphs() {
    assert_eq!(ENGINES.complaints(), Vec::<String>::new());
}

#[test]
fn text_has_columns_one_after_the_other() {
    let text = text("layouts/columns.pdf", json!({}));
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("How Rivers Work") < at("Rivers shape") && at("Rivers shape") < at("Where the valley"));
    assert!(at("Where the valley") < at("Dams were built") && at("Dams were built") < at("Today some"));
}

#[test]
fn a_layout_keeps_places() {
    let text = text("layouts/table-plain.pdf", json!({"layout": true}));
    let columns: Vec<usize> = text
        .lines()
        .filter(|line| line.trim_start().starts_with("Bern"))
        .map(|line| line.chars().position(|c| c == '5').unwrap())
        .collect();
    assert_eq!(columns.len(), 2);
    assert_eq!(columns[0], columns[1], "{text}");
}

#[test]
fn json_has_places_fonts_and_tables() {
    let value: Value = serde_json::from_str(&text("layouts/table-ruled.pdf", json!({"format": "json"}))).unwrap();
    let page = &value["pages"][0];
    assert_eq!(page["number"], 1);
    let blocks = page["blocks"].as_array().unwrap();
    assert_eq!(blocks[0]["type"], "heading");
    let word = &blocks[0]["lines"][0]["words"][0];
    assert_eq!(word["text"], "Stock");
    assert!(word["font"].as_str().unwrap().contains("Liberation"));
    let table = blocks.iter().find(|block| block["type"] == "table").unwrap();
    assert_eq!(table["rows"][1][1], "1,200");
}

#[test]
fn html_has_structure_and_no_markup_of_the_document() {
    let html = text("layouts/code.pdf", json!({"format": "html"}));
    assert!(html.contains("<h1>Reading a File</h1>") && html.contains("&amp;str"), "{html}");
    assert!(html.contains("<a href=\"https://example.com/files\">"), "{html}");
    assert!(text("layouts/rtl.pdf", json!({"format": "html"})).contains("dir=\"rtl\""));
}

#[test]
fn what_is_left_out_is_reported_and_can_be_kept() {
    let run = |options: Value| run_on(Tool::PdfToText, "layouts/running.pdf", options);
    let left_out = run(json!({"format": "markdown"}));
    let warning = &left_out.outcome().warnings[0];
    assert_eq!(warning.code, "headers_footers_dropped");
    assert!(warning.message.starts_with("6 line(s)"), "{}", warning.message);
    let kept = run(json!({"format": "markdown", "headersFooters": "keep"}));
    let text = String::from_utf8(kept.files().remove(0)).unwrap();
    assert_eq!(text.matches("The River Reader").count(), 3, "{text}");
    assert!(kept.outcome().warnings.is_empty());
    assert!(run(json!({})).outcome().warnings.is_empty(), "plain text has every line");
}

#[test]
fn pages_without_text_are_reported() {
    let files = tempfile::tempdir().unwrap();
    let picture = files.path().join("a.png");
    image::RgbImage::from_pixel(20, 20, image::Rgb([9, 9, 9])).save(&picture).unwrap();
    let scan = run(Tool::ImagesToPdf, vec![source(&picture, Media::Png)], json!({}));
    let path = scan.path(&scan.outcome().artifacts[0]);
    let run = run(Tool::PdfToText, vec![source(&path, Media::Pdf)], json!({}));
    assert_eq!(run.outcome().artifacts[0].media, Media::Text);
    assert!(run.outcome().warnings.iter().any(|warning| warning.code == "no_text"));
}
