//! What names cells of rows that moved: formulas, links, pivot tables, threaded comments, extensions.

use serde_json::{Value, json};

use super::book::Book;
use super::fixture::*;
use crate::{Failure, Format, Warning};

fn three() -> Value {
    json!({"items": [{"n": "a", "p": 1}, {"n": "b", "p": 2}, {"n": "c", "p": 3}], "shown": false})
}

fn formula(row: u32, formula: &str) -> String {
    format!("<row r=\"{row}\"><c r=\"A{row}\">{formula}<v>1</v></c></row>")
}

/// A title, a row that is there three times, and one below.
fn repeated() -> Book {
    Book::new().row(1, &["n", "p"]).row(2, &["{#items}{n}", "{p}{/items}"]).row(3, &["below"])
}

#[test]
fn a_shared_formula_is_there_although_the_row_that_has_it_is_hidden() {
    let book = Book::new()
        .row(1, &["{#items}{n}", "{p}{/items}"])
        .row(2, &["{#shown}"])
        .raw(&formula(3, "<f t=\"shared\" ref=\"A3:A6\" si=\"0\">SUM(B3,B:B,$B$1:$B$1)</f>"))
        .row(4, &["{/shown}"])
        .raw(&formula(5, "<f t=\"shared\" si=\"0\"/>"))
        .raw(&formula(6, "<f t=\"shared\" si=\"0\"/>"));
    let cells = book.cells(&three());
    assert_eq!(cells[6..], ["A4:=SUM(B4,B:B,$B$1:$B$3)", "A5:=SUM(B5,B:B,$B$1:$B$3)"]);
}

#[test]
fn whole_rows_and_columns_reversed_ranges_and_names_like_cells_stay_right() {
    let book = repeated().row(
        5,
        &["=SUM(B:B)", "=SUM(2:2)+SUM($3:3)", "=SUM(B3:B2)", "=B3:INDEX(B:B,4)", "=YTD2024+LOG10(B3)+XFE5+XFD3"],
    );
    assert_eq!(
        book.cells(&three())[9..],
        [
            "A7:=SUM(B:B)",
            "B7:=SUM(2:4)+SUM($5:5)",
            "C7:=SUM(B5:B2)",
            "D7:=B5:INDEX(B:B,4)",
            "E7:=YTD2024+LOG10(B5)+XFE5+XFD5"
        ]
    );
}

#[test]
fn a_reference_to_several_sheets_stays_and_is_told() {
    let rendered = repeated().row(4, &["=SUM('Items:Other'!B3)"]).sheet_beside("Other", "<sheetData/>").fill(&three());
    let sheet = part(&rendered.bytes, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<f>SUM('Items:Other'!B3)</f>"), "{sheet}");
    assert_eq!(rendered.warnings[0], Warning::ReferenceNotMoved(vec!["Items: SUM('Items:Other'!B3)".to_owned()]));
}

#[test]
fn links_lead_to_where_their_cells_are() {
    let after = "<hyperlinks><hyperlink ref=\"A2\" location=\"Items!B2\" display=\"x\"/><hyperlink ref=\"A3\" location=\"'Items'!A3\"/></hyperlinks>";
    let other = "<sheetData/><hyperlinks><hyperlink ref=\"A1\" location=\"Items!A3\"/></hyperlinks>";
    let bytes = repeated().after(after).sheet_beside("Other", other).fill(&three()).bytes;
    let links = "<hyperlink ref=\"A2\" location=\"Items!B2\" display=\"x\"/><hyperlink ref=\"A3\" location=\"Items!B3\" display=\"x\"/><hyperlink ref=\"A4\" location=\"Items!B4\" display=\"x\"/>";
    let sheet = part(&bytes, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains(links), "{sheet}");
    assert!(sheet.contains("ref=\"A5\" location=\"&apos;Items&apos;!A5\""), "{sheet}");
    let other = part(&bytes, "xl/worksheets/sheet2.xml");
    assert!(other.contains("<hyperlink ref=\"A1\" location=\"Items!A5\"/>"), "{other}");
}

#[test]
fn pivot_tables_follow_and_read_their_data_again() {
    let cache = "<pivotCacheDefinition><cacheSource type=\"worksheet\"><worksheetSource ref=\"A1:B2\" sheet=\"Items\"/></cacheSource></pivotCacheDefinition>";
    let table = "<pivotTableDefinition><location ref=\"D3:E9\"/></pivotTableDefinition>";
    let bytes = repeated()
        .related("pivotTable", "xl/pivotTables/pivotTable1.xml", table)
        .book_related("pivotCacheDefinition", "xl/pivotCache/pivotCacheDefinition1.xml", cache)
        .fill(&three())
        .bytes;
    let cache = part(&bytes, "xl/pivotCache/pivotCacheDefinition1.xml");
    assert!(cache.contains("<pivotCacheDefinition refreshOnLoad=\"1\">"), "{cache}");
    assert!(cache.contains("<worksheetSource ref=\"A1:B4\" sheet=\"Items\"/>"), "{cache}");
    assert!(part(&bytes, "xl/pivotTables/pivotTable1.xml").contains("<location ref=\"D5:E11\"/>"));
}

#[test]
fn threaded_comments_follow_and_comments_of_hidden_rows_go() {
    let threads = "<ThreadedComments><threadedComment ref=\"A1\"><text>{shown}</text></threadedComment><threadedComment ref=\"A3\"><text>b</text></threadedComment></ThreadedComments>";
    let comments = "<comments><commentList><comment ref=\"A1\"><text><t>a</t></text></comment><comment ref=\"A3\"><text><t>b</t></text></comment></commentList></comments>";
    let shape =
        |row: u32| format!("<v:shape id=\"s{row}\"><x:ClientData><x:Row>{row}</x:Row></x:ClientData></v:shape>");
    let bytes = Book::new()
        .row(1, &["{-row items}{n}{/items}"])
        .row(3, &["below"])
        .related("threadedComment", "xl/threadedComments/threadedComment1.xml", threads)
        .related("comments", "xl/comments1.xml", comments)
        .related("vmlDrawing", "xl/drawings/vmlDrawing1.vml", &format!("<xml>{}{}</xml>", shape(0), shape(2)))
        .fill(&json!({"items": [], "shown": false}))
        .bytes;
    let threads = part(&bytes, "xl/threadedComments/threadedComment1.xml");
    assert_eq!(
        threads,
        "<ThreadedComments><threadedComment ref=\"A2\"><text>b</text></threadedComment></ThreadedComments>"
    );
    let comments = part(&bytes, "xl/comments1.xml");
    assert!(!comments.contains("<t>a</t>") && comments.contains("<comment ref=\"A2\">"), "{comments}");
    let shapes = part(&bytes, "xl/drawings/vmlDrawing1.vml");
    assert_eq!(shapes, "<xml><v:shape id=\"s2\"><x:ClientData><x:Row>1</x:Row></x:ClientData></v:shape></xml>");
}

/// A sheet's extensions: a format, and a sparkline.
fn extensions(row: u32) -> String {
    format!(
        "<extLst><ext uri=\"f\"><x14:conditionalFormattings><x14:conditionalFormatting><xm:f>A{row}&gt;1</xm:f><xm:sqref>A{row}:B{row}</xm:sqref></x14:conditionalFormatting></x14:conditionalFormattings></ext>\
        <ext uri=\"s\"><x14:sparklineGroups><x14:sparklineGroup><x14:colorSeries rgb=\"0\"/><x14:sparklines><x14:sparkline><xm:f>Items!A{row}:B{row}</xm:f><xm:sqref>C{row}</xm:sqref></x14:sparkline></x14:sparklines></x14:sparklineGroup></x14:sparklineGroups></ext></extLst>"
    )
}

#[test]
fn extensions_extend_over_copies_and_each_copy_has_a_sparkline() {
    let sheet = repeated().after(&extensions(2)).sheet(&three());
    assert!(sheet.contains("<xm:sqref>A2:B4</xm:sqref>"), "{sheet}");
    let sparkline = |row: u32| {
        format!("<x14:sparkline><xm:f>Items!A{row}:B{row}</xm:f><xm:sqref>C{row}</xm:sqref></x14:sparkline>")
    };
    assert!(sheet.contains(&[2, 3, 4].map(sparkline).concat()), "{sheet}");
}

#[test]
fn extensions_without_cells_go() {
    let sheet = repeated().after(&extensions(2)).sheet(&json!({"items": []}));
    assert!(!sheet.contains("sqref") && !sheet.contains("extLst"), "{sheet}");
}

#[test]
fn codes_of_characters_in_data_stay_text() {
    let data = json!({"v": "_x0041_x00e9_ _x41_ a_x000D_", "items": []});
    let escaped = "_x005F_x0041_x005F_x00e9_ _x41_ a_x005F_x000D_";
    let cells = Book::new().row(1, &["{v}", "is {v}", "_x0041_{^v}{/v}"]).cells(&data);
    assert_eq!(cells, [format!("A1:{escaped}"), format!("B1:is {escaped}"), "C1:_x0041_".to_owned()]);
    assert_eq!(line("{v}", &data), "_x0041_x00e9_ _x41_ a_x000D_");
}

#[test]
fn rows_outside_of_a_sheet_are_refused() {
    for row in ["<row r=\"4294967295\"/><row/>", "<row r=\"0\"/>", "<row r=\"1048576\"/><row/>", "<row r=\"x\"/>"] {
        let opened = crate::Template::open(Book::new().raw(row).bytes(), Format::Xlsx, crate::Options::default());
        let Err(Failure::Corrupt(why)) = opened else { panic!("{row}") };
        assert_eq!(why, "a row of a sheet has no number from 1 to 1048576 (in `xl/worksheets/sheet1.xml`)");
    }
    let drawing = "<xdr:wsDr xmlns:xdr=\"x\"><xdr:oneCellAnchor><xdr:from><xdr:row>4294967295</xdr:row></xdr:from></xdr:oneCellAnchor></xdr:wsDr>";
    let bytes = repeated().related("drawing", "xl/drawings/drawing1.xml", drawing).fill(&three()).bytes;
    assert_eq!(part(&bytes, "xl/drawings/drawing1.xml"), drawing);
}
