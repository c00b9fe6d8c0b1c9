//! Documents of many rows, as users get them: one PDF with bookmarks, or files with names of their own.

#![allow(clippy::panic, clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use zip::ZipArchive;

const TEMPLATE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/invoice-template.docx");

/// The printed object and the code with which the command ends.
fn convert(template: &Path, out: &Path, options: &Value, then: &Value, more: &[&str]) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_worker"))
        .args(["convert", "--tool", "render-template", "--json", "--in"])
        .arg(template)
        .args(["--options", &options.to_string(), "--then", &then.to_string(), "--out"])
        .arg(out)
        .args(more)
        .output()
        .unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    let report = serde_json::from_slice(&output.stdout);
    (output.status.code().unwrap(), report.unwrap_or_else(|error| panic!("{error}: {log}")))
}

fn row(customer: &str, price: f64) -> Value {
    json!({"customer": customer, "date": "2026-11-25", "items": [{"name": "Chair", "price": price}]})
}

fn pages(pdf: &Path) -> Vec<String> {
    let read = Command::new("pdftotext").arg("-layout").arg(pdf).arg("-").output().unwrap();
    let text = String::from_utf8(read.stdout).unwrap();
    text.split_terminator('\u{c}').map(str::to_owned).collect()
}

/// The titles of a PDF's bookmarks with their pages, counted from 1.
fn bookmarks(pdf: &Path) -> Vec<(String, u64)> {
    let read = Command::new("qpdf").args(["--json", "--json-key=outlines"]).arg(pdf).output().unwrap();
    let read: Value = serde_json::from_slice(&read.stdout).unwrap();
    let each = read["outlines"].as_array().unwrap().iter();
    each.map(|each| (each["title"].as_str().unwrap().to_owned(), each["destpageposfrom1"].as_u64().unwrap())).collect()
}

/// The names in a ZIP, and the pages of each file.
fn archived(zip: &Path) -> Vec<(String, Vec<String>)> {
    let directory = TempDir::new().unwrap();
    let mut zip = ZipArchive::new(File::open(zip).unwrap()).unwrap();
    let names: Vec<_> = (0..zip.len()).map(|index| zip.by_index(index).unwrap().name().unwrap().into_owned()).collect();
    let mut content = |name: &str| {
        let mut bytes = Vec::new();
        zip.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
        let path = directory.path().join("one.pdf");
        std::fs::write(&path, bytes).unwrap();
        pages(&path)
    };
    names.iter().map(|name| (name.clone(), content(name))).collect()
}

#[test]
fn rows_become_one_pdf_with_a_page_and_a_bookmark_each() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("all.pdf");
    let data = json!([row("Ada", 1.5), row("Müller & Søn", 2.5), row("Ada", 3.5)]);
    let options = json!({"data": data, "merge": "one", "filenamePattern": "For {customer}.pdf", "locale": "en-GB"});
    let (code, report) = convert(Path::new(TEMPLATE), &out, &options, &json!([]), &[]);
    assert_eq!(code, 0, "{report}");
    let texts = pages(&out);
    assert_eq!(texts.len(), 3, "{texts:?}");
    for (text, (customer, price)) in texts.iter().zip([("Ada", "1.50"), ("Müller & Søn", "2.50"), ("Ada", "3.50")]) {
        assert!(text.contains(customer) && text.contains(price) && text.contains("Chair"), "{text}");
    }
    let titles = [("For Ada", 1), ("For Müller & Søn", 2), ("For Ada-2", 3)];
    assert_eq!(bookmarks(&out), titles.map(|(title, page)| (title.to_owned(), page)));

    let unnamed = json!({"data": data, "merge": "one", "locale": "en-GB"});
    let (code, report) =
        convert(Path::new(TEMPLATE), &out, &unnamed, &json!([{"toolSlug": "compress-pdf"}]), &["--test"]);
    assert_eq!(code, 0, "{report}");
    let slugs: Vec<_> =
        report["steps"].as_array().unwrap().iter().map(|step| step["toolSlug"].as_str().unwrap()).collect();
    assert_eq!(slugs, ["render-template", "office-to-pdf", "merge-pdf", "compress-pdf"]);
    assert_eq!(bookmarks(&out), [("1", 1), ("2", 2), ("3", 3)].map(|(title, page)| (title.to_owned(), page)));
    assert!(pages(&out).iter().all(|page| page.contains("TEST")));
}

#[test]
fn rows_become_files_and_each_goes_through_the_further_steps() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("all.zip");
    let data = json!([row("Ada/../x", 1.5), row("ada", 2.5), row("Ada", 3.5)]);
    let options = json!({"data": data, "merge": "files", "filenamePattern": "{customer}.pdf", "locale": "en-GB"});
    let then = json!([{"toolSlug": "office-to-pdf"}, {"toolSlug": "compress-pdf"}]);
    let (code, report) = convert(Path::new(TEMPLATE), &out, &options, &then, &[]);
    assert_eq!(code, 0, "{report}");
    let made = archived(&out);
    let names: Vec<_> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Ada_.._x.pdf", "ada.pdf", "Ada-2.pdf"]);
    for ((_, pages), price) in made.iter().zip(["1.50", "2.50", "3.50"]) {
        assert!(pages.len() == 1 && pages[0].contains(price), "{pages:?}");
    }

    // Without a pattern, files have the template's name and a number.
    let options = json!({"data": data, "merge": "files"});
    let (code, report) =
        convert(Path::new(TEMPLATE), &out, &options, &json!([{"toolSlug": "office-to-pdf"}]), &["--test"]);
    assert_eq!(code, 0, "{report}");
    let made = archived(&out);
    let names: Vec<_> = made.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["invoice-template-1.pdf", "invoice-template-2.pdf", "invoice-template-3.pdf"]);
    assert!(made.iter().all(|(_, pages)| pages[0].contains("TEST")), "{made:?}");
}

#[test]
fn one_row_is_one_file_with_its_name() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("one.pdf");
    let options = json!({"data": [row("Ada", 1.5)], "merge": "files", "filenamePattern": "{customer}"});
    let (code, report) = convert(Path::new(TEMPLATE), &out, &options, &json!([{"toolSlug": "office-to-pdf"}]), &[]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["output"]["filename"], "Ada.pdf");
    assert!(pages(&out)[0].contains("Ada"));
}

#[test]
fn a_mistake_names_its_row_wherever_it_is_found() {
    let directory = TempDir::new().unwrap();
    let out = directory.path().join("none.zip");
    let options =
        json!({"data": [row("Ada", 1.5), {"customer": "Bob"}], "merge": "files", "filenamePattern": "{date}"});
    let (code, report) = convert(Path::new(TEMPLATE), &out, &options, &json!([]), &[]);
    assert_eq!((code, &report["error"]["code"]), (1, &json!("template_error")), "{report}");
    let details = report["error"]["details"].as_array().unwrap();
    assert!(details.iter().all(|detail| detail["place"]["row"] == 2), "{report}");
    assert!(details.iter().any(|detail| detail["place"]["part"] == "filenamePattern"), "{report}");

    // A step that refuses the second row's document only.
    let template = directory.path().join("letter.html");
    std::fs::write(&template, "<p>{name}</p>").unwrap();
    let options = json!({"data": [{"name": "A"}, {"name": "B"}], "merge": "files"});
    let then = json!([{"toolSlug": "html-to-pdf", "options": {"pageRange": "7"}}]);
    let (code, report) = convert(&template, &out, &options, &then, &[]);
    assert_eq!(code, 1, "{report}");
    let message = report["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("Row 1 of 2: "), "{message}");
    assert!(!out.exists());
}

/// Names in a directory and those below, as far as they can be read while they come and go.
fn names_below(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let each = entries.map(|entry| (entry.file_name().into_string().unwrap_or_default(), entry.path()));
    each.flat_map(|(name, path)| [vec![name], names_below(&path)].concat()).collect()
}

#[test]
fn the_files_of_rows_that_are_done_are_removed() {
    let (directory, scratch) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let data: Vec<_> = (0..12).map(|number| row("Ada", f64::from(number))).collect();
    let options = json!({"data": data, "merge": "one"});
    let mut child = Command::new(env!("CARGO_BIN_EXE_worker"))
        .args(["convert", "--tool", "render-template", "--json", "--in", TEMPLATE, "--options", &options.to_string()])
        .arg("--out")
        .arg(directory.path().join("all.pdf"))
        .env("TMPDIR", scratch.path())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (mut most, mut seen) = (0, 0);
    let code = loop {
        let rows = names_below(scratch.path()).into_iter().filter(|name| {
            name.strip_prefix("step-1-").is_some_and(|row| row.starts_with(|c: char| c.is_ascii_digit()))
        });
        let rows = rows.count();
        (most, seen) = (most.max(rows), seen + usize::from(rows > 0));
        if let Some(status) = child.try_wait().unwrap() {
            break status.code();
        }
    };
    assert_eq!((code, pages(&directory.path().join("all.pdf")).len()), (Some(0), 12));
    // Two rows are in work at the same time.
    assert!(seen > 0 && most <= 2, "{most} of {seen}");
}
