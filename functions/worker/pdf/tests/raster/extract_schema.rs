//! What extract-document writes is what its published JSON Schemas say.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use serde_json::{Value, json};

use crate::{fixture, run, source};

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(path)
}

/// A published schema that refuses fields it does not name, which the published one leaves open for later versions.
fn strict(name: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(repository("functions/api-docs/schemas").join(name)).unwrap();
    let mut schema: Value = serde_json::from_str(&text).unwrap();
    let close = |schema: &mut Value| schema["unevaluatedProperties"] = json!(false);
    schema["$defs"].as_object_mut().unwrap().values_mut().for_each(close);
    close(&mut schema);
    jsonschema::validator_for(&schema).unwrap()
}

/// A source of every kind that is read in its own way.
fn sources() -> Vec<(PathBuf, Format, Value)> {
    let office = |name: &str, file| (repository(&format!("samples/{name}")), file, json!({}));
    let layout = |name: &str| (fixture(&format!("layouts/{name}.pdf")), Format::Pdf, json!({"headersFooters": "keep"}));
    let mut sources: Vec<_> = ["headings", "table-ruled", "lists", "code", "running", "rtl"].map(layout).into();
    sources.extend([
        (fixture("forms.pdf"), Format::Pdf, json!({})),
        (fixture("text.pdf"), Format::Pdf, json!({"images": "inline"})),
        (fixture("redact/ccitt.pdf"), Format::Pdf, json!({"ocr": "always"})),
        (fixture("layouts/lists.html"), Format::Html, json!({})),
        (fixture("layouts/table-ruled.md"), Format::Markdown, json!({})),
        (repository("tests/fixtures/email/figures.eml"), Format::Eml, json!({})),
        office("small.docx", Format::Docx),
        office("small.pptx", Format::Pptx),
        office("small.xlsx", Format::Xlsx),
        office("small.odt", Format::Odt),
    ]);
    sources
}

#[test]
fn results_of_every_kind_of_source_fit_the_published_schemas() {
    let (document, chunk) = (strict("extract-document-1.json"), strict("extract-document-chunk-1.json"));
    let mut roles = BTreeSet::new();
    for (path, media, mut options) in sources() {
        let mut made = |format: &str| {
            options["format"] = json!(format);
            let run = run(Tool::ExtractDocument, vec![source(&path, media)], options.clone());
            String::from_utf8(run.files().remove(0)).unwrap()
        };
        let read: Value = serde_json::from_str(&made("json")).unwrap();
        let breaches: Vec<_> = document.iter_errors(&read).map(|error| error.to_string()).collect();
        assert!(breaches.is_empty(), "{}: {breaches:#?}", path.display());
        let blocks = read["blocks"].as_array().unwrap();
        assert!(!blocks.is_empty(), "{}", path.display());
        roles.extend(blocks.iter().map(|block| block["role"].as_str().unwrap().to_owned()));
        for line in made("chunks").lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            assert!(chunk.is_valid(&line), "{}: {line}", path.display());
        }
    }
    for role in ["title", "heading", "paragraph", "listItem", "table", "code", "header", "footer", "formField"] {
        assert!(roles.contains(role), "no {role}: {roles:?}");
    }
}

#[test]
fn the_schema_refuses_what_is_not_written() {
    let validator = strict("extract-document-1.json");
    let run = run(Tool::ExtractDocument, vec![source(&fixture("layouts/headings.pdf"), Format::Pdf)], json!({}));
    let read: Value = serde_json::from_slice(&run.files()[0]).unwrap();
    let broken: [fn(&mut Value); 5] = [
        |read| read["version"] = json!("2"),
        |read| read["blocks"][0]["role"] = json!("other"),
        |read| read["blocks"][0]["more"] = json!(1),
        |read| read["pages"][0]["width"] = json!("wide"),
        |read| _ = read.as_object_mut().unwrap().remove("links"),
    ];
    for (number, change) in broken.into_iter().enumerate() {
        let mut read = read.clone();
        change(&mut read);
        assert!(!validator.is_valid(&read), "change {number}");
    }
}
