//! Matches the pages of two documents.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::Content;

/// With more combinations, pages in the middle of long documents are paired in order.
const COMBINATIONS: usize = 250_000;
/// The value of pairing pages that have nothing in common: a rewritten page 2 is still page 2.
const BESIDE: f64 = 0.01;

/// Pages that belong together, counted from 0. `None` if the other document has no such page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
}

impl Pair {
    const fn both(before: usize, after: usize) -> Self {
        Self { before: Some(before), after: Some(after) }
    }
}

/// All pages of both documents in order. Pages may be removed and added, but not reordered.
pub(crate) fn pairs(before: &[Content], after: &[Content]) -> Vec<Pair> {
    let before: Vec<Features<'_>> = before.iter().map(Features::of).collect();
    let after: Vec<Features<'_>> = after.iter().map(Features::of).collect();
    let same = |(one, other): &(&Features<'_>, &Features<'_>)| one == other;
    let start = before.iter().zip(&after).take_while(same).count();
    let (before, after) = (before.get(start..).unwrap_or_default(), after.get(start..).unwrap_or_default());
    let end = before.iter().rev().zip(after.iter().rev()).take_while(same).count();
    let (middle_before, middle_after) = (without_end(before, end), without_end(after, end));
    let mut found: Vec<Pair> = (0..start).map(|index| Pair::both(index, index)).collect();
    let middle = if middle_before.len().saturating_mul(middle_after.len()) > COMBINATIONS {
        in_order(middle_before.len(), middle_after.len())
    } else {
        best(middle_before, middle_after)
    };
    let shift = |index: usize| index + start;
    found.extend(middle.into_iter().map(|pair| Pair { before: pair.before.map(shift), after: pair.after.map(shift) }));
    let (from, to) = (start + middle_before.len(), start + middle_after.len());
    found.extend((0..end).map(|index| Pair::both(from + index, to + index)));
    found
}

fn without_end<T>(pages: &[T], end: usize) -> &[T] {
    pages.get(..pages.len() - end).unwrap_or_default()
}

fn in_order(before: usize, after: usize) -> Vec<Pair> {
    let page = |index, count| (index < count).then_some(index);
    (0..before.max(after)).map(|index| Pair { before: page(index, before), after: page(index, after) }).collect()
}

/// The pairs with the highest total value, by Needleman and Wunsch. A page without a counterpart has no value.
fn best(before: &[Features<'_>], after: &[Features<'_>]) -> Vec<Pair> {
    // The value of the best pairs from each row and column to the end.
    let mut worth = Table::new(before.len() + 1, after.len() + 1);
    let mut likeness = Table::new(before.len(), after.len());
    for (row, one) in before.iter().enumerate().rev() {
        for (column, other) in after.iter().enumerate().rev() {
            let alike = one.likeness(other) + BESIDE;
            likeness.set(row, column, alike);
            let paired = worth.at(row + 1, column + 1) + alike;
            worth.set(row, column, paired.max(worth.at(row + 1, column)).max(worth.at(row, column + 1)));
        }
    }
    let (mut row, mut column, mut found) = (0, 0, Vec::new());
    while row < before.len() || column < after.len() {
        let here = worth.at(row, column);
        let is_paired = row < before.len()
            && column < after.len()
            && worth.at(row + 1, column + 1) + likeness.at(row, column) >= here;
        let is_removed = row < before.len() && worth.at(row + 1, column) >= here;
        if is_paired {
            found.push(Pair::both(row, column));
            (row, column) = (row + 1, column + 1);
        } else if is_removed {
            found.push(Pair { before: Some(row), after: None });
            row += 1;
        } else {
            found.push(Pair { before: None, after: Some(column) });
            column += 1;
        }
    }
    found
}

/// A number for each row and column: 0 unless it was set.
struct Table {
    columns: usize,
    numbers: Vec<f64>,
}

impl Table {
    fn new(rows: usize, columns: usize) -> Self {
        Self { columns, numbers: vec![0.0; rows * columns] }
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.numbers.get(row * self.columns + column).copied().unwrap_or_default()
    }

    fn set(&mut self, row: usize, column: usize, number: f64) {
        if let Some(held) = self.numbers.get_mut(row * self.columns + column) {
            *held = number;
        }
    }
}

/// Features for recognising a page.
#[derive(PartialEq)]
struct Features<'a> {
    /// Digests of its words, sorted.
    words: Vec<u64>,
    thumbnail: Option<&'a [u8]>,
}

impl<'a> Features<'a> {
    fn of(page: &'a Content) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let mut words: Vec<u64> = page.words.iter().map(|word| hasher.hash_one(&word.text)).collect();
        words.sort_unstable();
        Self { words, thumbnail: page.thumbnail.as_deref() }
    }

    /// From 0 (nothing in common) to 1 (equal).
    fn likeness(&self, other: &Self) -> f64 {
        let by_words = self.common_words(other);
        match (self.thumbnail, other.thumbnail) {
            (Some(one), Some(another)) => (likeness_of_pictures(one, another) + by_words.unwrap_or(1.0)) / 2.0,
            (Some(_) | None, _) => by_words.unwrap_or(1.0),
        }
    }

    /// The share of common words (Dice's coefficient). `None` if neither page has any.
    fn common_words(&self, other: &Self) -> Option<f64> {
        let (mut one, mut another, mut common) = (self.words.iter().peekable(), other.words.iter().peekable(), 0_usize);
        while let (Some(a), Some(b)) = (one.peek(), another.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Less => drop(one.next()),
                std::cmp::Ordering::Greater => drop(another.next()),
                std::cmp::Ordering::Equal => {
                    common += 1;
                    one.next();
                    another.next();
                }
            }
        }
        let all = self.words.len() + other.words.len();
        (all > 0).then(|| 2.0 * common as f64 / all as f64)
    }
}

fn likeness_of_pictures(one: &[u8], another: &[u8]) -> f64 {
    let apart: u64 = one.iter().zip(another).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    // Pages are mostly white: a tenth of the largest difference is a different page.
    (1.0 - apart as f64 / (one.len().max(1) as f64 * 25.5)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::super::Word;
    use super::*;
    use docmill_pdf_core::pdfium::Rect;

    fn page(text: &str) -> Content {
        let word = |text: &str| Word { text: text.to_owned(), place: Rect::default() };
        Content { size: (1.0, 1.0), words: text.split(' ').map(word).collect(), thumbnail: None }
    }

    fn paired(before: &[&str], after: &[&str]) -> Vec<(Option<usize>, Option<usize>)> {
        let pages = |texts: &[&str]| texts.iter().map(|text| page(text)).collect::<Vec<_>>();
        pairs(&pages(before), &pages(after)).into_iter().map(|pair| (pair.before, pair.after)).collect()
    }

    #[test]
    fn an_inserted_page_has_no_counterpart() {
        let found = paired(&["a b c", "d e f", "g h i"], &["a b c", "new page", "d e x", "g h i"]);
        assert_eq!(found, [(Some(0), Some(0)), (None, Some(1)), (Some(1), Some(2)), (Some(2), Some(3))]);
    }

    #[test]
    fn a_removed_page_has_no_counterpart() {
        let found = paired(&["a b c", "d e f", "g h i"], &["a b x", "g h x"]);
        assert_eq!(found, [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1))]);
    }

    #[test]
    fn a_rewritten_page_is_paired_with_the_old_one() {
        assert_eq!(paired(&["a", "b", "c"], &["a", "x", "c"]), [0, 1, 2].map(|page| (Some(page), Some(page))));
        assert_eq!(paired(&["a"], &["x"]), [(Some(0), Some(0))]);
    }

    #[test]
    fn pages_without_words_are_recognised_by_their_looks() {
        let drawn = |grey: u8| Content { size: (1.0, 1.0), words: Vec::new(), thumbnail: Some(vec![grey; 16]) };
        let found = pairs(&[drawn(250), drawn(10)], &[drawn(249), drawn(100), drawn(12)]);
        let found: Vec<_> = found.into_iter().map(|pair| (pair.before, pair.after)).collect();
        assert_eq!(found, [(Some(0), Some(0)), (None, Some(1)), (Some(1), Some(2))]);
    }

    #[test]
    fn documents_with_very_many_pages_are_paired_in_order() {
        let pages = |count: usize, name: &str| (0..count).map(|n| page(&format!("{name}{n}"))).collect::<Vec<_>>();
        let found = pairs(&pages(600, "a"), &pages(601, "b"));
        assert_eq!(found[599], Pair::both(599, 599));
        assert_eq!(found[600], Pair { before: None, after: Some(600) });
    }
}
