//! Damaged files are repaired alike for all tools, and what is missing is said.

use std::path::{Path, PathBuf};

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use serde_json::{Value, json};

use crate::{Run, fixture, run, source};

fn report(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/reports").join(name)
}

fn on(path: &Path, tool: Tool, options: Value) -> Run {
    run(tool, vec![source(path, Format::Pdf)], options)
}

fn text(path: &Path) -> (String, Run) {
    let made = on(path, Tool::PdfToText, json!({}));
    (String::from_utf8(made.files().remove(0)).unwrap(), made)
}

fn repaired(made: &Run) -> &str {
    let warning = made.outcome().warnings.iter().find(|warning| warning.code == "repaired");
    assert!(warning.is_some(), "{:?}", made.outcome().warnings);
    &warning.unwrap().message
}

#[test]
fn every_tool_reads_a_file_that_has_lost_its_table() {
    let cut = report("pdf-cut-before-table/cut-before-xref.pdf");
    let tools = [
        (Tool::MergePdf, json!({})),
        (Tool::OrganizePdf, json!({"pages": "z-1"})),
        (Tool::CompressPdf, json!({})),
        (Tool::ProtectPdf, json!({"userPassword": "a"})),
        (Tool::WatermarkPdf, json!({"text": "Draft"})),
        (Tool::FlattenPdf, json!({})),
        (Tool::EditMetadata, json!({"set": {"title": "A"}})),
        (Tool::RedactPdf, json!({"text": ["nowhere"]})),
        (Tool::PdfToPdfa, json!({"onUnsupported": "warn"})),
    ];
    for (tool, options) in tools {
        let made = on(&cut, tool, options);
        assert_eq!(made.outcome().artifacts[0].pages, Some(3), "{tool:?}");
        assert!(repaired(&made).contains("the end of the file is missing"), "{tool:?}");
    }
    for (tool, files) in [(Tool::PdfToImages, 3), (Tool::Thumbnail, 1), (Tool::ExtractDocument, 1)] {
        let made = on(&cut, tool, json!({}));
        assert_eq!(made.outcome().artifacts.len(), files, "{tool:?}");
        repaired(&made);
    }
    let described: Value = serde_json::from_slice(&on(&cut, Tool::InspectDocument, json!({})).files()[0]).unwrap();
    assert_eq!((&described["pageCount"], &described["damaged"]), (&json!(3), &json!(true)));
}

#[test]
fn the_pages_of_a_file_that_has_lost_its_page_tree_are_found() {
    let (read, made) = text(&report("pdf-cut-short/cut-short.pdf"));
    assert_eq!(read.matches('\u{c}').count(), 2, "{read:?}");
    assert!(
        repaired(&made).ends_with("what these pages show is missing: 2, 3. Check the result."),
        "{}",
        repaired(&made)
    );
}

#[test]
fn a_wrong_number_of_pages_is_set_right() {
    for (name, says) in [("too-few", "it has 3 pages, not 1"), ("too-many", "")] {
        let (read, made) = text(&report(&format!("pdf-page-count-wrong/{name}.pdf")));
        for page in ["page one", "page two", "page three"] {
            assert!(read.contains(page), "{name}: {read}");
        }
        assert!(repaired(&made).contains(says), "{name}: {}", repaired(&made));
    }
}

/// Objects, numbered from 1, with a table of them and a trailer.
fn pdf(header: &str, trailer: &str, objects: &[&str]) -> Vec<u8> {
    let (mut bytes, mut table) = (format!("{header}\n").into_bytes(), String::new());
    for (number, object) in (1..).zip(objects) {
        table += &format!("{:010} 00000 n \n", bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let (size, start) = (objects.len() + 1, bytes.len());
    let end = format!(
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}{trailer}>>\nstartxref\n{start}\n%%EOF\n"
    );
    bytes.extend(end.bytes());
    bytes
}

/// The text of a file that is read, with a warning, by a tool that takes its pages apart and by one that reads its text.
fn read_repaired(bytes: &[u8]) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("damaged.pdf");
    std::fs::write(&path, bytes).unwrap();
    let organized = on(&path, Tool::OrganizePdf, json!({"pages": "1-z"}));
    repaired(&organized);
    let (again, _) = text(&organized.path(&organized.outcome().artifacts[0]));
    let (read, made) = text(&path);
    repaired(&made);
    assert_eq!(again.trim(), read.trim());
    read
}

const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
const CATALOG: &str = "<</Type/Catalog/Pages 2 0 R>>";
const KIDS: &str = "<</Type/Pages/Count 1/Kids[3 0 R]>>";

/// What a page shows, in a font of this name.
fn shown(font: &str) -> String {
    let drawing = format!("BT /{font} 20 Tf 20 50 Td (found here) Tj ET");
    format!("<</Length {}>>stream\n{drawing}\nendstream", drawing.len())
}

/// A page whose resources name the font so.
fn page(font: &str) -> String {
    format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 99]/Contents 4 0 R/Resources<</Font<</{font} 5 0 R>>>>>>")
}

#[test]
fn a_file_without_its_header_is_read() {
    let objects = [CATALOG, KIDS, &page("F1"), &shown("F1"), FONT];
    for header in ["%lost", "", "lost"] {
        assert!(read_repaired(&pdf(header, "/Root 1 0 R", &objects)).contains("found here"), "{header}");
    }
}

#[test]
fn pages_nodes_and_catalogs_that_are_no_objects_of_their_own_are_read() {
    let page = page("F1").replace("/Parent 2 0 R", "");
    let kids = format!("<</Type/Pages/Count 2/Kids[{page}<</Type/Pages/Count 1/Kids[{page}]>>]>>");
    let objects = [CATALOG, &kids, "null", &shown("F1"), FONT];
    assert_eq!(read_repaired(&pdf("%PDF-1.4", "/Root 1 0 R", &objects)).matches("found here").count(), 2);
    let whole = format!("/Root<</Type/Catalog/Pages {kids}>>");
    assert_eq!(read_repaired(&pdf("%PDF-1.4", &whole, &objects)).matches("found here").count(), 2);
}

#[test]
fn names_of_old_files_may_have_any_number_sign() {
    let objects = [CATALOG, KIDS, &page("# 5 0 R/F#1"), &shown("F#1"), FONT];
    assert!(read_repaired(&pdf("%PDF-1.0", "/Root 1 0 R", &objects)).contains("found here"));
}

/// qpdf gives up at the number of the object, and our search does not find it.
#[test]
fn what_only_pdfium_reads_is_read() {
    let objects = [CATALOG, KIDS, &page("F1"), &shown("F1"), FONT];
    let bytes = String::from_utf8(pdf("%PDF-1.4", "/Root 1 0 R", &objects)).unwrap();
    let bytes = bytes.replace("3 0 obj", "3 18446744073709551616 obj").replace("startxref", "start");
    assert!(read_repaired(bytes.as_bytes()).contains("found here"));
}

/// A good file, cut off everywhere: whatever is left of it is read or refused, never misread as whole.
#[test]
fn files_that_are_cut_anywhere_are_read_or_refused() {
    let whole = std::fs::read(fixture("text.pdf")).unwrap();
    let (pages, _) = text(&fixture("text.pdf"));
    let pages = pages.matches('\u{c}').count() + 1;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cut.pdf");
    let mut read = 0;
    for part in 1..12 {
        std::fs::write(&path, &whole[..whole.len() * part / 12]).unwrap();
        let made = on(&path, Tool::PdfToText, json!({}));
        match &made.result {
            Ok(outcome) => {
                read += 1;
                assert!(
                    outcome.warnings.iter().any(|warning| warning.code == "repaired"),
                    "{part}: {:?}",
                    outcome.warnings
                );
                assert!(String::from_utf8(made.files().remove(0)).unwrap().matches('\u{c}').count() < pages, "{part}");
            }
            Err(failure) => assert_eq!(failure.code, ErrorCode::CorruptDocument, "{part}"),
        }
    }
    assert!(read >= 6, "{read}");
}

/// Prints how many pages are found in each PDF of the folder `DAMAGED`, to compare with other programs.
#[test]
#[ignore = "needs a folder of strangers' documents"]
fn pages_of_strangers_damaged_documents() {
    let folder = std::env::var("DAMAGED").unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let made = on(&path, Tool::PdfToText, json!({}));
        let found = match &made.result {
            Ok(outcome) => {
                let pages = String::from_utf8_lossy(&made.files()[0]).matches('\u{c}').count() + 1;
                let is_told = outcome.warnings.iter().any(|warning| warning.code == "repaired");
                format!("{pages} {}", if is_told { "repaired" } else { "as it is" })
            }
            Err(failure) => format!("0 {:?}", failure.code),
        };
        eprintln!("{} {found}", path.file_name().unwrap().to_string_lossy());
    }
}
