//! Thumbnails and inspections.

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use serde_json::{Value, json};

use crate::{fixture, run, run_on, source};

fn inspected(name: &str) -> Value {
    serde_json::from_slice(&run_on(Tool::InspectDocument, name, json!({})).files()[0]).unwrap()
}

#[test]
fn a_thumbnail_fits_or_fills() {
    let size = |options| {
        let run = run_on(Tool::Thumbnail, "text.pdf", options);
        let image = image::load_from_memory(&run.files()[0]).unwrap();
        (image.width(), image.height())
    };
    assert_eq!(size(json!({"width": 100, "height": 100})), (71, 100));
    assert_eq!(size(json!({"width": 100, "height": 100, "fit": "cover", "format": "jpeg"})), (100, 100));
    assert_eq!(run_on(Tool::Thumbnail, "text.pdf", json!({"page": 999})).failure().code, ErrorCode::RenderFailed);
}

#[test]
fn images_have_thumbnails_too_and_are_not_enlarged() {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("a.png");
    image::RgbImage::from_pixel(200, 100, image::Rgb([9, 99, 199])).save(&path).unwrap();
    let made = |options| {
        let run = run(Tool::Thumbnail, vec![source(&path, Format::Png)], options);
        image::load_from_memory(&run.files()[0]).unwrap().to_rgb8()
    };
    let small = made(json!({"width": 50, "height": 50}));
    assert_eq!((small.dimensions(), small.get_pixel(20, 10).0), ((50, 25), [9, 99, 199]));
    assert_eq!(made(json!({"width": 900, "height": 900})).dimensions(), (200, 100));
}

#[test]
fn an_inspection_lists_what_is_there() {
    let form = inspected("forms.pdf");
    assert_eq!(form["pageCount"], 1);
    assert!(!form["form"]["fields"].as_array().unwrap().is_empty(), "{form}");
    let code = inspected("layouts/code.pdf");
    assert_eq!((&code["tagged"], &code["encryption"]), (&json!(true), &Value::Null));
    assert!(code["fonts"].as_array().unwrap().iter().all(|font| font["embedded"] == true), "{code}");
    assert!(code["pages"][0]["characters"].as_u64().unwrap() > 100);
    let pictures = inspected("pictures.pdf");
    assert!(
        pictures["images"].as_array().unwrap().iter().all(|image| image["dpi"].as_f64().unwrap() > 10.0),
        "{pictures}"
    );
}

#[test]
fn an_encrypted_document_shows_its_permissions() {
    let mut encrypted = source(&fixture("encrypted.pdf"), Format::Pdf);
    encrypted.password = Some("test_user".to_owned());
    let run = run(Tool::InspectDocument, vec![encrypted], json!({}));
    let seen: Value = serde_json::from_slice(&run.files()[0]).unwrap();
    assert!(seen["encryption"]["revision"].is_number());
}
