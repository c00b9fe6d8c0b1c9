//! OCR of scans made here: pages with known text are drawn, made noisy, rotated, and put into a PDF.

use std::path::Path;
use std::process::Command;

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use image::{GrayImage, Luma};
use serde_json::{Value, json};

use crate::{Run, fixture, run, run_on, source};

const DPI: u32 = 200;

/// The page of a PDF as a grey picture, with noise.
fn drawn(pdf: &Path) -> GrayImage {
    let pictures = run(Tool::PdfToImages, vec![source(pdf, Format::Pdf)], json!({"dpi": DPI, "pages": "1"}));
    let mut picture = image::load_from_memory(&pictures.files()[0]).unwrap().to_luma8();
    let mut state = 7_u32;
    for pixel in picture.pixels_mut() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        pixel.0[0] = (f32::from(pixel.0[0]) * 0.85 + 15.0 + (state >> 27) as f32) as u8;
    }
    picture
}

/// A PDF of this one picture, in the size that it was drawn from.
fn scan(picture: &GrayImage) -> Run {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("scan.png");
    picture.save(&path).unwrap();
    run(Tool::ImagesToPdf, vec![source(&path, Format::Png)], json!({ "dpi": DPI }))
}

fn result(made: &Run) -> std::path::PathBuf {
    made.path(&made.outcome().artifacts[0])
}

fn ocr(pdf: &Path, options: Value) -> Run {
    run(Tool::OcrPdf, vec![source(pdf, Format::Pdf)], options)
}

fn report(made: &Run) -> &Value {
    made.outcome().report.as_ref().unwrap()
}

/// poppler's words.
fn words(pdf: &Path) -> Vec<String> {
    let output = Command::new("pdftotext").arg(pdf).arg("-").output().unwrap();
    String::from_utf8(output.stdout).unwrap().split_whitespace().map(str::to_owned).collect()
}

/// Each word with its box, in points from the upper left corner.
fn placed(pdf: &Path) -> Vec<(String, [f32; 4])> {
    let output = Command::new("pdftotext").arg("-bbox").arg(pdf).arg("-").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let word = |line: &str| {
        let (head, tail) = line.trim().strip_prefix("<word ")?.split_once('>')?;
        let numbers: Vec<f32> = head.split('"').filter_map(|part| part.parse().ok()).collect();
        Some((tail.strip_suffix("</word>")?.to_owned(), numbers.try_into().ok()?))
    };
    text.lines().filter_map(word).collect()
}

/// The part of the expected words that were found.
fn found(expected: &[String], words: &[String]) -> f32 {
    let mut left = words.to_vec();
    let there = expected.iter().filter(|word| {
        let position = left.iter().position(|other| other == *word);
        position.map(|position| left.swap_remove(position)).is_some()
    });
    there.count() as f32 / expected.len() as f32
}

/// Rotated by this many degrees clockwise around the centre.
fn skewed(picture: &GrayImage, degrees: f32) -> GrayImage {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (width, height) = picture.dimensions();
    let (x0, y0) = (width as f32 / 2.0, height as f32 / 2.0);
    GrayImage::from_fn(width, height, |x, y| {
        let (x, y) = (x as f32 - x0, y as f32 - y0);
        let (x, y) = (cos * x + sin * y + x0, cos * y - sin * x + y0);
        let inside = x >= 0.0 && y >= 0.0 && (x as u32) < width && (y as u32) < height;
        if inside { *picture.get_pixel(x as u32, y as u32) } else { Luma([240]) }
    })
}

/// Pages look the same, except for effects of codecs and font edges.
fn same_look(one: &Path, other: &Path) {
    let pictures = |pdf: &Path| {
        let made = run(Tool::PdfToImages, vec![source(pdf, Format::Pdf)], json!({"dpi": 50}));
        made.files().iter().map(|file| image::load_from_memory(file).unwrap().to_luma8()).collect::<Vec<_>>()
    };
    for (one, other) in pictures(one).iter().zip(pictures(other)) {
        assert_eq!(one.dimensions(), other.dimensions());
        assert_eq!(one.as_raw(), other.as_raw());
    }
}

#[test]
fn words_are_found_where_the_scan_shows_them_and_the_page_looks_the_same() {
    let original = fixture("layouts/columns.pdf");
    let scan = scan(&drawn(&original));
    let made = ocr(&result(&scan), json!({}));
    let (expected, read) = (placed(&original), placed(&result(&made)));
    let near = |(word, area): &(String, [f32; 4])| {
        read.iter().any(|(other, place)| {
            word == other
                && (area[0] - place[0]).abs() < 4.0
                && (area[2] - place[2]).abs() < 4.0
                && (area[1] - place[1]).abs() < 6.0
                && (area[3] - place[3]).abs() < 6.0
        })
    };
    let there = expected.iter().filter(|word| near(word)).count();
    assert!(there * 100 >= expected.len() * 97, "{there} of {}", expected.len());
    // One column after the other.
    let text = words(&result(&made)).join(" ");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"));
    assert!(at("Rivers shape") < at("Where the valley") && at("Where the valley") < at("Dams were built"));
    same_look(&result(&scan), &result(&made));
    let page = &report(&made)["pages"][0];
    assert_eq!((&page["status"], page["dpi"].as_f64()), (&json!("recognized"), Some(200.0)));
    assert!(page["confidence"].as_f64().unwrap() > 90.0);
    assert!(made.outcome().warnings.is_empty());
}

/// The same with inverted colors in a part.
fn inverse(picture: &GrayImage, from: f32, to: f32) -> GrayImage {
    let (top, bottom) = (picture.height() as f32 * from, picture.height() as f32 * to);
    let mut turned = picture.clone();
    for (_, y, pixel) in turned.enumerate_pixels_mut() {
        if (top..bottom).contains(&(y as f32)) {
            pixel.0[0] = u8::MAX - pixel.0[0];
        }
    }
    turned
}

#[test]
fn white_letters_on_black_are_read_like_black_ones_on_white() {
    let pdf = fixture("text.pdf");
    let picture = drawn(&pdf);
    let read = |picture: &GrayImage| {
        let made = ocr(&result(&scan(picture)), json!({}));
        words(&result(&made))
    };
    let expected = read(&picture);
    assert!(expected.len() > 100, "{expected:?}");
    for (from, to) in [(0.0, 1.0), (0.0, 0.4), (0.3, 0.6)] {
        let part = found(&expected, &read(&inverse(&picture, from, to)));
        assert!(part > 0.95, "{part} of the words between {from} and {to}");
    }
}

#[test]
fn five_scripts_are_read() {
    let texts = [
        ("deu", "Größere Flüsse fließen langsam"),
        ("rus", "Реки формируют землю быстро"),
        ("ell", "Τα ποτάμια διαμορφώνουν τη γη"),
        ("heb", "נהרות מעצבים את העמק"),
        ("chi_sim", "河流塑造了它们流经的土地"),
    ];
    for (language, text) in texts {
        let blank = scan(&GrayImage::from_pixel(1200, 400, Luma([250])));
        let options = json!({"text": text, "fontSize": 14, "opacity": 1, "color": "#000000"});
        let page = run(Tool::WatermarkPdf, vec![source(&result(&blank), Format::Pdf)], options);
        let made = ocr(&result(&scan(&drawn(&result(&page)))), json!({ "languages": [language] }));
        let read = run(Tool::PdfToText, vec![source(&result(&made), Format::Pdf)], json!({}));
        let read = String::from_utf8(read.files().remove(0)).unwrap();
        assert_eq!(read.trim(), text, "{language}");
    }
}

#[test]
fn turned_pages_become_upright_if_asked() {
    let original = fixture("layouts/columns.pdf");
    let expected = words(&original);
    let picture = drawn(&original);
    let turned = [(90, image::imageops::rotate90(&picture)), (180, image::imageops::rotate180(&picture))];
    for (degrees, picture) in turned {
        let made = ocr(&result(&scan(&picture)), json!({"rotate": true}));
        assert_eq!(report(&made)["pages"][0]["rotated"], json!(360 - degrees));
        assert!(found(&expected, &words(&result(&made))) > 0.97);
    }
}

#[test]
fn skewed_pages_are_straightened_if_asked() {
    let original = fixture("layouts/columns.pdf");
    let scan = scan(&skewed(&drawn(&original), 1.7));
    let plain = ocr(&result(&scan), json!({}));
    assert_eq!(report(&plain)["pages"][0].get("skew"), None);
    same_look(&result(&scan), &result(&plain));
    let made = ocr(&result(&scan), json!({"deskew": true}));
    let skew = report(&made)["pages"][0]["skew"].as_f64().unwrap();
    assert!((skew + 1.7).abs() < 0.2, "{skew}");
    // As level as the original: all words of a line have the same height.
    let (expected, read) = (placed(&original), placed(&result(&made)));
    let near = |(word, area): &(String, [f32; 4])| {
        read.iter().any(|(other, place)| word == other && (0..4).all(|side| (area[side] - place[side]).abs() < 7.0))
    };
    let there = expected.iter().filter(|word| near(word)).count();
    assert!(there * 100 >= expected.len() * 95, "{there} of {}", expected.len());
}

#[test]
fn pages_with_text_are_skipped_read_again_or_replaced() {
    let skipped = run_on(Tool::OcrPdf, "layouts/columns.pdf", json!({}));
    assert_eq!(report(&skipped)["pages"][0], json!({"page": 1, "status": "skipped"}));
    assert_eq!(skipped.outcome().warnings[0].code, "nothing_recognized");
    let expected = words(&fixture("layouts/columns.pdf"));
    assert_eq!(words(&result(&skipped)), expected);

    // Visible text is not covered by a copy.
    let again = run_on(Tool::OcrPdf, "layouts/columns.pdf", json!({"mode": "redo"}));
    assert_eq!(words(&result(&again)), expected);
    assert_eq!(report(&again)["pages"][0]["words"], json!(0));

    // The text of an earlier OCR is removed.
    let first = ocr(&result(&scan(&drawn(&fixture("layouts/columns.pdf")))), json!({"languages": ["ell"]}));
    assert!(found(&expected, &words(&result(&first))) < 0.5);
    assert!(first.outcome().warnings.iter().any(|warning| warning.code == "low_confidence"), "{:?}", report(&first));
    let second = ocr(&result(&first), json!({"mode": "redo"}));
    let read = words(&result(&second));
    assert!(found(&expected, &read) > 0.97 && read.len() < expected.len() + 9, "{read:?}");

    let forced = run_on(Tool::OcrPdf, "layouts/columns.pdf", json!({"mode": "force"}));
    let read = words(&result(&forced));
    assert!(found(&expected, &read) > 0.97 && read.len() < expected.len() + 9, "{read:?}");
    let fonts = Command::new("pdffonts").arg(result(&forced)).output().unwrap();
    let fonts = String::from_utf8(fonts.stdout).unwrap();
    assert_eq!(fonts.lines().skip(2).count(), 1, "{fonts}");
}

#[test]
fn cropped_and_rotated_pages_have_their_words_in_place() {
    let picture = image::imageops::rotate270(&drawn(&fixture("layouts/columns.pdf")));
    // Turned back for the viewer, and cropped by a tenth of an inch.
    let turned = run(
        Tool::OrganizePdf,
        vec![source(&result(&scan(&picture)), Format::Pdf)],
        json!({
            "rotate": [{"pages": "1", "degrees": 90}], "crop": {"top": 7.2, "right": 7.2, "bottom": 7.2, "left": 7.2},
        }),
    );
    let made = ocr(&result(&turned), json!({}));
    // pdftotext gives the places of words on the whole page.
    let expected = placed(&fixture("layouts/columns.pdf"));
    let read = placed(&result(&made));
    let near = |(word, area): &(String, [f32; 4])| {
        read.iter().any(|(other, place)| word == other && (0..4).all(|side| (area[side] - place[side]).abs() < 6.0))
    };
    let there = expected.iter().filter(|word| near(word)).count();
    assert!(there * 100 >= expected.len() * 95, "{there} of {}", expected.len());
}

#[test]
fn pdf_to_text_reads_scans_if_asked() {
    let original = fixture("layouts/headings.pdf");
    let scan = scan(&drawn(&original));
    let text = |pdf: &Path, options: Value| {
        let made = run(Tool::PdfToText, vec![source(pdf, Format::Pdf)], options);
        String::from_utf8(made.files().remove(0)).unwrap()
    };
    assert_eq!(text(&result(&scan), json!({})).trim(), "");
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let pages = json!({"pages": "1"});
    let expected = words(&text(&original, pages));
    let read = text(&result(&scan), json!({"ocr": "auto"}));
    assert!(found(&expected, &words(&read)) > 0.95, "{read}");
    let markdown = text(&result(&scan), json!({"ocr": "auto", "format": "markdown"}));
    assert!(markdown.starts_with("# "), "{markdown}");
    // A page's own text is used, unless reading its picture is requested.
    let font = |options: Value| {
        let read: Value = serde_json::from_str(&text(&original, options)).unwrap();
        read["pages"][0]["blocks"][0]["lines"][0]["words"][0]["font"].as_str().unwrap_or_default().to_owned()
    };
    assert_ne!(font(json!({"ocr": "auto", "format": "json", "pages": "1"})), "");
    assert_eq!(font(json!({"ocr": "always", "format": "json", "pages": "1"})), "");
}

#[test]
fn a_page_of_noise_ends_without_words() {
    let mut state = 7_u32;
    let noise = GrayImage::from_fn(600, 800, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Luma([(state >> 24) as u8])
    });
    let made = ocr(&result(&scan(&noise)), json!({"rotate": true, "deskew": true}));
    assert!(report(&made)["pages"][0]["words"].as_u64().unwrap() < 20, "{:?}", report(&made));
    let damaged = run_on(Tool::OcrPdf, "encrypted.pdf", json!({}));
    assert_eq!(damaged.failure().code, ErrorCode::PasswordRequired);
}

#[test]
fn every_language_of_the_schema_has_its_model_and_the_image_has_its_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let schema = std::fs::read(root.join("shared/tools/ocr-pdf.options.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let listed = schema["properties"]["languages"]["items"]["enum"].as_array().unwrap();
    let texts = std::fs::read(root.join("shared/tools/pdf-to-text.options.json")).unwrap();
    let texts: Value = serde_json::from_slice(&texts).unwrap();
    assert_eq!(texts["properties"]["languages"]["items"]["enum"].as_array().unwrap(), listed);
    let mut listed: Vec<String> = listed.iter().map(|language| language.as_str().unwrap().to_owned()).collect();
    listed.push("osd".to_owned());
    listed.sort();
    let packages = std::fs::read_to_string(root.join("infra/worker/packages")).unwrap();
    let installed = packages.lines().filter_map(|line| line.strip_prefix("tesseract-ocr-"));
    assert_eq!(installed.map(|language| language.replace('-', "_")).collect::<Vec<_>>(), listed);
    let blank = scan(&GrayImage::from_pixel(40, 40, Luma([255])));
    for language in listed.iter().filter(|language| *language != "osd") {
        ocr(&result(&blank), json!({ "languages": [language] })).outcome();
    }
}
