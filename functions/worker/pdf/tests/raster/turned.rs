//! A page is read, searched and marked where a viewer shows it, however it is turned, cut and scaled.

use std::path::Path;

use docmill_formats::Format;
use docmill_pdf_request::Tool;
use serde_json::{Value, json};

use crate::{Run, run, source};

/// A page as a viewer shows it: three lines of text, in points from its upper left corner, each with its size.
const LINES: [(&str, f64, f64, f64); 3] = [
    ("Harvest report", 40.0, 60.0, 20.0),
    ("Wheat grew fast", 40.0, 110.0, 12.0),
    ("Barley failed", 60.0, 150.0, 12.0),
];
/// Its size in points.
const SHOWN: (f64, f64) = (400.0, 300.0);

#[derive(Clone, Copy, Debug)]
struct Shape {
    turn: i64,
    crops: bool,
    unit: f64,
}

fn shapes() -> impl Iterator<Item = Shape> {
    let shapes = [(0, false), (90, false), (180, false), (270, false), (0, true), (90, true), (180, true), (270, true)];
    shapes.into_iter().flat_map(|(turn, crops)| [1.0, 2.0].map(|unit| Shape { turn, crops, unit }))
}

/// The page, which looks the same in every shape.
fn page(shape: Shape) -> Vec<u8> {
    let Shape { turn, crops, unit } = shape;
    let (width, height) = (SHOWN.0 / unit, SHOWN.1 / unit);
    let (across, up) = if turn % 180 == 0 { (width, height) } else { (height, width) };
    let (left, bottom) = if crops { (-30.0, 45.0) } else { (0.0, 0.0) };
    // From what is shown, with the origin in its lower left corner, to the page.
    let matrix = match turn {
        90 => format!("0 1 -1 0 {} {bottom}", left + across),
        180 => format!("-1 0 0 -1 {} {}", left + across, bottom + up),
        270 => format!("0 -1 1 0 {left} {}", bottom + up),
        _ => format!("1 0 0 1 {left} {bottom}"),
    };
    let text: String = LINES
        .iter()
        .map(|(text, x, y, size)| {
            format!("BT /F {} Tf {} {} Td ({text}) Tj ET\n", size / unit, x / unit, (SHOWN.1 - y) / unit)
        })
        .collect();
    let content = format!("q {matrix} cm\n{text}Q");
    let boxes = if crops {
        format!(
            "/MediaBox[{} {} {} {}]/CropBox[{left} {bottom} {} {}]",
            left - 50.0,
            bottom - 70.0,
            left + across + 20.0,
            bottom + up + 10.0,
            left + across,
            bottom + up
        )
    } else {
        format!("/MediaBox[0 0 {across} {up}]")
    };
    let unit = if unit == 1.0 { String::new() } else { format!("/UserUnit {unit}") };
    format!(
        "%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R/Rotate {turn}{boxes}{unit}/Contents 4 0 R/Resources<</Font<</F<</Type/Font\
         /Subtype/Type1/BaseFont/Helvetica>>>>>>>>endobj\n4 0 obj<</Length {}>>stream\n{content}\nendstream endobj\n\
         trailer<</Root 1 0 R/Size 5>>\n",
        content.len()
    )
    .into_bytes()
}

/// Runs a tool on the page in this shape.
fn on(shape: Shape, tool: Tool, options: Value) -> Run {
    of(&page(shape), tool, options)
}

fn of(pdf: &[u8], tool: Tool, options: Value) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("page.pdf");
    std::fs::write(&path, pdf).unwrap();
    run(tool, vec![source(&path, Format::Pdf)], options)
}

fn json_of(made: &Run) -> Value {
    serde_json::from_slice(&made.files()[0]).unwrap()
}

/// The words of a page with their boxes.
fn words(pdf: &[u8]) -> (Value, Vec<(String, [f64; 4])>) {
    let made = json_of(&of(pdf, Tool::PdfToText, json!({"format": "json"})));
    let mut found = Vec::new();
    collect(&made, &mut found);
    (made["pages"][0].clone(), found)
}

fn collect(value: &Value, found: &mut Vec<(String, [f64; 4])>) {
    if let Some(values) = value.as_array() {
        values.iter().for_each(|value| collect(value, found));
    }
    let Some(entries) = value.as_object() else { return };
    match (entries.get("text").and_then(Value::as_str), entries.get("box")) {
        (Some(text), Some(corners)) if !entries.contains_key("words") && !text.contains(' ') => {
            found.push((text.to_owned(), serde_json::from_value(corners.clone()).unwrap()));
        }
        _ => entries.values().for_each(|value| collect(value, found)),
    }
}

#[track_caller]
fn near(found: f64, truth: f64, by: f64, what: &str) {
    assert!((found - truth).abs() <= by, "{what}: {found}, not {truth}");
}

#[test]
fn text_is_read_in_its_order_and_place() {
    for shape in shapes() {
        let text = on(shape, Tool::PdfToText, json!({})).files().remove(0);
        let lines: Vec<_> =
            String::from_utf8(text).unwrap().lines().map(str::to_owned).filter(|line| !line.is_empty()).collect();
        assert_eq!(lines, LINES.map(|(text, ..)| text), "{shape:?}");
        let (page, words) = words(&page(shape));
        near(page["width"].as_f64().unwrap(), SHOWN.0, 0.1, "width");
        near(page["height"].as_f64().unwrap(), SHOWN.1, 0.1, "height");
        for (first, x, y, size) in LINES.map(|(text, x, y, size)| (text.split(' ').next().unwrap(), x, y, size)) {
            let (_, place) =
                words.iter().find(|(word, _)| word == first).unwrap_or_else(|| panic!("{shape:?}: {words:?}"));
            near(place[0], x, 1.5, &format!("{shape:?}: left of {first}"));
            assert!(place[1] < y - size * 0.6 && place[1] > y - size * 1.3, "{shape:?}: top of {first}: {place:?}");
            assert!(place[3] >= y - 0.1 && place[3] < y + size * 0.4, "{shape:?}: bottom of {first}: {place:?}");
        }
    }
}

#[test]
fn documents_have_their_blocks_in_place() {
    for shape in shapes() {
        let document = json_of(&on(shape, Tool::ExtractDocument, json!({"format": "json"})));
        near(document["pages"][0]["width"].as_f64().unwrap(), SHOWN.0, 0.1, "width");
        let blocks = document["blocks"].as_array().unwrap();
        let heading =
            blocks.iter().find(|block| block["text"] == LINES[0].0).unwrap_or_else(|| panic!("{shape:?}: {document}"));
        let place: [f64; 4] = serde_json::from_value(heading["places"][0]["box"].clone()).unwrap();
        // As high as Arial reaches, and as wide as Helvetica's advances together.
        for (found, truth) in place.iter().zip([40.0, 60.0 - 0.905 * 20.0, 40.0 + 6.335 * 20.0, 60.0 + 0.212 * 20.0]) {
            near(*found, truth, 2.5, &format!("{shape:?}: {place:?}"));
        }
    }
}

#[test]
fn a_word_and_a_region_are_redacted_where_they_are_shown() {
    for shape in shapes() {
        let options = json!({"text": ["Wheat"], "regions": [{"page": 1, "box": [55.0, 136.0, 96.0, 156.0]}]});
        let made = on(shape, Tool::RedactPdf, options);
        let left: Vec<String> = words(&made.files()[0]).1.into_iter().map(|(word, _)| word).collect();
        assert_eq!(left, ["Harvest", "report", "grew", "fast", "failed"], "{shape:?}");
        let picture = drawn(&made.files()[0]);
        // What covers them, and the paper beside it.
        for ((x, y), is_dark) in [((50, 106), true), ((80, 147), true), ((80, 170), false), ((300, 106), false)] {
            assert_eq!(picture.get_pixel(x, y).0[0] < 128, is_dark, "{shape:?} at {x} {y}");
        }
    }
}

/// A picture of the first page, with a pixel for each point.
fn drawn(pdf: &[u8]) -> image::GrayImage {
    let made = of(pdf, Tool::PdfToImages, json!({"dpi": 72}));
    image::load_from_memory(&made.files()[0]).unwrap().to_luma8()
}

#[test]
fn pictures_of_pages_have_the_size_and_the_ink_that_a_viewer_shows() {
    for shape in shapes() {
        let picture = drawn(&page(shape));
        assert_eq!(picture.dimensions(), (400, 300), "{shape:?}");
        let has_ink = |left: u32, top: u32, right: u32, bottom: u32| {
            (left..right).any(|x| (top..bottom).any(|y| picture.get_pixel(x, y).0[0] < 128))
        };
        assert!(has_ink(40, 44, 180, 62), "{shape:?}");
        assert!(!has_ink(0, 170, 400, 300) && !has_ink(200, 0, 400, 300), "{shape:?}");
    }
}

#[test]
fn marks_go_where_they_are_shown() {
    for shape in shapes() {
        let options = json!({"text": "Zebra", "position": "bottom-left", "margin": 20, "fontSize": 16});
        let made = on(shape, Tool::WatermarkPdf, options);
        let (_, words) = words(&made.files()[0]);
        let (_, place) =
            words.iter().find(|(word, _)| word == "Zebra").unwrap_or_else(|| panic!("{shape:?}: {words:?}"));
        near(place[0], 20.0, 3.0, &format!("{shape:?}: left"));
        assert!(place[3] > 270.0 && place[3] < 286.0, "{shape:?}: {place:?}");
    }
}

#[test]
fn pages_are_cropped_by_points_as_shown_and_described_in_them() {
    for shape in shapes() {
        let made =
            on(shape, Tool::OrganizePdf, json!({"crop": {"top": 80.0, "right": 0.0, "bottom": 10.0, "left": 0.0}}));
        let (page, words) = words(&made.files()[0]);
        near(page["width"].as_f64().unwrap(), 400.0, 0.1, "width");
        near(page["height"].as_f64().unwrap(), 210.0, 0.1, "height");
        let (_, place) = words.iter().find(|(word, _)| word == "Wheat").unwrap();
        near(place[3], 110.0 - 80.0, 4.0, &format!("{shape:?}"));
        let described = json_of(&on(shape, Tool::InspectDocument, json!({})));
        near(described["pages"][0]["width"].as_f64().unwrap(), 400.0, 0.1, "described");
        assert_eq!(described["pages"][0]["rotation"], shape.turn, "{shape:?}");
    }
}

#[test]
fn a_page_is_the_same_in_every_shape_when_it_is_compared() {
    let plain = Shape { turn: 0, crops: false, unit: 1.0 };
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, pdf: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, pdf).unwrap();
        source(Path::new(&path), Format::Pdf)
    };
    for shape in shapes().skip(1) {
        let sources = vec![write("one.pdf", &page(plain)), write("other.pdf", &page(shape))];
        let made = run(Tool::CompareDocuments, sources, json!({}));
        let report = made.outcome().report.as_ref().unwrap();
        assert_eq!((&report["wordsRemoved"], &report["wordsAdded"]), (&json!(0), &json!(0)), "{shape:?}: {report}");
        // Edges of letters are smoothed another way where pages are turned.
        assert!(report["similarity"].as_f64().unwrap() > 0.95, "{shape:?}: {report}");
    }
}
