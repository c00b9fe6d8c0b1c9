//! Places and values of cells.

use std::collections::HashMap;

use roxmltree::Node;

use super::format::{built_in, show};
use crate::own::package::{attribute, child, elements};
use crate::own::sheet::Area;

/// `B2:C7`, or one cell.
pub(super) fn area(text: &str) -> Option<Area> {
    let (first, last) = text.split_once(':').unwrap_or((text, text));
    let ((top, left), (bottom, right)) = (place(first)?, place(last)?);
    (top <= bottom && left <= right).then_some(Area { top, left, bottom, right })
}

/// The row and the column of a place such as `$AB12`.
pub(super) fn place(text: &str) -> Option<(usize, usize)> {
    let text = text.replace('$', "");
    let at = text.find(|character: char| character.is_ascii_digit())?;
    let (letters, digits) = text.split_at(at);
    let digit = |letter: u8| letter.is_ascii_alphabetic().then(|| usize::from(letter.to_ascii_uppercase() - b'A') + 1);
    let column = letters.bytes().take(4).try_fold(0, |column, letter| Some(column * 26 + digit(letter)?))?;
    let row: usize = digits.parse().ok()?;
    let is_place = (1..=1_048_576).contains(&row) && (1..=16_384).contains(&column);
    is_place.then(|| (row - 1, column - 1))
}

/// What cells' values stand for.
#[derive(Debug, Default)]
pub(super) struct Values {
    pub(super) strings: Vec<String>,
    /// By the number of a cell's style: the code of its format.
    formats: Vec<String>,
    from_1904: bool,
}

impl Values {
    pub(super) fn new(from_1904: bool) -> Self {
        Self { from_1904, ..Self::default() }
    }

    pub(super) fn read_formats(&mut self, root: Node<'_, '_>) {
        let own = child(root, "numFmts").into_iter().flat_map(|formats| elements(formats, "numFmt"));
        let own: HashMap<u32, &str> = own
            .filter_map(|format| Some((attribute(format, "numFmtId")?.parse().ok()?, attribute(format, "formatCode")?)))
            .collect();
        let styles = child(root, "cellXfs").into_iter().flat_map(|styles| elements(styles, "xf"));
        self.formats = styles
            .map(|style| attribute(style, "numFmtId").and_then(|id| id.parse().ok()).unwrap_or(0))
            .map(|id| own.get(&id).copied().unwrap_or_else(|| built_in(id)).to_owned())
            .collect();
    }

    /// The text that a cell shows.
    pub(super) fn text(&self, kind: &str, style: usize, value: &str) -> String {
        match kind {
            "s" => value.trim().parse().ok().and_then(|at: usize| self.strings.get(at)).cloned().unwrap_or_default(),
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "inlineStr" | "e" | "d" => value.to_owned(),
            _ => match (value.trim().parse(), self.formats.get(style)) {
                (Ok(number), Some(code)) => show(number, code, self.from_1904),
                (Ok(number), None) => show(number, "General", self.from_1904),
                (Err(_), _) => value.to_owned(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_parsed() {
        assert_eq!(place("A1"), Some((0, 0)));
        assert_eq!(place("$XFD$1048576"), Some((1_048_575, 16_383)));
        assert_eq!([place("XFE1"), place("A0"), place("1"), place("A"), place("")], [None; 5]);
        assert_eq!(area("B2:C7"), Some(Area { top: 1, left: 1, bottom: 6, right: 2 }));
        assert_eq!(area("C7:B2"), None);
    }
}
