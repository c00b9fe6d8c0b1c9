//! Streams with a wrong checksum or without their end are read alike by all tools, and as other programs do.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use lopdf::{Dictionary, Document, Stream, dictionary};
use serde_json::{Value, json};

use crate::{Run, run, source};

/// Lines of a page. Their content is longer than what a reader takes at a time.
const LINES: usize = 60;

/// What is done to packed data.
type Damage = fn(&mut Vec<u8>);

const SOUND: Damage = |_| {};
const WRONG_CHECKSUM: Damage = |packed| *packed.last_mut().unwrap() ^= 0xff;
const NO_CHECKSUM: Damage = |packed| packed.truncate(packed.len() - 4);

/// Two pages of lines, and a form on the first, with their data damaged.
fn document(damage: Damage) -> Vec<u8> {
    let packed = |dict: Dictionary, content: String| {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content.as_bytes()).unwrap();
        let mut packed = encoder.finish().unwrap();
        damage(&mut packed);
        let mut stream = Stream::new(dict, packed);
        stream.dict.set("Filter", "FlateDecode");
        stream
    };
    let mut document = Document::with_version("1.7");
    let font = document.add_object(dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" });
    let fonts = dictionary! { "Font" => dictionary! { "F" => font } };
    let form = dictionary! {
        "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 300.into(), 20.into()], "Resources" => fonts.clone(),
    };
    let form = document.add_object(packed(form, "BT /F 9 Tf 10 5 Td (The form says Amberley) Tj ET".into()));
    let tree = document.new_object_id();
    let pages: Vec<_> = (1..=2)
        .map(|page| {
            let line = |line| {
                let place = 760 - line * 11;
                format!(
                    "BT /F 9 Tf 72 {place} Td (Line {line} of page {page} about the harvest of Brightwater) Tj ET\n"
                )
            };
            let lines: String = (0..LINES).map(line).collect();
            let drawing = if page == 1 { "q 1 0 0 1 72 60 cm /Fm Do Q\n" } else { "" };
            let content = document.add_object(packed(Dictionary::new(), lines + drawing));
            let mut resources = fonts.clone();
            resources.set("XObject", dictionary! { "Fm" => form });
            document.add_object(dictionary! {
                "Type" => "Page", "Parent" => tree, "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
                "Contents" => content, "Resources" => resources,
            })
        })
        .collect();
    let kids: Vec<lopdf::Object> = pages.into_iter().map(Into::into).collect();
    document.objects.insert(tree, dictionary! { "Type" => "Pages", "Count" => 2, "Kids" => kids }.into());
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn on(bytes: &[u8], tool: Tool, options: Value) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source.pdf");
    std::fs::write(&path, bytes).unwrap();
    run(tool, vec![source(&path, Format::Pdf)], options)
}

fn result(made: &Run) -> PathBuf {
    made.path(&made.outcome().artifacts[0])
}

/// The words that poppler finds.
fn words(path: &Path) -> Vec<String> {
    let read = Command::new("pdftotext").args([path.as_os_str(), "-".as_ref()]).output().unwrap();
    let text = String::from_utf8(read.stdout).unwrap();
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn every_tool_that_makes_a_pdf_keeps_the_words_of_damaged_streams() {
    let tools = [
        (Tool::CompressPdf, json!({})),
        (Tool::CompressPdf, json!({"preset": "lossless"})),
        (Tool::OrganizePdf, json!({"pages": "1-z"})),
        (Tool::OrganizePdf, json!({"nUp": 2})),
        (Tool::MergePdf, json!({})),
        (Tool::ProtectPdf, json!({"ownerPassword": "a"})),
        (Tool::WatermarkPdf, json!({"text": "Draft"})),
        (Tool::FlattenPdf, json!({})),
        (Tool::EditMetadata, json!({"set": {"title": "A"}})),
        (Tool::PdfToPdfa, json!({"onUnsupported": "warn"})),
        (Tool::TagPdf, json!({"language": "en"})),
        (Tool::OcrPdf, json!({"mode": "skipText"})),
        (Tool::OcrPdf, json!({"mode": "redo"})),
    ];
    let sound = document(SOUND);
    for (number, (tool, options)) in tools.into_iter().enumerate() {
        let expected = words(&result(&on(&sound, tool, options.clone())));
        assert!(expected.len() > 2 * 9 * LINES - 9, "{tool:?} {options}: {}", expected.len());
        // All tools share one reader: each meets one kind of damage, in turn.
        let damage = [WRONG_CHECKSUM, NO_CHECKSUM][number % 2];
        let made = on(&document(damage), tool, options.clone());
        assert_eq!(words(&result(&made)), expected, "{tool:?} {options}");
    }
}

#[test]
fn every_tool_that_reads_text_reads_all_of_damaged_streams() {
    let sound = document(SOUND);
    for (tool, options) in [
        (Tool::PdfToText, json!({})),
        (Tool::PdfToText, json!({"format": "markdown"})),
        (Tool::ExtractDocument, json!({"format": "markdown"})),
        (Tool::PdfToImages, json!({"dpi": 30})),
    ] {
        let expected = on(&sound, tool, options.clone()).files();
        for damage in [WRONG_CHECKSUM, NO_CHECKSUM] {
            assert_eq!(on(&document(damage), tool, options.clone()).files(), expected, "{tool:?}");
        }
    }
}

#[test]
fn tools_that_rewrite_damaged_streams_say_so_and_write_sound_ones() {
    for (tool, options) in [
        (Tool::CompressPdf, json!({})),
        (Tool::PdfToPdfa, json!({"onUnsupported": "warn"})),
        (Tool::TagPdf, json!({"language": "en"})),
        (Tool::CheckAccessibility, json!({})),
    ] {
        let made = on(&document(WRONG_CHECKSUM), tool, options.clone());
        assert_eq!(made.warnings().first(), Some(&"repaired"), "{tool:?}");
        if !matches!(tool, Tool::CheckAccessibility) {
            assert_is_sound(&result(&made));
        }
        let of_sound = on(&document(SOUND), tool, options);
        assert!(!of_sound.warnings().contains(&"repaired"), "{tool:?}");
    }
}

#[test]
fn words_of_damaged_streams_are_redacted_and_the_others_stay() {
    let all = words(&result(&on(&document(SOUND), Tool::OrganizePdf, json!({"pages": "1-z"}))));
    for damage in [WRONG_CHECKSUM, NO_CHECKSUM] {
        let made = on(&document(damage), Tool::RedactPdf, json!({"text": ["Brightwater", "Amberley"]}));
        assert_eq!(made.warnings().first(), Some(&"repaired"));
        assert_is_sound(&result(&made));
        let left = words(&result(&made));
        assert!(!left.iter().any(|left| left.contains("Brightwater") || left.contains("Amberley")));
        assert_eq!(left.len(), all.len() - 2 * LINES - 1);
    }
}

/// Every packed stream can be unpacked by a strict reader.
fn assert_is_sound(path: &Path) {
    let document = Document::load(path).unwrap();
    for object in document.objects.values() {
        let Ok(stream) = object.as_stream() else { continue };
        if stream.dict.get(b"Filter").and_then(lopdf::Object::as_name).is_ok_and(|name| name == b"FlateDecode") {
            let mut inflated = Vec::new();
            let mut reader = flate2::read::ZlibDecoder::new(stream.content.as_slice());
            std::io::Read::read_to_end(&mut reader, &mut inflated).unwrap();
        }
    }
}

/// The same document, with each stream of objects and the table of them in streams whose checksums are wrong.
#[test]
fn objects_in_damaged_streams_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let [plain, packed] = ["plain.pdf", "packed.pdf"].map(|name| directory.path().join(name));
    std::fs::write(&plain, document(SOUND)).unwrap();
    let made = Command::new("qpdf").arg("--object-streams=generate").args([&plain, &packed]).output().unwrap();
    assert!(made.status.success());
    let sound = std::fs::read(&packed).unwrap();
    for kinds in [&["/XRef"][..], &["/ObjStm"], &["/XRef", "/ObjStm"]] {
        let mut bytes = sound.clone();
        for kind in kinds {
            let start = memchr::memmem::find(&bytes, kind.as_bytes()).unwrap();
            let end = start + memchr::memmem::find(&bytes[start..], b"\nendstream").unwrap();
            bytes[end - 1] ^= 0xff;
        }
        let expected = words(&plain);
        for (tool, options) in [(Tool::OrganizePdf, json!({"pages": "1-z"})), (Tool::CompressPdf, json!({}))] {
            let made = on(&bytes, tool, options);
            assert_eq!(words(&result(&made)), expected, "{tool:?} {kinds:?}");
        }
    }
}
