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
