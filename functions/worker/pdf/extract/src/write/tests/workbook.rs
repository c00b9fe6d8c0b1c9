use std::io::{Cursor, Read};

use docmill_formats::Format;
use docmill_pdf_request::{Limits, Source};
use docmill_pdf_text::HeadersFooters;

use super::super::super::model::{Cell, Document, Id, Role, Table};
use super::super::super::own;
use super::super::super::pictures::{Images, Pictures};
use super::super::workbook::{captioned, fits, numbered};
use super::{block, cell, table};

/// The workbook with numbered sheets.
fn xlsx(tables: &[Table]) -> Result<Vec<u8>, rust_xlsxwriter::XlsxError> {
    super::super::workbook::xlsx(tables, &numbered(tables))
}

const LIMITS: Limits = Limits { pages: 200, output_bytes: 64 << 20, pixels: 10_000_000, memory_bytes: 1 << 30 };

fn part(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The workbook as this tool reads one.
fn read(bytes: &[u8]) -> Document {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("source");
    std::fs::write(&path, bytes).unwrap();
    let source = Source::new(path, Format::Xlsx);
    let mut pictures = Pictures::new(Images::None, directory.path(), &LIMITS, String::new());
    own::read(&source, &mut pictures, &LIMITS, HeadersFooters::Keep).unwrap().0
}

fn places(table: &Table) -> Vec<(&str, [usize; 4])> {
    let place = |cell: &Cell| [cell.row, cell.column, cell.row_span, cell.column_span];
    table.cells.iter().map(|cell| (cell.text.as_str(), place(cell))).collect()
}

/// The reference, type and style of each cell of the first sheet.
fn kinds(bytes: &[u8]) -> Vec<(String, bool)> {
    let sheet = part(bytes, "xl/worksheets/sheet1.xml");
    let cells = sheet.split("<c r=\"").skip(1).filter(|cell| cell.contains("<v>"));
    cells.map(|cell| (cell.split('"').next().unwrap().to_owned(), !cell.contains("t=\"s\""))).collect()
}

#[test]
fn each_table_is_a_sheet_with_its_merged_cells() {
    let cells = vec![
        Cell { row_span: 2, ..cell(0, 0, "a") },
        Cell { column_span: 2, ..cell(0, 1, "b") },
        cell(1, 1, "c"),
        cell(1, 2, "d\ne"),
        cell(7, 7, "outside"),
    ];
    let tables = [Table { id: Id::table(1), rows: 2, columns: 3, cells }, table(2, [["x"], ["y"]])];
    let bytes = xlsx(&tables).unwrap();
    let document = read(&bytes);
    assert_eq!(document.tables.len(), 2);
    let expected = [("a", [0, 0, 2, 1]), ("b", [0, 1, 1, 2]), ("c", [1, 1, 1, 1]), ("d\ne", [1, 2, 1, 1])];
    assert_eq!(places(&document.tables[0]), expected);
    let names: Vec<_> = document.blocks.iter().map(|block| block.text.as_str()).collect();
    assert!(names.contains(&"Table 1") && names.contains(&"Table 2"), "{names:?}");
}

#[test]
fn headers_are_bold_and_stay_in_view() {
    let bytes = xlsx(&[table(1, [["Name", "Price"], ["Ada", "12"]])]).unwrap();
    assert!(part(&bytes, "xl/worksheets/sheet1.xml").contains("<pane ySplit=\"1\""));
    assert!(part(&bytes, "xl/styles.xml").contains("<b/>"));
}

#[test]
fn columns_of_plain_numbers_are_numbers_as_they_were_written() {
    let rows = [
        ["Year", "Price", "Change", "Code", "German", "Some", "Long"],
        ["2024", "12.50", "−3", "007", "1.234", "12", "1234567890123456"],
        ["2025", "-0.125", "–", "12", "1.235", "n/a", "1"],
    ];
    let bytes = xlsx(&[table(1, rows)]).unwrap();
    let are_numbers: Vec<_> = kinds(&bytes).into_iter().filter_map(|(place, is)| is.then_some(place)).collect();
    assert_eq!(are_numbers, ["A2", "B2", "C2", "A3", "B3"]);
    let document = read(&bytes);
    let texts: Vec<_> = document.tables[0].cells.iter().map(|cell| cell.text.as_str()).collect();
    let expected: Vec<_> = rows.concat().into_iter().map(|text| if text == "−3" { "-3" } else { text }).collect();
    assert_eq!(texts, expected);
}

#[test]
fn nothing_is_a_formula_or_a_link() {
    let texts = [["=1+1"], ["https://a.example"], ["@SUM(A1)"], ["{=1}"], ["mailto:a@b.example"]];
    let bytes = xlsx(&[table(1, texts)]).unwrap();
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(!sheet.contains("<f") && !sheet.contains("hyperlink"), "{sheet}");
    assert_eq!(kinds(&bytes).len(), 5);
    assert!(part(&bytes, "xl/sharedStrings.xml").contains("<t>=1+1</t>"));
}

#[test]
fn hostile_tables_are_written_as_far_as_a_sheet_has_room() {
    let cells = vec![
        Cell { row_span: usize::MAX, column_span: usize::MAX, ..cell(0, 0, &"€".repeat(40_000)) },
        Cell { row_span: 3, column_span: 3, ..cell(1, 1, "b") },
        Cell { row_span: 2, column_span: 2, ..cell(2, 2, "c") },
        Cell { row_span: 2, column_span: 2, ..cell(3, 1, "d") },
    ];
    let bytes = xlsx(&[Table { id: Id::table(1), rows: 1 << 20, columns: 1 << 14, cells }]).unwrap();
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("<mergeCells count=\"1\"><mergeCell ref=\"C3:D4\"/>"),
        "only one overlaps no other: {sheet}"
    );
    assert_eq!(part(&bytes, "xl/sharedStrings.xml").matches('€').count(), 32_767);
    assert!(!fits(&Table { id: Id::table(1), rows: 2, columns: (1 << 14) + 1, cells: Vec::new() }));
}

#[test]
fn sheets_are_named_after_captions() {
    let mut document = Document::default();
    for (number, caption) in [(1, "Table 1: Trees / \u{1}park"), (2, "table 1: trees park"), (3, "x"), (4, "History")] {
        let caption = if number == 3 { "A caption that is far longer than sheets have room for" } else { caption };
        document.tables.push(table(number, [["a"]]));
        document.blocks.push(block(number * 2, Role::Table { table: Id::table(number) }, 1, ""));
        let of = Some(Id::block(number * 2));
        document.blocks.push(block(number * 2 + 1, Role::Caption { of }, 1, caption));
    }
    assert_eq!(captioned(&document), ["Table 1 Trees park", "Table 2", "A caption that is far longer th", "Table 4"]);
    // A caption may be the number of another table.
    document.blocks[1].text = "Table 2".to_owned();
    assert_eq!(captioned(&document)[..2], ["Table 2", "table 1 trees park"]);
    document.blocks[3].text.clear();
    assert_eq!(captioned(&document)[..2], ["Table 2", "Table 3"]);
}
