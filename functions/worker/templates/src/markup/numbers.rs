//! Numbers and names that must be distinct in a part: sections copy them with their content.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use docmill_package::markup::{Element, applied, attribute, scan};

use crate::problem::Failure;

/// What has a number. The numbers of each kind are distinct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// Pictures and shapes.
    Drawing,
    Bookmark,
    /// Tracked changes.
    Change,
    /// Rows of a table on a slide.
    Row,
    /// Paragraphs and rows of a Word document.
    Paragraph,
}

/// What a source has more than once if two of a kind may have the same number.
const SIGNS: [&str; 5] = [":docPr ", ":bookmarkStart ", " w:author=", ":rowId ", " w14:paraId="];
/// Word's numbers are below this.
const MOST: u32 = 0x8000_0000;
/// Characters of a bookmark's name.
const LONGEST_NAME: usize = 40;

impl Kind {
    /// With the attribute that has the number.
    fn of(element: &Element<'_>) -> Option<(Self, &'static str)> {
        match (element.prefix(), element.local()) {
            (_, "docPr") => Some((Self::Drawing, "id")),
            ("w", "bookmarkStart") => Some((Self::Bookmark, "w:id")),
            ("w", "ins" | "del" | "moveFrom" | "moveTo" | "cellIns" | "cellDel" | "cellMerge") => {
                Some((Self::Change, "w:id"))
            }
            ("w", local) if local.ends_with("Change") => Some((Self::Change, "w:id")),
            (_, "rowId") => Some((Self::Row, "val")),
            ("w", "p" | "tr") => Some((Self::Paragraph, "w14:paraId")),
            _ => None,
        }
    }

    fn read(self, digits: &str) -> Option<u32> {
        match self {
            Self::Paragraph => u32::from_str_radix(digits, 16).ok(),
            Self::Drawing | Self::Bookmark | Self::Change | Self::Row => digits.parse().ok(),
        }
    }

    fn written(self, number: u32) -> String {
        match self {
            Self::Paragraph => format!("{number:08X}"),
            Self::Drawing | Self::Bookmark | Self::Change | Self::Row => number.to_string(),
        }
    }
}

/// The numbers of a kind.
#[derive(Default)]
struct Numbers {
    all: HashSet<u32>,
    seen: HashSet<u32>,
    last: u32,
}

impl Numbers {
    /// `None` if the number may stay: it is the first of its kind.
    fn instead_of(&mut self, number: u32) -> Option<u32> {
        if self.seen.insert(number) {
            return None;
        }
        if self.last == 0 {
            self.last = self.all.iter().copied().filter(|number| *number < MOST).max().unwrap_or_default();
        }
        loop {
            self.last = if self.last + 1 < MOST { self.last + 1 } else { 1 };
            if self.all.insert(self.last) {
                return Some(self.last);
            }
        }
    }
}

/// Gives copies numbers of their own: programs report, or repair, a file in which two things have the same.
pub(crate) fn with_distinct_numbers(source: String) -> Result<String, Failure> {
    let is_repeated = |sign: &str| memchr::memmem::find_iter(source.as_bytes(), sign.as_bytes()).nth(1).is_some();
    if !SIGNS.iter().any(|sign| is_repeated(sign)) {
        return Ok(source);
    }
    let markup = scan(&source)?;
    let numbered = |element: &Element<'_>| {
        let (kind, name) = Kind::of(element)?;
        let place = attribute(&source, element.open.clone(), name)?;
        let number = kind.read(source.get(place.clone())?)?;
        Some((kind, place, number))
    };
    let mut numbers: HashMap<Kind, Numbers> = HashMap::new();
    for (kind, _, number) in markup.elements.iter().filter_map(numbered) {
        numbers.entry(kind).or_default().all.insert(number);
    }
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    // The numbers that open bookmarks have now.
    let mut bookmarks = HashMap::new();
    for element in &markup.elements {
        if (element.prefix(), element.local()) == ("w", "bookmarkEnd") {
            let place = attribute(&source, element.open.clone(), "w:id");
            let number = place.as_ref().and_then(|place| Kind::Bookmark.read(source.get(place.clone())?));
            if let (Some(place), Some(new)) = (place, number.and_then(|number| bookmarks.get(&number))) {
                edits.push((place, Kind::Bookmark.written(*new)));
            }
            continue;
        }
        let Some((kind, place, number)) = numbered(element) else { continue };
        let Some(new) = numbers.entry(kind).or_default().instead_of(number) else { continue };
        edits.push((place, kind.written(new)));
        if kind == Kind::Bookmark {
            bookmarks.insert(number, new);
            edits.extend(attribute(&source, element.open.clone(), "w:name").map(|name| {
                let (suffix, old) = (format!("_{new}"), source.get(name.clone()).unwrap_or_default());
                (name, old.chars().take(LONGEST_NAME - suffix.len()).collect::<String>() + &suffix)
            }));
        }
    }
    Ok(applied(&source, edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distinct(source: &str) -> String {
        with_distinct_numbers(source.to_owned()).unwrap()
    }

    #[test]
    fn copies_of_bookmarks_have_numbers_and_names_of_their_own_and_keep_their_ends() {
        let mark = |number: u32, name: &str| {
            format!("<w:bookmarkStart w:id=\"{number}\" w:name=\"{name}\"/><w:t/><w:bookmarkEnd w:id=\"{number}\"/>")
        };
        let source = |marks: [String; 4]| format!("<w:p>{}</w:p>", marks.concat());
        let copies = source([mark(3, "a"), mark(4, "b"), mark(3, "a"), mark(3, "a")]);
        assert_eq!(distinct(&copies), source([mark(3, "a"), mark(4, "b"), mark(5, "a_5"), mark(6, "a_6")]));
        let long = "n".repeat(40);
        let copies = [mark(2_147_483_647, &long), mark(2_147_483_647, &long)].concat();
        let made = distinct(&format!("<w:p>{copies}</w:p>"));
        assert!(made.contains(&mark(1, &format!("{}_1", "n".repeat(38)))), "{made}");
    }

    #[test]
    fn copies_of_changes_paragraphs_and_rows_have_numbers_of_their_own() {
        let twice = |one: &str, other: &str| format!("<a:x>{one}{other}</a:x>");
        for (first, second) in [
            ("<w:ins w:id=\"5\" w:author=\"A\"/>", "<w:ins w:id=\"6\" w:author=\"A\"/>"),
            ("<w:p w14:paraId=\"0000000A\"/>", "<w:p w14:paraId=\"0000000B\"/>"),
            ("<a16:rowId val=\"7\"/>", "<a16:rowId val=\"8\"/>"),
            ("<wp:docPr id=\"7\"/>", "<wp:docPr id=\"8\"/>"),
        ] {
            assert_eq!(distinct(&twice(first, first)), twice(first, second));
            assert_eq!(distinct(&twice(first, second)), twice(first, second));
        }
    }
}
