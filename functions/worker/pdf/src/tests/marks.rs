use docmill_formats::Format;
use docmill_pdf_request::ErrorCode;

use super::*;
use fixture::{inline_pictures, plain, plain_document, rich, save};

/// pdftotext's text of each page, which also checks the fonts.
fn found(path: &Path) -> Vec<String> {
    let output = std::process::Command::new("pdftotext").arg("-layout").arg(path).arg("-").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.trim_end_matches('\u{c}')
        .split('\u{c}')
        .map(|page| page.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn pages_are_numbered() {
    let run = Run::new().with(&rich("one", 3));
    let options = json!({"text": "Page {page} of {pages}, {date}", "position": "bottom", "fontSize": 9, "opacity": 1, "color": "#000000"});
    let result = run.result(Tool::WatermarkPdf, options);
    let pages = found(&run.path("result.pdf"));
    for (index, page) in pages.iter().enumerate() {
        assert!(page.contains(&format!("Page {} of 3, 2026-11-21", index + 1)), "{page}");
        assert!(page.contains(&format!("one {}", index + 1)));
    }
    assert_eq!(fields(&result).len(), 2);
    assert_eq!(structure(&result), "Document(Para([1])Para([2])Para([3]))");
    // One subset of one font, however many pages.
    let fonts = result
        .objects
        .values()
        .filter(|object| object.as_dict().is_ok_and(|font| font.has(b"FontFile2") || font.has(b"FontFile3")));
    assert_eq!(fonts.count(), 1);
}

#[test]
fn watermarks_support_every_script() {
    for text in ["سري للغاية", "סודי ביותר", "机密 機密 대외비", "Строго секретно", "गोपनीय", "Ĉu Łódź? ﬁ"]
    {
        let run = Run::new().with(&plain("one", 1));
        run.result(Tool::WatermarkPdf, json!({"text": text, "fontSize": 30}));
        let shown = found(&run.path("result.pdf")).join(" ");
        let letters = |text: &str| {
            let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
            letters.sort_unstable();
            letters
        };
        let all = letters(&shown);
        for letter in letters(&text.replace('ﬁ', "")) {
            assert!(all.contains(&letter), "{text}: no {letter} in {shown}");
        }
    }
}

#[test]
fn chosen_pages_are_marked_over_or_under() {
    let run = Run::new().with(&plain("one", 3));
    for layer in ["over", "under"] {
        run.result(Tool::WatermarkPdf, json!({"text": "DRAFT", "pages": "2-z", "layer": layer}));
        let marked: Vec<bool> = found(&run.path("result.pdf")).iter().map(|page| page.contains("DRAFT")).collect();
        assert_eq!(marked, [false, true, true], "{layer}");
    }
}

#[test]
fn a_picture_is_a_stamp() {
    let mut png = std::io::Cursor::new(Vec::new());
    image::RgbaImage::from_pixel(8, 4, image::Rgba([255, 0, 0, 128]))
        .write_to(&mut png, image::ImageFormat::Png)
        .unwrap();
    let mut run = Run::new().with(&plain("one", 2));
    run.push(png.get_ref(), Format::Png);
    let result = run.result(Tool::WatermarkPdf, json!({"position": "top-right", "width": 40, "opacity": 1}));
    let pictures: Vec<&lopdf::Stream> = result
        .objects
        .values()
        .filter_map(|object| object.as_stream().ok())
        .filter(|stream| stream.dict.has(b"SMask"))
        .collect();
    assert_eq!(pictures.len(), 1);
    assert_eq!(
        (result.integer(&pictures[0].dict, b"Width"), result.integer(&pictures[0].dict, b"Height")),
        (Some(8), Some(4))
    );
    let page = *result.get_pages().get(&1).unwrap();
    let content = String::from_utf8(result.get_page_content(page)).unwrap();
    // 40 points wide, 36 from the right edge of a page of 300 × 400.
    assert!(content.contains("q 40 0 0 20 224 344 cm"), "{content}");
}

#[test]
fn a_page_is_a_stamp() {
    let mut run = Run::new().with(&plain("one", 2));
    run.push(&save(&mut plain_document("letterhead", 1, (300.0, 400.0))), Format::Pdf);
    run.result(Tool::WatermarkPdf, json!({"layer": "under", "position": "top", "width": 150}));
    let pages = found(&run.path("result.pdf"));
    assert!(pages.iter().all(|page| page.contains("letterhead 1")), "{pages:?}");
}

#[test]
fn a_damaged_stamp_and_contradictions_are_refused() {
    let mut run = Run::new().with(&plain("one", 1));
    assert_eq!(run.run(Tool::WatermarkPdf, json!({})).unwrap_err().code, ErrorCode::RenderFailed);
    run.push(b"no picture", Format::Png);
    assert_eq!(run.run(Tool::WatermarkPdf, json!({})).unwrap_err().code, ErrorCode::CorruptDocument);
    assert_eq!(run.run(Tool::WatermarkPdf, json!({"text": "a"})).unwrap_err().code, ErrorCode::RenderFailed);
}

#[test]
fn results_are_the_same_every_time() {
    let run = Run::new().with(&rich("one", 2));
    let bytes = || {
        run.run(Tool::WatermarkPdf, json!({"text": "سري {page}", "position": "tile"})).unwrap();
        std::fs::read(run.path("result.pdf")).unwrap()
    };
    assert_eq!(bytes(), bytes());
}

#[test]
fn test_results_are_marked_on_every_page() {
    let run = Run::new().with(&rich("one", 3));
    let result = run.result(Tool::MarkTest, json!({}));
    assert!(found(&run.path("result.pdf")).iter().all(|page| page.contains("TEST")));
    assert_eq!(structure(&result), "Document(Para([1])Para([2])Para([3]))");
    assert_eq!(attachments(&result).len(), 1);
}

#[test]
fn fields_and_annotations_become_content() {
    let run = Run::new().with(&rich("one", 2));
    let result = run.result(Tool::FlattenPdf, json!({}));
    assert_eq!(fields(&result), []);
    assert!(!catalog(&result).has(b"AcroForm"));
    assert!(links(&result).iter().all(|links| links.len() == 2));
    let page = *result.get_pages().get(&1).unwrap();
    let content = String::from_utf8(result.get_page_content(page)).unwrap();
    assert!(content.contains("q 1 0 0 1 10 10 cm /Docmill0 Do Q"), "{content}");
    assert!(layers(&result).0.len() == 2);
}

#[test]
fn fields_without_an_appearance_show_their_text_in_any_script() {
    let mut document = fixture::rich_document("one", 1);
    for object in document.objects.values_mut() {
        if let Object::Dictionary(field) = object
            && field.has(b"DA")
            && field.has(b"V")
        {
            field.remove(b"AP");
            field.set("V", docmill_pdf_core::objects::text("Zoë Łódź 山田"));
        }
    }
    let run = Run::new().with(&save(&mut document));
    run.result(Tool::FlattenPdf, json!({"annotations": false}));
    let shown = found(&run.path("result.pdf")).join(" ");
    assert!(shown.contains("Zoë Łódź 山田"), "{shown}");
}

#[test]
fn hidden_layers_are_removed() {
    let run = Run::new().with(&rich("one", 2));
    let result = run.result(Tool::FlattenPdf, json!({"layers": true, "forms": false, "annotations": false}));
    let pages = page_texts(&result);
    assert!(pages[0].contains("layer shown") && !pages[1].contains("layer hidden"), "{pages:?}");
    assert!(!holds(&result, "layer hidden"));
    assert_eq!(layers(&result).0.len(), 0);
    assert_eq!(fields(&result).len(), 2);
}

/// The pages as poppler draws them.
fn drawn(path: &Path) -> Vec<u8> {
    std::process::Command::new("pdftoppm").args(["-r", "72"]).arg(path).output().unwrap().stdout
}

/// Hidden content is removed, and all visible content stays.
#[test]
fn inline_pictures_survive_removals_next_to_them() {
    let (source, shown) = (inline_pictures("/OC /hidden BDC 0 0 300 400 re f EMC"), inline_pictures(""));
    let run = Run::new().with(&source);
    let result = run.result(Tool::FlattenPdf, json!({"layers": true}));
    assert!(!holds(&result, "300 400 re\nf"));
    let expected = Run::new().with(&shown);
    expected.result(Tool::FlattenPdf, json!({"layers": true}));
    let (after, before) = (drawn(&run.path("result.pdf")), drawn(&expected.path("result.pdf")));
    assert!(after == before && after.len() > 300 * 400 * 3, "{} bytes, and {} before", after.len(), before.len());
    let dark = after.iter().filter(|sample| **sample < 100).count();
    assert!(dark > 10_000, "the pictures are drawn: {dark} dark samples");
}

#[test]
fn inline_pictures_survive_a_second_ocr() {
    let run = Run::new().with(&inline_pictures("BT 3 Tr /F 20 Tf 40 380 Td (of an earlier reading) Tj ET"));
    let result = run.result(Tool::OcrPdf, json!({"mode": "redo"}));
    assert!(!holds(&result, "of an earlier reading"));
    let expected = Run::new().with(&inline_pictures(""));
    expected.result(Tool::FlattenPdf, json!({}));
    let (after, before) = (drawn(&run.path("result.pdf")), drawn(&expected.path("result.pdf")));
    assert!(after == before, "the page looks different");
}
