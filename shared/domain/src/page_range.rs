//! `1-3,8,z-6`: pages in any order, as all options and sources name them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Pages and ranges in any order; ranges may descend. `z` is the last page, `r2` the one before it. Spaces don't matter.
/// [`PageRange::resolve`] finds the pages of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PageRange(Vec<(Page, Page)>);

/// A page counted from either end, starting at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Page {
    Nth(u32),
    FromLast(u32),
}

/// Why a text is not a page range. The message says how to write one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// The text is not written as a range.
    #[error("Write pages as `1-3,8,z-6`: numbers from 1, ranges, and `z` for the last page.")]
    Syntax,
    /// The document has fewer pages.
    #[error("There is no page {page}: the document has {}. Use `z` for the last one.", counted_pages(.pages))]
    NoSuchPage {
        /// The page that the range names, counted from the end that it names.
        page: u32,
        /// How many pages the document has.
        pages: u32,
    },
    /// The range names pages again and again.
    #[error("The range names more than {limit} pages.")]
    TooMany {
        /// Most pages that it may name.
        limit: u32,
    },
}

fn counted_pages(pages: &u32) -> String {
    crate::counted(u64::from(*pages), "page")
}

impl FromStr for PageRange {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<Self, RangeError> {
        let parts = text.split(',').map(|part| match part.trim().split_once('-') {
            Some((first, last)) => Ok((page(first)?, page(last)?)),
            None => page(part).map(|page| (page, page)),
        });
        parts.collect::<Result<_, _>>().map(Self)
    }
}

fn page(text: &str) -> Result<Page, RangeError> {
    let number = |text: &str| text.parse().ok().filter(|number| *number >= 1).ok_or(RangeError::Syntax);
    match text.trim() {
        "z" => Ok(Page::FromLast(1)),
        text => match text.strip_prefix('r') {
            Some(rest) => number(rest).map(Page::FromLast),
            None => number(text).map(Page::Nth),
        },
    }
}

impl TryFrom<String> for PageRange {
    type Error = RangeError;

    fn try_from(text: String) -> Result<Self, RangeError> {
        text.parse()
    }
}

impl From<PageRange> for String {
    fn from(range: PageRange) -> Self {
        range.to_string()
    }
}

/// Most parts of a range that [`PageRange::of`] makes.
const MOST_PARTS: usize = 50;

impl PageRange {
    /// Names ascending pages, counted from 1. If they are too scattered, the last ones are left out.
    pub fn of(pages: &[u32]) -> Self {
        let runs = pages.chunk_by(|page, next| *next == page.saturating_add(1));
        let ends = runs.filter_map(|run| Some((Page::Nth(*run.first()?), Page::Nth(*run.last()?))));
        Self(ends.take(MOST_PARTS).collect())
    }

    /// Whether it names pages by their numbers only, each once and in ascending order, as programs that print understand it.
    pub fn is_plain(&self) -> bool {
        let mut before = 0;
        self.0.iter().all(|part| match *part {
            (Page::Nth(first), Page::Nth(last)) => {
                let ascends = before < first && first <= last;
                before = last;
                ascends
            }
            (Page::FromLast(_), _) | (_, Page::FromLast(_)) => false,
        })
    }

    /// Whether it names this page, counted from 1, of a document with `pages` pages.
    pub fn contains(&self, page: u32, pages: u32) -> bool {
        let number = |named: Page| match named {
            Page::Nth(number) => number,
            Page::FromLast(number) => pages.saturating_add(1).saturating_sub(number),
        };
        let within = |first: u32, last: u32| (first.min(last)..=first.max(last)).contains(&page);
        self.0.iter().any(|(first, last)| within(number(*first), number(*last)))
    }

    /// The pages of a document with `pages` pages, counted from 0, at most `limit`.
    ///
    /// # Errors
    /// If the document has no such page, or the range names more than `limit`.
    pub fn resolve(&self, pages: u32, limit: u32) -> Result<Vec<u32>, RangeError> {
        let mut resolved = Vec::new();
        for (first, last) in &self.0 {
            let (first, last) = (first.index(pages)?, last.index(pages)?);
            if resolved.len() as u64 + u64::from(first.abs_diff(last)) >= u64::from(limit) {
                return Err(RangeError::TooMany { limit });
            }
            if first <= last {
                resolved.extend(first..=last);
            } else {
                resolved.extend((last..=first).rev());
            }
        }
        Ok(resolved)
    }
}

impl Page {
    /// From 0.
    fn index(self, pages: u32) -> Result<u32, RangeError> {
        let (page, index) = match self {
            Self::Nth(page) => (page, page.checked_sub(1)),
            Self::FromLast(page) => (page, pages.checked_sub(page)),
        };
        index.filter(|index| *index < pages).ok_or(RangeError::NoSuchPage { page, pages })
    }
}

impl fmt::Display for PageRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (first, last)) in self.0.iter().enumerate() {
            let separator = if position > 0 { "," } else { "" };
            if first == last { write!(f, "{separator}{first}")? } else { write!(f, "{separator}{first}-{last}")? }
        }
        Ok(())
    }
}

impl fmt::Display for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nth(page) => write!(f, "{page}"),
            Self::FromLast(1) => f.write_str("z"),
            Self::FromLast(page) => write!(f, "r{page}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(text: &str, pages: u32) -> Result<Vec<u32>, RangeError> {
        text.parse::<PageRange>()?.resolve(pages, 100)
    }

    #[test]
    fn ranges_name_pages_in_their_order() {
        assert_eq!(pages("1-3,8,z-6", 9), Ok(vec![0, 1, 2, 7, 8, 7, 6, 5]));
        assert_eq!(pages(" 2 , 2-2,r2", 3), Ok(vec![1, 1, 1]));
        assert_eq!("3-1,z,r2-5".parse::<PageRange>().unwrap().to_string(), "3-1,z,r2-5");
    }

    #[test]
    fn plain_ranges_ascend_and_count_from_the_first_page() {
        for (text, is_plain) in [
            ("1-3,5", true),
            ("2", true),
            ("5,1-3", false),
            ("3-1", false),
            ("1,1", false),
            ("z", false),
            ("1-r2", false),
        ] {
            assert_eq!(text.parse::<PageRange>().unwrap().is_plain(), is_plain, "{text}");
        }
    }

    #[test]
    fn pages_are_named_by_ranges() {
        assert_eq!(PageRange::of(&[1, 2, 3, 5, 8, 9]).to_string(), "1-3,5,8-9");
        let odd: Vec<u32> = (0..10_000).map(|half| 2 * half + 1).collect();
        assert!(PageRange::of(&odd).to_string().ends_with(",97,99"));
    }

    #[test]
    fn ranges_hold_their_pages_and_no_others() {
        let held = |text: &str| {
            let range = text.parse::<PageRange>().unwrap();
            (1..=12).filter(|page| range.contains(*page, 12)).collect::<Vec<u32>>()
        };
        assert_eq!(held("1-3, 5,8-10"), [1, 2, 3, 5, 8, 9, 10]);
        assert_eq!(held("z,r3"), [10, 12]);
        assert_eq!(held("3-2,11-99"), [2, 3, 11, 12]);
    }

    #[test]
    fn mistakes_are_told() {
        for text in ["", "0", "1-", "-3", "a", "1,,2", "1-2-3", "r0", "99999999999", "+1x"] {
            assert_eq!(pages(text, 9), Err(RangeError::Syntax), "{text}");
        }
        assert_eq!(pages("3-10", 9), Err(RangeError::NoSuchPage { page: 10, pages: 9 }));
        assert_eq!(pages("r10", 9), Err(RangeError::NoSuchPage { page: 10, pages: 9 }));
        assert_eq!(
            "1-4000000000".parse::<PageRange>().unwrap().resolve(u32::MAX, 7),
            Err(RangeError::TooMany { limit: 7 })
        );
    }

    #[test]
    fn fuzz_page_ranges() {
        docmill_fuzz::fuzz("page-range", &[], |bytes| {
            let Ok(range) = String::from_utf8_lossy(bytes).parse::<PageRange>() else { return };
            assert_eq!(range.to_string().parse(), Ok(range.clone()));
            if let Ok(pages) = range.resolve(9, 100) {
                assert!(pages.len() <= 100 && pages.iter().all(|page| *page < 9));
            }
        });
    }
}
