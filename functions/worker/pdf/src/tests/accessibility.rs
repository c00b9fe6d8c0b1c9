use docmill_formats::Format;
use docmill_pdf_request::ErrorCode;
use fixture::{plain, save};
use lopdf::dictionary;

use super::*;

fn checked(run: &Run) -> (Outcome, Value) {
    let outcome = run.run(Tool::CheckAccessibility, json!({})).unwrap();
    let written = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    (outcome, serde_json::from_slice(&written).unwrap())
}

fn failed(report: &Value) -> Vec<&str> {
    report["failed"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

#[test]
fn an_untagged_document_is_told_what_it_lacks() {
    let (outcome, report) = checked(&Run::new().with(&plain("text", 2)));
    let broken = failed(&report);
    assert!(["6.2-1", "7.1-3", "7.1-11", "7.2-34", "7.21.4.1-1"].iter().all(|rule| broken.contains(rule)), "{report}");
    assert_eq!((&report["standard"], &report["passed"]), (&json!("PDF/UA-1"), &json!(false)));
    let unmarked = report["failed"].as_array().unwrap().iter().find(|finding| finding["rule"] == "7.1-3").unwrap();
    assert_eq!(unmarked["places"], json!([{"page": 1}, {"page": 2}]));
    let shown = outcome.report.unwrap();
    assert_eq!((&shown["failed"], &shown["passed"]), (&json!(broken.len()), &json!(false)));
}

#[test]
fn a_place_has_its_page_its_tag_and_its_box() {
    let mut document = Document::load_mem(&plain("figure", 1)).unwrap();
    let page = *document.get_pages().values().next().unwrap();
    let root = document.new_object_id();
    let figure = document.add_object(dictionary! {
        "S" => "Figure", "P" => root, "Pg" => page,
        "A" => dictionary! { "O" => "Layout", "BBox" => vec![10.into(), 20.into(), 110.into(), 220.into()] },
    });
    document.objects.insert(root, dictionary! { "Type" => "StructTreeRoot", "K" => figure }.into());
    document.catalog_mut().unwrap().set("StructTreeRoot", root);
    let (_, report) = checked(&Run::new().with(&save(&mut document)));
    let finding = report["failed"].as_array().unwrap().iter().find(|finding| finding["rule"] == "7.3-1").unwrap();
    // Pages of these fixtures are 400 points high.
    let expected = json!([{"page": 1, "element": "Figure", "box": [10.0, 180.0, 110.0, 380.0]}]);
    assert_eq!(finding["places"], expected);
    let asked = report["questions"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&asked["places"][0]["element"], asked["question"].as_str().unwrap().contains("alternative text")),
        (&json!("Figure"), true)
    );
}

/// A figure without a box of its own, which is a rectangle on the page.
fn drawn_figure() -> Vec<u8> {
    let mut document = fixture::plain_document("unused", 1, (300.0, 400.0));
    let page = document.get_pages()[&1];
    let content = b"/Figure << /MCID 0 >> BDC 40 300 60 50 re f EMC /P << /MCID 1 >> BDC 0 0 5 5 re f EMC".to_vec();
    let content = document.add_object(lopdf::Stream::new(lopdf::Dictionary::new(), content));
    document.get_dictionary_mut(page).unwrap().set("Contents", content);
    document.get_dictionary_mut(page).unwrap().set("StructParents", 0);
    let root = document.new_object_id();
    let figure = document.add_object(dictionary! { "S" => "Figure", "P" => root, "Pg" => page, "K" => vec![0.into()] });
    let parents = dictionary! { "Nums" => vec![0.into(), vec![lopdf::Object::from(figure)].into()] };
    let tree = dictionary! { "Type" => "StructTreeRoot", "K" => figure, "ParentTree" => parents };
    document.objects.insert(root, tree.into());
    document.catalog_mut().unwrap().set("StructTreeRoot", root);
    save(&mut document)
}

#[test]
fn a_tag_without_a_box_has_that_of_what_is_drawn() {
    let run = Run::new().with(&drawn_figure());
    let (_, report) = checked(&run);
    let finding = report["failed"].as_array().unwrap().iter().find(|finding| finding["rule"] == "7.3-1").unwrap();
    assert_eq!(finding["places"], json!([{"page": 1, "element": "Figure", "box": [40.0, 50.0, 100.0, 100.0]}]));
    let outcome = run.run(Tool::CheckAccessibility, json!({"format": "html"})).unwrap();
    let page = std::fs::read_to_string(run.path(&outcome.artifacts[0].file)).unwrap();
    assert_eq!(page.matches("alt=\"The place on page 1\"").count(), 2, "the rule and the question: {page}");
}

#[test]
fn a_protected_document_is_read_with_its_password() {
    let run = Run::new().with(&plain("secret", 1));
    let outcome = run.run(Tool::ProtectPdf, json!({"userPassword": "one"})).unwrap();
    let locked = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    let mut run = Run::new();
    run.push(&locked, Format::Pdf);
    assert_eq!(run.run(Tool::CheckAccessibility, json!({})).unwrap_err().code, ErrorCode::PasswordRequired);
    run.sources[0].password = Some("one".to_owned());
    let (outcome, report) = checked(&run);
    assert!(outcome.warnings.is_empty(), "nothing is lost: {:?}", outcome.warnings);
    assert!(failed(&report).contains(&"7.1-11") && !failed(&report).contains(&"7.16-1"));
}

/// A page with a text of this color on white.
fn text_in(color: &str) -> Vec<u8> {
    let mut document = fixture::plain_document("unused", 1, (300.0, 400.0));
    let page = document.get_pages()[&1];
    let content = format!("{color} rg BT /F1 12 Tf 40 300 Td (Pale letters) Tj ET").into_bytes();
    let content = document.add_object(lopdf::Stream::new(lopdf::Dictionary::new(), content));
    document.get_dictionary_mut(page).unwrap().set("Contents", content);
    save(&mut document)
}

#[test]
fn text_with_too_little_contrast_is_told_with_its_colors() {
    let (outcome, report) = checked(&Run::new().with(&text_in("0.6 0.6 0.6")));
    let contrast = &report["contrast"];
    assert_eq!((&contrast["low"], &contrast["unmeasured"]), (&json!(1), &json!(0)), "{contrast}");
    let place = &contrast["places"][0];
    assert_eq!(
        (&place["page"], &place["color"], &place["background"], &place["required"]),
        (&json!(1), &json!("#999999"), &json!("#ffffff"), &json!(4.5))
    );
    // The value that other tools give for these colors.
    assert!((place["ratio"].as_f64().unwrap() - 2.84).abs() < 0.011, "{place}");
    assert_eq!(outcome.report.unwrap()["lowContrast"], 1);
    let (_, report) = checked(&Run::new().with(&text_in("0.4 0.4 0.4")));
    assert_eq!((&report["contrast"]["low"], &report["contrast"]["measured"]), (&json!(0), &json!(1)));
}

#[test]
fn the_page_for_people_has_rules_remedies_and_pictures() {
    let run = Run::new().with(&text_in("0.6 0.6 0.6"));
    let outcome = run.run(Tool::CheckAccessibility, json!({"format": "html"})).unwrap();
    assert_eq!(outcome.artifacts[0].media, Format::Html);
    let page = std::fs::read_to_string(run.path(&outcome.artifacts[0].file)).unwrap();
    for part in [
        "Accessibility: PDF/UA-1 not passed",
        "6.2-1",
        "To judge",
        "#999999 on #ffffff",
        "src=\"data:image/jpeg;base64,",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
