use std::path::Path;

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use serde_json::{Value, json};

use crate::{Run, fixture, run_on};

fn compress(options: Value) -> Run {
    run_on(Tool::CompressPdf, "pictures.pdf", options)
}

fn bytes(run: &Run) -> usize {
    run.files()[0].len()
}

fn warnings(run: &Run) -> Vec<&str> {
    run.outcome().warnings.iter().map(|warning| warning.code.as_str()).collect()
}

#[test]
fn presets_go_from_large_to_small_and_keep_the_text() {
    let sizes: Vec<usize> = ["lossless", "high", "balanced", "small"]
        .map(|preset| {
            let run = compress(json!({"preset": preset}));
            let report = run.outcome().report.clone().unwrap();
            assert_eq!(report["bytesAfter"], bytes(&run));
            for page in report["pages"].as_array().unwrap() {
                assert_eq!(page["textSame"], true, "{preset}: {page}");
                assert!(page["similarity"].as_f64().unwrap() > 0.85, "{preset}: {page}");
            }
            bytes(&run)
        })
        .to_vec();
    assert!(sizes.is_sorted_by(|a, b| a >= b), "{sizes:?}");
    assert!(sizes[2] < std::fs::metadata(fixture("pictures.pdf")).unwrap().len() as usize);
}

#[test]
fn a_result_is_never_larger_than_its_source() {
    let once = compress(json!({}));
    let path = once.path(&once.outcome().artifacts[0]);
    let again = crate::run(Tool::CompressPdf, vec![crate::source(&path, Format::Pdf)], json!({}));
    assert!(bytes(&again) <= bytes(&once));
    assert!(bytes(&again) < bytes(&once) || warnings(&again).contains(&"already_compact"));
}

#[test]
fn a_target_is_met_or_its_miss_is_reported() {
    let source = std::fs::metadata(fixture("pictures.pdf")).unwrap().len();
    let met = compress(json!({"targetBytes": source * 9 / 10}));
    assert!(bytes(&met) as u64 <= source * 9 / 10 && !warnings(&met).contains(&"target_missed"));
    assert!(warnings(&compress(json!({"targetBytes": 2000}))).contains(&"target_missed"));
}

#[test]
fn the_same_request_gives_the_same_bytes() {
    assert!(compress(json!({})).files() == compress(json!({})).files());
}

#[test]
fn a_linearized_result_is_marked_as_such() {
    let file = compress(json!({"linearize": true})).files().remove(0);
    assert!(file[..1024].windows(11).any(|window| window == b"/Linearized"));
}

#[test]
fn fields_links_and_tags_are_kept() {
    let run = run_on(Tool::CompressPdf, "layouts/code.pdf", json!({"preset": "small"}));
    let path = run.path(&run.outcome().artifacts[0]);
    let seen = crate::run(Tool::InspectDocument, vec![crate::source(&path, Format::Pdf)], json!({}));
    let seen: Value = serde_json::from_slice(&seen.files()[0]).unwrap();
    assert_eq!(seen["tagged"], true);
    assert_eq!(seen["pages"][0]["annotations"], 1);
}

#[test]
fn a_damaged_source_is_rewritten_even_if_that_is_larger() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/corpus/pdfs/cross-reference-ring.pdf");
    let run = crate::run(Tool::CompressPdf, vec![crate::source(&file, Format::Pdf)], json!({}));
    assert!(!warnings(&run).contains(&"already_compact"));
    let made = run.path(&run.outcome().artifacts[0]);
    crate::run(Tool::Verify, vec![crate::source(&made, Format::Pdf)], json!({})).outcome();
}
