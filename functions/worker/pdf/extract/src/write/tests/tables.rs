use super::super::super::model::{Cell, Id, Table};
use super::super::tables::csv;
use super::{cell, table};

fn written(table: &Table) -> String {
    String::from_utf8(csv(table).unwrap()).unwrap()
}

#[test]
fn cells_are_fields_and_quoted_where_they_need_it() {
    let text = written(&table(1, [["Name", "Remark"], ["Ada, Lady", "\"first\"\nprogram"]]));
    assert_eq!(text, "Name,Remark\n\"Ada, Lady\",\"\"\"first\"\"\nprogram\"\n");
}

#[test]
fn cells_that_span_others_have_their_text_once() {
    let cells = vec![
        Cell { row_span: 2, ..cell(0, 0, "a") },
        Cell { column_span: 2, ..cell(0, 1, "b") },
        cell(1, 2, "c"),
        cell(7, 7, "outside"),
    ];
    assert_eq!(written(&Table { id: Id::table(1), rows: 2, columns: 3, cells }), "a,b,\n,,c\n");
}

#[test]
fn nothing_is_a_formula() {
    let formulas =
        ["=HYPERLINK(\"http://a.example\")", "@SUM(A1)", "+A1", "-1+cmd|' /C calc'!A0", " =1", "\t=1", "＝1", "-x"];
    for formula in formulas {
        let text = written(&table(1, [[formula]]));
        let read = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes()).into_records().next();
        assert_eq!(&read.unwrap().unwrap()[0], format!("'{formula}"));
    }
}

#[test]
fn numbers_and_other_text_stay_as_they_are() {
    for text in ["-12.50", "+3 %", "-1 234", "-", "a=b", "12", ""] {
        let written = written(&table(1, [["x", text]]));
        assert_eq!(written, format!("x,{text}\n"));
    }
}
