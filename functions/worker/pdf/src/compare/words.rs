//! Finds removed and added words.

use docmill_pdf_core::pdfium::Rect;
use imara_diff::{Algorithm, Diff, InternedInput};

use super::Word;

/// A run of changed words on one line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Changed {
    /// Index of the page in the given order.
    pub(crate) page: usize,
    pub(crate) text: String,
    pub(crate) place: Rect,
    /// The number of words.
    pub(crate) words: usize,
}

/// Splits a word of a script without spaces into characters, each with its part of the place.
pub(super) fn split(word: Word) -> Vec<Word> {
    let count = word.text.chars().count();
    if count < 2 || !word.text.chars().any(docmill_pdf_text::is_cjk) {
        return vec![word];
    }
    let Rect { x0, y0, x1, y1 } = word.place;
    let (width, height) = (word.place.width(), word.place.height());
    let is_upright = width >= height;
    let part = |index: usize| {
        let (start, end) = (index as f32 / count as f32, (index + 1) as f32 / count as f32);
        if is_upright {
            Rect { x0: x0 + width * start, y0, x1: x0 + width * end, y1 }
        } else {
            Rect { x0, y0: y0 + height * start, x1, y1: y0 + height * end }
        }
    };
    let characters = word.text.chars().enumerate();
    characters.map(|(index, character)| Word { text: character.to_string(), place: part(index) }).collect()
}

/// The words of `before` that are not in `after`, and the reverse. The words of several pages are compared as one text, so that
/// text that moves to the next page counts as unchanged.
pub(crate) fn changed(before: &[&[Word]], after: &[&[Word]]) -> (Vec<Changed>, Vec<Changed>) {
    let mut input = InternedInput::default();
    input.update_before(before.iter().flat_map(|page| page.iter()).map(|word| word.text.as_str()));
    input.update_after(after.iter().flat_map(|page| page.iter()).map(|word| word.text.as_str()));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    (runs(before, |index| diff.is_removed(index)), runs(after, |index| diff.is_added(index)))
}

fn runs(pages: &[&[Word]], is_changed: impl Fn(u32) -> bool) -> Vec<Changed> {
    let mut found: Vec<Changed> = Vec::new();
    let words = pages.iter().enumerate().flat_map(|(page, words)| words.iter().map(move |word| (page, word)));
    let mut goes_on = false;
    for (index, (page, word)) in (0..).zip(words) {
        if !is_changed(index) {
            goes_on = false;
            continue;
        }
        match found.last_mut().filter(|run| goes_on && run.page == page && is_on_one_line(&run.place, &word.place)) {
            Some(run) => run.push(word),
            None => found.push(Changed { page, text: word.text.clone(), place: word.place, words: 1 }),
        }
        goes_on = true;
    }
    found
}

impl Changed {
    fn push(&mut self, word: &Word) {
        let is_cjk = |text: &str| text.chars().next_back().is_some_and(docmill_pdf_text::is_cjk);
        if !(is_cjk(&self.text) && is_cjk(&word.text)) {
            self.text.push(' ');
        }
        self.text.push_str(&word.text);
        self.place = self.place.union(&word.place);
        self.words += 1;
    }
}

/// Whether two words are next to each other, or below each other in vertical text.
fn is_on_one_line(run: &Rect, word: &Rect) -> bool {
    let (x, y) = word.center();
    let beside = (run.y0..=run.y1).contains(&y);
    let below = run.height() > run.width() && (run.x0..=run.x1).contains(&x);
    beside || below
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, y: f32) -> Vec<Word> {
        let word = |(index, text): (usize, &str)| {
            let x = index as f32 * 50.0;
            Word { text: text.to_owned(), place: Rect { x0: x, y0: y, x1: x + 40.0, y1: y + 10.0 } }
        };
        text.split(' ').enumerate().map(word).collect()
    }

    fn texts(changed: &[Changed]) -> Vec<(usize, &str)> {
        changed.iter().map(|run| (run.page, run.text.as_str())).collect()
    }

    #[test]
    fn words_beside_each_other_are_one_change() {
        let (before, after) = (line("the old price is 5", 0.0), line("the new and higher price is 7", 0.0));
        let (removed, added) = changed(&[&before], &[&after]);
        assert_eq!(texts(&removed), [(0, "old"), (0, "5")]);
        assert_eq!(texts(&added), [(0, "new and higher"), (0, "7")]);
        assert_eq!((added[0].place.x0, added[0].place.x1, added[0].words), (50.0, 190.0, 3));
    }

    #[test]
    fn a_change_ends_with_its_line() {
        let after: Vec<Word> = line("same new", 0.0).into_iter().chain(line("words end", 20.0)).collect();
        let (removed, added) = changed(&[&line("same", 0.0)], &[&after]);
        assert!(removed.is_empty());
        assert_eq!(texts(&added), [(0, "new"), (0, "words end")]);
    }

    #[test]
    fn words_that_move_to_the_next_page_have_not_changed() {
        let (first, second) = (line("one two three", 0.0), line("four", 0.0));
        let (start, rest) = (line("one two", 0.0), line("three four five", 0.0));
        let (removed, added) = changed(&[&first, &second], &[&start, &rest]);
        assert!(removed.is_empty());
        assert_eq!(texts(&added), [(1, "five")]);
    }

    #[test]
    fn changed_characters_of_a_line_without_spaces_are_found_one_by_one() {
        let place = Rect { x0: 0.0, y0: 0.0, x1: 60.0, y1: 10.0 };
        let word = |text: &str| split(Word { text: text.to_owned(), place });
        let (before, after) = (word("東京の天気は雨"), word("東京の天気は晴れ"));
        let (removed, added) = changed(&[&before], &[&after]);
        assert_eq!((texts(&removed), texts(&added)), (vec![(0, "雨")], vec![(0, "晴れ")]));
        assert!(added[0].place.x0 > 40.0, "{:?}", added[0].place);
        assert_eq!(word("plain").len(), 1);
    }
}
