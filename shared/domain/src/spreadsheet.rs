//! Text from strangers in the cells of a CSV file.

use std::borrow::Cow;

/// Characters that begin a formula, also in their wide forms (OWASP, "CSV Injection").
const FORMULA: [char; 10] = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠'];

/// The text for a cell. Spreadsheets would run a name such as `=HYPERLINK(…)`: an apostrophe makes it text. Numbers stay numbers.
pub fn cell(text: &str) -> Cow<'_, str> {
    if text.trim_start_matches(' ').starts_with(FORMULA) && !is_signed_number(text) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

fn is_signed_number(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | '%' | ' ' | '\u{a0}' | '\u{202f}');
    text.strip_prefix(['+', '-']).is_some_and(|unsigned| unsigned.chars().all(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text() {
        for formula in ["=1+1", "@SUM(A1)", "-2+3", "\tx", "\r=x", " =x", "＝1", "+A1"] {
            assert_eq!(cell(formula), format!("'{formula}"));
        }
    }

    #[test]
    fn numbers_and_other_text_stay() {
        for text in ["", "-", "a=b.pdf", "-2", "+1 234,50", "-5 %", "é"] {
            assert_eq!(cell(text), text);
        }
    }
}
