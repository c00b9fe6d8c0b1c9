//! PDFs: their structure by the engine `text/`, and what it does not know: hidden text, figures, fields, captions, footnotes.

mod blocks;
mod captions;
mod confidence;
mod fields;
pub mod figures;
mod footnotes;
mod hidden;
mod look;
mod needs;
mod script;
mod table;
mod tagged;
pub mod vectors;
mod whole;

pub use figures::Drawings;
pub use hidden::{Read, UnknownText, read, unknown_text};
pub use tagged::Tags;
pub use whole::{Head, Keep, document};

use docmill_pdf_core::pdfium::{Rect, Widget};

use super::model::{Figure, Hidden, TextSource};

/// A figure where a page shows it.
#[derive(Debug)]
pub struct Drawn {
    /// As the page is shown.
    pub area: Rect,
    /// What the document says of it.
    pub figure: Figure,
    /// What it is made of.
    pub kind: Kind,
}

/// What a figure is made of.
#[derive(Debug)]
pub enum Kind {
    /// Pixels.
    Picture,
    /// Lines and shapes, with this text.
    Drawing(String),
}

/// What is known of a page besides its text.
#[derive(Debug)]
pub struct Facts {
    /// Where its text is from.
    pub source: TextSource,
    /// From 0 to 1.
    pub confidence: f32,
    /// Text that readers of the page don't see.
    pub hidden: Vec<Hidden>,
    /// Pictures and drawings, as the page is shown.
    pub figures: Vec<Drawn>,
    /// The widgets of its form.
    pub fields: Vec<Widget>,
}

#[cfg(test)]
mod tests;
