//! PDFs: their structure by the engine `text/`, and what it does not know: hidden text, figures, fields, captions, footnotes.

mod blocks;
mod captions;
mod fields;
pub(crate) mod figures;
mod footnotes;
mod hidden;
mod needs;
mod script;
mod table;
mod tagged;
mod whole;

pub(crate) use figures::Drawings;
pub(crate) use hidden::{Read, read};
pub(crate) use tagged::Tags;
pub(crate) use whole::{Head, document};

use super::model::{Figure, Hidden, TextSource};
use crate::pdfium::{Rect, Widget};

/// What is known of a page besides its text.
#[derive(Debug)]
pub(crate) struct Facts {
    pub source: TextSource,
    /// From 0 to 1.
    pub confidence: f32,
    pub hidden: Vec<Hidden>,
    /// From top to bottom, as the page is shown.
    pub figures: Vec<(Rect, Figure)>,
    pub fields: Vec<Widget>,
}
