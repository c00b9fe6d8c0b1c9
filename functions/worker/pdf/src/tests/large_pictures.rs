//! Documents whose pictures only fit into memory one at a time: tools copy them unchanged from file to file.

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use lopdf::{Document, Object, Stream, dictionary};
use serde_json::{Value, json};

use super::Run;
use super::fixture::{plain_document, save};

const SIDE: usize = 320;
const PAGES: usize = 100;
/// Half of this is for objects; the file has ten million bytes of pictures.
const MEMORY: u64 = 24_000_000;

/// Noise that can't be compressed, different for each seed.
fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..SIDE * SIDE).map(next).collect()
}

/// Pages that each show one large picture. `first` is the seed of the first.
fn album(pages: usize, first: u64) -> Vec<u8> {
    let mut document = plain_document("Album", pages, (300.0, 400.0));
    for (page, seed) in document.get_pages().into_values().zip(first..) {
        let head = dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => SIDE as i64, "Height" => SIDE as i64,
            "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
        };
        let picture = document.add_object(Stream::new(head, noise(seed)));
        let content =
            document.add_object(Stream::new(lopdf::Dictionary::new(), b"q 300 0 0 400 0 0 cm /P Do Q".to_vec()));
        let page = document.get_dictionary_mut(page).unwrap();
        page.set("Contents", content);
        page.set("Resources", dictionary! { "XObject" => dictionary! { "P" => picture } });
    }
    save(&mut document)
}

/// The seeds of the pictures in a document, of those below `seeds`.
fn seeds(document: &Document, seeds: u64) -> Vec<u64> {
    let pictures: Vec<Vec<u8>> = document
        .objects
        .values()
        .filter_map(|object| object.as_stream().ok())
        .filter(|stream| stream.dict.get(b"Width").and_then(Object::as_i64).is_ok_and(|width| width == SIDE as i64))
        .map(|picture| picture.get_plain_content().unwrap())
        .collect();
    (0..seeds).filter(|seed| pictures.contains(&noise(*seed))).collect()
}

fn narrow(sources: &[Vec<u8>]) -> Run {
    let mut run = sources.iter().fold(Run::new(), |run, source| run.with(source));
    run.limits.memory_bytes = MEMORY;
    run
}

fn every_picture_is_kept(tool: Tool, options: Value) {
    let result = narrow(&[album(PAGES, 0)]).result(tool, options);
    assert_eq!(seeds(&result, PAGES as u64).len(), PAGES, "{tool:?}");
}

#[test]
fn tools_that_change_a_document_keep_its_large_pictures() {
    every_picture_is_kept(Tool::MergePdf, json!({}));
    every_picture_is_kept(Tool::OrganizePdf, json!({"rotate": [{"pages": "1", "degrees": 90}]}));
    every_picture_is_kept(Tool::WatermarkPdf, json!({"text": "draft"}));
    every_picture_is_kept(Tool::EditMetadata, json!({"set": {"title": "Album"}}));
    every_picture_is_kept(Tool::FlattenPdf, json!({}));
    every_picture_is_kept(Tool::MarkTest, json!({}));
    every_picture_is_kept(Tool::PdfToPdfa, json!({}));
}

#[test]
fn split_files_have_their_own_large_pictures_alone() {
    let (_, parts) = narrow(&[album(PAGES, 0)]).results(Tool::SplitPdf, json!({"mode": "every", "every": 40}));
    let kept: Vec<Vec<u64>> = parts.iter().map(|part| seeds(part, PAGES as u64)).collect();
    assert_eq!(kept, [(0..40).collect::<Vec<_>>(), (40..80).collect(), (80..100).collect()]);
}

#[test]
fn merged_files_keep_the_large_pictures_of_each() {
    let result = narrow(&[album(40, 0), album(40, 40)]).result(Tool::MergePdf, json!({}));
    assert_eq!(seeds(&result, 80).len(), 80);
}

#[test]
fn a_stamp_and_its_document_keep_their_own_large_pictures() {
    let mut run = Run::new().with(&album(3, 0));
    run.push(&album(1, 3), Format::Pdf);
    assert_eq!(seeds(&run.result(Tool::WatermarkPdf, json!({})), 4), [0, 1, 2, 3]);
}

#[test]
fn a_document_of_large_pictures_is_inspected() {
    let run = narrow(&[album(PAGES, 0)]);
    let outcome = run.run(Tool::InspectDocument, json!({})).unwrap();
    let report = std::fs::read(run.path(&outcome.artifacts[0].file)).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["pages"].as_array().map(Vec::len), Some(PAGES));
}

#[test]
fn a_document_whose_other_objects_do_not_fit_is_refused() {
    let mut document = plain_document("Large", 1, (300.0, 400.0));
    for seed in 0..100 {
        document.add_object(Stream::new(lopdf::Dictionary::new(), noise(seed)));
    }
    let failure = narrow(&[save(&mut document)]).run(Tool::MergePdf, json!({})).unwrap_err();
    assert_eq!(failure.code, ErrorCode::RenderFailed);
}
