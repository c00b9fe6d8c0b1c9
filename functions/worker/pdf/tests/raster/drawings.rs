//! Charts and diagrams of lines and shapes: figures with their labels. Boxes, rules and tables stay text.

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use serde_json::{Value, json};

use crate::{Run, run, source};

/// A page of 400 by 400 points with this content, in Helvetica as /F.
fn made(content: &str, options: Value) -> Run {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>".to_owned(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
    ];
    let numbered = objects.iter().zip(1..).map(|(object, number)| format!("{number} 0 obj{object}\nendobj\n"));
    let pdf = format!("%PDF-1.7\n{}trailer<</Root 1 0 R/Size 6>>\n", numbered.collect::<String>());
    let file = tempfile::NamedTempFile::with_suffix(".pdf").unwrap();
    std::fs::write(file.path(), pdf).unwrap();
    run(Tool::ExtractDocument, vec![source(file.path(), Format::Pdf)], options)
}

fn extracted(content: &str, options: Value) -> (Run, Value) {
    let made = made(content, options);
    let document = serde_json::from_slice(&made.files().remove(0)).unwrap();
    (made, document)
}

fn at(x: u32, y: u32, size: u32, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// The role and the text of each block.
fn blocks(document: &Value) -> Vec<(&str, &str)> {
    let blocks = document["blocks"].as_array().unwrap().iter();
    blocks.map(|block| (block["role"].as_str().unwrap(), block["text"].as_str().unwrap())).collect()
}

const BEFORE: &str = "The river carried more water than in any year before, and the mills stood still.";
const AFTER: &str = "In the second half of the year it fell again, to what people who live there call usual.";

/// Axes with numbers on the left and months below.
fn axes() -> String {
    let mut content = "100 200 m 300 200 l S 100 200 m 100 300 l S\n".to_owned();
    for (at_y, value) in [(200, "0"), (250, "50"), (300, "100")] {
        content += &format!("97 {at_y} m 100 {at_y} l S\n{}", at(80, at_y - 3, 8, value));
    }
    for (number, month) in (0..).zip(["Jan", "Feb", "Mar", "Apr", "May"]) {
        content += &at(110 + number * 40, 188, 8, month);
    }
    content
}

fn between_text(drawing: &str) -> String {
    let caption = at(100, 160, 10, "Figure 1: Water by month");
    [&at(20, 350, 10, BEFORE), drawing, &caption, &at(20, 120, 10, AFTER)].concat()
}

fn bars() -> String {
    let bars = (0..).zip([30, 80, 55, 20, 65]).map(|(number, height)| {
        let x = 110 + number * 40;
        format!("0.2 0.4 0.8 rg {x} 200 20 {height} re f\n")
    });
    axes() + &bars.collect::<String>() + "0 g\n"
}

#[test]
fn a_chart_is_a_figure_with_its_labels_and_a_picture() {
    let lines = axes()
        + "0 0 1 RG 110 210 m 150 280 l 190 240 l 230 260 l 270 225 l 290 290 l S\n\
        1 0 0 RG 110 230 m 150 220 l 190 270 l 230 215 l 290 250 l S\n";
    let pie = "0.9 0 0 rg 200 250 m 250 250 l 250 278 228 300 200 300 c h f\n\
        0 0.9 0 rg 200 250 m 200 300 l 172 300 150 278 150 250 c h f\n\
        0 0 0.9 rg 200 250 m 150 250 l 150 222 172 200 200 200 c 228 200 250 222 250 250 c h f 0 g\n";
    let labelled = pie.to_owned() + &at(225, 270, 8, "Jan") + &at(165, 270, 8, "Feb") + &at(195, 220, 8, "100");
    for (chart, labels) in [(bars(), 8), (lines, 8), (labelled, 3)] {
        let (made, document) = extracted(&between_text(&chart), json!({"images": "files"}));
        let found = blocks(&document);
        let roles: Vec<&str> = found.iter().map(|(role, _)| *role).collect();
        assert_eq!(roles, ["paragraph", "figure", "caption", "paragraph"], "{document}");
        let texts: Vec<&str> = found[1].1.lines().collect();
        assert!(texts.contains(&"Jan") && texts.contains(&"100") && texts.len() == labels, "{texts:?}");
        assert_eq!((found[0].1, found[3].1), (BEFORE, AFTER));
        assert_eq!(document["pages"][0]["needsModel"], json!(["chart"]));
        let (_, picture) = (&made.files()[0], &made.files()[1]);
        let place = document["figures"][0]["place"].clone();
        let size = |low: usize, high: usize| {
            place["box"][high].as_f64().unwrap_or_default() - place["box"][low].as_f64().unwrap_or_default()
        };
        let side = |at: usize| f64::from(u32::from_be_bytes(picture[at..at + 4].try_into().unwrap()));
        assert!((side(16) - size(0, 2) * 150.0 / 72.0).abs() < 3.0, "{place}");
        assert!((side(20) - size(1, 3) * 150.0 / 72.0).abs() < 3.0, "{place}");
    }
}

#[test]
fn the_labels_of_a_chart_are_in_markdown_without_its_picture() {
    let written = made(&between_text(&bars()), json!({"format": "markdown"})).files().remove(0);
    let text = String::from_utf8(written).unwrap();
    let parts: Vec<&str> = text.trim().split("\n\n").collect();
    assert_eq!((parts[0], parts[2], parts[3]), (BEFORE, "Figure 1: Water by month", AFTER));
    assert_eq!(parts[1].split_whitespace().count(), 8, "{text}");
    assert!(parts[1].contains("Jan Feb Mar Apr May"), "{text}");
}

#[test]
fn boxes_flow_charts_and_tables_keep_their_text_in_blocks() {
    let boxed = "50 180 300 100 re S\n".to_owned()
        + &at(60, 260, 10, "A note in a box, with more words than a label has,")
        + &at(60, 246, 10, "and with a second line below the first one.");
    let round = "60 180 m 340 180 l 345 180 350 185 350 190 c 350 270 l 350 275 345 280 340 280 c 60 280 l 55 280 50 275 50 270 c \
        50 190 l 50 185 55 180 60 180 c h S\n"
        .to_owned()
        + &at(60, 260, 10, "A note in a box, with more words than a label has.");
    let flow = "50 270 140 40 re S 210 270 140 40 re S 190 290 m 210 290 l S 205 286 m 210 290 l 205 294 l S\n"
        .to_owned()
        + &at(55, 290, 6, "First look whether the pump is on and hot")
        + &at(215, 290, 6, "Then write down what you saw and go home");
    let cells = |row: u32| (0..3).map(move |column| (60 + column * 100, 265 - row * 30));
    let table = (0..4).map(|row| format!("50 {0} m 350 {0} l S\n", 280 - row * 30)).collect::<String>()
        + &(0..4).map(|column| format!("{0} 190 m {0} 280 l S\n", 50 + column * 100)).collect::<String>()
        + &(0..3).flat_map(cells).map(|(x, y)| at(x, y, 10, "cell")).collect::<String>()
        + "310 260 m 330 275 l S 310 230 m 330 245 l S\n";
    for content in [boxed, round, flow, table] {
        let (_, document) = extracted(&between_text(&content), json!({"images": "files"}));
        assert_eq!(document["figures"], json!([]), "{document}");
        let all: String = blocks(&document).iter().map(|(_, text)| format!("{text}\n")).collect();
        for line in content.lines().filter_map(|line| Some(line.split_once('(')?.1.split_once(')')?.0)) {
            let words = line.split_whitespace();
            assert!(words.clone().count() > 0 && words.clone().all(|word| all.contains(word)), "{line}: {all}");
        }
    }
}

#[test]
fn a_table_whose_cells_are_one_path_is_a_table() {
    let cells = |row: u32| (0..3).map(move |column| (column, row));
    let boxes = |(column, row): (u32, u32)| format!("{} {} 100 30 re\n", 50 + column * 100, 250 - row * 30);
    let text = |(column, row): (u32, u32)| at(60 + column * 100, 265 - row * 30, 10, &format!("{row}{column}"));
    let table = (0..3).flat_map(cells).map(boxes).collect::<String>()
        + "S\n"
        + &(0..3).flat_map(cells).map(text).collect::<String>();
    let (_, document) = extracted(&between_text(&table), json!({}));
    assert_eq!(document["figures"], json!([]), "{document}");
    let cells = document["tables"][0]["cells"].as_array().unwrap();
    let found: Vec<(&Value, &Value, &str)> =
        cells.iter().map(|cell| (&cell["row"], &cell["column"], cell["text"].as_str().unwrap())).collect();
    let expected = ["00", "01", "02", "10", "11", "12", "20", "21", "22"];
    assert_eq!(found.iter().map(|(_, _, text)| *text).collect::<Vec<_>>(), expected);
    assert_eq!((found[5].0, found[5].1), (&json!(1), &json!(2)));
}
