//! References in formulas: found, and pointed to where their rows are.

use std::collections::HashMap;

use super::rows::{MOST_ROWS, Rows};

/// Functions that skip what is no number, so that they can be given text instead of rows that are gone.
const AGGREGATES: [&str; 6] = ["AVERAGE", "COUNT", "MAX", "MIN", "PRODUCT", "SUM"];
/// Functions for which a repeated cell means all its copies.
const OVER_COPIES: [&str; 5] = ["AVERAGEA", "COUNTA", "COUNTBLANK", "MEDIAN", "SUMSQ"];

/// The rows of sheets, by name in lower case. Sheets that are not among them have not changed.
pub(super) type Sheets = HashMap<String, Rows>;

/// Where a formula stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    /// Its sheet; empty if its references all name theirs.
    pub(super) sheet: &'a str,
    /// Its new row, if it belongs to one.
    pub(super) row: Option<u32>,
}

/// A cell's name: `$B5`, with the row's `$` apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell<'f> {
    /// With its `$`; empty for a whole row.
    pub(super) column: &'f str,
    pub(super) is_fixed: bool,
    pub(super) row: u32,
}

/// `B5` or `$B$5`.
pub(super) fn cell(word: &str) -> Option<Cell<'_>> {
    let letters = word.strip_prefix('$').unwrap_or(word);
    let digits = letters.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let name = letters.len() - digits.len();
    let column = word.get(..word.len() - digits.len())?;
    let (is_fixed, row) = row(digits)?;
    (1..=3).contains(&name).then_some(Cell { column, is_fixed, row })
}

/// `5` or `$5`.
fn row(word: &str) -> Option<(bool, u32)> {
    let digits = word.strip_prefix('$').unwrap_or(word);
    let is_number = !digits.is_empty() && !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    let row = digits.parse().ok().filter(|row| is_number && *row <= MOST_ROWS)?;
    Some((digits.len() < word.len(), row))
}

fn written(column: &str, is_fixed: bool, row: u32) -> String {
    format!("{column}{}{row}", if is_fixed { "$" } else { "" })
}

/// A formula whose references follow their rows.
pub(super) fn moved(formula: &str, at: At<'_>, sheets: &Sheets) -> String {
    let mut mover =
        Mover { rest: formula, done: String::with_capacity(formula.len()), functions: Vec::new(), at, sheets };
    while mover.step() {}
    mover.done
}

/// A formula as it is in a cell so many columns and rows away.
pub(super) fn copied(formula: &str, columns: i64, rows: i64) -> String {
    let (mut rest, mut done) = (formula, String::with_capacity(formula.len()));
    while let Some(first) = rest.chars().next() {
        let (taken, after) = match token(rest, first) {
            Token::Word(word) => {
                let after = rest.get(word.len()..).unwrap_or_default();
                let is_name = after.starts_with(['(', '!', '[']);
                let cell = cell(word).filter(|_| !is_name);
                done.push_str(&cell.and_then(|cell| beside(cell, columns, rows)).unwrap_or_else(|| word.to_owned()));
                (String::new(), after)
            }
            Token::Other(text) => (text.to_owned(), rest.get(text.len()..).unwrap_or_default()),
        };
        done.push_str(&taken);
        rest = after;
    }
    done
}

fn beside(cell: Cell<'_>, columns: i64, rows: i64) -> Option<String> {
    let row = if cell.is_fixed { cell.row } else { u32::try_from(i64::from(cell.row) + rows).ok()? };
    let column = match cell.column.strip_prefix('$') {
        Some(_) => cell.column.to_owned(),
        None => column_name(u32::try_from(i64::from(column_number(cell.column)) + columns).ok()?),
    };
    Some(written(&column, cell.is_fixed, row))
}

/// 1 for `A`.
pub(super) fn column_number(name: &str) -> u32 {
    let letters = name.bytes().filter(u8::is_ascii_alphabetic);
    letters.fold(0, |number, letter| number * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1)
}

pub(super) fn column_name(mut number: u32) -> String {
    let mut letters = Vec::new();
    while number > 0 {
        let letter = u8::try_from((number - 1) % 26).unwrap_or_default();
        letters.push(char::from(b'A' + letter));
        number = (number - 1) / 26;
    }
    letters.iter().rev().collect()
}

enum Token<'f> {
    /// A name, number or reference.
    Word(&'f str),
    Other(&'f str),
}

fn token(rest: &str, first: char) -> Token<'_> {
    let end = match first {
        '"' => closing(rest, '"'),
        '\'' => closing(rest, '\''),
        '[' => brackets(rest),
        _ if is_word(first) => {
            return Token::Word(rest.split_once(|c| !is_word(c)).map_or(rest, |(word, _)| word));
        }
        _ => first.len_utf8(),
    };
    Token::Other(rest.get(..end).unwrap_or(rest))
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

struct Mover<'a> {
    rest: &'a str,
    done: String,
    /// Functions whose arguments are open; an empty name for other parentheses.
    functions: Vec<&'a str>,
    at: At<'a>,
    sheets: &'a Sheets,
}

impl<'a> Mover<'a> {
    /// `false` at the end.
    fn step(&mut self) -> bool {
        let Some(first) = self.rest.chars().next() else { return false };
        match token(self.rest, first) {
            Token::Word(word) => self.word(word),
            Token::Other(text) => {
                self.take(text.len());
                match first {
                    '(' => self.functions.push(""),
                    ')' => drop(self.functions.pop()),
                    '\'' if self.rest.starts_with('!') => {
                        self.take(1);
                        let name = text.trim_matches('\'').replace("''", "'");
                        self.reference(&name);
                    }
                    // Another workbook's sheet, whose name follows.
                    '[' => {
                        let name = self.rest.split_once(|c| !is_word(c)).map_or(self.rest, |(word, _)| word).len();
                        if name > 0 && self.rest.get(name..).is_some_and(|rest| rest.starts_with('!')) {
                            self.take(name + 1);
                            self.skip_reference();
                        }
                    }
                    _ => {}
                }
            }
        }
        true
    }

    fn take(&mut self, length: usize) {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.done.push_str(taken);
        self.rest = rest;
    }

    fn word(&mut self, word: &'a str) {
        let after = self.rest.get(word.len()..).unwrap_or_default();
        if after.starts_with('(') {
            self.functions.push(word);
            self.take(word.len() + 1);
        } else if after.starts_with('[') {
            // A table's name.
            self.take(word.len());
        } else if after.starts_with('!') {
            self.take(word.len() + 1);
            self.reference(word);
        } else {
            let sheet = self.at.sheet;
            self.reference(sheet);
        }
    }

    /// A reference to several sheets or another workbook, which stays as it is.
    fn skip_reference(&mut self) {
        while let Some(Token::Word(word)) = self.rest.chars().next().map(|first| token(self.rest, first)) {
            self.take(word.len());
            if !self.rest.starts_with(':') {
                return;
            }
            self.take(1);
        }
    }

    /// What begins here is a reference to this sheet, a name or a number.
    fn reference(&mut self, sheet: &str) {
        let Some(Token::Word(first)) = self.rest.chars().next().map(|first| token(self.rest, first)) else { return };
        let after = self.rest.get(first.len()..).unwrap_or_default();
        let second = after.strip_prefix(':').and_then(|rest| match token(rest, rest.chars().next()?) {
            Token::Word(word) => Some((word, rest.get(word.len()..).unwrap_or_default())),
            Token::Other(_) => None,
        });
        if let Some((second, after)) = second {
            let length = first.len() + 1 + second.len();
            if after.starts_with('!') {
                self.take(length + 1);
                return self.skip_reference();
            }
            if let Some(moved) = self.range(sheet, first, second, after) {
                self.done.push_str(&moved);
                self.rest = after;
                return;
            }
            return self.take(length);
        }
        match cell(first).and_then(|cell| self.single(sheet, cell, after)) {
            Some(moved) => {
                self.done.push_str(&moved);
                self.rest = after;
            }
            None => self.take(first.len()),
        }
    }

    fn rows(&self, sheet: &str) -> Option<&'a Rows> {
        self.sheets.get(&sheet.to_lowercase())
    }

    /// The row from which a reference looks: a fixed one, or one from another sheet, sees all copies.
    fn from(&self, sheet: &str, is_fixed: bool) -> Option<u32> {
        self.at.row.filter(|_| !is_fixed && sheet.eq_ignore_ascii_case(self.at.sheet))
    }

    fn range(&self, sheet: &str, first: &str, second: &str, after: &str) -> Option<String> {
        let part = |word| cell(word).or_else(|| row(word).map(|(is_fixed, row)| Cell { column: "", is_fixed, row }));
        let (first, second) = (part(first)?, part(second)?);
        if first.column.is_empty() != second.column.is_empty() {
            return None;
        }
        let (first_from, second_from) = (self.from(sheet, first.is_fixed), self.from(sheet, second.is_fixed));
        Some(match self.rows(sheet)?.span((first.row, first_from), (second.row, second_from)) {
            Some((top, bottom)) => format!(
                "{}:{}",
                written(first.column, first.is_fixed, top),
                written(second.column, second.is_fixed, bottom)
            ),
            None => self.gone(after),
        })
    }

    fn single(&self, sheet: &str, cell: Cell<'_>, after: &str) -> Option<String> {
        let (rows, from) = (self.rows(sheet)?, self.from(sheet, cell.is_fixed));
        let name = |row| written(cell.column, cell.is_fixed, row);
        if self.is_aggregated(after, &[&AGGREGATES, &OVER_COPIES]) {
            return Some(match rows.span((cell.row, from), (cell.row, from)) {
                Some((top, bottom)) if top < bottom => format!("{}:{}", name(top), name(bottom)),
                Some((row, _)) => name(row),
                None => self.gone(after),
            });
        }
        Some(rows.row(cell.row, from).map_or_else(|| "#REF!".to_owned(), name))
    }

    /// What stands for rows that are gone.
    fn gone(&self, after: &str) -> String {
        let is_plain = !self.done.ends_with('!') && self.is_aggregated(after, &[&AGGREGATES]);
        if is_plain { "{\"\"}".to_owned() } else { "#REF!".to_owned() }
    }

    /// Whether the reference is a whole argument of one of these functions.
    fn is_aggregated(&self, after: &str, functions: &[&[&str]]) -> bool {
        let named =
            |name: &str| functions.iter().any(|names| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
        let before =
            self.done.rsplit(|c: char| !(is_word(c) || matches!(c, '!' | '\'' | ' '))).next().unwrap_or_default();
        let before = self.done.strip_suffix(before).unwrap_or_default();
        self.functions.last().is_some_and(|name| named(name))
            && before.ends_with(['(', ','])
            && after.trim_start().starts_with([')', ','])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rows::{Pass, Written};
    use super::*;

    /// Row 2 is there three times; 3 follows.
    fn sheets(copies: usize) -> Sheets {
        let originals: Vec<u32> = std::iter::once(1).chain(std::iter::repeat_n(2, copies)).chain([3]).collect();
        let written: Vec<_> =
            originals.iter().enumerate().map(|(index, row)| Written { original: *row, at: index }).collect();
        let passes: Vec<_> = (1..=copies).map(|at| Pass { section: 0, range: at..at + 1 }).collect();
        HashMap::from([("items".to_owned(), Rows::new(&[1, 2, 3], &written, &passes, &[]).unwrap())])
    }

    fn below(formula: &str) -> String {
        moved(formula, At { sheet: "Items", row: Some(5) }, &sheets(3))
    }

    #[test]
    fn references_follow_their_rows() {
        for (formula, expected) in [
            ("A3*2", "A5*2"),
            ("SUM(D2:D2)", "SUM(D2:D4)"),
            ("SUM(D2)", "SUM(D2:D4)"),
            ("SUM($D$2)+MAX( D2 ,1)", "SUM($D$2:$D$4)+MAX( D2:D4 ,1)"),
            ("SUM(D1:D3)", "SUM(D1:D5)"),
            ("IF(A3>1,\"A3\",Items!$A$3)", "IF(A5>1,\"A3\",Items!$A$5)"),
            ("SUM(2:2)+SUM(A:C)", "SUM(2:4)+SUM(A:C)"),
            (
                "Other!A3+'It''s'!A3+[1]Items!A3+T3[[#This Row],[A3]]",
                "Other!A3+'It''s'!A3+[1]Items!A3+T3[[#This Row],[A3]]",
            ),
            ("Q1:Q3!A3+LOG10(A3)+A3.b+1E3", "Q1:Q3!A3+LOG10(A5)+A3.b+1E3"),
            ("SUBTOTAL(9,D2:D2)", "SUBTOTAL(9,D2:D4)"),
            ("D2*2", "D2*2"),
        ] {
            assert_eq!(below(formula), expected);
        }
    }

    #[test]
    fn a_repeated_formula_sees_its_own_row_and_fixed_rows_see_all() {
        let third = |formula| moved(formula, At { sheet: "Items", row: Some(4) }, &sheets(3));
        assert_eq!(third("B2*C2"), "B4*C4");
        assert_eq!(third("SUM(D$2:D2)"), "SUM(D$2:D4)");
        assert_eq!(third("D2/SUM(D$2:D$2)*$A$1"), "D4/SUM(D$2:D$4)*$A$1");
        assert_eq!(third("E1+D2"), "E3+D4");
        assert_eq!(third("D3"), "D5");
    }

    #[test]
    fn rows_that_are_gone_leave_nothing_to_sum() {
        let gone = |formula| moved(formula, At { sheet: "Items", row: Some(2) }, &sheets(0));
        assert_eq!(gone("SUM(D2:D2)+COUNT(D2)"), "SUM({\"\"})+COUNT({\"\"})");
        assert_eq!(gone("D2+SUMIF(A2:A2,1)"), "#REF!+SUMIF(#REF!,1)");
    }

    #[test]
    fn a_shared_formula_is_copied_as_a_program_fills_down() {
        assert_eq!(copied("A1*$B$1+C$1&\"A1\"&LOG10(Z1)", 1, 2), "B3*$B$1+D$1&\"A1\"&LOG10(AA3)");
        assert_eq!((column_number("AA"), column_name(27), column_name(703)), (27, "AA".to_owned(), "AAA".to_owned()));
    }

    proptest! {
        #[test]
        fn any_formula_is_read(formula in "[A-C1-3$:!'\"\\[\\](),+# é]{0,40}") {
            below(&formula);
            copied(&formula, -1, -1);
        }
    }
}
