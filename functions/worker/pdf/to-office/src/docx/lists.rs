//! Lists and their numbers (ECMA-376, part 1, 17.9).

use super::NAMESPACES;
use crate::xml::Xml;

/// Word has nine levels.
const LEVELS: u8 = 9;
const BULLETS: [&str; 3] = ["•", "◦", "▪"];
/// How far each level is indented, in twentieths of a point.
const STEP: u32 = 360;
/// The numbering of all bullets.
const BULLET: usize = 1;

/// How far the text of an item is indented, in points.
pub(super) fn indent(depth: u8) -> f64 {
    f64::from(STEP) / 20.0 * (f64::from(depth.min(LEVELS - 1)) + 1.0)
}

/// The numberings of a document. Each ordered list has one that begins with the list's own number.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The level at which each ordered numbering begins, and its first number.
    ordered: Vec<(u8, u32)>,
    /// The open list: its number in the model, its numbering, and the last number of each level.
    open: Option<(u32, usize, Vec<u32>)>,
}

impl Lists {
    /// The numbering and the level of an item.
    pub(super) fn item(&mut self, list: u32, depth: u8, number: Option<u32>) -> (usize, u8) {
        let level = depth.min(LEVELS - 1);
        let Some(number) = number else { return (BULLET, level) };
        if let Some((open, numbering, counts)) = &mut self.open
            && *open == list
            && counts.get(usize::from(level)).is_some_and(|last| last.checked_add(1) == Some(number))
        {
            counts.truncate(usize::from(level));
            counts.push(number);
            // Deeper levels begin again.
            counts.resize(usize::from(LEVELS), 0);
            return (*numbering, level);
        }
        self.ordered.push((level, number));
        let numbering = BULLET + self.ordered.len();
        let mut counts = vec![0; usize::from(LEVELS)];
        if let Some(count) = counts.get_mut(usize::from(level)) {
            *count = number;
        }
        self.open = Some((list, numbering, counts));
        (numbering, level)
    }

    pub(super) fn part(&self) -> Xml {
        let mut xml = Xml::part();
        xml.open("w:numbering", NAMESPACES);
        levels(&mut xml, BULLET, |_| None);
        for (at, (first_level, first)) in self.ordered.iter().enumerate() {
            levels(&mut xml, BULLET + 1 + at, |level| Some(if level == *first_level { *first } else { 1 }));
        }
        for number in BULLET..=BULLET + self.ordered.len() {
            let number = number.to_string();
            xml.open("w:num", &[("w:numId", &number)]).empty("w:abstractNumId", &[("w:val", &number)]).close("w:num");
        }
        xml.close("w:numbering");
        xml
    }
}

/// The levels of a numbering: bullets, or numbers from `start` on.
fn levels(xml: &mut Xml, number: usize, start: impl Fn(u8) -> Option<u32>) {
    xml.open("w:abstractNum", &[("w:abstractNumId", &number.to_string())]);
    xml.empty("w:multiLevelType", &[("w:val", "hybridMultilevel")]);
    for level in 0..LEVELS {
        let start = start(level);
        let (format, text) = match start {
            Some(_) => ("decimal", format!("%{}.", level + 1)),
            None => ("bullet", BULLETS.iter().cycle().nth(level.into()).copied().unwrap_or_default().to_owned()),
        };
        let left = (STEP * (u32::from(level) + 1)).to_string();
        xml.open("w:lvl", &[("w:ilvl", &level.to_string())])
            .empty("w:start", &[("w:val", &start.unwrap_or(1).to_string())])
            .empty("w:numFmt", &[("w:val", format)])
            .empty("w:lvlText", &[("w:val", &text)])
            .empty("w:lvlJc", &[("w:val", "left")])
            .open("w:pPr", &[])
            .empty("w:ind", &[("w:left", &left), ("w:hanging", &STEP.to_string())])
            .close("w:pPr")
            .close("w:lvl");
    }
    xml.close("w:abstractNum");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_lists_have_their_own_numbers() {
        let mut lists = Lists::default();
        let mut item = |list, depth, number| lists.item(list, depth, number);
        assert_eq!([item(1, 0, None), item(1, 1, None)], [(1, 0), (1, 1)]);
        assert_eq!(
            [item(2, 0, Some(1)), item(2, 0, Some(2)), item(2, 1, Some(1)), item(2, 1, Some(2))],
            [(2, 0), (2, 0), (2, 1), (2, 1)]
        );
        // Deeper items begin again after one above, and a leap or another list is a numbering of its own.
        assert_eq!(
            [item(2, 0, Some(3)), item(2, 1, Some(1)), item(2, 0, Some(7)), item(3, 0, Some(1))],
            [(2, 0), (2, 1), (3, 0), (4, 0)]
        );
        assert_eq!(lists.ordered, [(0, 1), (0, 7), (0, 1)]);
    }
}
