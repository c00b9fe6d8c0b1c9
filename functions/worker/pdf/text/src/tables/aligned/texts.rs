//! Texts that align by chance, or as lists do: these are no tables.

use super::super::super::styles::is_entry;
use super::super::super::words::Word;
use super::rows::{Piece, overlap, size_of};

/// Two or three columns with more words in each piece on average are columns of text.
const PROSE_COLUMNS: usize = 3;
const PROSE_WORDS: usize = 6;
/// The share of the first column's cells that end with a colon in a list of names and values.
const NAMED: f32 = 0.6;
/// The share of pieces that are a name and its value in a form.
const FORM: f32 = 0.8;
/// The share of the first column's cells that are bullets in a list.
const BULLETS: f32 = 0.6;
/// The share of pieces that begin with a bullet in lists beside each other.
const LISTS: f32 = 0.25;
/// The share of lines with dots to the number of a page in a table of contents.
const LEADERS: f32 = 0.4;
/// Two rows whose cells have more words on average are lines of a text with wide spaces.
const PAIR_WORDS: usize = 4;
/// The least lines of a table of contents, the share of them that end with the number of a page, and that begin with a number.
const CONTENTS: usize = 4;
const PAGES: f32 = 0.8;
const NUMBERED: f32 = 0.5;
const MOST_PAGES: u32 = 3_000;
/// The least lines that numbers count, and the least words in each of them on average.
const COUNTED: usize = 2;
const LINE_WORDS: usize = 5;
/// Words of one row are at the same height up to that, in ems; type of two columns differs by that factor in two texts beside each other.
const LEVEL: f32 = 0.2;
const OTHER_SIZE: f32 = 1.12;

/// Whether rows are text rather than those of a table.
pub(super) fn are_texts(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    is_prose(rows, columns)
        || is_list(rows, columns)
        || are_lists(rows)
        || is_form(rows)
        || has_leaders(rows)
        || is_contents(rows, columns)
        || has_numbered_lines(rows, columns)
        || are_beside(rows, columns)
}

fn is_prose(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    let (pieces, words) =
        rows.iter().flatten().fold((0, 0), |(pieces, words), piece| (pieces + 1, words + piece.words.len()));
    columns.len() <= PROSE_COLUMNS && words >= pieces * PROSE_WORDS || rows.len() == 2 && words > pieces * PAIR_WORDS
}

/// Whether the first column has the names of values, or bullets, or the numbers of items or sections.
fn is_list(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    let first: Vec<&Piece> = rows.iter().filter_map(|row| row.first()).collect();
    let is_name = |piece: &&&Piece| piece.words.last().is_some_and(|word| word.text.ends_with([':', '：']));
    let is_narrow = |piece: &&&Piece| matches!(piece.words.as_slice(), [word] if piece.area.width() < word.size * 1.6);
    let narrow = first.iter().filter(is_narrow).count();
    let names = first.iter().filter(is_name).count();
    let values = rows.iter().filter_map(|row| row.get(1)).filter(|piece| begins_with_colon(piece)).count();
    let of_two = narrow == first.len() || is_share(names, first.len(), NAMED) || is_share(values, rows.len(), NAMED);
    let own: Vec<&Piece> = first.into_iter().filter(|piece| is_in(piece, columns.first())).collect();
    let bullets = own.iter().filter(|piece| is_only(piece, is_bullet)).count();
    let markers = own.iter().filter(|piece| is_only(piece, |text| is_bullet(text) || is_section(text))).count();
    columns.len() == 2 && (of_two || markers == own.len() && markers >= 2)
        || columns.len() <= PROSE_COLUMNS && is_share(bullets, own.len(), BULLETS)
}

fn begins_with_colon(piece: &Piece) -> bool {
    piece.words.first().is_some_and(|word| word.text.starts_with([':', '：']))
}

/// Whether several columns are lists.
fn are_lists(rows: &[Vec<Piece>]) -> bool {
    let begins = |piece: &&Piece| matches!(piece.words.as_slice(), [first, _, ..] if is_bullet(&first.text));
    let pieces = rows.iter().map(Vec::len).sum();
    is_share(rows.iter().flatten().filter(begins).count(), pieces, LISTS)
}

/// Whether dots lead to numbers of pages, in ascending order, as in a table of contents.
fn has_leaders(rows: &[Vec<Piece>]) -> bool {
    let page = |row: &Vec<Piece>| {
        let words: Vec<&str> = row.iter().flat_map(|piece| &piece.words).map(|word| word.text.as_str()).collect();
        let last = words.last().filter(|_| is_entry(&words.join(" ")))?;
        last.trim_start_matches('.').parse::<u32>().ok().filter(|page| *page < MOST_PAGES)
    };
    let pages: Vec<u32> = rows.iter().filter_map(page).collect();
    is_share(pages.len(), rows.len(), LEADERS) && ascend(&pages)
}

/// Whether nearly all pieces, in all columns, are a name and its value.
fn is_form(rows: &[Vec<Piece>]) -> bool {
    let is_field = |piece: &&Piece| {
        let ends = |word: &Word| word.text.ends_with([':', '：']);
        piece.words.len() > 1 && piece.words.iter().any(ends)
    };
    let pieces = rows.iter().map(Vec::len).sum();
    is_share(rows.iter().flatten().filter(is_field).count(), pieces, FORM)
}

/// Whether lines end with the numbers of pages, in ascending order, and begin with numbers, or have one as their second word.
fn is_contents(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    let number = |row: &Vec<Piece>| match row.last()?.words.as_slice() {
        [word] if is_in(row.last()?, columns.last()) => word.text.parse::<u32>().ok().filter(|page| *page < MOST_PAGES),
        _ => None,
    };
    let pages: Vec<u32> = rows.iter().filter(|row| row.len() > 1).filter_map(number).collect();
    let has_number = |row: &&Vec<Piece>| {
        let title = row.split_last().map_or(&[][..], |(_, title)| title);
        let mut words = title.iter().flat_map(|piece| &piece.words).take(2);
        words.any(|word| word.text.starts_with(|c: char| c.is_ascii_digit()))
    };
    let is_titled = |row: &&Vec<Piece>| row.iter().flat_map(|piece| &piece.words).any(|word| is_word(&word.text));
    columns.len() <= PROSE_COLUMNS
        && rows.len() >= CONTENTS
        && ascend(&pages)
        && is_share(pages.len(), rows.len(), PAGES)
        && is_share(rows.iter().filter(has_number).count(), rows.len(), NUMBERED)
        && rows.iter().filter(is_titled).count() == rows.len()
}

/// Whether the first column counts the lines of a text.
fn has_numbered_lines(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    let number = |row: &Vec<Piece>| match row.first()?.words.as_slice() {
        [word] if is_in(row.first()?, columns.first()) => word.text.parse::<u32>().ok(),
        _ => None,
    };
    let numbers: Vec<u32> = rows.iter().filter_map(number).collect();
    let counts = numbers.windows(2).all(|pair| matches!(pair, [one, next] if one + 1 == *next));
    let words = rows.iter().flatten().flat_map(|piece| &piece.words).filter(|word| is_word(&word.text)).count();
    counts && numbers.len() >= COUNTED && numbers.len() == rows.len() && words >= rows.len() * LINE_WORDS
}

/// Whether two or three columns in type of other sizes stand beside each other, with lines at other heights.
fn are_beside(rows: &[Vec<Piece>], columns: &[(f32, f32)]) -> bool {
    let several: Vec<&Vec<Piece>> = rows.iter().filter(|row| row.len() > 1).collect();
    let is_off = |row: &&&Vec<Piece>| {
        row.windows(2).all(|pair| match pair {
            [a, b] => (a.area.center().1 - b.area.center().1).abs() > size_of(a).min(size_of(b)) * LEVEL,
            _ => true,
        })
    };
    let is_other = |row: &&&Vec<Piece>| {
        row.windows(2).any(|pair| match pair {
            [a, b] => size_of(a).max(size_of(b)) > size_of(a).min(size_of(b)) * OTHER_SIZE,
            _ => false,
        })
    };
    let off = several.iter().filter(is_off).count();
    columns.len() <= PROSE_COLUMNS
        && off * 2 > several.len()
        && several.iter().filter(is_other).count() * 2 > several.len()
}

fn ascend(pages: &[u32]) -> bool {
    pages.is_sorted() && pages.first() != pages.last()
}

fn is_in(piece: &Piece, column: Option<&(f32, f32)>) -> bool {
    column.is_some_and(|column| overlap(*column, &piece.area) > 0.0)
}

fn is_only(piece: &Piece, is: impl Fn(&str) -> bool) -> bool {
    matches!(piece.words.as_slice(), [word] if is(&word.text))
}

fn is_bullet(text: &str) -> bool {
    matches!(
        text,
        "•" | "‣"
            | "▪"
            | "●"
            | "○"
            | "■"
            | "□"
            | "∙"
            | "·"
            | "◦"
            | "➢"
            | "✓"
            | "-"
            | "–"
            | "−"
            | "\u{f0b7}"
            | "\u{f0a7}"
    )
}

/// Whether this is the number of a section, as `3.6.1` or `2.`.
fn is_section(text: &str) -> bool {
    text.contains('.')
        && text.starts_with(|c: char| c.is_ascii_digit())
        && text.split('.').all(|part| part.len() <= 2 && part.chars().all(|c| c.is_ascii_digit()))
}

fn is_word(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}

fn is_share(count: usize, all: usize, share: f32) -> bool {
    all > 0 && count as f32 >= all as f32 * share
}
