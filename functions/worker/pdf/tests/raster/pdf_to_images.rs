use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use image::{DynamicImage, GenericImageView};
use serde_json::{Value, json};

use crate::{Run, fixture, run, run_on, source};

fn images(run: &Run) -> Vec<DynamicImage> {
    run.files().iter().map(|file| image::load_from_memory(file).unwrap()).collect()
}

fn first(name: &str, options: Value) -> DynamicImage {
    images(&run_on(Tool::PdfToImages, name, options)).remove(0)
}

/// How many pixels are darker than grey.
fn dark(image: &DynamicImage) -> usize {
    image.to_luma8().pixels().filter(|pixel| pixel.0[0] < 128).count()
}

#[test]
fn each_page_becomes_a_picture_of_the_asked_resolution() {
    let run = run_on(Tool::PdfToImages, "text.pdf", json!({"dpi": 72, "pages": "z,1"}));
    let artifacts = &run.outcome().artifacts;
    assert_eq!(artifacts.len(), 2);
    let names: Vec<_> = artifacts.iter().map(|artifact| artifact.filename.as_deref().unwrap()).collect();
    assert!(names[0].starts_with("text-") && names[1].ends_with("1.png"), "{names:?}");
    for (image, artifact) in images(&run).iter().zip(artifacts) {
        assert_eq!((Some(image.width()), Some(image.height())), (artifact.width, artifact.height));
        assert_eq!(image.dimensions(), (595, 842));
        assert!(dark(image) > 500);
    }
}

#[test]
fn a_box_bounds_the_picture_in_the_pages_proportions() {
    let image = first("text.pdf", json!({"pages": "1", "width": 300, "height": 100, "format": "jpeg"}));
    assert_eq!(image.dimensions(), (71, 100));
    assert_eq!(first("text.pdf", json!({"pages": "1", "width": 300, "format": "webp"})).width(), 300);
}

#[test]
fn form_fields_are_drawn() {
    let drawn = dark(&first("forms.pdf", json!({"dpi": 72})));
    assert!(drawn > 600, "{drawn} dark pixels");
}

#[test]
fn the_background_shows_where_the_page_is_empty() {
    let red = first("render.pdf", json!({"dpi": 36, "pages": "1", "background": "#ff0000"}));
    assert_eq!(red.get_pixel(0, 0).0, [255, 0, 0, 255]);
    let clear = first("render.pdf", json!({"dpi": 36, "pages": "1", "background": "transparent"}));
    assert_eq!(clear.get_pixel(0, 0).0[3], 0);
}

#[test]
fn grayscale_has_one_channel() {
    assert_eq!(first("render.pdf", json!({"dpi": 36, "pages": "1", "grayscale": true})).color(), image::ColorType::L8);
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    for format in ["png", "jpeg", "webp"] {
        let once = || run_on(Tool::PdfToImages, "text.pdf", json!({"dpi": 50, "format": format})).files();
        assert_eq!(once(), once());
    }
}

#[test]
fn passwords_open_encrypted_files() {
    let with = |password: Option<&str>| {
        let mut source = source(&fixture("encrypted.pdf"), Format::Pdf);
        source.password = password.map(str::to_owned);
        run(Tool::PdfToImages, vec![source], json!({"dpi": 36}))
    };
    assert_eq!(with(None).failure().code, ErrorCode::PasswordRequired);
    assert_eq!(with(Some("wrong")).failure().code, ErrorCode::WrongPassword);
    assert!(!with(Some("test_user")).outcome().artifacts.is_empty());
}

#[test]
fn pages_that_cannot_be_drawn_are_reported() {
    let code = |options| run_on(Tool::PdfToImages, "text.pdf", options).failure().code;
    assert_eq!(code(json!({"pages": "999"})), ErrorCode::RenderFailed);
    assert_eq!(code(json!({"width": 60_000})), ErrorCode::RenderFailed);
    assert_eq!(run_on(Tool::PdfToImages, "README.md", json!({})).failure().code, ErrorCode::CorruptDocument);
}
