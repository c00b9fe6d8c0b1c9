//! Formulas as pieces: references to cells, and what is between them.

use super::rows::MOST_ROWS;

/// What a spreadsheet can have: `XFD` is the last one.
const MOST_COLUMNS: u32 = 16_384;

/// A cell's name: `$B5`, with the row's `$` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell<'f> {
    /// With its `$`; empty for a whole row.
    pub(super) column: &'f str,
    pub(super) is_fixed: bool,
    pub(super) row: u32,
}

/// `B5` or `$B$5`. A word with a column or row that no sheet has is a name: `YTD2024`.
pub(super) fn cell(word: &str) -> Option<Cell<'_>> {
    let letters = word.strip_prefix('$').unwrap_or(word);
    let digits = letters.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let column = column(word.get(..word.len() - digits.len())?)?;
    let (is_fixed, row) = row(digits)?;
    Some(Cell { column, is_fixed, row })
}

/// `B` or `$B`.
fn column(word: &str) -> Option<&str> {
    let letters = word.strip_prefix('$').unwrap_or(word);
    let is_name = (1..=3).contains(&letters.len()) && letters.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_name && column_number(letters) <= MOST_COLUMNS).then_some(word)
}

/// `5` or `$5`.
fn row(word: &str) -> Option<(bool, u32)> {
    let digits = word.strip_prefix('$').unwrap_or(word);
    let is_number = !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    let row = digits.parse().ok().filter(|row| is_number && *row <= MOST_ROWS)?;
    Some((digits.len() < word.len(), row))
}

pub(super) fn written(column: &str, is_fixed: bool, row: u32) -> String {
    format!("{column}{}{row}", if is_fixed { "$" } else { "" })
}

/// 1 for `A`.
pub(super) fn column_number(name: &str) -> u32 {
    let letters = name.bytes().filter(u8::is_ascii_alphabetic);
    letters.fold(0, |number, letter| number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1)
}

/// `None` if no sheet has such a column.
pub(super) fn column_name(number: u32) -> Option<String> {
    let mut left = (1..=MOST_COLUMNS).contains(&number).then_some(number)?;
    let mut letters = Vec::new();
    while left > 0 {
        let letter = u8::try_from((left - 1) % 26).ok()?;
        letters.push(char::from(b'A' + letter));
        left = (left - 1) / 26;
    }
    Some(letters.iter().rev().collect())
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece<'f> {
    /// Operators, numbers, names and texts.
    Text(&'f str),
    /// A parenthesis, with the name of its function.
    Open(&'f str),
    Close,
    Reference(Reference<'f>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference<'f> {
    pub(super) scope: Scope,
    /// The sheet, as it is written with its `!`.
    pub(super) prefix: &'f str,
    pub(super) area: Area<'f>,
    /// The area, as it is written.
    pub(super) text: &'f str,
    /// The rest of the formula.
    pub(super) after: &'f str,
}

/// Where a reference's cells are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    Own,
    Sheet(String),
    /// From one sheet to another, in the workbook's order.
    Sheets(String, String),
    OtherBook,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Area<'f> {
    Cell(Cell<'f>),
    /// Two corners, or whole rows, whose columns are empty.
    Range(Cell<'f>, Cell<'f>),
    Columns(&'f str, &'f str),
}

pub(super) fn pieces(formula: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = formula;
    std::iter::from_fn(move || {
        let (piece, length) = piece(rest)?;
        rest = rest.get(length..).unwrap_or_default();
        Some(piece)
    })
}

/// The first piece, and its length.
fn piece(rest: &str) -> Option<(Piece<'_>, usize)> {
    let first = rest.chars().next()?;
    let text = |length: usize| (Piece::Text(rest.get(..length).unwrap_or(rest)), length);
    Some(match first {
        '(' => (Piece::Open(""), 1),
        ')' => (Piece::Close, 1),
        '"' => text(closing(rest, '"')),
        '\'' => {
            let length = closing(rest, '\'');
            let name = rest.get(..length).unwrap_or_default().trim_matches('\'').replace("''", "'");
            let is_sheet = rest.get(length..).is_some_and(|after| after.starts_with('!'));
            if is_sheet { reference(rest, quoted_scope(&name), length + 1) } else { text(length) }
        }
        '[' => {
            let length = brackets(rest);
            let sheet = rest.get(length..).and_then(sheets);
            sheet.map_or_else(|| text(length), |(_, name)| reference(rest, Scope::OtherBook, length + name))
        }
        _ if is_word(first) => word_piece(rest),
        _ => text(first.len_utf8()),
    })
}

fn word_piece(rest: &str) -> (Piece<'_>, usize) {
    let word = word(rest);
    if rest.get(word.len()..).is_some_and(|after| after.starts_with('(')) {
        return (Piece::Open(word), word.len() + 1);
    }
    match sheets(rest) {
        Some((scope, length)) => reference(rest, scope, length),
        None => match area(rest) {
            Some(_) => reference(rest, Scope::Own, 0),
            None => (Piece::Text(word), word.len()),
        },
    }
}

/// The area after a sheet's name of this length, or the name alone.
fn reference(rest: &str, scope: Scope, prefix: usize) -> (Piece<'_>, usize) {
    let (prefix, after) = rest.split_at_checked(prefix).unwrap_or((rest, ""));
    match area(after) {
        Some((area, length)) => {
            let (text, after) = after.split_at_checked(length).unwrap_or((after, ""));
            (Piece::Reference(Reference { scope, prefix, area, text, after }), prefix.len() + length)
        }
        None => (Piece::Text(prefix), prefix.len()),
    }
}

/// `'Year 1:Year 3'`, `'[1]Items'` or `'Items'`, without its quotation marks.
fn quoted_scope(name: &str) -> Scope {
    match name.split_once(':') {
        _ if name.contains(['[', ']']) => Scope::OtherBook,
        Some((first, last)) => Scope::Sheets(first.to_owned(), last.to_owned()),
        None => Scope::Sheet(name.to_owned()),
    }
}

/// `Items!` or `Q1:Q3!`, and its length.
fn sheets(rest: &str) -> Option<(Scope, usize)> {
    let first = word(rest);
    let after = rest.get(first.len()..).filter(|_| !first.is_empty())?;
    if after.starts_with('!') {
        return Some((Scope::Sheet(first.to_owned()), first.len() + 1));
    }
    let after = after.strip_prefix(':')?;
    let last = word(after);
    let is_sheet = !last.is_empty() && after.get(last.len()..)?.starts_with('!');
    is_sheet.then(|| (Scope::Sheets(first.to_owned(), last.to_owned()), first.len() + last.len() + 2))
}

/// Cells, rows or columns at the beginning, and their length.
fn area(rest: &str) -> Option<(Area<'_>, usize)> {
    let first = word(rest);
    let after = rest.get(first.len()..)?;
    let second = after.strip_prefix(':').map(word).unwrap_or_default();
    let length = first.len() + 1 + second.len();
    if !second.is_empty()
        && !is_name(rest.get(length..)?)
        && let Some(area) = range(first, second)
    {
        return Some((area, length));
    }
    let cell = cell(first).filter(|_| !is_name(after))?;
    Some((Area::Cell(cell), first.len()))
}

fn range<'f>(first: &'f str, second: &'f str) -> Option<Area<'f>> {
    let whole_row = |word| row(word).map(|(is_fixed, row)| Cell { column: "", is_fixed, row });
    let both = cell(first).zip(cell(second)).or_else(|| whole_row(first).zip(whole_row(second)));
    both.map(|(first, second)| Area::Range(first, second))
        .or_else(|| column(first).zip(column(second)).map(|(first, second)| Area::Columns(first, second)))
}

/// Whether a word before this is a function's, sheet's or table's.
fn is_name(after: &str) -> bool {
    after.starts_with(['(', '!', '['])
}

fn word(rest: &str) -> &str {
    rest.split_once(|c| !is_word(c)).map_or(rest, |(word, _)| word)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '\\' | '?')
}

/// The length of what is between quotation marks, which are doubled inside.
fn closing(rest: &str, mark: char) -> usize {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == mark && characters.next_if(|(_, next)| *next == mark).is_none() {
            return at + mark.len_utf8();
        }
    }
    rest.len()
}

fn brackets(rest: &str) -> usize {
    let mut depth = 0_u32;
    for (at, c) in rest.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 1 => return at + 1,
            ']' => depth -= 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The references of a formula, each with its sheet in brackets.
    fn references(formula: &str) -> Vec<String> {
        let shown = |piece: Piece<'_>| match piece {
            Piece::Reference(Reference { scope, text, .. }) => Some(match scope {
                Scope::Own => text.to_owned(),
                Scope::Sheet(name) => format!("[{name}]{text}"),
                Scope::Sheets(first, last) => format!("[{first}:{last}]{text}"),
                Scope::OtherBook => format!("[other]{text}"),
            }),
            Piece::Text(_) | Piece::Open(_) | Piece::Close => None,
        };
        pieces(formula).filter_map(shown).collect()
    }

    #[test]
    fn names_texts_and_functions_are_told_from_references() {
        for (formula, expected) in [
            ("A1+$B$2*XFD1048576", &["A1", "$B$2", "XFD1048576"][..]),
            ("YTD2024+XFE1+A1048577+A0+LOG10(B2)+A1.b+_A1", &["B2"]),
            ("SUM(B:$C,5:$7,A1:B2,B5:B2)", &["B:$C", "5:$7", "A1:B2", "B5:B2"]),
            ("D8:INDEX(D:D,3)+D8:top+D8:T1[x]", &["D8", "D:D", "D8", "D8"]),
            ("Items!A1:Items!B2+'It''s'!5:5", &["[Items]A1", "[Items]B2", "[It's]5:5"]),
            ("Q1:Q3!A3+'Y 1:Y 3'!B:B", &["[Q1:Q3]A3", "[Y 1:Y 3]B:B"]),
            ("[1]Items!A3+'[1]My items'!A3+[1]Q1:Q3!A3", &["[other]A3", "[other]A3", "[other]A3"]),
            ("T3[[#This Row],[A3]]&\"A3\"&TRUE", &[]),
        ] {
            assert_eq!(references(formula), expected, "{formula}");
        }
    }

    #[test]
    fn pieces_have_all_of_a_formula() {
        let formula = "IF(A3>1,\"A\"\"3\",'My items'!$A$3:B4)*{1,2}";
        let text = |piece: Piece<'_>| match piece {
            Piece::Text(text) => text.to_owned(),
            Piece::Open(name) => format!("{name}("),
            Piece::Close => ")".to_owned(),
            Piece::Reference(Reference { prefix, text, .. }) => format!("{prefix}{text}"),
        };
        assert_eq!(pieces(formula).map(text).collect::<String>(), formula);
    }

    #[test]
    fn columns_have_numbers() {
        assert_eq!(
            (column_number("AA"), column_name(27), column_name(703)),
            (27, Some("AA".into()), Some("AAA".into()))
        );
        assert_eq!((column_name(16_384), column_name(16_385), column_name(0)), (Some("XFD".into()), None, None));
    }
}
