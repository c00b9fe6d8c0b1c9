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
const KNOWN: [(&str, &[&str]); 1] = [
    // Redaction removes the metadata, which may tell what was removed.
    ("redacted", &["7.1-8"]),
];

/// Uses of tools, by name.
fn uses() -> [(&'static str, Tool, Value); 24] {
    [
        ("merged", Tool::MergePdf, json!({})),
        ("split", Tool::SplitPdf, json!({"mode": "every", "every": 1})),
        ("ordered", Tool::OrganizePdf, json!({"pages": "3,2,1"})),
        ("chosen", Tool::OrganizePdf, json!({"pages": "2"})),
        ("turned", Tool::OrganizePdf, json!({"rotate": [{"pages": "1", "degrees": 90}]})),
        ("repeated", Tool::OrganizePdf, json!({"pages": "1,1"})),
        ("repeated between others", Tool::OrganizePdf, json!({"pages": "1,2,1,3,2"})),
        ("on a sheet", Tool::OrganizePdf, json!({"nUp": 2})),
        ("repeated on a sheet", Tool::OrganizePdf, json!({"pages": "2,1,1,3", "nUp": 4})),
        ("a booklet", Tool::OrganizePdf, json!({"booklet": true})),
        ("redacted, with metadata", Tool::RedactPdf, json!({"text": ["figures"], "metadata": false})),
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

#[test]
fn what_is_redacted_is_in_no_tag_and_claimed_by_none() {
    let scratch = TempDir::new().unwrap();
    let source = accessible("pdfua1", scratch.path());
    let says = |path: &Path, text: &str| {
        let document = Document::load(path).unwrap();
        document.objects.values().filter_map(|object| object.as_dict().ok()).any(|entries| {
            // Without what UTF-16 has between letters.
            let found = entries.get(b"Alt").and_then(Object::as_str).unwrap_or_default();
            let found: Vec<u8> = found.iter().copied().filter(|byte| *byte != 0).collect();
            found.windows(text.len()).any(|part| part == text.as_bytes())
        })
    };
    assert!(says(&source, "A map of the river"));
    let words = json!({"text": ["map"], "metadata": false});
    let area = json!({"regions": [{"page": 1, "box": [30, 290, 250, 410]}], "metadata": false});
    let (words, area) = (
        results(&source, "words", Tool::RedactPdf, words, &scratch.path().join("words")),
        results(&source, "area", Tool::RedactPdf, area, &scratch.path().join("area")),
    );
    assert!(!says(&words[0], "map"));
    assert!(!claims(&words[0]) || judge(&[("ua".to_owned(), words[0].clone())]) == ["pass"]);
    assert!(!says(&area[0], "river"));
    assert!(!claims(&area[0]), "the figure has no text any more");
}
