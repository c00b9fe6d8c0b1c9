//! The result of a comparison, and its descriptions.

use docmill_pdf_core::pdfium::Rect;
use serde_json::{Value, json};

use super::{Changed, Pair};

/// Most pages in the job's report. The data lists all.
const MOST_REPORTED: usize = 200;

/// A pair of pages, or one page without a counterpart.
#[derive(Debug)]
pub(crate) struct ComparedPage {
    pub(crate) pair: Pair,
    /// From 0 to 1, which means no differences.
    pub(crate) similarity: f64,
    /// Areas that look different, at the same place on both pages.
    pub(crate) areas: Vec<Rect>,
    pub(crate) removed: Vec<Changed>,
    pub(crate) added: Vec<Changed>,
}

impl ComparedPage {
    /// A pair that was not compared yet.
    pub(crate) fn of(pair: Pair) -> Self {
        Self { pair, similarity: 0.0, areas: Vec::new(), removed: Vec::new(), added: Vec::new() }
    }

    pub(crate) fn is_changed(&self) -> bool {
        let stands_alone = self.pair.before.is_none() || self.pair.after.is_none();
        stands_alone || !self.areas.is_empty() || !self.removed.is_empty() || !self.added.is_empty()
    }

    fn numbers(&self) -> (Value, Value) {
        let number = |index: Option<usize>| json!(index.map(|index| index + 1));
        (number(self.pair.before), number(self.pair.after))
    }
}

/// The mean of all pages.
pub(crate) fn similarity(pages: &[ComparedPage]) -> f64 {
    pages.iter().map(|page| page.similarity).sum::<f64>() / pages.len().max(1) as f64
}

/// For the job's report: only counts, nothing of the documents' content.
pub(crate) fn report(pages: &[ComparedPage]) -> Value {
    let listed = pages.iter().take(MOST_REPORTED).map(|page| {
        let (before, after) = page.numbers();
        json!({ "before": before, "after": after, "similarity": rounded(page.similarity), "changed": page.is_changed() })
    });
    json!({
        "similarity": rounded(similarity(pages)),
        "changedPages": pages.iter().filter(|page| page.is_changed()).count(),
        "wordsRemoved": words(pages.iter().flat_map(|page| &page.removed)),
        "wordsAdded": words(pages.iter().flat_map(|page| &page.added)),
        "pages": listed.collect::<Vec<_>>(),
    })
}

/// All results. Places are in points from the top left corner of the page as shown.
pub(crate) fn data(pages: &[ComparedPage]) -> Value {
    let page = |page: &ComparedPage| {
        let (before, after) = page.numbers();
        let texts = |changes: &[Changed]| {
            changes.iter().map(|change| json!({ "text": change.text, "area": area(&change.place) })).collect::<Vec<_>>()
        };
        json!({
            "before": before,
            "after": after,
            "similarity": rounded(page.similarity),
            "areas": page.areas.iter().map(area).collect::<Vec<_>>(),
            "removed": texts(&page.removed),
            "added": texts(&page.added),
        })
    };
    json!({
        "similarity": rounded(similarity(pages)),
        "wordsRemoved": words(pages.iter().flat_map(|page| &page.removed)),
        "wordsAdded": words(pages.iter().flat_map(|page| &page.added)),
        "pages": pages.iter().map(page).collect::<Vec<_>>(),
    })
}

fn words<'a>(changes: impl Iterator<Item = &'a Changed>) -> usize {
    changes.map(|change| change.words).sum()
}

fn area(place: &Rect) -> Value {
    let tenths = |points: f32| (f64::from(points) * 10.0).round() / 10.0;
    json!({ "x": tenths(place.x0), "y": tenths(place.y0), "width": tenths(place.width()), "height": tenths(place.height()) })
}

/// Rounded to four digits. Only identical pages have 1.
fn rounded(similarity: f64) -> f64 {
    if similarity >= 1.0 { 1.0 } else { (similarity * 1e4).floor() / 1e4 }
}
