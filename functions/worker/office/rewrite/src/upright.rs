//! Boxes with letters one below the other. LibreOffice 25.2 knows one column of them only, which leaves its box, and prints Mongolian's
//! columns as lines. Text in Chinese, Japanese and Korean looks the same in columns from right to left, which it knows.

use std::ops::Range;

use quick_xml::events::BytesStart;

use super::east_asian::is_east_asian;
use super::edit::{Edit, attribute};

pub(super) const SIGNS: [&str; 2] = ["vert=\"wordArtVert", "vert=\"mongolianVert\""];

/// The directions that become columns from right to left.
const STACKED: [&str; 3] = ["wordArtVert", "wordArtVertRtl", "mongolianVert"];

/// A box whose direction may change.
#[derive(Debug, Default)]
pub(super) struct Upright {
    /// The start tag of its properties, and their direction.
    properties: Option<(Range<usize>, String)>,
    is_east_asian: bool,
}

impl Upright {
    pub(super) fn open(range: Range<usize>, tag: &BytesStart<'_>) -> Self {
        let direction = attribute(tag, "vert").filter(|direction| STACKED.contains(&direction.as_str()));
        Self { properties: direction.map(|direction| (range, direction)), is_east_asian: false }
    }

    pub(super) fn text(&mut self, text: &str) {
        self.is_east_asian |= text.chars().any(is_east_asian);
    }

    /// The edit at the end of the box.
    pub(super) fn end(&mut self, xml: &str) -> Option<Edit> {
        let Self { properties, is_east_asian } = std::mem::take(self);
        let (range, direction) = properties.filter(|_| is_east_asian)?;
        let columns = xml.get(range.clone())?.replace(&format!("vert=\"{direction}\""), "vert=\"eaVert\"");
        Some(Edit::new(range, columns))
    }
}

#[cfg(test)]
mod tests {
    use super::super::slides::{Number, edited};

    #[test]
    fn stacked_letters_become_columns_in_east_asian_text() {
        let text_box = |direction: &str, text: &str| {
            format!("<p:txBody><a:bodyPr vert=\"{direction}\"/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>")
        };
        let changed = |direction, text| edited(&text_box(direction, text), Number::default()).unwrap().xml;
        for direction in ["wordArtVert", "wordArtVertRtl", "mongolianVert"] {
            assert_eq!(changed(direction, "縦書き").unwrap(), text_box("eaVert", "縦書き"));
            assert_eq!(changed(direction, "stacked"), None);
        }
        assert_eq!(changed("vert270", "縦書き"), None);
    }
}
