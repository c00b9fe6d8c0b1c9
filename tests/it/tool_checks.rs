//! What results of tools must be like.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::pdf;

/// In the page that most tools get.
pub const IN_SHEET: &str = "The Handbook of Gardens";

/// Checks a result, and panics if it is wrong.
pub type Check = Box<dyn Fn(&[u8])>;

pub fn pages(count: usize, text: &'static str) -> Check {
    Box::new(move |bytes| {
        assert_eq!(pdf::pages(bytes), count);
        assert!(pdf::text(bytes).contains(text), "{}", pdf::text(bytes));
    })
}

pub fn without(word: &'static str) -> Check {
    Box::new(move |bytes| {
        let text = pdf::text(bytes);
        assert!(text.contains("Gardens") && !text.contains(word), "{text}");
    })
}

pub fn protected() -> Check {
    Box::new(|bytes| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let read = |password: &[&str]| {
            let mut reader = std::process::Command::new("pdftotext");
            let output = reader.args(password).arg(file.path()).arg("-").output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(read(&[]), "");
        assert!(read(&["-upw", "open sesame"]).contains(IN_SHEET));
    })
}

pub fn titled(title: &'static str) -> Check {
    Box::new(move |bytes| {
        let document = lopdf::Document::load_mem(bytes).unwrap();
        let info = document.trailer.get(b"Info").and_then(|info| document.dereference(info)).unwrap();
        let set = info.1.as_dict().unwrap().get(b"Title").unwrap();
        assert_eq!(lopdf::decode_text_string(set).unwrap(), title);
    })
}

/// A page with this text and without a form.
pub fn flat(text: &'static str) -> Check {
    Box::new(move |bytes| {
        let document = lopdf::Document::load_mem(bytes).unwrap();
        assert!(!document.catalog().unwrap().has(b"AcroForm"));
        pages(1, text)(bytes);
    })
}

pub fn value(field: &'static str, value: &'static str) -> Check {
    Box::new(move |bytes| {
        let document = lopdf::Document::load_mem(bytes).unwrap();
        let text = |object: &lopdf::Object| lopdf::decode_text_string(object).ok();
        let found = document.objects.values().find_map(|object| {
            let dictionary = object.as_dict().ok().filter(|dictionary| dictionary.has(b"T"))?;
            (text(dictionary.get(b"T").ok()?)? == field).then(|| dictionary.get(b"V").ok().and_then(text))
        });
        assert_eq!(found, Some(Some(value.to_owned())));
    })
}

/// A page with this text and tags.
pub fn tagged() -> Check {
    Box::new(|bytes| {
        let document = lopdf::Document::load_mem(bytes).unwrap();
        assert!(document.catalog().unwrap().has(b"StructTreeRoot"));
        pages(1, IN_SHEET)(bytes);
    })
}

pub fn archival() -> Check {
    Box::new(|bytes| {
        let metadata = String::from_utf8_lossy(bytes);
        assert!(metadata.contains("pdfaid:part"), "no claim");
        pages(1, IN_SHEET)(bytes);
    })
}

/// The options for the template.
pub fn invoice_data() -> Value {
    let items = json!([{"name": "Garden chair", "price": 49.9}, {"name": "Garden table", "price": 129}]);
    json!({"data": {"customer": "Ada Lovelace", "date": "2026-11-25", "items": items}, "locale": "en-GB"})
}

/// An office file whose part has this text.
pub fn package(part: &'static str, text: &'static str) -> Check {
    Box::new(move |bytes| {
        let xml = part_of(bytes, part);
        assert!(xml.contains(text), "{xml}");
    })
}

pub fn part_of(package: &[u8], part: &str) -> String {
    let mut xml = String::new();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(package)).unwrap();
    std::io::Read::read_to_string(&mut archive.by_name(part).unwrap(), &mut xml).unwrap();
    xml
}

pub fn says(text: &'static str) -> Check {
    Box::new(move |bytes| {
        let said = String::from_utf8_lossy(bytes);
        assert!(said.contains(text), "{said}");
    })
}

pub fn png() -> Check {
    Box::new(|bytes| assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000, "{} bytes", bytes.len()))
}

pub fn archive(count: usize, head: &'static [u8]) -> Check {
    Box::new(move |bytes| {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        assert_eq!(archive.len(), count);
        for index in 0..count {
            let mut start = vec![0; head.len()];
            std::io::Read::read_exact(&mut archive.by_index(index).unwrap(), &mut start).unwrap();
            assert_eq!(start, head);
        }
    })
}

/// A report with these members.
pub fn reports(members: Value) -> Check {
    Box::new(move |bytes| {
        let report: Value = serde_json::from_slice(bytes).unwrap();
        let members = members.as_object().unwrap();
        assert!(members.iter().all(|(name, value)| report[name] == *value), "{report}");
    })
}

/// The options that trust the authority of the signed sample.
pub fn trusting() -> Value {
    json!({"trustedRoots": include_str!("../../functions/worker/pdf/signatures/tests/fixtures/root.pem")})
}

/// The indications of all signatures.
pub fn verified(expected: &'static [&'static str]) -> Check {
    Box::new(move |bytes| {
        let report: Value = serde_json::from_slice(bytes).unwrap();
        let signatures = report["signatures"].as_array().unwrap();
        let found: Vec<_> = signatures.iter().map(|each| each["indication"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{report}");
    })
}

/// A key of tests, whose authority nobody trusts.
pub fn signing_key() -> Value {
    let file = include_bytes!("../../functions/worker/pdf/signatures/tests/fixtures/keys/p256.p12");
    json!({"pkcs12": STANDARD.encode(file), "password": "secret"})
}

pub fn signing() -> Value {
    let look =
        json!({"box": [300, 700, 500, 760], "text": ["Signed by Paul", "{date}"], "qrCode": "https://a.example"});
    json!({"key": signing_key(), "appearance": look, "reason": "Approved"})
}

/// So many signatures, all of them right for poppler.
pub fn signed(count: usize) -> Check {
    Box::new(move |bytes| {
        assert!(pdf::text(bytes).contains(IN_SHEET) && pdf::text(bytes).contains("Signed by Paul"));
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        let output = std::process::Command::new("pdfsig").arg("-nocert").arg(file.path()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(said.matches("Signature is Valid.").count(), count, "{said}");
        assert_eq!(said.matches("ETSI.CAdES.detached").count(), count, "{said}");
    })
}

/// A block with this text, and its box on the first page.
pub fn extracted(text: &'static str) -> Check {
    Box::new(move |bytes| {
        let document: Value = serde_json::from_slice(bytes).unwrap();
        let blocks = document["blocks"].as_array().unwrap();
        let block = blocks.iter().find(|block| block["text"].as_str().unwrap().contains(text));
        assert_eq!(block.unwrap_or_else(|| panic!("{document}"))["places"][0]["page"], 1);
        assert_eq!(document["pages"][0]["source"], "text");
    })
}

/// A chunk with this text under this heading.
pub fn chunked(heading: &'static str, text: &'static str) -> Check {
    Box::new(move |bytes| {
        let lines = std::str::from_utf8(bytes).unwrap().lines();
        let mut chunks = lines.map(|line| serde_json::from_str::<Value>(line).unwrap());
        let chunk = chunks.find(|chunk| chunk["text"].as_str().unwrap().contains(text)).unwrap();
        assert_eq!((&chunk["headings"][0], &chunk["pages"]), (&json!(heading), &json!([1])), "{chunk}");
    })
}

pub fn compared() -> Check {
    Box::new(|bytes| {
        let report: Value = serde_json::from_slice(bytes).unwrap();
        assert!(report["pages"][0]["areas"].as_array().is_some_and(|areas| !areas.is_empty()), "{report}");
    })
}
