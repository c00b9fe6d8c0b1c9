//! redact-pdf: the proof finds leftovers of an incomplete removal, and everything else stays.

use docmill_pdf_core::objects::Lookup;
use docmill_pdf_redact::Steps;
use docmill_pdf_request::{ErrorCode, Outcome, Tool};
use lopdf::{Dictionary, Document, Object, Stream, dictionary};
use serde_json::{Value, json};

use super::{Run, fixture, links, outline, page_texts, text};
use crate::tools::redact::run_with;

const WORD: &str = "Griffinshire";

/// The error code of a redaction that skips a step.
fn without(steps: Steps, source: &[u8]) -> Result<Outcome, ErrorCode> {
    let run = Run::new().with(source);
    let request = run.request(Tool::RedactPdf, json!({"text": [{"literal": WORD}]}));
    let result = run_with(super::engines(), &request, steps).map_err(|failure| failure.code);
    let left: Vec<_> = std::fs::read_dir(&request.directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    if result.is_err() {
        assert!(!left.contains(&"result.pdf".into()), "nothing is delivered: {left:?}");
    } else {
        assert_eq!(left, ["result.pdf"]);
    }
    result
}

/// A page with a word in its text, in a comment, and in the title of a bookmark.
fn source(content: bool, annotation: bool, bookmark: bool) -> Vec<u8> {
    let mut document = fixture::plain_document(if content { WORD } else { "Harvest" }, 1, (300.0, 400.0));
    let page = document.get_pages()[&1];
    if annotation {
        let look = Stream::new(
            dictionary! {
                "Type" => "XObject", "Subtype" => "Form", "BBox" => vec![0.into(), 0.into(), 200.into(), 30.into()],
                "Resources" => dictionary! { "Font" => dictionary! { "F" => dictionary! { "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica" } } },
            },
            format!("BT /F 18 Tf 5 8 Td ({WORD}) Tj ET").into_bytes(),
        );
        let look = document.add_object(look);
        let comment = document.add_object(dictionary! {
            "Type" => "Annot", "Subtype" => "FreeText", "Rect" => vec![20.into(), 80.into(), 220.into(), 110.into()],
            "AP" => dictionary! { "N" => look },
        });
        document.get_dictionary_mut(page).unwrap().set("Annots", vec![comment.into()]);
    }
    if bookmark {
        let root = document.new_object_id();
        let item = document.add_object(dictionary! { "Title" => Object::string_literal(WORD), "Parent" => root });
        document.objects.insert(root, dictionary! { "First" => item, "Last" => item, "Count" => 1 }.into());
        document.catalog_mut().unwrap().set("Outlines", root);
    }
    fixture::save(&mut document)
}

#[test]
fn an_incomplete_removal_delivers_nothing() {
    let incomplete = Err(ErrorCode::RedactionIncomplete);
    let outcome = |steps, source: &[u8]| without(steps, source).map(drop);
    assert_eq!(outcome(Steps::ALL, &source(true, true, true)), Ok(()));
    // A page whose text stays becomes a picture, so that step must be skipped too.
    let no_text = Steps { content: false, as_pictures: false, ..Steps::ALL };
    assert_eq!(outcome(no_text, &source(true, false, false)), incomplete);
    // The words of a comment that stays are emptied, so that step must be skipped too.
    let no_annotations = Steps { annotations: false, words: false, ..Steps::ALL };
    assert_eq!(outcome(no_annotations, &source(false, true, false)), incomplete);
    let no_words = Steps { words: false, ..Steps::ALL };
    assert_eq!(outcome(no_words, &source(false, false, true)), incomplete);
}

#[test]
fn a_plain_string_is_a_literal() {
    let run = Run::new().with(&source(true, true, true));
    let (outcome, documents) = run.results(Tool::RedactPdf, json!({"text": [WORD]}));
    assert!(!page_texts(&documents[0]).join(" ").contains(WORD));
    assert_eq!(outcome.report.unwrap()["text"][0]["matches"], 2);
}

/// Such patterns match what a file has beside its text: keywords of character maps, numbers of glyphs.
#[test]
fn patterns_of_any_letter_or_digit_leave_the_rest_as_text() {
    for (pattern, stays, goes) in
        [("[A-Z]+", "212", "Harbor"), (r"\d+", "Harbor", "212"), ("[A-Z][a-z]+", "212", "Harbor")]
    {
        let run = Run::new().with(include_bytes!("../../../../../samples/tree-survey.pdf"));
        let (_, documents) = run.results(Tool::RedactPdf, json!({"text": [{ "pattern": pattern }]}));
        let text = page_texts(&documents[0]).join(" ");
        assert!(text.contains(stays) && !text.contains(goes), "{pattern}: {text}");
    }
}

#[test]
fn a_picture_that_stays_under_its_box_is_found() {
    let noise: Vec<u8> = (0..64u32 * 64).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let mut document = fixture::plain_document("Harvest", 1, (300.0, 400.0));
    let picture = document.add_object(Stream::new(
        dictionary! {
            "Type" => "XObject", "Subtype" => "Image", "Width" => 64, "Height" => 64, "ColorSpace" => "DeviceGray", "BitsPerComponent" => 8,
        },
        noise.clone(),
    ));
    let page = document.get_pages()[&1];
    let content = document.add_object(Stream::new(Dictionary::new(), b"q 200 0 0 200 50 100 cm /P Do Q".to_vec()));
    let entries = document.get_dictionary_mut(page).unwrap();
    entries.set("Contents", content);
    entries.set("Resources", dictionary! { "XObject" => dictionary! { "P" => picture } });
    let run = Run::new().with(&fixture::save(&mut document));
    let result = run.result(Tool::RedactPdf, json!({"regions": [{"page": 1, "box": [50, 100, 150, 200]}]}));
    let pictures: Vec<Vec<u8>> = result
        .objects
        .values()
        .filter_map(|object| object.as_stream().ok())
        .filter(|stream| stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Image"))
        .map(|stream| stream.decompressed_content().unwrap())
        .collect();
    let [painted] = pictures.as_slice() else { panic!("{} pictures", pictures.len()) };
    // The upper left quarter is painted over; the rest is unchanged.
    let changed = |at: usize| painted[at] != noise[at];
    assert!((0..31).all(|y| (0..31).all(|x| painted[y * 64 + x] == 0)), "the pixels are gone");
    assert!((0..64).all(|y| (34..64).all(|x| !changed(y * 64 + x))), "the right half stays");
    assert!((34..64).all(|y| (0..64).all(|x| !changed(y * 64 + x))), "the lower half stays");
}

#[test]
fn paths_in_a_region_are_removed_and_others_are_cut() {
    let mut document = fixture::plain_document("Harvest", 1, (300.0, 400.0));
    let page = document.get_pages()[&1];
    // A scribble, a curve that leaves the region, a line through it, and a background.
    let drawn = "0.9 g 0 0 300 400 re f 0 G 101 301 m 113 317 l 127 309 l S 140 310 m 160 330 230 330 250 310 c S 10 305 m 290 305 l S";
    let content = document.add_object(Stream::new(Dictionary::new(), drawn.as_bytes().to_vec()));
    document.get_dictionary_mut(page).unwrap().set("Contents", content);
    let run = Run::new().with(&fixture::save(&mut document));
    let (outcome, results) =
        run.results(Tool::RedactPdf, json!({"regions": [{"page": 1, "box": [100, 60, 200, 100]}]}));
    assert_eq!(outcome.report.unwrap()["pages"][0]["method"], "removed");
    let content = results[0].get_page_content(results[0].get_pages()[&1]);
    let content = String::from_utf8_lossy(&content).into_owned();
    for gone in ["113 317", "127 309", "140 310"] {
        assert!(!content.contains(gone), "{gone}: {content}");
    }
    for stays in ["0 0 300 400 re", "10 305 m", "250.0 310.0"] {
        assert!(content.contains(stays), "{stays}: {content}");
    }
}

#[test]
fn content_that_is_not_redacted_stays() {
    let source = fixture::rich("one", 3);
    let before = Document::load_mem(&source).unwrap();
    let run = Run::new().with(&source);
    let options = json!({"text": [{"literal": "one 2"}, {"literal": "nowhere at all"}]});
    let (outcome, results) = run.results(Tool::RedactPdf, options);
    let after = &results[0];
    assert_eq!(page_texts(after).join("|").replace(char::is_whitespace, ""), "one1layershown||one3");
    assert_eq!(outline(after).len(), outline(&before).len());
    assert_eq!(links(after).iter().map(Vec::len).sum::<usize>(), links(&before).iter().map(Vec::len).sum::<usize>());
    assert_eq!(super::fields(after), super::fields(&before));
    assert!(super::attachments(after).is_empty());
    let codes: Vec<&str> = outcome.warnings.iter().map(|warning| warning.code.as_str()).collect();
    assert!(codes.contains(&"text_not_found") && codes.contains(&"attachments_removed"), "{codes:?}");
    assert!(!codes.contains(&"nothing_redacted"), "{codes:?}");
    let (nothing, _) = run.results(Tool::RedactPdf, json!({"text": [{"literal": "nowhere at all"}]}));
    assert!(nothing.warnings.iter().any(|warning| warning.code == "nothing_redacted"), "{:?}", nothing.warnings);
    let report: Value = outcome.report.unwrap();
    assert_eq!(report["text"], json!([{"matches": 1}, {"matches": 0}]));
    assert_eq!((&report["pages"][0]["page"], &report["pages"][0]["method"]), (&json!(2), &json!("removed")));
}

#[test]
fn a_redaction_that_finds_nothing_fails_if_asked_to() {
    let (title, word) = ("Chapter of Zebrowski", "one");
    let mut document = fixture::plain_document(word, 1, (300.0, 400.0));
    let info = document.add_object(dictionary! { "Title" => Object::string_literal(title) });
    document.trailer.set("Info", info);
    let run = Run::new().with(&fixture::save(&mut document));
    let options = |text: &str| json!({"text": [text], "metadata": false, "nothingFound": "fail"});
    let failure = run.run(Tool::RedactPdf, options("Zebrofski")).unwrap_err();
    assert_eq!(failure.code, ErrorCode::RedactionIncomplete);
    for told in ["Nothing was found", "spelling", "ocr-pdf"] {
        assert!(failure.message.contains(told), "{}", failure.message);
    }
    assert!(!run.path("result.pdf").exists(), "no file is made");
    // On a page, and only in a title, which pages do not show.
    for found in [word, "Zebrowski"] {
        let (outcome, _) = run.results(Tool::RedactPdf, options(found));
        assert!(outcome.warnings.iter().all(|warning| warning.code != "nothing_redacted"), "{:?}", outcome.warnings);
    }
}

#[test]
fn requested_metadata_stay_if_they_contain_nothing_redacted() {
    let mut document = fixture::plain_document("Harvest", 1, (300.0, 400.0));
    let info = document.add_object(dictionary! {
        "Title" => Object::string_literal("The harvest"), "Author" => Object::string_literal(format!("J. {WORD}")),
    });
    document.trailer.set("Info", info);
    let run = Run::new().with(&fixture::save(&mut document));
    let options = |metadata: bool| json!({"text": [{"literal": WORD}], "metadata": metadata});
    let kept = run.result(Tool::RedactPdf, options(false));
    let info = kept.child(&kept.trailer, b"Info").unwrap();
    assert_eq!(text(info.get(b"Title").unwrap()), "The harvest");
    assert_eq!(text(info.get(b"Author").unwrap()), "J. █");
    assert!(!run.result(Tool::RedactPdf, options(true)).trailer.has(b"Info"));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let run = Run::new().with(&fixture::plain("one", 1));
    for options in [
        json!({}),
        json!({"regions": [{"page": 2, "box": [0, 0, 9, 9]}]}),
        json!({"regions": [{"page": 1, "box": [5, 0, 5, 9]}]}),
        json!({"text": [{"literal": "one"}], "label": "None or one"}),
        json!({"text": [{"pattern": "x*"}]}),
    ] {
        assert_eq!(run.run(Tool::RedactPdf, options.clone()).unwrap_err().code, ErrorCode::RenderFailed, "{options}");
    }
}
