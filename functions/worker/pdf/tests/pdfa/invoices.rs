//! `edit-metadata` with `facturX`, validated by veraPDF and by Mustang, a validator of such invoices.

use docmill_formats::Format;

use super::*;
use crate::validators::judge_invoices;

const PROFILES: [&str; 3] = ["minimum", "en16931", "xrechnung"];

pub(super) fn fixture(name: &str) -> PathBuf {
    root().join(format!("tests/fixtures/invoices/{name}.xml"))
}

fn made(pdf: &Path, profile: &str, options: Value, directory: &Path) -> PathBuf {
    let invoice = fixture(profile);
    let sources = [(pdf, Format::Pdf), (invoice.as_path(), Format::Other)];
    let outcome = run(Tool::EditMetadata, &sources, json!({"facturX": options}), directory).unwrap();
    let report = outcome.report.unwrap();
    assert_eq!((&report["conforms"], &report["facturX"]["level"]), (&json!(true), &json!(profile)));
    directory.join("result.pdf")
}

#[test]
fn invoices_of_each_kind_pass_the_validators() {
    let scratch = TempDir::new().unwrap();
    let unfit = saved(unfit(false), &scratch.path().join("unfit.pdf"));
    let text = root().join("tests/fixtures/pdf/text.pdf");
    let mut results = Vec::new();
    for profile in PROFILES {
        for (name, pdf) in [("unfit", &unfit), ("text", &text)] {
            results.push(made(pdf, profile, json!({}), &scratch.path().join(format!("{profile}-{name}"))));
        }
    }
    // Replaces an invoice, and adds a second file.
    let again = scratch.path().join("again");
    let (table, invoice) = (root().join("tests/fixtures/office/codes.csv"), fixture("en16931"));
    let sources =
        [(results[0].as_path(), Format::Pdf), (invoice.as_path(), Format::Other), (table.as_path(), Format::Other)];
    let options = json!({
        "facturX": {"level": "en16931", "relationship": "source"}, "set": {"title": "Invoice 2026-0008"},
        "attachments": [{"source": 2, "filename": "Anlage.csv", "relationship": "supplement"}],
    });
    run(Tool::EditMetadata, &sources, options, &again).unwrap();
    results.push(again.join("result.pdf"));
    // Later tools keep the invoice.
    let titled = scratch.path().join("titled");
    run(Tool::EditMetadata, &[(&results[1], Format::Pdf)], json!({"set": {"title": "Later"}}), &titled).unwrap();
    results.push(titled.join("result.pdf"));
    let archived = scratch.path().join("archived");
    run(Tool::PdfToPdfa, &[(&results[2], Format::Pdf)], json!({"level": "3b"}), &archived).unwrap();
    results.push(archived.join("result.pdf"));

    let judged: Vec<(String, PathBuf)> = results.iter().map(|path| ("3b".to_owned(), path.clone())).collect();
    for (verdict, path) in judge(&judged).iter().zip(&results) {
        assert_eq!(verdict, "pass", "{}", path.display());
    }
    for (verdict, path) in judge_invoices(&results).iter().zip(&results) {
        assert_eq!(verdict, "valid", "{}", path.display());
    }
}

#[test]
fn the_validator_refuses_a_pdf_without_an_invoice() {
    let verdicts = judge_invoices(&[root().join("tests/fixtures/pdf/text.pdf")]);
    assert!(verdicts[0].starts_with("invalid:"), "{verdicts:?}");
}

#[test]
fn a_pdf_that_cannot_become_pdf_a_is_refused_unless_a_warning_is_enough() {
    let scratch = TempDir::new().unwrap();
    let mut document = unfit(false);
    for font in document.objects.values_mut().filter_map(|object| object.as_dict_mut().ok()) {
        if font.has_type(b"Font") {
            font.set("BaseFont", "NoSuchFont");
        }
    }
    let source = saved(document, &scratch.path().join("unfit.pdf"));
    let invoice = fixture("minimum");
    let sources = [(source.as_path(), Format::Pdf), (invoice.as_path(), Format::Other)];
    let directory = scratch.path().join("out");
    let failure = run(Tool::EditMetadata, &sources, json!({"facturX": {}}), &directory).unwrap_err();
    assert_eq!((failure.code, failure.cause.as_str()), (ErrorCode::RenderFailed, "not PDF/A: 6.2.11.4.1"));
    assert!(failure.message.contains("Set `facturX.onUnsupported` to `warn`"), "{}", failure.message);
    let options = json!({"facturX": {"onUnsupported": "warn"}});
    let outcome = run(Tool::EditMetadata, &sources, options, &directory).unwrap();
    assert!(outcome.warnings.iter().any(|warning| warning.code == "not_conforming"));
    let bytes = std::fs::read(directory.join("result.pdf")).unwrap();
    let says = |needle: &[u8]| bytes.windows(needle.len()).any(|window| window == needle);
    assert!(!says(b"<pdfaid:part>") && says(b"<fx:ConformanceLevel>MINIMUM<"));
}
