//! What is told about pictures.

use std::collections::BTreeMap;

use docmill_pdf_core::picture::Reason;
use docmill_pdf_shrink::Handled;
use lopdf::ObjectId;
use serde_json::{Value, json};

/// The most pictures that a report lists.
const MOST_LISTED: usize = 1000;

/// What was done with pictures, and why others stay as they are. `is_source`: whether the result is the source after all.
pub(super) fn pictures(pictures: &[Handled], converted: &[ObjectId], is_source: bool) -> Value {
    let row = |picture: &Handled| {
        let changed = picture.done.ok().filter(|_| !is_source);
        let kept = if is_source { Some(picture.done.err().unwrap_or(Reason::Compact)) } else { picture.done.err() };
        json!({
            "pages": picture.pages.iter().map(|page| page + 1).collect::<Vec<_>>(),
            "width": picture.width,
            "height": picture.height,
            "bytesBefore": picture.bytes_before,
            "bytesAfter": if is_source { picture.bytes_before } else { picture.bytes_after },
            "done": changed.map_or("kept", |done| done.as_str()),
            "reason": kept.map(Reason::as_str),
            "converted": converted.contains(&picture.id),
        })
    };
    pictures.iter().take(MOST_LISTED).map(row).collect()
}

/// Why a result is hardly smaller.
pub(super) fn not_smaller(pictures: &[Handled], before: u64) -> String {
    let bytes: u64 = pictures.iter().map(|picture| picture.bytes_before as u64).sum();
    let start = "The result saves less than a twentieth.";
    if pictures.is_empty() {
        return format!("{start} The PDF has no pictures, and its fonts and pages are compact already.");
    }
    let mut reasons: BTreeMap<Reason, usize> = BTreeMap::new();
    for reason in pictures.iter().filter_map(|picture| picture.done.err()) {
        *reasons.entry(reason).or_default() += 1;
    }
    let share = (bytes * 100).checked_div(before).unwrap_or(0).min(100);
    let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {}", reason.told())).collect();
    let told = if reasons.is_empty() { "all were changed".to_owned() } else { reasons.join(", ") };
    format!("{start} Of {} pictures, which take {share} % of the PDF: {told}.", pictures.len())
}
