//! Annotations and fields: their text belongs to the page.

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use serde_json::{Value, json};

use crate::{Run, run, source};

/// A page of 400 by 400 points with the text "On the page." and these annotations, and objects from number 6 on.
fn page(annotations: &str, catalog: &str, objects: &[&str]) -> Vec<u8> {
    let content = "BT /F 12 Tf 50 350 Td (On the page.) Tj ET";
    let own = [
        format!("<</Type/Catalog/Pages 2 0 R{catalog}>>"),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R/Annots[{annotations}]>>"
        ),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let all = own.iter().map(String::as_str).chain(objects.iter().copied());
    let numbered: String = all.zip(1..).map(|(object, number)| format!("{number} 0 obj{object}\nendobj\n")).collect();
    format!("%PDF-1.7\n{numbered}trailer<</Root 1 0 R/Size {}>>\n", own.len() + objects.len() + 1).into_bytes()
}

fn run_on(tool: Tool, pdf: &[u8], options: Value) -> Run {
    let file = tempfile::NamedTempFile::with_suffix(".pdf").unwrap();
    std::fs::write(file.path(), pdf).unwrap();
    run(tool, vec![source(file.path(), Format::Pdf)], options)
}

fn drawn(text: &str) -> String {
    let content = format!("BT /F 12 Tf 2 5 Td ({text}) Tj ET");
    let resources = "/Resources<</Font<</F 5 0 R>>>>";
    format!("<</Subtype/Form/BBox[0 0 200 20]{resources}/Length {}>>stream\n{content}\nendstream", content.len())
}

#[test]
fn annotations_that_show_text_are_read_and_others_hide_nothing() {
    let covers = "<</Subtype/Form/BBox[0 0 200 20]/Length 28>>stream\n1 1 0 rg 0 0 200 20 re f   \nendstream";
    let objects = [
        "<</Type/Annot/Subtype/FreeText/Rect[50 300 250 320]/F 4/AP<</N 12 0 R>>/Contents(unused)>>",
        "<</Type/Annot/Subtype/FreeText/Rect[50 240 250 280]/F 4/DA(/Helv 12 Tf 0 g)/Contents(No appearance)>>",
        "<</Type/Annot/Subtype/Stamp/Rect[50 200 250 220]/F 4/AP<</N 13 0 R>>>>",
        "<</Type/Annot/Subtype/FreeText/Rect[50 150 250 170]/F 2/AP<</N 14 0 R>>>>",
        "<</Type/Annot/Subtype/Highlight/Rect[50 345 250 365]/QuadPoints[50 365 250 365 50 345 250 345]/F 4/AP<</N 15 0 R>>>>",
        "<</Type/Annot/Subtype/Text/Rect[300 345 320 365]/Contents(A note of a reviewer)>>",
        &drawn("With an appearance"),
        &drawn("Approved"),
        &drawn("Hidden"),
        covers,
    ];
    let pdf = page("6 0 R 7 0 R 8 0 R 9 0 R 10 0 R 11 0 R", "", &objects);
    let expected = ["On the page.", "With an appearance", "No appearance", "Approved"];
    for options in [json!({}), json!({"ocr": "never", "images": "none"})] {
        let made = run_on(Tool::ExtractDocument, &pdf, options);
        let document: Value = serde_json::from_slice(&made.files().remove(0)).unwrap();
        let blocks = document["blocks"].as_array().unwrap().iter();
        let texts: Vec<&str> = blocks.map(|block| block["text"].as_str().unwrap()).collect();
        assert_eq!((texts.join("\n"), &document["hidden"]), (expected.join("\n"), &json!([])));
        // The file has no table of objects.
        assert_eq!(made.warnings(), ["repaired"]);
    }
    let text = String::from_utf8(run_on(Tool::PdfToText, &pdf, json!({})).files().remove(0)).unwrap();
    assert_eq!(text.lines().filter(|line| !line.is_empty()).collect::<Vec<_>>(), expected);
}

/// A form of 25 fields, each of which has the next one twice.
fn endless_form() -> Vec<u8> {
    let inner = (6..31).map(|number| format!("<</T(a)/Kids[{0} 0 R {0} 0 R]>>", number + 1));
    let field = "<</Type/Annot/Subtype/Widget/FT/Tx/T(z)/V(Value)/DA(/Helv 12 Tf 0 g)/Rect[50 300 250 320]/F 4>>";
    let fields: Vec<String> = inner.chain([field.to_owned()]).collect();
    let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
    page("31 0 R", "/AcroForm<</Fields[6 0 R]>>", &fields)
}

#[test]
fn a_form_with_billions_of_paths_to_its_fields_is_read_without_following_them() {
    let pdf = endless_form();
    let made = run_on(Tool::PdfToText, &pdf, json!({}));
    let text = String::from_utf8(made.files().remove(0)).unwrap();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), ["On", "the", "page.", "Value"]);
    let inspected = run_on(Tool::InspectDocument, &pdf, json!({}));
    inspected.outcome();
    for (tool, options) in [(Tool::PdfToImages, json!({"dpi": 36})), (Tool::Thumbnail, json!({}))] {
        assert_eq!(run_on(tool, &pdf, options).warnings(), ["repaired", "fields_skipped"], "{tool:?}");
    }
}
