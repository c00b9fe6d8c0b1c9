//! Every tool of the catalogue in every way: through the API, as a step after another tool, and on the command line. A tool
//! without a case fails.

use std::path::Path;
use std::process::Stdio;

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_formats::Format;
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::clients::root;
use crate::journeys::Traveller;
use crate::tool_checks::{
    Check, IN_SHEET, archival, archive, chunked, compared, extracted, flat, invoice_data, package, pages, png,
    protected, reports, says, signed, signing, signing_key, tagged, titled, trusting, value, verified, without,
};

/// Parallel jobs and commands, each of which starts its own engines.
const JOBS: usize = 4;
const COMMANDS: usize = 2;

const LETTER: &str = "samples/small.docx";
const TEMPLATE: &str = "samples/invoice-template.docx";
const IN_LETTER: &str = "Amet aliqua dolor";
const PAGE: &str = "samples/invoice.html";
/// Five pages.
const BOOK: &str = "tests/fixtures/pdf/text.pdf";
const IN_BOOK: &str = "Introduction";
/// One page.
const SHEET: &str = "tests/fixtures/pdf/layouts/headings.pdf";
/// One page with a table.
const SURVEY: &str = "samples/tree-survey.pdf";
const FORM: &str = "tests/fixtures/pdf/forms.pdf";
const SIGNED: &str = "functions/worker/pdf/signatures/tests/fixtures/approval.pdf";
const SCAN: &str = "tests/fixtures/pdf/redact/ccitt.pdf";

/// The expected result of a tool for these files.
struct Case {
    files: Vec<&'static str>,
    options: Value,
    check: Check,
}

/// The tool before a step, and the expected result of the step.
struct AfterTool {
    first: &'static str,
    first_options: Value,
    step: Case,
}

struct Row {
    slug: &'static str,
    alone: Case,
    /// `None` if no tool makes what this one accepts.
    after: Option<AfterTool>,
}

fn row(slug: &'static str, files: &[&'static str], options: Value, check: Check) -> Row {
    Row { slug, alone: Case { files: files.to_vec(), options, check }, after: None }
}

impl Row {
    fn after(
        self,
        (first, first_options): (&'static str, Value),
        files: &[&'static str],
        options: Value,
        check: Check,
    ) -> Self {
        let step = Case { files: files.to_vec(), options, check };
        Self { after: Some(AfterTool { first, first_options, step }), ..self }
    }

    /// As a step, it makes the same from a copy of its source.
    fn after_a_copy(self, check: Check) -> Self {
        let (files, options) = (self.alone.files.clone(), self.alone.options.clone());
        self.after(("organize-pdf", json!({})), &files, options, check)
    }
}

fn rows() -> Vec<Row> {
    let as_odt = || ("convert-office", json!({"format": "odt"}));
    let as_html = || ("convert-office", json!({"format": "html"}));
    let as_pdf = || ("office-to-pdf", json!({}));
    let locked = json!({"userPassword": "open sesame"});
    let unlocking = json!({"password": "open sesame"});
    let invoice = json!({"facturX": {"xml": include_str!("../fixtures/invoices/en16931.xml")}});
    let valid = |syntax| reports(json!({"valid": true, "syntax": syntax}));
    let inspected = |pages| reports(json!({"format": "pdf", "pageCount": pages}));
    let choice = json!({"fields": {"Listbox_SingleSelect": "qux"}});
    vec![
        row("office-to-pdf", &[LETTER], json!({}), pages(1, IN_LETTER)).after(
            as_odt(),
            &[LETTER],
            json!({}),
            pages(1, IN_LETTER),
        ),
        row("convert-office", &[LETTER], json!({"format": "rtf"}), says(IN_LETTER)).after(
            as_odt(),
            &[LETTER],
            json!({"format": "txt"}),
            says(IN_LETTER),
        ),
        row("html-to-pdf", &[PAGE], json!({}), pages(1, "Acme GmbH")).after(
            as_html(),
            &[LETTER],
            json!({}),
            pages(1, IN_LETTER),
        ),
        row("markdown-to-pdf", &["tests/fixtures/pdf/layouts/headings.md"], json!({}), pages(1, IN_SHEET)).after(
            ("pdf-to-text", json!({"format": "markdown"})),
            &[SHEET],
            json!({}),
            pages(1, IN_SHEET),
        ),
        row("render-template", &[TEMPLATE], invoice_data(), package("word/document.xml", "Garden table")).after(
            ("convert-office", json!({"format": "odt"})),
            &[TEMPLATE],
            invoice_data(),
            package("content.xml", "Garden table"),
        ),
        row("email-to-pdf", &["tests/fixtures/email/figures.eml"], json!({}), pages(1, "Jörg Müller")),
        row("html-to-image", &[PAGE], json!({}), png()).after(as_html(), &[LETTER], json!({}), png()),
        row("merge-pdf", &[BOOK, SHEET], json!({}), pages(6, IN_SHEET)).after(
            ("split-pdf", json!({})),
            &[BOOK],
            json!({}),
            pages(5, IN_BOOK),
        ),
        row("split-pdf", &[BOOK], json!({}), archive(5, b"%PDF")).after(
            ("organize-pdf", json!({"pages": "1-2"})),
            &[BOOK],
            json!({}),
            archive(2, b"%PDF"),
        ),
        row("organize-pdf", &[BOOK], json!({"pages": "2,1"}), pages(2, IN_BOOK)).after_a_copy(pages(2, IN_BOOK)),
        row("compress-pdf", &[BOOK], json!({}), pages(5, IN_BOOK)).after_a_copy(pages(5, IN_BOOK)),
        row("protect-pdf", &[SHEET], locked.clone(), protected()).after_a_copy(protected()),
        row(
            "unlock-pdf",
            &["tests/fixtures/pdf/encrypted.pdf"],
            json!({"password": "test_user"}),
            pages(1, "Encrypted PDF"),
        )
        .after(("protect-pdf", locked), &[SHEET], unlocking, pages(1, IN_SHEET)),
        row("watermark-pdf", &[SHEET], json!({"text": "Draft", "rotation": 0}), pages(1, "Draft"))
            .after_a_copy(pages(1, "Draft")),
        row("edit-metadata", &[SHEET], json!({"set": {"title": "New title"}}), titled("New title"))
            .after_a_copy(titled("New title")),
        row("flatten-pdf", &[FORM], json!({}), flat("Test Form")).after_a_copy(flat("Test Form")),
        row("fill-form", &[FORM], choice, value("Listbox_SingleSelect", "qux"))
            .after_a_copy(value("Listbox_SingleSelect", "qux")),
        row("ocr-pdf", &[SCAN], json!({"mode": "redo"}), pages(1, "Griffinshire"))
            .after_a_copy(pages(1, "Griffinshire")),
        row("pdf-to-pdfa", &[SHEET], json!({}), archival()).after_a_copy(archival()),
        row("tag-pdf", &[SHEET], json!({"ocr": "never"}), tagged()).after_a_copy(tagged()),
        row(
            "compare-documents",
            &[SHEET, "tests/fixtures/pdf/layouts/lists.pdf"],
            json!({"format": "json"}),
            compared(),
        ),
        row("redact-pdf", &[SHEET], json!({"text": [{"literal": "Handbook"}]}), without("Handbook"))
            .after_a_copy(without("Handbook")),
        row("pdf-to-images", &[SHEET], json!({"dpi": 36}), png()).after(
            ("organize-pdf", json!({"pages": "1-3"})),
            &[BOOK],
            json!({"dpi": 36}),
            archive(3, b"\x89PNG"),
        ),
        row(
            "images-to-pdf",
            &["tests/fixtures/office/photo.jpg", "tests/fixtures/office/photo.jpg"],
            json!({}),
            pages(2, ""),
        )
        .after(("pdf-to-images", json!({"dpi": 36})), &[BOOK], json!({}), pages(5, "")),
        row("thumbnail", &[LETTER], json!({}), png()).after(as_pdf(), &[LETTER], json!({}), png()),
        row("pdf-to-text", &[SHEET], json!({}), says(IN_SHEET)).after(
            as_pdf(),
            &[LETTER],
            json!({"format": "markdown"}),
            says(IN_LETTER),
        ),
        row("pdf-to-office", &[SURVEY], json!({}), package("word/document.xml", "Poplar"))
            .after_a_copy(package("word/document.xml", "Poplar")),
        row("pdf-to-office", &[SURVEY], json!({"format": "xlsx"}), package("xl/sharedStrings.xml", "Poplar")),
        row(
            "pdf-to-office",
            &[SURVEY],
            json!({"format": "pptx"}),
            package("ppt/slides/slide1.xml", "Trees of the Harbor Park"),
        ),
        row("extract-document", &[LETTER, SHEET], json!({"format": "markdown"}), archive(2, b"# ")).after(
            as_pdf(),
            &[LETTER],
            json!({}),
            extracted(IN_LETTER),
        ),
        row("extract-document", &[SURVEY], json!({}), extracted("gardeners")).after(
            ("ocr-pdf", json!({"mode": "redo"})),
            &[SCAN],
            json!({}),
            extracted("Griffinshire"),
        ),
        row("extract-document", &[SURVEY], json!({"format": "html"}), says("<caption>")),
        row(
            "extract-document",
            &[SURVEY],
            json!({"format": "chunks"}),
            chunked("Trees of the Harbor Park", "Poplar\t48"),
        ),
        row("extract-document", &[SURVEY], json!({"format": "tables"}), says("Poplar,48,31,22.0")),
        row("extract-document", &[SURVEY], json!({"format": "xlsx"}), package("xl/sharedStrings.xml", "Poplar")),
        row("inspect-document", &[BOOK], json!({}), inspected(5)).after(as_pdf(), &[LETTER], json!({}), inspected(1)),
        row("verify-signatures", &[SIGNED], trusting(), verified(&["TOTAL-PASSED"])).after_a_copy(verified(&[])),
        row("read-invoice", &["samples/invoice.xml"], json!({}), says(r#""number": "2026-0009""#)).after(
            ("edit-metadata", invoice.clone()),
            &[SHEET],
            json!({}),
            says(r#""number": "2026-0008""#),
        ),
        row("read-invoice", &["samples/invoice.xml"], json!({"format": "pdf"}), pages(1, "Harbor Park Nursery Ltd")),
        row("sign-pdf", &[SHEET], signing(), signed(1)).after(
            ("sign-pdf", signing()),
            &[SHEET],
            json!({"key": signing_key(), "field": "Second"}),
            signed(2),
        ),
        row("validate-invoice", &["samples/invoice.xml"], json!({}), valid("ubl-invoice")).after(
            ("edit-metadata", invoice),
            &[SHEET],
            json!({}),
            valid("cii"),
        ),
        row("validate-invoice", &["samples/invoice.xml"], json!({"format": "pdf"}), pages(1, "The invoice is valid")),
        row("check-accessibility", &[BOOK], json!({}), reports(json!({"standard": "PDF/UA-1", "passed": false})))
            .after(
                ("tag-pdf", json!({"existing": "replace", "ocr": "never"})),
                &[SHEET],
                json!({}),
                reports(json!({"passed": true, "failed": []})),
            ),
    ]
}

#[test]
fn every_tool_has_a_case_and_is_a_step_if_any_tool_can_precede_it() {
    let catalogue = Catalogue::load().unwrap();
    let rows = rows();
    let slugs: Vec<_> = catalogue.tools().iter().map(|tool| tool.definition.slug.as_str()).collect();
    let rows: Vec<_> = rows.chunk_by(|row, next| row.slug == next.slug).collect();
    assert_eq!(rows.iter().map(|rows| rows[0].slug).collect::<Vec<_>>(), slugs);
    for rows in rows {
        let slug = rows[0].slug;
        let sources = &catalogue.find(slug).unwrap().definition.sources;
        let made = |tool: &Tool| {
            tool.definition.all_outputs().any(|made| sources.accepts(made) && sources.takes_directly(made))
        };
        let can_follow = sources.least == 1 && catalogue.tools().iter().any(made);
        assert_eq!(rows.iter().any(|row| row.after.is_some()), can_follow, "{slug}");
    }
}

/// The result of a job on the deployed stack.
async fn through_the_api(traveller: &Traveller, slug: &str, case: &Case, options: &Value, then: Value) -> Vec<u8> {
    let mut sources = Vec::new();
    for file in &case.files {
        let content = std::fs::read(root().join(file)).unwrap();
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        sources.push(json!({"uploadId": traveller.upload(&content, content_type(file), name).await}));
    }
    let catalogue = Catalogue::load().unwrap();
    let several = catalogue.find(slug).unwrap().definition.sources.are_several();
    let input = if several { json!({"sources": sources}) } else { sources.remove(0) };
    let body = json!({"input": input, "options": options, "then": then});
    traveller.result_of(slug, body).await
}

fn content_type(file: &str) -> &'static str {
    match Format::from_filename(file) {
        Some(format @ (Format::Html | Format::Markdown | Format::Eml)) => format.media_type(),
        _ => "application/octet-stream",
    }
}

#[tokio::test]
async fn every_tool_works_alone() {
    let Some(traveller) = &Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    each(JOBS, rows(), async |row| {
        let made = through_the_api(traveller, row.slug, &row.alone, &row.alone.options, json!([])).await;
        eprintln!("{}: {} bytes", row.slug, made.len());
        (row.alone.check)(&made);
    })
    .await;
}

#[tokio::test]
async fn every_tool_works_as_a_step() {
    let Some(traveller) = &Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let steps = rows().into_iter().filter_map(|row| Some((row.slug, row.after?)));
    each(JOBS, steps, async |(slug, AfterTool { first, first_options, step })| {
        let then = json!([{"toolSlug": slug, "options": step.options}]);
        let made = through_the_api(traveller, first, &step, &first_options, then).await;
        eprintln!("{slug} after {first}: {} bytes", made.len());
        (step.check)(&made);
    })
    .await;
}

#[tokio::test]
async fn every_tool_works_on_the_command_line() {
    // The deployed stack's worker is this build's.
    if crate::support::deployed_url().is_none() {
        return;
    }
    each(COMMANDS, rows(), async |row| {
        let made = on_the_command_line(row.slug, &row.alone).await;
        eprintln!("{}: {} bytes", row.slug, made.len());
        (row.alone.check)(&made);
    })
    .await;
}

async fn each<T>(at_once: usize, all: impl IntoIterator<Item = T>, job: impl AsyncFn(T)) {
    let job = &job;
    stream::iter(all).for_each_concurrent(at_once, |one| job(one)).await;
}

/// The result of `worker convert` for the files.
async fn on_the_command_line(slug: &str, case: &Case) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let worker = std::env::current_exe().unwrap();
    let worker = worker.parent().and_then(Path::parent).unwrap().join("worker");
    let mut command = Command::new(&worker);
    command.args(["convert", "--json", "--tool", slug, "--options", &case.options.to_string(), "--out"]).arg(&out);
    for file in &case.files {
        command.arg("--in").arg(root().join(file));
    }
    let output = command.stderr(Stdio::piped()).kill_on_drop(true).output().await.unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{slug}: {said}{}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(out).unwrap()
}
