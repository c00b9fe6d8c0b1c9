//! Lines in the margins that are told by their words, on a page that may be the only one.

use super::order::Line;

/// More words are text.
const MOST_WORDS: usize = 14;
/// The most digits of a page's number.
const DIGITS: usize = 4;
/// A page's number is so far from a title beside it, in ems.
const APART: f32 = 1.0;
/// The fewest letters of a title's longest word.
const LETTERS: usize = 3;
/// Words of imprints. In lower case.
const IMPRINT: [&str; 9] = ["©", "doi:", "doi.org", "arxiv:", "issn", "isbn", "copyright", "vol.", "preprint"];

/// Whether a line is a page's number, or an imprint in small type. `small`: the size of such type at most. On the only page, also a
/// bare number, and a title with one beside it: on others, these show by how they count.
pub(super) fn is_running(line: &Line, small: f32, is_only: bool) -> bool {
    if line.words.len() > MOST_WORDS {
        return false;
    }
    let text = line.text().to_lowercase();
    let is_imprint = || line.size() <= small && IMPRINT.iter().any(|word| text.contains(word));
    match is_number(&text) {
        true => is_only,
        false => is_page_number(&text) || is_imprint() || is_only && has_page_number(line),
    }
}

/// Such as "– 12 –", "xii", "Page 3", "3 of 10", "3/10".
fn is_page_number(text: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '|' | '·' | '•' | '[' | ']' | '(' | ')');
    let text = text.trim_matches(is_mark);
    let number =
        ["page", "p.", "pg.", "seite", "página"].iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text).trim();
    let count = [" of ", " von ", " de ", "/"].iter().find_map(|between| number.split_once(between));
    match count {
        Some((number, count)) => is_number(number.trim()) && is_number(count.trim()),
        None => is_number(number) || is_roman(number),
    }
}

/// Whether the first or the last word is a page's number that stands apart from the others, or after a mark. A row of a table has
/// more numbers, or no words.
fn has_page_number(line: &Line) -> bool {
    let is_mark = |text: &str| matches!(text, "|" | "•" | "·" | "–" | "—");
    let is_apart = |a: usize, b: usize| {
        line.words.get(a).zip(line.words.get(b)).is_some_and(|(a, b)| {
            let (left, right) = if a.area.x0 < b.area.x0 { (a, b) } else { (b, a) };
            is_mark(&a.text) || is_mark(&b.text) || right.area.x0 - left.area.x1 > a.size * APART
        })
    };
    let Some(last) = line.words.len().checked_sub(1).filter(|last| *last > 0) else { return false };
    let at = |at: usize| line.words.get(at).is_some_and(|word| is_number(&word.text));
    let numbers = line.words.iter().filter(|word| word.text.contains(|c: char| c.is_ascii_digit())).count();
    let has_words = line.words.iter().any(|word| word.text.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS);
    numbers == 1 && has_words && (at(0) && is_apart(0, 1) || at(last) && is_apart(last - 1, last))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= DIGITS && text.bytes().all(|c| c.is_ascii_digit())
}

fn is_roman(text: &str) -> bool {
    !text.is_empty() && text.len() <= 6 && text.bytes().all(|c| matches!(c, b'i' | b'v' | b'x' | b'l'))
}

#[cfg(test)]
mod tests {
    use super::super::order;
    use super::super::words::Word;
    use super::*;

    fn is(words: &[(&str, f32)]) -> bool {
        let words = words.iter().map(|(text, left)| Word::at(text, *left, 20.0, 8.0, false)).collect();
        is_running(&order::lines(words).remove(0), 8.0, true)
    }

    #[test]
    fn page_numbers_alone_and_beside_a_title_are_running() {
        assert!(is(&[("12", 300.0)]));
        assert!(is(&[("–", 290.0), ("12", 300.0), ("–", 312.0)]));
        assert!(is(&[("Page", 290.0), ("3", 312.0), ("of", 320.0), ("10", 332.0)]));
        assert!(is(&[("xii", 300.0)]));
        assert!(is(&[("118", 50.0), ("Smith", 300.0), ("et", 325.0), ("al.", 337.0)]));
        assert!(is(&[("Report", 50.0), ("|", 80.0), ("15", 86.0)]));
        assert!(is(&[("©", 50.0), ("2024", 60.0), ("Elsevier", 80.0)]));
    }

    #[test]
    fn text_that_begins_with_a_number_is_not() {
        assert!(!is(&[("3", 50.0), ("apples", 57.0), ("a", 84.0), ("day", 91.0)]));
        assert!(!is(&[("Chapter", 50.0), ("one", 81.0)]));
        assert!(!is(&[("20,000", 300.0)]));
    }

    #[test]
    fn rows_of_numbers_are_not() {
        assert!(!is(&[("2026-01", 50.0), ("23", 200.0), ("1300", 300.0)]));
        assert!(!is(&[("Total", 50.0), ("23", 200.0), ("1300", 300.0)]));
        let bare = order::lines(vec![Word::at("1300", 50.0, 20.0, 8.0, false)]).remove(0);
        assert!(!is_running(&bare, 8.0, false));
    }
}
