//! Tools that change a PDF keep its tags sound: one that is PDF/UA-1 still is, by our own check and by veraPDF.

use super::tags::page_with_all;
use super::*;

/// A PDF that is PDF/UA of this part, with a heading, a link, a field, a figure, a table and lists, on three pages.
fn accessible(standard: &str, scratch: &Path) -> PathBuf {
    let all = saved(page_with_all(), &scratch.join("all.pdf"));
    let layout = |name: &str| root().join(format!("tests/fixtures/pdf/layouts/{name}.pdf"));
    let (table, lists) = (layout("table-ruled"), layout("lists"));
    let parts = [(all.as_path(), Format::Pdf), (table.as_path(), Format::Pdf), (lists.as_path(), Format::Pdf)];
    run(Tool::MergePdf, &parts, json!({"bookmarks": "titles"}), &scratch.join("merged")).unwrap();
    let merged = scratch.join("merged/result.pdf");
    let options = json!({
        "language": "en", "title": "Rivers", "existing": "replace", "standard": standard,
        "alternativeTexts": [{"page": 1, "text": "A map of the river"}],
    });
    let outcome = run(Tool::TagPdf, &[(&merged, Format::Pdf)], options, &scratch.join("tagged")).unwrap();
    let report = outcome.report.unwrap();
    assert_eq!(report["conforms"], true, "{report}");
    scratch.join("tagged/result.pdf")
}

/// The rules that a PDF breaks.
fn broken(path: &Path, directory: &Path) -> Vec<String> {
    run(Tool::CheckAccessibility, &[(path, Format::Pdf)], json!({}), directory).unwrap();
    let report: Value = serde_json::from_slice(&std::fs::read(directory.join("accessibility.json")).unwrap()).unwrap();
    let failed = report["failed"].as_array().unwrap().iter();
    failed.map(|failed| format!("{} {}", failed["rule"].as_str().unwrap(), failed["places"])).collect()
}

/// Whether a PDF says that it is PDF/UA. Metadata is not compressed.
fn claims(path: &Path) -> bool {
    std::fs::read(path).unwrap().windows(12).any(|window| window == b"pdfuaid:part")
}

/// The rules that results break, which therefore do not claim to be PDF/UA.
const KNOWN: [(&str, &[&str]); 3] = [
    // Redaction removes the metadata, which may tell what was removed.
    ("redacted", &["7.1-8"]),
    // The second copy of a page has no tags.
    ("repeated", &["5-1", "7.1-3", "7.18.5-1"]),
    // Pages on a sheet have no tags.
    ("on a sheet", &["5-1", "6.2-1", "7.1-11", "7.1-3", "7.18.3-1", "7.18.4-1", "7.18.5-1"]),
];

/// Uses of tools, by name.
fn uses() -> [(&'static str, Tool, Value); 20] {
    [
        ("merged", Tool::MergePdf, json!({})),
        ("split", Tool::SplitPdf, json!({"mode": "every", "every": 1})),
        ("ordered", Tool::OrganizePdf, json!({"pages": "3,2,1"})),
        ("chosen", Tool::OrganizePdf, json!({"pages": "2"})),
        ("turned", Tool::OrganizePdf, json!({"rotate": [{"pages": "1", "degrees": 90}]})),
        ("repeated", Tool::OrganizePdf, json!({"pages": "1,1"})),
        ("on a sheet", Tool::OrganizePdf, json!({"nUp": 2})),
        ("marked", Tool::WatermarkPdf, json!({"text": "Draft"})),
        ("marked below", Tool::WatermarkPdf, json!({"text": "Draft", "layer": "under"})),
        ("stamped", Tool::WatermarkPdf, json!({"stamps": [{"text": "Page {page}"}]})),
        ("smaller", Tool::CompressPdf, json!({"preset": "small"})),
        ("lossless", Tool::CompressPdf, json!({"preset": "lossless"})),
        ("protected", Tool::ProtectPdf, json!({"ownerPassword": "owner-secret"})),
        ("flat", Tool::FlattenPdf, json!({})),
        ("filled in", Tool::FillForm, json!({"fields": {"Name": "Ann"}})),
        ("filled in and flat", Tool::FillForm, json!({"fields": {"Name": "Ann"}, "flatten": true})),
        ("described", Tool::EditMetadata, json!({"set": {"title": "Lakes"}})),
        ("archived", Tool::PdfToPdfa, json!({"level": "2b"})),
        ("redacted", Tool::RedactPdf, json!({"text": ["figures"]})),
        ("of a test", Tool::MarkTest, json!({})),
    ]
}

/// PDFs that a use of a tool makes of this one, and of it twice if it merges.
fn results(source: &Path, name: &str, tool: Tool, options: Value, directory: &Path) -> Vec<PathBuf> {
    let mut sources = vec![(source, Format::Pdf)];
    if tool == Tool::MergePdf {
        sources.push((source, Format::Pdf));
    }
    let outcome = run(tool, &sources, options, directory).map_err(|failure| format!("{name}: {failure:?}")).unwrap();
    let pdfs = outcome.artifacts.iter().filter(|artifact| artifact.media == Format::Pdf);
    pdfs.map(|artifact| directory.join(&artifact.file)).collect()
}

#[test]
fn tags_stay_sound() {
    let scratch = TempDir::new().unwrap();
    let source = accessible("pdfua1", scratch.path());
    let (mut files, mut unsound) = (Vec::new(), Vec::new());
    for (name, tool, options) in uses() {
        let known = KNOWN.iter().find(|(of, _)| *of == name).map_or(&[] as &[&str], |(_, rules)| rules);
        let directory = scratch.path().join(name);
        for path in results(&source, name, tool, options, &directory) {
            let mut found = broken(&path, &directory);
            found.retain(|found| !known.iter().any(|rule| found.starts_with(&format!("{rule} "))));
            // The metadata of a protected file can't be searched.
            if tool != Tool::ProtectPdf {
                assert_eq!(claims(&path), known.is_empty(), "{name}: the claim of PDF/UA");
            }
            if !found.is_empty() {
                unsound.push(format!("{name}, {}: {found:#?}", path.display()));
            }
            // veraPDF can't read every protected file.
            if known.is_empty() && tool != Tool::ProtectPdf {
                files.push((name, path));
            }
        }
    }
    let levels: Vec<(String, PathBuf)> = files.iter().map(|(_, path)| ("ua".to_owned(), path.clone())).collect();
    for (verdict, (name, _)) in judge(&levels).iter().zip(&files) {
        if verdict != "pass" {
            unsound.push(format!("{name}: {verdict}"));
        }
    }
    assert!(unsound.is_empty(), "{}", unsound.join("\n"));
}

#[test]
fn results_of_pdf_ua_2_claim_it_only_if_they_are() {
    let scratch = TempDir::new().unwrap();
    let source = accessible("pdfua2", scratch.path());
    let mut claiming = Vec::new();
    for (name, tool, options) in uses() {
        let made = results(&source, name, tool, options, &scratch.path().join(name));
        claiming.extend(made.into_iter().filter(|path| claims(path)).map(|path| (name, path)));
    }
    let levels: Vec<(String, PathBuf)> = claiming.iter().map(|(_, path)| ("u2".to_owned(), path.clone())).collect();
    for (verdict, (name, _)) in judge(&levels).iter().zip(&claiming) {
        assert_eq!(verdict, "pass", "{name}");
    }
    let names: Vec<&str> = claiming.iter().map(|(name, _)| *name).collect();
    for name in ["marked", "stamped", "smaller", "described", "filled in"] {
        assert!(names.contains(&name), "{name}: {names:?}");
    }
    let second = Document::load(scratch.path().join("chosen/result.pdf")).unwrap();
    let is_figure = |object: &Object| {
        object
            .as_dict()
            .is_ok_and(|entries| entries.get(b"S").and_then(Object::as_name).is_ok_and(|kind| kind == b"Figure"))
    };
    assert!(!second.objects.values().any(is_figure), "elements of the first page");
}
