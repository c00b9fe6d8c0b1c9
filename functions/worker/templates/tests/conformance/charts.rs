//! Charts whose data is in a workbook.

use docmill_templates::{Options, Template};
use serde_json::json;

use crate::files::{charted, row, sheet};
use crate::texts::{part, texts};
use crate::{Case, Format};

/// A workbook whose rows repeat.
fn book() -> Vec<u8> {
    let rows = [row(1, &["Name", "Sales"]), row(2, &["{#items}{name}", "{sales}{/items}"])];
    sheet(&rows.concat())
}

pub(super) fn cases() -> Vec<Case> {
    let data = json!({"company": "Acme", "items": [{"name": "A & B", "sales": 2.5}, {"name": "C", "sales": 3}]});
    vec![
        Case::new("a chart with its workbook", Format::Docx, charted(2, &book()), data.clone(), &[""]),
        Case::new(
            "a chart of nothing",
            Format::Docx,
            charted(2, &book()),
            json!({"company": "Acme", "items": []}),
            &[""],
        ),
    ]
}

#[test]
fn a_chart_shows_the_rows_of_its_filled_workbook() {
    let template = Template::open(charted(2, &book()), Format::Docx, Options::default()).unwrap();
    let example = json!({"items": [{"name": "name", "sales": "sales"}], "company": "company"});
    assert_eq!(template.expected().example, example);
    let data = json!({"company": "Acme", "items": [{"name": "A & B", "sales": 2.5}, {"name": "C", "sales": 3}]});
    let made = template.render(&data).unwrap();
    assert_eq!(made.warnings, []);
    let workbook = part_bytes(&made.bytes, "word/embeddings/book.xlsx");
    assert_eq!(texts(&workbook, Format::Xlsx), ["Name", "Sales", "A & B", "2.5", "C", "3"]);
    let chart = part(&made.bytes, "word/charts/chart1.xml");
    let point = |number: u32, value: &str| format!("<c:pt idx=\"{number}\"><c:v>{value}</c:v></c:pt>");
    for expected in [
        "Sales of Acme".to_owned(),
        "<c:f>Items!$A$2:$A$3</c:f>".to_owned(),
        format!("<c:strCache><c:ptCount val=\"2\"/>{}{}</c:strCache>", point(0, "A &amp; B"), point(1, "C")),
        format!("<c:formatCode>General</c:formatCode><c:ptCount val=\"2\"/>{}{}", point(0, "2.5"), point(1, "3")),
    ] {
        assert!(chart.contains(&expected), "{expected}: {chart}");
    }
}

#[test]
fn mistakes_in_a_charts_workbook_have_their_cells() {
    let rows = [row(1, &["Name", "Sales"]), row(2, &["{nmae}", "{#open}"])];
    let template = Template::open(charted(2, &sheet(&rows.concat())), Format::Docx, Options::default()).unwrap();
    let mistake = &template.mistakes()[0];
    assert_eq!(mistake.place.part, "word/embeddings/book.xlsx/xl/worksheets/sheet1.xml");
    assert_eq!((mistake.place.sheet.as_deref(), mistake.place.cell.as_deref()), (Some("Items"), Some("B2")));
    // A workbook without tags, and one that can't be read, stay as they are.
    let plain = sheet(&row(2, &["A", "5"]));
    for workbook in [plain, b"no workbook".to_vec()] {
        let template = Template::open(charted(2, &workbook), Format::Docx, Options::default()).unwrap();
        let failed = template.render(&json!({"company": "Acme"}));
        // The chart's own tags are those of its last values then.
        assert!(failed.is_err());
    }
}

fn part_bytes(archive: &[u8], name: &str) -> Vec<u8> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(archive)).unwrap();
    archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}
