//! Lines in the margins that are told by their words, on a page that may be the only one.

use super::labels::label;
use super::order::Line;
use super::words::Word;

/// More words are text.
pub(super) const MOST_WORDS: usize = 16;
/// The most digits of a page's number.
const DIGITS: usize = 4;
/// A page's number is so far from a title beside it, in ems.
const APART: f32 = 1.0;
/// The fewest letters of a title's longest word.
const LETTERS: usize = 3;
/// Words of imprints. In lower case.
const IMPRINT: [&str; 15] = [
    "©",
    "doi:",
    "doi.org",
    "arxiv:",
    "issn",
    "isbn",
    "copyright",
    "vol.",
    "preprint",
    "all rights reserved",
    "downloaded from",
    "licensed to",
    ".indd",
    ".indb",
    ".qxd",
];
/// Words before the number of a page, and between it and how many pages there are. In lower case.
const PAGE: [&str; 9] = ["page", "p.", "pg.", "pag.", "seite", "página", "pagina", "стр.", "σελ"];
const OF: [&str; 5] = [" of ", " von ", " de ", " di ", "/"];

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

/// Whether a line is a page's number and nothing else.
pub(super) fn is_page(line: &Line) -> bool {
    is_page_number(&line.text().to_lowercase())
}

/// Whether a line is a page's number that says so, such as "Page 3 of 10".
pub(super) fn is_named_page(line: &Line) -> bool {
    names_page(line) && begins_like_page(&line.text()) && is_page(line)
}

/// Whether a word of a line says that a page's number follows.
pub(super) fn names_page(line: &Line) -> bool {
    line.words.iter().any(|word| begins_like_page(&word.text))
}

fn begins_like_page(text: &str) -> bool {
    let text = text.to_lowercase();
    PAGE.iter().any(|word| text.starts_with(word)) || text.contains(['页', '頁', '쪽'])
}

/// Such as "– 12 –", "xii", "Page 3", "3 of 10", "3/10", "第 3 页".
fn is_page_number(text: &str) -> bool {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '-' | '–' | '—' | '|' | '·' | '•' | '[' | ']' | '(' | ')');
    let text = text.trim_matches(is_mark);
    if text.contains(['页', '頁', '쪽']) {
        return text
            .chars()
            .all(|c| c.is_ascii_digit() || is_mark(c) || matches!(c, '页' | '頁' | '쪽' | '第' | '共' | '/'));
    }
    let number = PAGE.iter().find_map(|word| text.strip_prefix(word)).unwrap_or(text).trim();
    let count = OF.iter().find_map(|between| number.split_once(between));
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
        let pair = line.words.get(a).zip(line.words.get(b));
        pair.is_some_and(|(a, b)| is_mark(&a.text) || is_mark(&b.text) || is_far(a, b))
    };
    let Some(last) = line.words.len().checked_sub(1).filter(|last| *last > 0) else { return false };
    let is_dash = |c: char| matches!(c, '-' | '–' | '—');
    let at = |at: usize| line.words.get(at).is_some_and(|word| is_number(word.text.trim_matches(is_dash)));
    let is_title = |words: &[Word]| {
        let has_number = |word: &Word| word.text.contains(|c: char| c.is_ascii_digit());
        let numbers = words.iter().filter(|word| has_number(word)).count();
        let long =
            words.iter().filter(|word| word.text.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS).count();
        // Numbers of a row stand apart, those of a title are among its words.
        let is_row = words.windows(2).any(|pair| match pair {
            [a, b] => (has_number(a) || has_number(b)) && is_far(a, b),
            _ => false,
        });
        long > numbers && !is_row
    };
    at(0) && is_apart(0, 1) && line.words.get(1..).is_some_and(is_title)
        || at(last) && is_apart(last - 1, last) && line.words.get(..last).is_some_and(is_title)
}

/// Whether two words that follow each other are further apart than words of a sentence.
fn is_far(a: &Word, b: &Word) -> bool {
    let (left, right) = if a.area.x0 < b.area.x0 { (a, b) } else { (b, a) };
    right.area.x0 - left.area.x1 > a.size * APART
}

/// Whether a line is an address on the web, or a date or time, as browsers print them on each page.
pub(super) fn is_printed(line: &Line) -> bool {
    let text = line.text();
    let is_time = |c: char| c.is_ascii_digit() || matches!(c, '/' | ':' | ',' | ' ' | '-' | 'A' | 'P' | 'M');
    is_address(text.split(' ').next().unwrap_or_default()) && line.words.len() <= DIGITS
        || text.contains(['/', ':']) && text.starts_with(|c: char| c.is_ascii_digit()) && text.chars().all(is_time)
}

/// Whether most words of a line begin with a capital, as those of titles and names do.
pub(super) fn is_title(line: &Line) -> bool {
    let long = || line.words.iter().filter(|word| word.text.chars().filter(|c| c.is_alphabetic()).count() >= LETTERS);
    let capital = long().filter(|word| word.text.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_uppercase));
    capital.count() * 3 > long().count() * 2
}

/// Whether a text is an address on the web.
pub(super) fn is_address(text: &str) -> bool {
    ["http", "www."].iter().any(|start| text.starts_with(start)) && !text.contains(' ')
}

/// Whether a line begins with a number, such as that of a section.
pub(super) fn is_numbered(line: &Line) -> bool {
    begins_with_digit(line.words.first())
}

/// Whether a line begins as captions do.
pub(super) fn is_caption(line: &Line) -> bool {
    label(&line.text()).is_some()
}

fn begins_with_digit(word: Option<&Word>) -> bool {
    word.is_some_and(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
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
        assert!(
            is(&[("xii", 300.0)]) && is(&[("第", 300.0), ("4", 310.0), ("页共", 316.0), ("6", 334.0), ("页", 340.0)])
        );
        assert!(is(&[("-25-", 50.0), ("Instructions", 300.0), ("for", 354.0), ("Form", 371.0), ("1040", 393.0)]));
        assert!(is(&[("2.3.", 50.0), ("Current", 72.0), ("Technologies", 110.0), ("17", 300.0)]));
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
