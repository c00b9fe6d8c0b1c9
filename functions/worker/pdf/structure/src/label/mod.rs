//! Text as searchable PDF content: any script, in either direction, with installed fonts, and emoji in their colors.
//!
//! Lines are divided by direction, script and font, and shaped. All labels that are added together share their fonts.

mod embed;
mod pictures;
mod shape;
mod write;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use docmill_pdf_core::fonts::Fonts;
use docmill_pdf_core::matrix::Matrix;
use docmill_pdf_request::{Failure, Warning};
use lopdf::{Document, ObjectId};

/// The distance between lines in ems.
pub(crate) const LINE_EM: f32 = 1.25;

/// How labels look.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// In points.
    pub size: f32,
    /// `#rrggbb`.
    pub color: &'a str,
    /// Of its lines in a box as wide as the widest.
    pub align: Align,
}

/// The horizontal alignment of a label's lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Align {
    /// On the left.
    Start,
    /// In the middle.
    Center,
    /// On the right.
    End,
}

/// A label as an object of a document.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// The object to draw.
    pub form: ObjectId,
    /// In points.
    pub width: f32,
    /// In points.
    pub height: f32,
    /// The distance of the first line's baseline from the lower edge, in points.
    pub baseline: f32,
    /// From the form's coordinates to a box of this size whose lower left corner is the origin.
    pub matrix: Matrix,
}

/// Characters that no font has: boxes stand for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Missing(BTreeSet<char>);

impl Missing {
    /// Adds those of another text.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// What to tell. `None` if nothing is missing.
    pub fn warning(&self) -> Option<Warning> {
        let characters: String = self.0.iter().collect();
        let message = "No font has some characters of the text: boxes stand for them. Choose other characters.";
        (!characters.is_empty()).then(|| Warning::new("missing_glyph", message).with_detail(characters))
    }
}

/// Lays out texts and adds them to a document, in order. `None` for texts that show nothing.
///
/// # Errors
///
/// Fails if a drawing library fails.
pub fn add(
    fonts: &Fonts,
    document: &mut Document,
    texts: &[String],
    look: Look<'_>,
) -> Result<(Vec<Option<Label>>, Missing), Failure> {
    let mut refused = Vec::new();
    loop {
        // A font that can't be embedded is drawn instead. Each attempt refuses one more.
        match write::write(fonts, document, texts, look, &refused)? {
            Ok(written) => return Ok(written),
            Err(face) => refused.push(face),
        }
    }
}

fn unreadable(cause: &str) -> Failure {
    Failure::internal(format!("label: {cause}"))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // Not allowed in XML.
            character if character.is_control() || matches!(character, '\u{FFFE}' | '\u{FFFF}') => escaped.push(' '),
            character => escaped.push(character),
        }
    }
    escaped
}
