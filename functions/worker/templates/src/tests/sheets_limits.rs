//! Small workbooks that would become large.

use serde_json::{Value, json};

use super::book::Book;
use super::fixture::*;
use crate::{Failure, Format, Limits, Options, Template};

const PART: &str = "xl/worksheets/sheet1.xml";

fn open(book: Book) -> Result<Template, Failure> {
    let options = Options { limits: Limits { bytes: 4 << 20, steps: 1_000_000 }, ..Options::default() };
    Template::open(book.bytes(), Format::Xlsx, options)
}

/// The failure is told with its part.
fn too_large(failed: Result<impl Sized, Failure>, message: &str) {
    match failed {
        Err(Failure::TooLarge(told)) => {
            assert!(told.contains(message) && told.ends_with(&format!("(In `{PART}`.)")), "{told}");
        }
        Err(other @ (Failure::Corrupt(_) | Failure::Template(_) | Failure::Options(_))) => panic!("{other:?}"),
        Ok(_) => panic!("not refused: {message}"),
    }
}

fn items(count: usize) -> Value {
    json!({"items": vec![json!({"n": 1}); count]})
}

#[test]
fn a_long_text_that_many_cells_share_is_counted_for_each() {
    let cells: String = (0..100).map(|_| "<c t=\"s\"><v>0</v></c>").collect();
    let book =
        Book::new().row(1, &[&format!("{{n}}{}", "x".repeat(100_000))]).raw(&format!("<row r=\"2\">{cells}</row>"));
    too_large(open(book).map(drop), "many cells share a long text");
}

#[test]
fn copies_of_merged_cells_links_formats_and_shared_formulas_are_counted() {
    let long = "x".repeat(2_000);
    let shared = |row: u32, formula: &str| format!("<row r=\"{row}\"><c r=\"A{row}\">{formula}</c></row>");
    let sheet = || Book::new().row(1, &["{#items}{n}", "{/items}"]);
    let links: String = (0..100).map(|_| format!("<hyperlink ref=\"A1\" tooltip=\"{long}\"/>")).collect();
    let many = ["A1:B1"; 28].join(" ");
    let formats = format!("<conditionalFormatting sqref=\"{many}\"/>").repeat(12_000);
    let ranges = "A1:B1 ".repeat(20_000);
    let sums = (2..2_500).fold(sheet(), |book, row| {
        let first = format!("<f t=\"shared\" si=\"0\">\"{long}\"&amp;A1</f>");
        book.raw(&shared(row, if row == 2 { &first } else { "<f t=\"shared\" si=\"0\"/>" }))
    });
    for book in [
        sheet().after(&format!("<hyperlinks>{links}</hyperlinks>")),
        sheet().after(&formats),
        sheet().after(&format!("<ignoredError sqref=\"{ranges}\"/>").repeat(20)),
        sums,
    ] {
        too_large(open(book).and_then(|template| template.render(&items(50)).map(drop)), "follow repeated rows");
    }
}

#[test]
fn more_elements_than_are_read_are_refused() {
    let options = || Options::default();
    let elements = "<a/>".repeat(2_000_001);
    let references = "&#60;".repeat(2_000_001);
    for text in [&elements, &references] {
        let bytes = Book::new().row(1, &["{n}"]).after(text).bytes();
        too_large(Template::open(bytes, Format::Xlsx, options()).map(drop), "too many XML elements");
    }
    let opened = Template::open(docx(&(paragraph("{n}") + &elements)), Format::Docx, options());
    let Err(Failure::TooLarge(told)) = opened else { panic!("not refused") };
    assert!(told.ends_with("(In `word/document.xml`.)"), "{told}");
}

#[test]
fn more_tags_than_are_read_are_refused() {
    let tags = "{n}".repeat(100_001);
    too_large(Template::open(Book::new().row(1, &[&tags]).bytes(), Format::Xlsx, Options::default()).map(drop), "tags");
    let unclosed = "{".repeat(1 << 20);
    for (bytes, format) in [(docx(&paragraph(&unclosed)), Format::Docx), (tags.into_bytes(), Format::Markdown)] {
        assert!(matches!(Template::open(bytes, format, Options::default()), Err(Failure::TooLarge(_))));
    }
}

#[test]
fn parts_and_names_of_sheets_are_their_own() {
    let long = open(Book::new().row(1, &["{n}"]).sheet_beside(&"x".repeat(300), "<sheetData/>"));
    assert!(matches!(long, Err(Failure::Corrupt(_))));
}
