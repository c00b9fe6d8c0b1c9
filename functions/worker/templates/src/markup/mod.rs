//! Parts in XML: documents, slides, headers, properties.

mod anchors;
mod cells;
mod ends;
mod joined;
mod mend;
mod numbers;
mod read;
mod reading;
mod sections;
mod units;

pub(crate) use mend::mended;
pub(crate) use numbers::with_distinct_numbers;
pub(crate) use read::read;
pub(crate) use reading::{Origin, Sheet};

/// Where a part has its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// In `t` elements of runs in paragraphs: Office Open XML.
    Runs,
    /// In paragraphs and their spans: OpenDocument.
    Spans,
    /// In cells, comments, headers and footers: spreadsheets.
    Cells,
    /// In any element; each is a paragraph of its own: properties.
    Leaves,
}
