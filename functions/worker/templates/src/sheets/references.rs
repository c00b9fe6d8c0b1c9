//! Points the references of formulas to where their rows are.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use super::formula::{Area, Cell, Piece, Reference, Scope, column_name, column_number, pieces, written};
use super::rows::{MOST_ROWS, Rows};
use crate::problem::quote;

/// Functions that skip what is no number, so that they can be given text instead of rows that are gone.
const AGGREGATES: [&str; 6] = ["AVERAGE", "COUNT", "MAX", "MIN", "PRODUCT", "SUM"];
/// Functions for which a repeated cell means all its copies.
const OVER_COPIES: [&str; 5] = ["AVERAGEA", "COUNTA", "COUNTBLANK", "MEDIAN", "SUMSQ"];
/// What stands for cells that are gone.
const GONE: &str = "#REF!";
/// Most formulas to report.
const REPORTED: usize = 20;

/// The sheets of a workbook whose rows have moved.
#[derive(Debug, Default)]
pub(crate) struct Sheets {
    /// By name in lower case. Sheets that are not among them have not changed.
    moved: HashMap<String, Rows>,
    /// The places of all sheets in the workbook, and of those that have moved.
    places: HashMap<String, usize>,
    moved_places: BTreeSet<usize>,
    /// Formulas with references that can not follow.
    kept: RefCell<BTreeSet<String>>,
}

impl Sheets {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>, moved: HashMap<String, Rows>) -> Self {
        let places: HashMap<_, _> = names.enumerate().map(|(place, name)| (name.to_lowercase(), place)).collect();
        let moved_places = moved.keys().filter_map(|name| places.get(name)).copied().collect();
        Self { moved, places, moved_places, kept: RefCell::default() }
    }

    pub(super) fn rows(&self, sheet: &str) -> Option<&Rows> {
        self.moved.get(&sheet.to_lowercase())
    }

    pub(super) fn have_moved(&self) -> bool {
        !self.moved.is_empty()
    }

    pub(super) fn moved(&self) -> impl Iterator<Item = &Rows> {
        self.moved.values()
    }

    /// Formulas that still name the cells of the template.
    pub(super) fn kept(&self) -> Vec<String> {
        self.kept.borrow().iter().cloned().collect()
    }

    /// Whether the rows of any sheet from one to another have moved.
    fn has_moved_between(&self, first: &str, last: &str) -> bool {
        let place = |name: &str| self.places.get(&name.to_lowercase()).copied();
        let (Some(first), Some(last)) = (place(first), place(last)) else { return false };
        self.moved_places.range(first.min(last)..=first.max(last)).next().is_some()
    }

    fn note_kept(&self, sheet: &str, formula: &str) {
        let mut kept = self.kept.borrow_mut();
        if kept.len() < REPORTED {
            let formula = quote(formula);
            kept.insert(if sheet.is_empty() { formula } else { format!("{sheet}: {formula}") });
        }
    }
}

/// Where a formula stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    /// Its sheet; empty if its references all name theirs.
    pub(super) sheet: &'a str,
    /// Its new row, if it belongs to one.
    pub(super) row: Option<u32>,
}

/// A formula whose references follow their rows.
pub(super) fn moved(formula: &str, at: At<'_>, sheets: &Sheets) -> String {
    if !sheets.have_moved() {
        return formula.to_owned();
    }
    let own = sheets.rows(at.sheet);
    let done = String::with_capacity(formula.len());
    let mut mover = Mover {
        done,
        functions: Vec::new(),
        begins_argument: false,
        ends_range: false,
        has_kept: false,
        at,
        own,
        sheets,
    };
    pieces(formula).for_each(|piece| mover.piece(&piece));
    if mover.has_kept {
        sheets.note_kept(at.sheet, formula);
    }
    mover.done
}

/// A formula as it is in a cell so many columns and rows away.
pub(super) fn copied(formula: &str, columns: i64, rows: i64) -> String {
    let mut done = String::with_capacity(formula.len());
    for piece in pieces(formula) {
        match piece {
            Piece::Text(text) => done.push_str(text),
            Piece::Open(name) => {
                done.push_str(name);
                done.push('(');
            }
            Piece::Close => done.push(')'),
            Piece::Reference(Reference { prefix, area, .. }) => {
                done.push_str(prefix);
                done.push_str(&beside(area, columns, rows).unwrap_or_else(|| GONE.to_owned()));
            }
        }
    }
    done
}

/// `None` if it is outside of the sheet.
fn beside(area: Area<'_>, columns: i64, rows: i64) -> Option<String> {
    let column = |column: &str| match column.strip_prefix('$') {
        Some(_) => Some(column.to_owned()),
        None if column.is_empty() => Some(String::new()),
        None => column_name(u32::try_from(i64::from(column_number(column)) + columns).ok()?),
    };
    let cell = |cell: Cell<'_>| {
        let row = if cell.is_fixed { i64::from(cell.row) } else { i64::from(cell.row) + rows };
        let row = u32::try_from(row).ok().filter(|row| (1..=MOST_ROWS).contains(row))?;
        Some(written(&column(cell.column)?, cell.is_fixed, row))
    };
    Some(match area {
        Area::Cell(one) => cell(one)?,
        Area::Range(first, second) => format!("{}:{}", cell(first)?, cell(second)?),
        Area::Columns(first, second) => format!("{}:{}", column(first)?, column(second)?),
    })
}

struct Mover<'a> {
    done: String,
    /// Functions whose arguments are open; an empty name for other parentheses.
    functions: Vec<&'a str>,
    /// An argument of a function begins here.
    begins_argument: bool,
    /// What follows is the end of a range whose begin is calculated, or another way round.
    ends_range: bool,
    has_kept: bool,
    at: At<'a>,
    own: Option<&'a Rows>,
    sheets: &'a Sheets,
}

impl<'a> Mover<'a> {
    fn piece(&mut self, piece: &Piece<'a>) {
        match piece {
            Piece::Text(text) => {
                self.done.push_str(text);
                if !text.trim().is_empty() {
                    self.begins_argument = *text == ",";
                    self.ends_range = *text == ":";
                }
            }
            Piece::Open(name) => {
                self.done.push_str(name);
                self.done.push('(');
                self.functions.push(name);
                self.begins_argument = true;
                self.ends_range = false;
            }
            Piece::Close => {
                self.done.push(')');
                self.functions.pop();
                (self.begins_argument, self.ends_range) = (false, false);
            }
            Piece::Reference(reference) => {
                let moved = self.reference(reference);
                self.done.push_str(reference.prefix);
                self.done.push_str(moved.as_deref().unwrap_or(reference.text));
                (self.begins_argument, self.ends_range) = (false, false);
            }
        }
    }

    /// The new area of a reference; `None` if it stays.
    fn reference(&mut self, reference: &Reference<'_>) -> Option<String> {
        let (rows, row) = match &reference.scope {
            Scope::Own => (self.own?, self.at.row),
            Scope::Sheet(name) => {
                let is_own = name.to_lowercase() == self.at.sheet.to_lowercase();
                (self.sheets.rows(name)?, self.at.row.filter(|_| is_own))
            }
            Scope::Sheets(first, last) => {
                let is_columns = matches!(reference.area, Area::Columns(..));
                self.has_kept |= !is_columns && self.sheets.has_moved_between(first, last);
                return None;
            }
            Scope::OtherBook => return None,
        };
        // A fixed row sees all copies.
        let from = |cell: Cell<'_>| (cell.row, row.filter(|_| !cell.is_fixed));
        match reference.area {
            Area::Columns(..) => None,
            Area::Cell(cell) => self.single(rows, cell, from(cell), reference),
            Area::Range(first, second) => {
                let is_reversed = first.row > second.row;
                let (upper, lower) = if is_reversed { (second, first) } else { (first, second) };
                Some(match rows.span(from(upper), from(lower)) {
                    Some((top, bottom)) => {
                        let (one, other) = if is_reversed { (bottom, top) } else { (top, bottom) };
                        let name = |cell: Cell<'_>, row| written(cell.column, cell.is_fixed, row);
                        format!("{}:{}", name(first, one), name(second, other))
                    }
                    None => self.gone(reference),
                })
            }
        }
    }

    fn single(
        &self,
        rows: &Rows,
        cell: Cell<'_>,
        from: (u32, Option<u32>),
        reference: &Reference<'_>,
    ) -> Option<String> {
        let name = |row| written(cell.column, cell.is_fixed, row);
        if self.ends_range {
            return Some(rows.span(from, from).map_or_else(|| GONE.to_owned(), |(_, bottom)| name(bottom)));
        }
        if self.is_argument_of(reference.after, &[&AGGREGATES, &OVER_COPIES]) {
            return Some(match rows.span(from, from) {
                Some((top, bottom)) if top < bottom => format!("{}:{}", name(top), name(bottom)),
                Some((row, _)) => name(row),
                None => self.gone(reference),
            });
        }
        Some(rows.row(from.0, from.1).map_or_else(|| GONE.to_owned(), name))
    }

    /// What stands for rows that are gone.
    fn gone(&self, reference: &Reference<'_>) -> String {
        let is_plain = reference.prefix.is_empty() && self.is_argument_of(reference.after, &[&AGGREGATES]);
        if is_plain { "{\"\"}".to_owned() } else { GONE.to_owned() }
    }

    /// Whether the reference is a whole argument of one of these functions.
    fn is_argument_of(&self, after: &str, functions: &[&[&str]]) -> bool {
        let named =
            |name: &str| functions.iter().any(|names| names.iter().any(|known| known.eq_ignore_ascii_case(name)));
        self.begins_argument
            && self.functions.last().is_some_and(|name| named(name))
            && after.trim_start().starts_with([')', ','])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::rows::Written;
    use super::*;
    use crate::fill::Pass;

    /// Row 2 is there so many times; 3 follows.
    fn sheets(copies: usize) -> Sheets {
        let originals: Vec<u32> = std::iter::once(1).chain(std::iter::repeat_n(2, copies)).chain([3]).collect();
        let written: Vec<_> =
            originals.iter().enumerate().map(|(index, row)| Written { original: *row, at: index }).collect();
        let passes: Vec<_> = (1..=copies).map(|at| Pass { section: 0, range: at..at + 1 }).collect();
        let rows = Rows::new(&[1, 2, 3], &written, &passes, &[]).unwrap();
        Sheets::new(["Q1", "Items", "Q3", "Other"].into_iter(), HashMap::from([("items".to_owned(), rows)]))
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
            ("SUM('Items'!D2,Items!D2)", "SUM('Items'!D2:D4,Items!D2:D4)"),
            ("IF(A3>1,\"A3\",Items!$A$3)", "IF(A5>1,\"A3\",Items!$A$5)"),
            ("SUM(2:2)+SUM(A:C)+SUM($3:$3)", "SUM(2:4)+SUM(A:C)+SUM($5:$5)"),
            ("SUM(D3:D1)+SUM($D$3:D2)", "SUM(D5:D1)+SUM($D$5:D2)"),
            ("D3:INDEX(D:D,9)+SUM(D2:INDEX(D2:D2,2))", "D5:INDEX(D:D,9)+SUM(D2:INDEX(D2:D4,2))"),
            ("SUM(INDEX(D:D,1):D2)", "SUM(INDEX(D:D,1):D4)"),
            ("YTD3+A3", "YTD3+A5"),
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
    fn references_to_several_sheets_stay_and_are_told_if_one_of_these_has_moved() {
        let sheets = sheets(3);
        for formula in ["SUM(Q1:Q3!A3)", "SUM('Q1:Items'!A3)", "Q3:Other!A3", "SUM(Q1:Q3!A:A)", "A3"] {
            moved(formula, At { sheet: "Other", row: None }, &sheets);
        }
        assert_eq!(sheets.kept(), ["Other: SUM('Q1:Items'!A3)", "Other: SUM(Q1:Q3!A3)"]);
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
        for (formula, expected) in [
            ("A1*$B$1+C$1&\"A1\"&LOG10(Z1)", "B3*$B$1+D$1&\"A1\"&LOG10(AA3)"),
            ("SUM(B:B,$B:C,5:5,$5:6)", "SUM(C:C,$B:D,7:7,$5:8)"),
            ("SUM(Q1:Q3!A1)+'A1'!A1+YTD2024", "SUM(Q1:Q3!B3)+'A1'!B3+YTD2024"),
            ("XFD1+A1048575", "#REF!+#REF!"),
        ] {
            assert_eq!(copied(formula, 1, 2), expected);
        }
        assert_eq!(copied("A1+B1", -1, 0), "#REF!+A1");
    }

    proptest! {
        #[test]
        fn any_formula_is_read(formula in "[A-C1-3$:!'\"\\[\\](),+# é]{0,40}") {
            below(&formula);
            copied(&formula, -1, -1);
        }
    }
}
