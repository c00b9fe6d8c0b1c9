//! `pdf-to-pdfa` and `tag-pdf`, checked by the validators that archives use: veraPDF, and PDFBox Preflight for level 1b.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod invoices;
mod kept_tags;
mod metadata;
mod tags;
mod unexplained;
mod validators;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use docmill_formats::Format;
use docmill_pdf::Engines;
use docmill_pdf_request::{ErrorCode, Failure, Limits, Outcome, Request, Source, Tool};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::validators::judge;

static ENGINES: LazyLock<Engines> = LazyLock::new(Engines::load);
const LEVELS: [&str; 3] = ["1b", "2b", "3b"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn run(tool: Tool, sources: &[(&Path, Format)], options: Value, directory: &Path) -> Result<Outcome, Failure> {
    std::fs::create_dir_all(directory).unwrap();
    let source = |(path, media): &(&Path, Format)| Source::new(path.to_path_buf(), *media);
    let limits = Limits { pages: 500, output_bytes: 100 << 20, pixels: 100_000_000, memory_bytes: 1 << 30 };
    ENGINES.run(&Request {
        tool,
        sources: sources.iter().map(source).collect(),
        options,
        directory: directory.to_owned(),
        limits,
        now: docmill_domain::time::Timestamp(1_795_300_200_000),
    })
}

fn fixtures() -> Vec<PathBuf> {
    let tests = root().join("tests");
    let names = ["text", "forms", "images", "pictures", "render"].map(|name| format!("fixtures/pdf/{name}.pdf"));
    let layouts = [
        "code",
        "columns",
        "headings",
        "ligatures",
        "lists",
        "rotated",
        "rtl",
        "running",
        "table-plain",
        "table-ruled",
    ];
    let layouts = layouts.map(|name| format!("fixtures/pdf/layouts/{name}.pdf"));
    let pictures = ["jpeg", "jpeg2000", "flate"].map(|name| format!("corpus/pdfs/picture-{name}.pdf"));
    names.into_iter().chain(layouts).chain(pictures).map(|name| tests.join(name)).collect()
}

/// A page that breaks a rule of each kind that can be repaired: a font that is not embedded, CMYK, a script, an action, a hidden
/// note, a link without flags, LZW, and an attached file if `attached`.
fn unfit(attached: bool) -> Document {
    let mut document = Document::with_version("1.7");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica", "Encoding" => "WinAnsiEncoding",
    });
    let content = "0 1 1 0 k 20 20 60 60 re f BT /F 20 Tf 40 200 Td (Gr\\374\\337e, AV 1) Tj ET";
    let content = document.add_object(Stream::new(Dictionary::new(), content.as_bytes().to_vec()));
    let script =
        document.add_object(dictionary! { "S" => "JavaScript", "JS" => Object::string_literal("app.alert(1)") });
    let rectangle: Vec<Object> = vec![10.into(), 10.into(), 50.into(), 30.into()];
    let link = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Link", "Rect" => rectangle.clone(),
        "A" => dictionary! { "S" => "URI", "URI" => Object::string_literal("https://example.com") },
    });
    let hidden = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Text", "Rect" => rectangle, "F" => 2, "Contents" => Object::string_literal("secret"),
    });
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 300.into(), 400.into()],
        "Resources" => dictionary! { "Font" => dictionary! { "F" => font } },
        "Annots" => vec![link.into(), hidden.into()], "AA" => dictionary! { "O" => script },
    });
    document.objects.insert(pages, dictionary! { "Type" => "Pages", "Count" => 1, "Kids" => vec![page.into()] }.into());
    let mut catalog = dictionary! { "Type" => "Catalog", "Pages" => pages, "OpenAction" => script };
    if attached {
        let file = document.add_object(Stream::new(Dictionary::new(), b"attached".to_vec()));
        let file = dictionary! { "Type" => "Filespec", "F" => Object::string_literal("a.txt"), "EF" => dictionary! { "F" => file } };
        let names = dictionary! { "Names" => vec![Object::string_literal("a.txt"), file.into()] };
        catalog.set("Names", dictionary! { "EmbeddedFiles" => names });
    }
    let catalog = document.add_object(catalog);
    document.trailer.set("Root", catalog);
    let info = dictionary! { "Title" => Object::string_literal("Old"), "CreationDate" => Object::string_literal("D:20200102030405") };
    let info = document.add_object(info);
    document.trailer.set("Info", info);
    document
}

fn saved(mut document: Document, path: &Path) -> PathBuf {
    document.save(path).unwrap();
    path.to_owned()
}

/// The mean difference of the first page's pixels, of 255.
fn difference(one: &Path, other: &Path, scratch: &Path) -> f64 {
    let draw = |path: &Path, name: &str| {
        let options = json!({"format": "png", "dpi": 50, "pages": "1", "grayscale": true});
        let outcome = run(Tool::PdfToImages, &[(path, Format::Pdf)], options, &scratch.join(name)).unwrap();
        image::open(scratch.join(name).join(&outcome.artifacts[0].file)).unwrap().to_luma8()
    };
    let (one, other) = (draw(one, "one"), draw(other, "other"));
    assert_eq!(one.dimensions(), other.dimensions());
    let sum: f64 = one.pixels().zip(other.pixels()).map(|(a, b)| f64::from(a.0[0].abs_diff(b.0[0]))).sum();
    sum / f64::from(one.width() * one.height())
}

#[test]
fn results_pass_the_validators_and_look_the_same() {
    let scratch = TempDir::new().unwrap();
    let mut sources = fixtures();
    sources.push(saved(unfit(false), &scratch.path().join("unfit.pdf")));
    sources.push(saved(unfit(true), &scratch.path().join("attached.pdf")));
    let mut made = Vec::new();
    let mut refused = Vec::new();
    for level in LEVELS {
        for (number, source) in sources.iter().enumerate() {
            let name = source.file_stem().unwrap().to_string_lossy().into_owned();
            let directory = scratch.path().join(format!("{level}-{number}"));
            match run(Tool::PdfToPdfa, &[(source, Format::Pdf)], json!({"level": level}), &directory) {
                Ok(outcome) => {
                    assert_eq!(outcome.report.unwrap()["conforms"], true);
                    let result = directory.join("result.pdf");
                    let off = difference(source, &result, &directory);
                    // Its fields have no appearances, so viewers draw them differently.
                    assert!(off < 1.0 || name == "forms", "{name} at {level} looks different: {off}");
                    made.push((level.to_owned(), result));
                }
                Err(failure) => {
                    assert_eq!(failure.code, ErrorCode::RenderFailed, "{name}: {failure}");
                    assert!(failure.message.contains("(clause 6."), "{}", failure.message);
                    refused.push(format!("{level} {name}"));
                }
            }
        }
    }
    let wrong: Vec<String> = judge(&made)
        .into_iter()
        .zip(&made)
        .filter(|(verdict, _)| verdict != "pass")
        .map(|(verdict, (level, path))| format!("{level} {}: {verdict}", path.display()))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(refused, EXPECTED_REFUSALS);
}

/// Documents that can't become PDF/A: transparency in level 1b, attached files in all but 3b, and JPEG 2000 data without the
/// boxes that PDF/A-2 requires.
const EXPECTED_REFUSALS: [&str; 6] =
    ["1b pictures", "1b picture-jpeg2000", "1b attached", "2b picture-jpeg2000", "2b attached", "3b picture-jpeg2000"];

#[test]
fn repairs_are_in_the_result_and_the_report() {
    let scratch = TempDir::new().unwrap();
    let source = saved(unfit(true), &scratch.path().join("unfit.pdf"));
    let directory = scratch.path().join("out");
    let outcome = run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({"level": "3b"}), &directory).unwrap();
    assert_eq!(outcome.warnings.iter().map(|warning| warning.code.as_str()).collect::<Vec<_>>(), ["content_removed"]);
    let report = outcome.report.unwrap();
    assert_eq!((&report["level"], &report["failed"]), (&json!("3b"), &json!([])));
    let repaired: Vec<&str> =
        report["repaired"].as_array().unwrap().iter().map(|entry| entry["message"].as_str().unwrap()).collect();
    for said in ["Fonts embedded", "CMYK colors", "Actions removed", "Hidden annotations", "attached files"] {
        assert!(repaired.iter().any(|message| message.contains(said)), "{said}: {repaired:?}");
    }
    let bytes = std::fs::read(directory.join("result.pdf")).unwrap();
    assert!(!bytes.windows(10).any(|window| window == b"JavaScript"));
    let document = Document::load_mem(&bytes).unwrap();
    assert_eq!(document.extract_text(&[1]).unwrap().trim(), "Grüße, AV 1");
    let packet = document.catalog().unwrap().get(b"Metadata").unwrap().as_reference().unwrap();
    let packet = document.get_object(packet).unwrap().as_stream().unwrap().content.clone();
    let packet = String::from_utf8(packet).unwrap();
    for said in ["<pdfaid:part>3</pdfaid:part>", "<pdfaid:conformance>B<", "2020-01-02T03:04:05+00:00", ">Old</rdf:li>"]
    {
        assert!(packet.contains(said), "{said}: {packet}");
    }
}

#[test]
fn irreparable_documents_are_refused_or_reported() {
    let scratch = TempDir::new().unwrap();
    let mut document = unfit(true);
    for font in document.objects.values_mut().filter_map(|object| object.as_dict_mut().ok()) {
        if font.has_type(b"Font") {
            font.set("BaseFont", "NoSuchFont");
        }
    }
    let source = saved(document, &scratch.path().join("unfit.pdf"));
    let directory = scratch.path().join("out");
    let failure = run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], json!({}), &directory).unwrap_err();
    assert!(failure.message.contains("A font is not embedded"), "{}", failure.message);
    assert_eq!(failure.cause, "not PDF/A: 6.2.11.4.1 6.8");
    let options = json!({"onUnsupported": "warn"});
    let outcome = run(Tool::PdfToPdfa, &[(&source, Format::Pdf)], options, &directory).unwrap();
    assert!(outcome.warnings.iter().any(|warning| warning.code == "not_conforming"));
    let report = outcome.report.unwrap();
    let clauses: Vec<&Value> = report["failed"].as_array().unwrap().iter().map(|entry| &entry["clause"]).collect();
    assert_eq!((clauses, &report["conforms"]), (vec![&json!("6.2.11.4.1"), &json!("6.8")], &json!(false)));
    let bytes = std::fs::read(directory.join("result.pdf")).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"pdfaid:"), "it claims to be PDF/A");
}

#[test]
fn the_same_document_makes_the_same_bytes() {
    let scratch = TempDir::new().unwrap();
    let source = root().join("tests/fixtures/pdf/forms.pdf");
    let made = LEVELS.map(|level| {
        let convert = |name: String| {
            let directory = scratch.path().join(name);
            run(
                Tool::PdfToPdfa,
                &[(&source, Format::Pdf)],
                json!({"level": level, "onUnsupported": "warn"}),
                &directory,
            )
            .unwrap();
            std::fs::read(directory.join("result.pdf")).unwrap()
        };
        convert(format!("{level}-1")) == convert(format!("{level}-2"))
    });
    assert_eq!(made, [true; 3]);
}
