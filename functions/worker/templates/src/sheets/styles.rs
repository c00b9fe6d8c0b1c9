//! What the number formats of a workbook's styles show.

use std::collections::HashMap;

use docmill_package::markup::{scan, value};

use crate::cell::CellFormat;
use crate::problem::Failure;

/// For each style that cells can name, in order.
pub(super) fn formats(source: &str) -> Result<Vec<CellFormat>, Failure> {
    let markup = scan(source)?;
    let own = markup.named("numFmt").filter_map(|(_, format)| {
        Some((value(source, format, "numFmtId")?.parse().ok()?, shown(&value(source, format, "formatCode")?)))
    });
    let own: HashMap<u32, CellFormat> = own.collect();
    let Some((styles, _)) = markup.named("cellXfs").next() else { return Ok(Vec::new()) };
    let style = |(_, style): (usize, &docmill_package::markup::Element<'_>)| {
        let number = value(source, style, "numFmtId").and_then(|number| number.parse().ok()).unwrap_or(0);
        own.get(&number).copied().unwrap_or_else(|| built_in(number))
    };
    Ok(markup.inside(styles).filter(|(_, style)| style.local() == "xf").map(style).collect())
}

fn built_in(number: u32) -> CellFormat {
    match number {
        14..=22 | 27..=36 | 45..=47 | 50..=58 => CellFormat::Date,
        49 => CellFormat::Text,
        _ => CellFormat::Number,
    }
}

/// A format's code has letters of dates outside of what it quotes.
fn shown(code: &str) -> CellFormat {
    if code.trim() == "@" {
        return CellFormat::Text;
    }
    let (mut quoted, mut bracketed, mut escaped) = (false, false, false);
    for c in code.chars() {
        if std::mem::take(&mut escaped) {
            continue;
        }
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '\\' | '_' | '*' => escaped = true,
            '[' => bracketed = true,
            ']' => bracketed = false,
            'd' | 'm' | 'y' | 'h' | 's' | 'D' | 'M' | 'Y' | 'H' | 'S' if !bracketed => return CellFormat::Date,
            _ => {}
        }
    }
    CellFormat::Number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_of_dates_are_told_from_those_of_numbers() {
        for (code, expected) in [
            ("yyyy\\-mm\\-dd", CellFormat::Date),
            ("[$-409]d/m/yy", CellFormat::Date),
            ("#,##0.00 \"days\"", CellFormat::Number),
            ("[Red]0.00_d", CellFormat::Number),
            ("@", CellFormat::Text),
        ] {
            assert_eq!(shown(code), expected, "{code}");
        }
        let styles = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd.mm."/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/></cellXfs></styleSheet>"#;
        assert_eq!(formats(styles).unwrap(), [CellFormat::Number, CellFormat::Date, CellFormat::Date]);
    }
}
