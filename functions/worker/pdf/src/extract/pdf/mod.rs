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
pub(crate) mod vectors;
mod whole;

pub(crate) use figures::Drawings;
pub(crate) use hidden::{Read, UnknownText, read, unknown_text};
pub(crate) use tagged::Tags;
pub(crate) use whole::{Head, document};

use super::model::{Figure, Hidden, TextSource};
use crate::pdfium::{Rect, Widget};

/// A figure where a page shows it.
#[derive(Debug)]
pub(crate) struct Drawn {
    pub area: Rect,
    pub figure: Figure,
    pub kind: Kind,
}

/// What a figure is made of.
#[derive(Debug)]
pub(crate) enum Kind {
    Picture,
    /// Lines and shapes, with this text.
    Drawing(String),
}

/// What is known of a page besides its text.
#[derive(Debug)]
pub(crate) struct Facts {
    pub source: TextSource,
    /// From 0 to 1.
    pub confidence: f32,
    pub hidden: Vec<Hidden>,
    /// Pictures and drawings, as the page is shown.
    pub figures: Vec<Drawn>,
    pub fields: Vec<Widget>,
}
