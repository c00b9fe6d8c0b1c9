//! Parts in XML: documents, slides, headers, properties.

mod joined;
mod mend;
mod read;
mod scan;
mod sections;
mod units;

pub(crate) use mend::{mended, with_distinct_numbers};
pub(crate) use read::read;
pub(crate) use scan::is_well_formed;

/// Where a part has its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// In `t` elements of runs in paragraphs: Office Open XML.
    Runs,
    /// In paragraphs and their spans: OpenDocument.
    Spans,
    /// In any element; each is a paragraph of its own: properties.
    Leaves,
}
