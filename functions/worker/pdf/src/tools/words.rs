//! Texts that should be on the pages of a result.

use std::collections::HashSet;
use std::ops::Range;

use docmill_pdf_request::PageBreak;
use memchr::memmem;

/// Most words that are searched in the whole text, since they are no words of their own on a page: long ones are broken over lines.
const MOST_SEARCHES: usize = 200;

/// Fewer letters and digits are on too many pages to tell one.
const LEAST_LETTERS: usize = 8;

/// What moves to another page is a line at least. More letters may be on two.
const MOST_LETTERS: usize = 20;

/// The text of a result's pages.
#[derive(Debug, Default)]
pub(super) struct PrintedText {
    words: HashSet<String>,
    /// All letters and digits in a row.
    letters: String,
    /// Where the letters of each page end.
    ends: Vec<usize>,
    /// How often the whole text was searched for a break's words.
    searches: usize,
    /// Numbers and dates that are shown as signs, since their columns are too narrow.
    pub(super) hashes: u32,
}

impl PrintedText {
    /// Adds a page.
    pub(super) fn add(&mut self, page: &str) {
        // The page's style may write letters in another case.
        let lower = page.to_lowercase();
        self.words.extend(words(&lower).map(str::to_owned));
        self.letters.extend(words(&lower).flat_map(str::chars));
        self.ends.push(self.letters.len());
        let hashes = page.split_whitespace().filter(|word| word.len() >= 3 && word.bytes().all(|byte| byte == b'#'));
        self.hashes = self.hashes.saturating_add(u32::try_from(hashes.count()).unwrap_or(u32::MAX));
    }

    /// The positions of texts with a word that is on no page.
    pub(super) fn lacks(&self, texts: &[String]) -> Vec<usize> {
        let mut searches = 0;
        let mut is_printed = |word: &str| {
            if self.words.contains(word) || !is_comparable(word) {
                return true;
            }
            searches += 1;
            searches > MOST_SEARCHES || memmem::find(self.letters.as_bytes(), word.as_bytes()).is_some()
        };
        let missing = texts.iter().enumerate().filter(|(_, text)| !words(&text.to_lowercase()).all(&mut is_printed));
        missing.map(|(position, _)| position).collect()
    }

    /// The first of these positions of breaks whose words are on other pages: page by page, those before it should be on one page, and
    /// those after it on the next. Words that are on no page tell nothing.
    pub(super) fn first_moved(&mut self, breaks: &[PageBreak], mut positions: Range<usize>) -> Option<usize> {
        positions.find(|position| breaks.get(*position).is_some_and(|at| self.is_moved(*position, at)))
    }

    /// `page`: that before the break, counted from 0.
    fn is_moved(&mut self, page: usize, at: &PageBreak) -> bool {
        let letters = |text: &str| words(&text.to_lowercase()).flat_map(str::chars).collect::<Vec<char>>();
        let (before, after) = (letters(&at.before), letters(&at.after));
        let last = before.last_chunk::<MOST_LETTERS>().map_or(before.as_slice(), |last| last.as_slice());
        let first = after.first_chunk::<MOST_LETTERS>().map_or(after.as_slice(), |first| first.as_slice());
        self.is_elsewhere(last, page) || self.is_elsewhere(first, page + 1)
    }

    fn is_elsewhere(&mut self, letters: &[char], page: usize) -> bool {
        let letters: String = letters.iter().collect();
        if letters.chars().count() < LEAST_LETTERS || !is_comparable(&letters) || self.has(page, &letters) {
            return false;
        }
        self.searches += 1;
        self.searches <= MOST_SEARCHES && memmem::find(self.letters.as_bytes(), letters.as_bytes()).is_some()
    }

    /// Whether a page, counted from 0, has these letters in a row.
    fn has(&self, page: usize, letters: &str) -> bool {
        let start = page.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = start.zip(self.ends.get(page)).map(|(start, end)| start..*end);
        let text = range.and_then(|range| self.letters.get(range));
        text.is_some_and(|text| memmem::find(text.as_bytes(), letters.as_bytes()).is_some())
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Whether a PDF gives a word back as it was written. Scripts whose letters join or change their order may come back otherwise.
fn is_comparable(word: &str) -> bool {
    word.chars().all(|letter| matches!(letter, '\0'..='\u{58f}' | '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(pages: &[&str]) -> PrintedText {
        let mut printed = PrintedText::default();
        pages.iter().for_each(|page| printed.add(page));
        printed
    }

    #[test]
    fn texts_are_compared_word_by_word() {
        let printed = printed(&["Total: 3,50 €\r\nGröße", "a long-wo\r\nrd, 日本語"]);
        let texts = ["TOTAL", "3,50", "GRÖSSE", "longword", "long-word", "日本", "a Total of 4", "שלום", "", "--"];
        let lost: Vec<&str> = printed.lacks(&texts.map(str::to_owned)).into_iter().map(|lost| texts[lost]).collect();
        assert_eq!(lost, ["GRÖSSE", "a Total of 4"]);
    }

    #[test]
    fn the_first_break_with_words_on_other_pages_is_found() {
        let mut printed =
            printed(&["Header 1\nOnce upon a time there", "Header 2\nwas a château. It had", "Header 3\nseven towers"]);
        let breaks = |texts: &[(&str, &str)]| {
            let one = |(before, after): &(&str, &str)| PageBreak { before: (*before).into(), after: (*after).into() };
            texts.iter().map(one).collect::<Vec<_>>()
        };
        let same = ("upon a time there", "was a CHÂTEAU");
        for (texts, moved) in [
            (vec![same, ("It had", "seven towers")], None),
            (vec![("upon a time", "there was a"), ("teau it had", "seven towers")], None),
            (vec![same, ("château", "It had seven")], None),
            (vec![same, ("a château", "château. It had")], Some(1)),
            (vec![("was a château", ""), same], Some(0)),
            (vec![same, ("", ""), ("", "seven towers")], Some(2)),
            (vec![same, ("", ""), ("", "nine towers")], None),
        ] {
            let breaks = breaks(&texts);
            assert_eq!(printed.first_moved(&breaks, 0..breaks.len()), moved, "{texts:?}");
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_counted() {
        assert_eq!(printed(&["### x", "#1 ## ####### ###"]).hashes, 3);
    }
}
