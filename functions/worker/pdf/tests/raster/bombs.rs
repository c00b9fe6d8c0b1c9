//! Small files that unpack to enormous ones. Each gives a result or a failure of the document, and the process stays usable.

use std::io::Write as _;

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use flate2::write::ZlibEncoder;
use flate2::{Compression, FlushCompress};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use serde_json::{Value, json};

use crate::{run, run_on, source};

/// The unpacked size of the worst one.
const GIBIBYTES: usize = 10;

fn tools() -> [(Tool, Value); 6] {
    [
        (Tool::PdfToImages, json!({"dpi": 36, "format": "jpeg"})),
        (Tool::Thumbnail, json!({"width": 64, "height": 64})),
        (Tool::PdfToText, json!({"format": "markdown"})),
        (Tool::InspectDocument, json!({})),
        (Tool::CompressPdf, json!({})),
        (Tool::FlattenPdf, json!({})),
    ]
}

fn every_tool_answers(name: &str, content: &[u8]) {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("bomb.pdf");
    std::fs::write(&path, content).unwrap();
    for (tool, options) in tools() {
        match &run(tool, vec![source(&path, Format::Pdf)], options.clone()).result {
            Ok(outcome) => assert!(!outcome.artifacts.is_empty(), "{name}, {tool:?}"),
            Err(failure) => assert_ne!(failure.code, ErrorCode::Internal, "{name}, {tool:?}: {failure}"),
        }
        let next = run_on(tool, "text.pdf", options);
        assert!(next.result.is_ok(), "after {name}, {tool:?}: {:?}", next.result);
    }
}

/// One page with this content and these objects to draw.
fn page(content: Stream, objects: Dictionary, mut document: Document) -> Vec<u8> {
    let pages = document.new_object_id();
    let content = document.add_object(content);
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => pages, "Contents" => content,
        "MediaBox" => vec![0.into(), 0.into(), 300.into(), 400.into()],
        "Resources" => dictionary! { "XObject" => objects },
    });
    let tree = dictionary! { "Type" => "Pages", "Kids" => vec![page.into()], "Count" => 1 };
    document.objects.insert(pages, tree.into());
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", root);
    let mut file = Vec::new();
    document.save_to(&mut file).unwrap();
    file
}

/// A picture whose dictionary claims 65,000 × 65,000 pixels.
fn picture(filter: &str, data: Vec<u8>) -> Vec<u8> {
    let mut document = Document::with_version("1.7");
    let bits = if filter == "JBIG2Decode" { 1 } else { 8 };
    let head = dictionary! {
        "Type" => "XObject", "Subtype" => "Image", "Width" => 65_000, "Height" => 65_000, "BitsPerComponent" => bits,
        "ColorSpace" => if bits == 1 { "DeviceGray" } else { "DeviceRGB" }, "Filter" => filter,
    };
    let picture = document.add_object(Stream::new(head, data));
    let content = Stream::new(Dictionary::new(), b"q 300 0 0 400 0 0 cm /X Do Q".to_vec());
    page(content, dictionary! { "X" => picture }, document)
}

fn zeros(bytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![0; bytes]).unwrap();
    encoder.finish().unwrap()
}

/// Spaces that unpack to this many GiB: the same independent MiB repeated. The checksum is wrong.
fn spaces(gibibytes: usize) -> Vec<u8> {
    let mut compress = flate2::Compress::new(Compression::best(), false);
    let mut block = Vec::with_capacity(64 << 10);
    compress.compress_vec(&vec![b' '; 1 << 20], &mut block, FlushCompress::Full).unwrap();
    let mut bomb = vec![0x78, 0xDA];
    (0..gibibytes * 1024).for_each(|_| bomb.extend(&block));
    bomb.extend([3, 0, 0, 0, 0, 0]);
    bomb
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn pictures_of_65000_pixels_a_side_are_answered() {
    every_tool_answers("Flate", &picture("FlateDecode", zeros(1 << 20)));
    // The start of a picture with its size, and nothing more.
    let jpeg = [
        &[0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 0xFD, 0xE8, 0xFD, 0xE8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0][..],
        &[0xFF, 0xD9],
    ];
    every_tool_answers("JPEG", &picture("DCTDecode", jpeg.concat()));
    every_tool_answers("JPEG 2000", &picture("JPXDecode", jpeg2000()));
    every_tool_answers("JBIG2", &picture("JBIG2Decode", jbig2()));
}

/// A code stream whose header promises one tile of 65,000 × 65,000, and that ends after it.
fn jpeg2000() -> Vec<u8> {
    let mut data = vec![0xFF, 0x4F, 0xFF, 0x51, 0, 47, 0, 0];
    for value in [65_000u32, 65_000, 0, 0, 65_000, 65_000, 0, 0] {
        data.extend(value.to_be_bytes());
    }
    data.extend([0, 3, 7, 1, 1, 7, 1, 1, 7, 1, 1]);
    data.extend([0xFF, 0x52, 0, 12, 0, 0, 0, 1, 0, 5, 4, 4, 0, 0]);
    data.extend([0xFF, 0x5C, 0, 4, 0x40, 0x40, 0xFF, 0x90, 0, 10, 0, 0, 0, 0, 0, 14, 0, 1, 0xFF, 0x93, 0xFF, 0xD9]);
    data
}

/// A page of that size, then a symbol dictionary that promises four billion symbols.
fn jbig2() -> Vec<u8> {
    let mut data = vec![0, 0, 0, 0, 0x30, 0, 1, 0, 0, 0, 19];
    for value in [65_000u32, 65_000, 0, 0] {
        data.extend(value.to_be_bytes());
    }
    data.extend([0, 0, 0]);
    data.extend([0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 18, 0, 0, 3, 0xFF, 0xFD, 0xFF, 2, 0xFE, 0xFE, 0xFE]);
    data.extend([0xFF; 8]);
    data
}

#[test]
fn content_of_10_gibibytes_is_answered() {
    let bomb = packed(&spaces(GIBIBYTES));
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    let filters: Vec<Object> = vec!["FlateDecode".into(), "FlateDecode".into()];
    let content = Stream::new(dictionary! { "Filter" => filters }, bomb);
    // Tools that draw unpack as much as the caller's memory watch allows.
    unharmed(&page(content, Dictionary::new(), Document::with_version("1.7")));
}

/// Tools that change the file without drawing it end by themselves.
fn unharmed(file: &[u8]) {
    let files = tempfile::tempdir().unwrap();
    let path = files.path().join("bomb.pdf");
    std::fs::write(&path, file).unwrap();
    for (tool, options) in [(Tool::MergePdf, json!({})), (Tool::OrganizePdf, json!({"pages": "1"}))] {
        assert!(run(tool, vec![source(&path, Format::Pdf)], options).result.is_ok(), "{tool:?}");
    }
}

#[test]
fn a_form_that_is_drawn_a_billion_times_is_answered() {
    // Ten levels, each of which draws the next one eight times.
    let mut document = Document::with_version("1.7");
    let mut next = None;
    for _ in 0..10 {
        let objects = next.map_or_else(Dictionary::new, |id: lopdf::ObjectId| dictionary! { "X" => id });
        let content = if next.is_some() { b"/X Do ".repeat(8) } else { b"0 0 1 1 re f".to_vec() };
        let head = dictionary! {
            "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 9.into(), 9.into()],
            "Resources" => dictionary! { "XObject" => objects },
        };
        next = Some(document.add_object(Stream::new(head, content)));
    }
    let objects = next.map_or_else(Dictionary::new, |id| dictionary! { "X" => id });
    let content = Stream::new(Dictionary::new(), b"/X Do".to_vec());
    unharmed(&page(content, objects, document));
}
