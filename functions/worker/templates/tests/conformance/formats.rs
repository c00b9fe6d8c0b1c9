//! The same in presentations, workbooks and OpenDocument texts.

use serde_json::json;

use crate::files::{PICTURE, open_text, row, shape, sheet, slide, slide_table};
use crate::{Case, Format};

fn open_paragraphs(texts: &[&str]) -> String {
    texts.iter().map(|text| format!("<text:p>{text}</text:p>")).collect()
}

fn open_table(rows: &[&[&str]]) -> String {
    let columns = rows.first().map_or(0, |row| row.len());
    let cell = |text: &&str| format!("<table:table-cell>{}</table:table-cell>", open_paragraphs(&[text]));
    let row =
        |cells: &&[&str]| format!("<table:table-row>{}</table:table-row>", cells.iter().map(cell).collect::<String>());
    let column = format!("<table:table-column table:number-columns-repeated=\"{columns}\"/>");
    format!("<table:table>{column}{}</table:table>", rows.iter().map(row).collect::<String>())
}

pub(super) fn cases() -> Vec<Case> {
    let items = json!({"title": "A & B\nC", "items": [{"name": "Tea", "price": 2.5}, {"name": "Cake", "price": 3}], "none": [], "logo": PICTURE, "url": "https://a.example"});
    let shapes = |content: &str| slide(content);
    let slide_case =
        |name, content: &str, texts: &[&str]| Case::new(name, Format::Pptx, shapes(content), items.clone(), texts);
    let sheet_case = |name, rows: &[String], texts: &[&str]| {
        Case::new(name, Format::Xlsx, sheet(&rows.concat()), items.clone(), texts)
    };
    let open_case =
        |name, content: &str, texts: &[&str]| Case::new(name, Format::Odt, open_text(content), items.clone(), texts);
    let heading = row(1, &["Name", "Price", "Sum"]);
    let number = "<a:extLst><a:ext uri=\"{0D108BD9-81ED-4DB2-BD59-A6C34878D82A}\"><a16:rowId xmlns:a16=\"http://schemas.microsoft.com/office/drawing/2014/main\" val=\"10001\"/></a:ext></a:extLst></a:tr>";
    let numbered = slide_table(&[&["{#items}{name}", "{price}{/items}"]]).replace("</a:tr>", number);
    vec![
        slide_case("rows with numbers", &numbered, &["Tea", "2.5", "Cake", "3"]),
        slide_case("text on a slide", &shape(2, "{title}"), &["A & B|C"]),
        slide_case("a loop on a slide", &shape(2, "{#items}{name} {/items}"), &["Tea Cake "]),
        slide_case(
            "rows on a slide",
            &slide_table(&[&["Name", "Price"], &["{#items}{name}", "{price}{/items}"]]),
            &["Name", "Price", "Tea", "2.5", "Cake", "3"],
        ),
        slide_case("nothing on a slide", &shape(2, "{#none}{.}{/none}"), &[""]),
        sheet_case(
            "rows of a sheet",
            &[heading, row(2, &["{#items}{name}", "{price}", "=B2*2", "{/items}"]), row(3, &["Sum", "=SUM(B2:B2)"])],
            &["Name", "Price", "Sum", "Tea", "2.5", "B2*2", "", "Cake", "3", "B3*2", "", "Sum", "SUM(B2:B3)"],
        ),
        sheet_case(
            "values of a sheet",
            &[row(1, &["{title}", "{items[0].price}", "so: {url}"])],
            &["A & B\nC", "2.5", "so: https://a.example"],
        ),
        sheet_case(
            "pictures and codes over cells",
            &[row(1, &["{#items}{name}", "{%logo}", "{%url | qr}", "{/items}"]), row(2, &["end", "{%logo}"])],
            &["Tea", "", "", "", "Cake", "", "", "", "end", ""],
        ),
        open_case(
            "paragraphs",
            &open_paragraphs(&["{title}", "{#items}", "{name}", "{/items}"]),
            &["A & B|C", "Tea", "Cake"],
        ),
        open_case("rows", &open_table(&[&["{#items}{name}", "{price}{/items}"]]), &["Tea", "2.5", "Cake", "3"]),
        open_case(
            "rows of nothing",
            &(open_table(&[&["{#none}{.}", "{.}{/none}"]]) + &open_paragraphs(&["end"])),
            &["end"],
        ),
        open_case("pictures and codes", &open_paragraphs(&["{%logo}", "{%url | qr}"]), &["[picture]", "[picture]"]),
    ]
}
