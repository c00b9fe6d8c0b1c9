//! Texts that should be on the pages of a result.

use std::collections::HashSet;

use memchr::memmem;

/// Most words that are searched in the whole text, since they are no words of their own on a page: long ones are broken over lines.
const MOST_SEARCHES: usize = 200;

/// The text of a result's pages.
#[derive(Debug, Default)]
pub(super) struct PrintedText {
    words: HashSet<String>,
    /// All letters and digits in a row.
    letters: String,
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
    fn numbers_that_do_not_fit_are_counted() {
        assert_eq!(printed(&["### x", "#1 ## ####### ###"]).hashes, 3);
    }
}
