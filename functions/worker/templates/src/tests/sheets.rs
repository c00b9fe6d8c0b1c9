//! Spreadsheets: cells of the value's own kind, rows that repeat, and what names their cells.

use std::io::Cursor;

use serde_json::{Value, json};
use zip::ZipArchive;

use super::book::{Book, RELATIONS};
use super::fixture::*;
use crate::{Format, Reason};

fn items() -> Value {
    json!({"items": [{"n": "a", "p": 1.5}, {"n": "b", "p": 2}, {"n": "c", "p": 3}], "name": "Ann"})
}

#[test]
fn a_cell_with_nothing_but_a_tag_gets_a_value_of_its_own_kind() {
    let data = json!({"n": -1234.5, "yes": true, "at": "2026-11-25", "moment": "2026-11-25T12:00:00Z", "text": "a & b",
        "formula": "=HYPERLINK(\"http://x\")", "long": 12_345_678_901_234_567_u64, "nothing": null});
    let cell = |content: &str, expected: &str| {
        let sheet = Book::new().row(1, &[content]).sheet(&data);
        let row = format!("<row r=\"1\" ht=\"21\">{expected}</row>");
        assert!(sheet.contains(&row), "{content}: {sheet}");
    };
    let text = |text: &str| format!("t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>");
    cell("{n}", "<c r=\"A1\"><v>-1234.5</v></c>");
    cell(" {n * 2} ", "<c r=\"A1\"><v>-2469</v></c>");
    cell("{yes}", "<c r=\"A1\" t=\"b\"><v>1</v></c>");
    cell("s1|{at}", "<c r=\"A1\" s=\"1\"><v>46351</v></c>");
    cell("s1|{moment | date:'long'}", "<c r=\"A1\" s=\"1\"><v>46351.5</v></c>");
    cell("s1|{text}", &format!("<c r=\"A1\" s=\"1\" {}", text("a &amp; b")));
    cell("{at}", &format!("<c r=\"A1\" {}", text("2026-11-25")));
    cell("s2|{n}", &format!("<c r=\"A1\" s=\"2\" {}", text("-1234.5")));
    cell("{formula}", &format!("<c r=\"A1\" {}", text("=HYPERLINK(\"http://x\")")));
    cell("{long}", &format!("<c r=\"A1\" {}", text("12345678901234567")));
    cell("s1|{nothing}", "<c r=\"A1\" s=\"1\"/>");
    cell("{n} kg", &format!("<c r=\"A1\" {}", text("-1234.5 kg")));
    cell("{n}{yes}", &format!("<c r=\"A1\" {}", text("-1234.5true")));
}

#[test]
fn a_text_that_is_too_long_for_a_cell_is_told() {
    let found = problems(Book::new().row(1, &["{v}"]).bytes(), Format::Xlsx, &json!({"v": "x".repeat(32_768)}));
    assert_eq!(found[0].message, "The value is too long for a cell, which holds 32767 characters.");
}

#[test]
fn rows_repeat_with_their_heights_and_formulas_see_their_own_row_or_all() {
    let book = || {
        Book::new()
            .row(1, &["Name", "Price", "Double"])
            .row(3, &["{#items}{n}", "{p}{/items}", "=B3*2+B1"])
            .row(5, &["Sum", "=SUM(B3:B3)", "=SUM(C3)/B3"])
    };
    let bytes = book().fill(&items()).bytes;
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert_eq!(sheet.matches("ht=\"23\"").count(), 3, "{sheet}");
    assert!(!sheet.contains("<v>99</v>"), "{sheet}");
    assert_eq!(
        book().cells(&items())[3..],
        [
            "A3:a",
            "B3:1.5",
            "C3:=B3*2+B1",
            "A4:b",
            "B4:2",
            "C4:=B4*2+B1",
            "A5:c",
            "B5:3",
            "C5:=B5*2+B1",
            "A7:5",
            "B7:=SUM(B3:B5)",
            "C7:=SUM(C3:C5)/B3"
        ]
    );
    assert!(part(&bytes, "xl/workbook.xml").contains("</sheets><calcPr fullCalcOnLoad=\"1\"/>"));
    assert!(
        !ZipArchive::new(Cursor::new(&bytes)).unwrap().file_names().any(|name| name.unwrap().contains("calcChain"))
    );
    for name in ["[Content_Types].xml", "xl/_rels/workbook.xml.rels"] {
        assert!(!part(&bytes, name).contains("calcChain"), "{name}");
    }
}

#[test]
fn rows_with_nothing_but_a_sections_tags_go() {
    let book = || {
        Book::new()
            .row(1, &["{#items}", ""])
            .row(2, &["{n}", "=A1&amp;A2"])
            .row(3, &["{/items}"])
            .row(4, &["end", "=COUNTA(A1:A3)"])
    };
    assert_eq!(
        book().cells(&items()),
        ["A1:a", "B1:=#REF!&amp;A1", "A2:b", "B2:=A1&amp;A2", "A3:c", "B3:=A2&amp;A3", "A4:3", "B4:=COUNTA(A1:A3)"]
    );
    assert_eq!(book().cells(&json!({"items": []})), ["A1:3", "B1:=COUNTA(#REF!)"]);
    let named = Book::new().row(1, &["{-row items}{n}{/items}"]);
    assert_eq!(named.cells(&items()), ["A1:a", "A2:b", "A3:c"]);
    let inside = Book::new().row(1, &["{#items}{n}{/items}"]);
    assert_eq!(inside.cells(&items()), ["A1:abc"]);
}

#[test]
fn groups_of_rows_have_totals_of_their_own() {
    let data = json!({"groups": [
        {"g": "x", "items": [{"p": 1}, {"p": 2}]}, {"g": "y", "items": []}, {"g": "z", "items": [{"p": 3}]},
    ]});
    let book = Book::new()
        .row(1, &["{#groups}{g}"])
        .row(2, &["{#items}row", "{p}", "{/items}"])
        .row(3, &["total{/groups}", "=SUM(B2:B2)"])
        .row(4, &["all", "=SUM(B2:B2)"]);
    let cells = book.cells(&data);
    let formulas: Vec<_> = cells.iter().filter(|cell| cell.contains('=')).map(String::as_str).collect();
    assert_eq!(formulas, ["B4:=SUM(B2:B3)", "B6:=SUM({\"\"})", "B9:=SUM(B8:B8)", "B10:=SUM(B2:B8)"]);
}

#[test]
fn merged_cells_links_formats_validations_and_breaks_follow_their_rows() {
    let after = "<autoFilter ref=\"A1:B2\"/><mergeCells count=\"2\"><mergeCell ref=\"A2:B2\"/><mergeCell ref=\"A3:B4\"/></mergeCells>\
        <conditionalFormatting sqref=\"B2 A4\"><cfRule><formula>B2&gt;$A$4</formula></cfRule></conditionalFormatting>\
        <dataValidations count=\"1\"><dataValidation sqref=\"B2:B2\"><formula1>$A$4:$A$4</formula1></dataValidation></dataValidations>\
        <hyperlinks><hyperlink ref=\"A2\" r:id=\"x\"/></hyperlinks><rowBreaks><brk id=\"3\"/></rowBreaks>";
    let book = || {
        Book::new()
            .row(1, &["head"])
            .row(2, &["{#items}{n}", "{p}{/items}"])
            .row(3, &["merged"])
            .row(4, &["end"])
            .after(after)
    };
    let sheet = book().sheet(&items());
    for expected in [
        "<autoFilter ref=\"A1:B4\"/>",
        "<mergeCells><mergeCell ref=\"A2:B2\"/><mergeCell ref=\"A3:B3\"/><mergeCell ref=\"A4:B4\"/><mergeCell ref=\"A5:B6\"/></mergeCells>",
        "<conditionalFormatting sqref=\"B2:B4 A6\"><cfRule><formula>B2&gt;$A$6</formula>",
        "<dataValidations><dataValidation sqref=\"B2:B4\"><formula1>$A$6:$A$6</formula1>",
        "<hyperlink ref=\"A2\" r:id=\"x\"/><hyperlink ref=\"A3\" r:id=\"x\"/><hyperlink ref=\"A4\" r:id=\"x\"/>",
        "<brk id=\"5\"/>",
    ] {
        assert!(sheet.contains(expected), "{expected}\n{sheet}");
    }
    let none = book().sheet(&json!({"items": [], "name": 1}));
    assert!(none.contains("<mergeCells><mergeCell ref=\"A2:B3\"/></mergeCells>"), "{none}");
    assert!(!none.contains("hyperlink") && !none.contains("dataValidation"), "{none}");
}

#[test]
fn tables_charts_drawings_names_and_comments_follow_their_rows() {
    let related = format!(
        r#"<Relationships><Relationship Id="t" Type="{RELATIONS}/table" Target="../tables/table1.xml"/><Relationship Id="d" Type="{RELATIONS}/drawing" Target="../drawings/drawing1.xml"/><Relationship Id="c" Type="{RELATIONS}/comments" Target="../comments1.xml"/></Relationships>"#
    );
    let chart = "<c:chart xmlns:c=\"c\"><c:cat><c:strRef><c:f>Items!$A$2:$A$2</c:f><c:strCache><c:pt><c:v>{n}</c:v></c:pt></c:strCache></c:strRef></c:cat></c:chart>";
    let drawing = "<xdr:wsDr xmlns:xdr=\"x\"><xdr:twoCellAnchor><xdr:from><xdr:row>4</xdr:row></xdr:from><xdr:to><xdr:row>9</xdr:row></xdr:to></xdr:twoCellAnchor></xdr:wsDr>";
    let comments = "<comments><commentList><comment ref=\"A4\"><text><r><t>For {name}</t></r></text></comment></commentList></comments>";
    let book = || {
        Book::new()
            .row(1, &["n", "p"])
            .row(2, &["{#items}{n}", "{p}{/items}"])
            .row(4, &["end"])
            .names("<definedName name=\"_xlnm.Print_Area\" localSheetId=\"0\">Items!$A$1:$B$4</definedName><definedName name=\"prices\">'Items'!$B$2:$B$2</definedName>")
            .part("xl/worksheets/_rels/sheet1.xml.rels", &related)
            .part("xl/tables/table1.xml", "<table ref=\"A1:B2\"><autoFilter ref=\"A1:B2\"/></table>")
            .part("xl/charts/chart1.xml", chart)
            .part("xl/drawings/drawing1.xml", drawing)
            .part("xl/comments1.xml", comments)
    };
    let bytes = book().fill(&items()).bytes;
    for (name, expected) in [
        ("xl/workbook.xml", "Items!$A$1:$B$6</definedName>"),
        ("xl/workbook.xml", "'Items'!$B$2:$B$4</definedName>"),
        ("xl/tables/table1.xml", "<table ref=\"A1:B4\"><autoFilter ref=\"A1:B4\"/>"),
        ("xl/charts/chart1.xml", "<c:f>Items!$A$2:$A$4</c:f></c:strRef>"),
        ("xl/drawings/drawing1.xml", "<xdr:from><xdr:row>6</xdr:row></xdr:from><xdr:to><xdr:row>11</xdr:row>"),
        ("xl/comments1.xml", "<comment ref=\"A6\"><text><r><t xml:space=\"preserve\">For Ann</t>"),
    ] {
        assert!(part(&bytes, name).contains(expected), "{expected}\n{}", part(&bytes, name));
    }
    // A table keeps a row.
    let bytes = book().fill(&json!({"items": [], "name": "Ann"})).bytes;
    assert!(part(&bytes, "xl/tables/table1.xml").contains("<table ref=\"A1:B2\">"));
    assert!(part(&bytes, "xl/worksheets/sheet1.xml").contains("</row><row r=\"2\"/><row r=\"4\""));
}

#[test]
fn shared_formulas_become_each_cells_own() {
    let cell = |row: u32, formula: &str| format!("<row r=\"{row}\"><c r=\"A{row}\">{formula}<v>1</v></c></row>");
    let book = Book::new()
        .row(1, &["{#items}{n}", "{p}{/items}"])
        .raw(&cell(2, "<f t=\"shared\" ref=\"A2:A3\" si=\"0\">B2+1</f>"))
        .raw(&cell(3, "<f t=\"shared\" si=\"0\"/>"));
    let cells = book.cells(&items());
    assert_eq!(cells[6..], ["A4:=B4+1", "A5:=B5+1"]);
}

#[test]
fn headers_and_footers_double_the_sign_that_begins_codes() {
    let book = Book::new().row(1, &["{a}"]).after("<headerFooter><oddHeader>&amp;C{a}</oddHeader></headerFooter>");
    let sheet = book.sheet(&json!({"a": "A & B"}));
    assert!(sheet.contains("<oddHeader>&amp;CA &amp;&amp; B</oddHeader>"), "{sheet}");
}

#[test]
fn mistakes_name_the_sheet_and_the_cell() {
    let found = problems(Book::new().row(7, &["", "{nmae}"]).bytes(), Format::Xlsx, &items());
    assert_eq!(found[0].reason, Reason::UnknownName);
    assert_eq!((found[0].place.sheet.as_deref(), found[0].place.cell.as_deref()), (Some("Items"), Some("B7")));
}

#[test]
fn a_workbook_without_tags_stays_as_it_is() {
    let book = || Book::new().row(1, &["text", "=A1"]);
    let names = |bytes: &[u8]| -> Vec<String> {
        ZipArchive::new(Cursor::new(bytes)).unwrap().file_names().map(|name| name.unwrap().into_owned()).collect()
    };
    let bytes = book().fill(&json!({})).bytes;
    assert_eq!(names(&bytes), names(&book().bytes()));
    assert_eq!(part(&bytes, "xl/worksheets/sheet1.xml"), part(&book().bytes(), "xl/worksheets/sheet1.xml"));
}

#[test]
fn more_rows_than_a_sheet_has_are_refused() {
    let list: Vec<u32> = (0..1_100).collect();
    let book = Book::new().row(1, &["{-row a}{-row b}{.}{/b}{/a}"]).row(1_048_000, &["end"]);
    let data = json!({"a": list, "b": [1]});
    assert!(matches!(open(book.bytes(), Format::Xlsx).render(&data), Err(crate::Failure::TooLarge(_))));
}
