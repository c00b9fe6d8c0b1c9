//! Mends what is left of elements whose content went with a section: cells need a paragraph, and tables a row.

use std::collections::HashSet;
use std::ops::Range;

use docmill_package::markup::{Markup, applied, scan};

use crate::problem::Failure;

/// Elements that end with a paragraph.
const NEED_PARAGRAPH: [&str; 8] = ["tc", "txbxContent", "hdr", "ftr", "footnote", "endnote", "comment", "txBody"];

pub(crate) fn mended(source: String) -> Result<String, Failure> {
    let markup = scan(&source)?;
    let children = children(&markup);
    let empty_tables: HashSet<_> = (0..markup.elements.len())
        .filter(|element| matches!(markup.local(*element), "tbl" | "table"))
        .filter(|table| !has_row(&markup, &children, *table))
        .collect();
    let mut edits: Vec<(Range<usize>, String)> =
        empty_tables.iter().map(|table| (markup.range(*table), String::new())).collect();
    for (index, element) in markup.elements.iter().enumerate() {
        // In OpenDocument, `table-cell` may be empty; a DrawingML cell has its text in a `txBody`.
        if !NEED_PARAGRAPH.contains(&element.local()) || (element.local() == "tc" && element.prefix() == "a") {
            continue;
        }
        let own = children.get(index).map_or(&[][..], Vec::as_slice);
        let last = own.iter().rev().find(|child| !empty_tables.contains(child)).copied();
        let has_paragraph = last.is_some_and(|last| matches!(markup.local(last), "p" | "sdt" | "bookmarkEnd"));
        if !has_paragraph {
            let prefix = if element.local() == "txBody" { "a" } else { element.prefix() };
            let paragraph = if prefix.is_empty() { "<p/>".to_owned() } else { format!("<{prefix}:p/>") };
            if element.close.is_empty() {
                continue;
            }
            edits.push((element.close.start..element.close.start, paragraph));
        }
    }
    Ok(applied(&source, edits))
}

fn children(markup: &Markup<'_>) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); markup.elements.len()];
    for (index, element) in markup.elements.iter().enumerate() {
        if let Some(children) = element.parent.and_then(|parent| children.get_mut(parent)) {
            children.push(index);
        }
    }
    children
}

/// Rows may be in groups, or in elements of their own such as header rows.
fn has_row(markup: &Markup<'_>, children: &[Vec<usize>], table: usize) -> bool {
    let mut left = vec![table];
    while let Some(element) = left.pop() {
        if matches!(markup.local(element), "tr" | "table-row") {
            return true;
        }
        left.extend(children.get(element).into_iter().flatten());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_gets_a_paragraph_and_a_table_without_rows_goes() {
        let mended = |source: &str| mended(source.to_owned()).unwrap();
        assert_eq!(mended("<w:tc><w:tcPr/></w:tc>"), "<w:tc><w:tcPr/><w:p/></w:tc>");
        assert_eq!(mended("<w:tc><w:tbl><w:tblPr/></w:tbl></w:tc>"), "<w:tc><w:p/></w:tc>");
        let whole = "<w:body><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl><w:p/></w:body>";
        assert_eq!(mended(whole), whole);
        assert_eq!(
            mended("<a:tc><a:txBody><a:bodyPr/></a:txBody></a:tc>"),
            "<a:tc><a:txBody><a:bodyPr/><a:p/></a:txBody></a:tc>"
        );
    }
}
