//! Lists of a Word document: which are numbered, and by which number.

use std::collections::HashMap;

use roxmltree::Node;

use crate::tree::{attribute, child, elements, switch};

const LEVELS: usize = 9;

/// The lists of a document, and how far each has counted.
#[derive(Debug, Default)]
pub struct Numbering {
    /// By the id of a list: its definition, and the starts that it changes.
    lists: HashMap<u32, (u32, HashMap<usize, u32>)>,
    definitions: HashMap<u32, Vec<Level>>,
    counters: HashMap<u32, [Option<u32>; LEVELS]>,
    /// Lists whose own starts were taken.
    started: HashMap<u32, [bool; LEVELS]>,
}

#[derive(Clone, Debug)]
struct Level {
    kind: Kind,
    start: u32,
    /// What is shown, with the numbers of this and higher levels as `%1` to `%9`.
    text: String,
    format: Format,
    /// Shows the numbers of all levels in digits.
    in_digits: bool,
    suffix: Suffix,
}

/// What stands between a number and its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suffix {
    /// A tab.
    #[default]
    Tab,
    /// A space.
    Space,
    /// The text follows at once.
    Nothing,
}

/// How a number is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// 1, 2, 3.
    #[default]
    Digits,
    /// With a zero before one digit.
    TwoDigits,
    /// a, b, c.
    Letters {
        /// A, B, C.
        upper: bool,
    },
    /// i, ii, iii.
    Roman {
        /// I, II, III.
        upper: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Bullet,
    Number,
    /// Neither a number nor a bullet is shown.
    None,
}

/// How an item is marked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Marker {
    /// By a sign.
    Bullet,
    /// By its number.
    Number {
        /// The number in its level.
        number: u32,
        /// As it is shown: `1.`, `b)`, `2.1`, `Article 3`.
        label: String,
        /// Whether the label is the number alone, with a point or bracket: lists of all formats show that.
        is_plain: bool,
        /// What follows the label.
        suffix: Suffix,
    },
    /// Not at all.
    None,
}

impl Numbering {
    /// Reads the part with the lists.
    #[must_use]
    pub fn read(root: Node<'_, '_>) -> Self {
        let mut numbering = Self::default();
        let (mut by_style, mut linked) = (HashMap::new(), HashMap::new());
        for node in elements(root, "abstractNum") {
            let Some(id) = number(node, "abstractNumId") else { continue };
            let name = |link| child(node, link).and_then(|link| attribute(link, "val"));
            by_style.extend(name("styleLink").map(|style| (style, id)));
            linked.extend(name("numStyleLink").map(|style| (id, style)));
            let usual = Level {
                kind: Kind::Bullet,
                start: 1,
                text: String::new(),
                format: Format::Digits,
                in_digits: false,
                suffix: Suffix::Tab,
            };
            let mut levels = vec![usual; LEVELS];
            for level in elements(node, "lvl") {
                let Some(place) = index(level).and_then(|index| levels.get_mut(index)) else { continue };
                let value = |name| child(level, name).and_then(|node| attribute(node, "val"));
                let is_written = value("lvlText").is_some_and(|text| !text.is_empty());
                place.kind = match value("numFmt") {
                    Some("bullet") => Kind::Bullet,
                    Some("none") => Kind::None,
                    Some(_) | None if is_written => Kind::Number,
                    Some(_) | None => Kind::None,
                };
                place.text = value("lvlText").unwrap_or_default().to_owned();
                place.format = Format::of(value("numFmt").unwrap_or_default());
                place.in_digits = child(level, "isLgl").is_some_and(switch);
                place.suffix = match value("suff") {
                    Some("space") => Suffix::Space,
                    Some("nothing") => Suffix::Nothing,
                    Some(_) | None => Suffix::Tab,
                };
                place.start = value("start").and_then(|start| start.parse().ok()).unwrap_or(0);
            }
            numbering.definitions.insert(id, levels);
        }
        for node in elements(root, "num") {
            let definition = child(node, "abstractNumId").and_then(|node| number(node, "val"));
            let (Some(id), Some(definition)) = (number(node, "numId"), definition) else { continue };
            let starts = elements(node, "lvlOverride").filter_map(|level| {
                let start = child(level, "startOverride").and_then(|node| number(node, "val"))?;
                Some((index(level)?, start))
            });
            // Lists of a style count together, by its own definition.
            let definition =
                linked.get(&definition).and_then(|style| by_style.get(style)).copied().unwrap_or(definition);
            numbering.lists.insert(id, (definition, starts.collect()));
        }
        numbering
    }

    /// Counts an item, and tells how it is marked. `None`: there is no such list.
    pub fn next(&mut self, list: u32, level: usize) -> Option<Marker> {
        let (definition, starts) = self.lists.get(&list)?;
        let levels = self.definitions.get(definition)?;
        let own = levels.get(level)?;
        let (kind, start) = (own.kind, own.start);
        let counters = self.counters.entry(*definition).or_default();
        let started = self.started.entry(list).or_default().get_mut(level)?;
        let own_start = starts.get(&level).filter(|_| !*started);
        *started = true;
        // An item of a lower level begins those above, whose next items are then the second ones.
        for (counter, above) in counters.iter_mut().zip(levels).take(level) {
            counter.get_or_insert(above.start);
        }
        let counter = counters.get_mut(level)?;
        let next = match (own_start, &counter) {
            (Some(start), _) => *start,
            (None, Some(number)) => number.saturating_add(1),
            (None, None) => start,
        };
        *counter = Some(next);
        // Lower levels begin again.
        counters.iter_mut().skip(level + 1).for_each(|counter| *counter = None);
        Some(match kind {
            Kind::Bullet => Marker::Bullet,
            Kind::Number => Marker::Number {
                number: next,
                label: own.label(levels, counters),
                is_plain: own.is_plain(level),
                suffix: own.suffix,
            },
            Kind::None => Marker::None,
        })
    }
}

impl Level {
    /// The text with its numbers. Levels above that have not begun have their first one.
    fn label(&self, levels: &[Self], counters: &[Option<u32>; LEVELS]) -> String {
        let mut label = String::new();
        let mut characters = self.text.chars().peekable();
        while let Some(character) = characters.next() {
            let place = characters.peek().filter(|_| character == '%').and_then(|digit| digit.to_digit(10));
            match place.and_then(|place| usize::try_from(place).ok()?.checked_sub(1)) {
                Some(at) => {
                    characters.next();
                    let Some(level) = levels.get(at) else { continue };
                    let number = counters.get(at).copied().flatten().unwrap_or(level.start);
                    let format = if self.in_digits { Format::Digits } else { level.format };
                    label.push_str(&format.written(number));
                }
                None => label.push(character),
            }
        }
        label
    }

    fn is_plain(&self, level: usize) -> bool {
        let own = format!("%{}", level + 1);
        let around = self.text.replacen(&own, "", 1);
        self.text.contains(&own) && around.chars().all(|c| matches!(c, '.' | ')' | '(' | ']' | '[' | ':' | ' '))
    }
}

impl Format {
    /// By its name in documents; digits for others.
    #[must_use]
    pub fn of(name: &str) -> Self {
        match name {
            "decimalZero" => Self::TwoDigits,
            "lowerLetter" => Self::Letters { upper: false },
            "upperLetter" => Self::Letters { upper: true },
            "lowerRoman" => Self::Roman { upper: false },
            "upperRoman" => Self::Roman { upper: true },
            _ => Self::Digits,
        }
    }

    /// A number in this format.
    #[must_use]
    pub fn written(self, number: u32) -> String {
        let cased = |text: String, upper: bool| if upper { text.to_uppercase() } else { text };
        match self {
            Self::Digits => number.to_string(),
            Self::TwoDigits => format!("{number:02}"),
            Self::Letters { upper } => cased(letters(number), upper),
            Self::Roman { upper } => cased(roman(number), upper),
        }
    }
}

/// a to z, then aa to zz, as Word counts. Longer ones are in digits.
fn letters(number: u32) -> String {
    const MOST: u32 = 26 * 20;
    let Some(place) = number.checked_sub(1).filter(|place| *place < MOST) else { return number.to_string() };
    let letter = u8::try_from(place % 26).map_or('a', |place| char::from(b'a' + place));
    std::iter::repeat_n(letter, place as usize / 26 + 1).collect()
}

/// Lower-case Roman numerals up to 3999. Others are in digits.
#[must_use]
pub fn roman(number: u32) -> String {
    const PARTS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if !(1..4000).contains(&number) {
        return number.to_string();
    }
    let mut left = number;
    let mut text = String::new();
    for (value, letters) in PARTS {
        while left >= value {
            text.push_str(letters);
            left -= value;
        }
    }
    text
}

fn number(node: Node<'_, '_>, name: &str) -> Option<u32> {
    attribute(node, name).and_then(|value| value.parse().ok())
}

fn index(node: Node<'_, '_>) -> Option<usize> {
    attribute(node, "ilvl").and_then(|value| value.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbering(levels: &str) -> Numbering {
        let text = format!(
            "<numbering><abstractNum abstractNumId='1'>{levels}</abstractNum><num numId='5'><abstractNumId val='1'/></num></numbering>"
        );
        Numbering::read(roxmltree::Document::parse(&text).unwrap().root_element())
    }

    fn level(index: u32, format: &str, text: &str, more: &str) -> String {
        format!("<lvl ilvl='{index}'><start val='1'/><numFmt val='{format}'/>{more}<lvlText val='{text}'/></lvl>")
    }

    #[test]
    fn labels_are_as_word_shows_them() {
        let levels = level(0, "upperRoman", "Article %1", "")
            + &level(1, "decimal", "%1.%2", "<isLgl/>")
            + &level(2, "lowerLetter", "%3)", "");
        let mut numbering = numbering(&levels);
        let mut labels = Vec::new();
        for level in [0, 1, 1, 2, 2, 0, 0, 0, 1] {
            let Some(Marker::Number { label, is_plain, .. }) = numbering.next(5, level) else { panic!("no number") };
            labels.push((label, is_plain));
        }
        let plain = |label: &str| (label.to_owned(), true);
        let other = |label: &str| (label.to_owned(), false);
        assert_eq!(
            labels,
            [
                other("Article I"),
                other("1.1"),
                other("1.2"),
                plain("a)"),
                plain("b)"),
                other("Article II"),
                other("Article III"),
                other("Article IV"),
                other("4.1")
            ]
        );
    }

    #[test]
    fn a_lower_level_begins_those_above() {
        let mut numbering = numbering(&[level(0, "decimal", "%1.", ""), level(1, "decimal", "%1.%2", "")].concat());
        let labels = [1, 0, 1].map(|level| match numbering.next(5, level) {
            Some(Marker::Number { label, .. }) => label,
            other => panic!("no number: {other:?}"),
        });
        assert_eq!(labels, ["1.1", "2.", "2.1"]);
    }

    #[test]
    fn lists_of_a_style_count_together() {
        let text = format!(
            "<numbering><abstractNum abstractNumId='1'><numStyleLink val='S'/></abstractNum><abstractNum abstractNumId='2'>\
             <styleLink val='S'/>{}</abstractNum><num numId='5'><abstractNumId val='1'/></num><num numId='6'><abstractNumId \
             val='2'/></num></numbering>",
            level(0, "decimal", "%1.", "")
        );
        let mut numbering = Numbering::read(roxmltree::Document::parse(&text).unwrap().root_element());
        let labels = [5, 6, 5].map(|list| match numbering.next(list, 0) {
            Some(Marker::Number { label, .. }) => label,
            other => panic!("no number: {other:?}"),
        });
        assert_eq!(labels, ["1.", "2.", "3."]);
    }

    #[test]
    fn letters_and_roman_numerals_go_on() {
        assert_eq!([letters(1), letters(26), letters(27), letters(0)], ["a", "z", "aa", "0"]);
        assert_eq!([roman(4), roman(49), roman(1994), roman(4000)], ["iv", "xlix", "mcmxciv", "4000"]);
    }
}
