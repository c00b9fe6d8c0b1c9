use std::collections::HashSet;

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use serde_json::{Value, json};

use crate::{ENGINES, fixture, run, run_on, source};

pub(crate) const LAYOUTS: [&str; 10] =
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

/// Left, top, right and bottom.
fn corners(value: &Value) -> [f64; 4] {
    serde_json::from_value(value["box"].clone()).unwrap()
}

#[test]
fn boxes_of_blocks_are_those_of_their_words_on_turned_pages_too() {
    let union = |boxes: Vec<[f64; 4]>| {
        let least = |at: usize| boxes.iter().map(|corners| corners[at]).fold(f64::MAX, f64::min);
        let most = |at: usize| boxes.iter().map(|corners| corners[at]).fold(f64::MIN, f64::max);
        [least(0), least(1), most(2), most(3)]
    };
    let (mut turned, mut cells) = (0, 0);
    for name in LAYOUTS {
        let value: Value =
            serde_json::from_str(&text(&format!("layouts/{name}.pdf"), json!({"format": "json"}))).unwrap();
        let pages = value["pages"].as_array().unwrap();
        turned += usize::from(pages.iter().any(|page| page["rotation"] != 0));
        let blocks: Vec<&Value> = pages.iter().flat_map(|page| page["blocks"].as_array().unwrap()).collect();
        let ids: HashSet<&str> = blocks.iter().map(|block| block["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), blocks.len(), "{name}");
        for block in blocks {
            if block["type"] == "table" {
                let [left, top, right, bottom] = corners(block);
                for cell in block["cells"].as_array().unwrap().iter().filter(|cell| cell["text"] != "") {
                    let [x0, y0, x1, y1] = corners(cell);
                    assert!(left <= x0 && top <= y0 && x1 <= right && y1 <= bottom, "{name}: {cell} in {block}");
                    cells += 1;
                }
                continue;
            }
            let lines = block["lines"].as_array().unwrap();
            let words = lines.iter().flat_map(|line| line["words"].as_array().unwrap()).map(corners);
            assert_eq!(corners(block), union(words.collect()), "{name}: {block}");
        }
    }
    assert!(turned > 0 && cells > 0);
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
    assert!(warning.message.contains("left out: 6 lines"), "{}", warning.message);
    let kept = run(json!({"format": "markdown", "headersFooters": "keep"}));
    let text = String::from_utf8(kept.files().remove(0)).unwrap();
    assert_eq!(text.matches("The River Reader").count(), 3, "{text}");
    assert!(kept.outcome().warnings.is_empty());
    assert!(run(json!({})).outcome().warnings.is_empty(), "plain text has every line");
}

/// A page with a link over its first word, and with fields: two signatures, one of them hidden, and a value without an appearance.
pub(crate) fn form(content: &str) -> Vec<u8> {
    let stream =
        |entries: &str, content: &str| format!("<<{entries}/Length {}>>stream\n{content}\nendstream", content.len());
    let appearance = |text: &str| {
        let entries = "/Type/XObject/Subtype/Form/BBox[0 0 300 40]/Resources<</Font<</F 5 0 R>>>>";
        stream(entries, &format!("BT /F 12 Tf 5 10 Td ({text}) Tj ET"))
    };
    let field = |entries: &str, bottom: u32| {
        format!("<</Type/Annot/Subtype/Widget/Rect[50 {bottom} 350 {}]{entries}>>", bottom + 40)
    };
    let objects = [
        "<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[6 0 R 8 0 R 10 0 R]/DA(/F 12 Tf 0 g)/DR<</Font<</F 5 0 R>>>>>>>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R\
         /Annots[6 0 R 8 0 R 10 0 R 11 0 R]>>"
            .to_owned(),
        stream("", content),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        field("/FT/Sig/T(s)/F 4/AP<</N 7 0 R>>", 200),
        appearance("Digitally signed by Xanthippe"),
        field("/FT/Sig/T(t)/F 2/AP<</N 9 0 R>>", 150),
        appearance("hidden words"),
        field("/FT/Tx/T(u)/F 4/V(Approved on Monday)/DA(/F 12 Tf 0 g)", 100),
        "<</Type/Annot/Subtype/Link/Rect[50 300 90 320]/A<</S/URI/URI(https://example.com/)>>>>".to_owned(),
    ];
    let numbered = objects.iter().zip(1..).map(|(object, number)| format!("{number} 0 obj{object}\nendobj\n"));
    format!("%PDF-1.7\n{}trailer<</Root 1 0 R/Size 12>>\n", numbered.collect::<String>()).into_bytes()
}

#[test]
fn what_fields_show_is_text_and_links_stay() {
    let file = tempfile::NamedTempFile::with_suffix(".pdf").unwrap();
    std::fs::write(file.path(), form("BT /F 12 Tf 52 305 Td (Signed below.) Tj ET")).unwrap();
    for (format, link) in [("text", "Signed below."), ("markdown", "[Signed](https://example.com/) below.")] {
        let made = run(Tool::PdfToText, vec![source(file.path(), Format::Pdf)], json!({"format": format}));
        let text = String::from_utf8(made.files().remove(0)).unwrap();
        let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
        assert!(at(link) < at("Digitally signed by Xanthippe"), "{text}");
        assert!(at("Digitally") < at("Approved on Monday") && !text.contains("hidden"), "{text}");
        // The file has no table of objects.
        let codes: Vec<_> = made.outcome().warnings.iter().map(|warning| warning.code.as_str()).collect();
        assert_eq!(codes, ["repaired"]);
    }
}

#[test]
fn a_scan_with_fields_is_still_recognized() {
    let file = tempfile::NamedTempFile::with_suffix(".pdf").unwrap();
    std::fs::write(file.path(), form("")).unwrap();
    let sources = vec![source(file.path(), Format::Pdf)];
    let made = run(Tool::PdfToText, sources, json!({"format": "json", "ocr": "auto"}));
    let value: Value = serde_json::from_slice(&made.files().remove(0)).unwrap();
    let line = &value["pages"][0]["blocks"][0]["lines"][0];
    assert!(line["text"].as_str().unwrap().starts_with("Digitally signed by"), "{value}");
    assert_eq!(line["words"][0]["font"], "", "recognized words have no font");
}

#[test]
fn pages_without_text_are_reported() {
    let files = tempfile::tempdir().unwrap();
    let picture = files.path().join("a.png");
    image::RgbImage::from_pixel(20, 20, image::Rgb([9, 9, 9])).save(&picture).unwrap();
    let scan = run(Tool::ImagesToPdf, vec![source(&picture, Format::Png)], json!({}));
    let path = scan.path(&scan.outcome().artifacts[0]);
    let run = run(Tool::PdfToText, vec![source(&path, Format::Pdf)], json!({}));
    assert_eq!(run.outcome().artifacts[0].media, Format::Txt);
    assert!(run.outcome().warnings.iter().any(|warning| warning.code == "no_text"));
}
