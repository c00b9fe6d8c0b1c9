use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// A PDF of `pages` pages that say "page N"; the pages inherit their boxes and resources from the root of the tree.
fn sample(pages: u32, root: Dictionary) -> (TempDir, PathBuf) {
    let mut document = Document::with_version("1.5");
    let root_id = document.new_object_id();
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier" });
    let kids: Vec<Object> = (1..=pages)
        .map(|number| {
            let text = format!("BT /F1 20 Tf 30 30 Td (page {number}) Tj ET 5 0 0 5 100 100 cm");
            let content = document.add_object(Stream::new(Dictionary::new(), text.into_bytes()));
            document.add_object(dictionary! { "Type" => "Page", "Parent" => root_id, "Contents" => content }).into()
        })
        .collect();
    let mut tree = dictionary! {
        "Type" => "Pages", "Kids" => kids, "Count" => pages,
        "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
    };
    root.into_iter().for_each(|(key, value)| tree.set(key, value));
    document.objects.insert(root_id, tree.into());
    let catalogue = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root_id });
    document.trailer.set("Root", catalogue);
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("sample.pdf");
    document.save(&path).unwrap();
    (directory, path)
}

fn text(path: &Path, page: u32) -> String {
    Document::load(path).unwrap().extract_text(&[page]).unwrap()
}

#[test]
fn a_pdf_within_its_limits_is_counted() {
    let (_directory, path) = sample(3, Dictionary::new());
    let inspection = inspect(&path, &Limits::default()).unwrap();
    assert_eq!(inspection, Inspection { pages: 3, bytes: std::fs::metadata(&path).unwrap().len() });
}

#[test]
fn what_is_no_usable_pdf_is_refused() {
    let (directory, path) = sample(1, Dictionary::new());
    let limits = Limits::default();
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    };
    assert!(matches!(inspect(&directory.path().join("none"), &limits), Err(PdfError::NotPdf)));
    assert!(matches!(inspect(&write("empty", b""), &limits), Err(PdfError::NotPdf)));
    assert!(matches!(inspect(&write("html", b"<html>"), &limits), Err(PdfError::NotPdf)));
    let whole = std::fs::read(&path).unwrap();
    assert!(matches!(inspect(&write("cut", &whole[..whole.len() / 2]), &limits), Err(PdfError::Damaged)));
    let (_directory, empty) = sample(0, Dictionary::new());
    assert!(matches!(inspect(&empty, &limits), Err(PdfError::NoPages)));
}

#[test]
fn an_earlier_version_is_declared_1_7() {
    let (_directory, path) = sample(2, Dictionary::new());
    declare_1_7(&path).unwrap();
    assert!(std::fs::read(&path).unwrap().starts_with(b"%PDF-1.7\n"));
    assert_eq!(inspect(&path, &Limits::default()).unwrap().pages, 2);
    std::fs::write(&path, "%PDF-2.0\n").unwrap();
    declare_1_7(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"%PDF-2.0\n");
}

#[test]
fn limits_have_their_own_errors() {
    let (_directory, path) = sample(3, Dictionary::new());
    let failure = |limits: Limits| Failure::from(inspect(&path, &limits).unwrap_err()).code;
    assert_eq!(failure(Limits { pages: 2, ..Limits::default() }), JobErrorCode::PageLimitExceeded);
    assert_eq!(failure(Limits { output_bytes: 100, ..Limits::default() }), JobErrorCode::RenderFailed);
}

#[test]
fn every_page_is_marked_and_keeps_its_content() {
    let (_directory, path) = sample(3, Dictionary::new());
    watermark_test(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let revisions = bytes.windows(5).filter(|window| window == b"%%EOF").count();
    assert_eq!(revisions, 1, "no revision without the mark is left in the file");
    assert_eq!(inspect(&path, &Limits::default()).unwrap().pages, 3);
    let document = Document::load(&path).unwrap();
    for (number, page) in document.get_pages() {
        assert_eq!(text(&path, number).trim(), format!("page {number}"));
        let content = String::from_utf8(document.get_page_content(page)).unwrap();
        assert!(content.starts_with("q\n") && content.contains("/DocmillTest Do"), "{content}");
        let (resources, _) = document.get_page_resources(page).unwrap();
        let resources = resources.unwrap();
        assert!(resources.has(b"Font"), "inherited resources stay in force");
        assert!(document.get_dict_in_dict(resources, b"XObject").unwrap().has(MARK.as_bytes()));
    }
}

#[test]
fn the_visible_part_of_a_page_is_what_counts() {
    let root = dictionary! {
        "MediaBox" => vec![600.into(), 800.into(), 0.into(), 0.into()],
        "CropBox" => vec![100.into(), 100.into(), 300.into(), 2000.into()],
        "Rotate" => -90,
    };
    let (_directory, path) = sample(1, root);
    let document = Document::load(&path).unwrap();
    let page = document.page_iter().next().unwrap();
    assert_eq!(visible_box(&document, page), Rectangle { left: 100.0, bottom: 100.0, right: 300.0, top: 800.0 });
    assert_eq!(rotation(&document, page), 270);
}

#[test]
fn the_word_rises_along_the_diagonal_as_shown() {
    let square = Rectangle { left: 0.0, bottom: 0.0, right: 100.0, top: 100.0 };
    let direction = |rotation| {
        let [a, b, ..] = diagonal(square, rotation);
        (a.signum(), b.signum())
    };
    assert_eq!(direction(0), (1.0, 1.0));
    // Turned clockwise by a viewer, what points up and left in the page points up and right on the screen.
    assert_eq!(direction(90), (-1.0, 1.0));
    assert_eq!(direction(180), (-1.0, -1.0));
    assert_eq!(direction(270), (1.0, -1.0));
}

#[test]
fn the_small_word_stands_upright_in_the_corner_as_shown() {
    let page = Rectangle { left: 0.0, bottom: 0.0, right: 600.0, top: 800.0 };
    let place = |rotation| {
        let [across, along, .., x, y] = upright(page, rotation);
        (across.round(), along.round(), x.round(), y.round())
    };
    assert_eq!(place(0), (12.0, 0.0, 21.0, 12.0));
    assert_eq!(place(90), (0.0, 12.0, 588.0, 21.0));
    assert_eq!(place(180), (-12.0, 0.0, 579.0, 788.0));
    assert_eq!(place(270), (0.0, -12.0, 12.0, 779.0));
}

#[test]
fn fuzz_results() {
    docmill_fuzz::fuzz("pdf", &[], |bytes| {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("result.pdf");
        std::fs::write(&path, bytes).unwrap();
        if inspect(&path, &Limits::default()).is_ok() {
            drop(watermark_test(&path));
        }
    });
}
