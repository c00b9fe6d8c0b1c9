use std::collections::BTreeMap;

use docmill_formats::Format;
use docmill_pdf_request::{ErrorCode, Tool};
use serde_json::{Value, json};

use crate::pdf_to_text::{LAYOUTS, form};
use crate::{Run, fixture, run, run_on, source};

fn document(made: &Run) -> Value {
    serde_json::from_slice(&made.files().remove(0)).unwrap()
}

fn extracted(name: &str, options: Value) -> Value {
    document(&run_on(Tool::ExtractDocument, name, options))
}

/// A document of these bytes.
fn extracted_from(pdf: &[u8], options: Value) -> (Run, Value) {
    let file = tempfile::NamedTempFile::with_suffix(".pdf").unwrap();
    std::fs::write(file.path(), pdf).unwrap();
    let made = run(Tool::ExtractDocument, vec![source(file.path(), Format::Pdf)], options);
    let document = document(&made);
    (made, document)
}

fn blocks(document: &Value) -> &Vec<Value> {
    document["blocks"].as_array().unwrap()
}

fn roles(document: &Value) -> Vec<&str> {
    blocks(document).iter().map(|block| block["role"].as_str().unwrap()).collect()
}

fn text(block: &Value) -> &str {
    block["text"].as_str().unwrap()
}

fn block<'d>(document: &'d Value, start: &str) -> &'d Value {
    let found = blocks(document).iter().find(|block| text(block).starts_with(start));
    assert!(found.is_some(), "{start}: {document}");
    found.unwrap()
}

/// A page of 400 by 400 points with this content, in Helvetica as /F and Times as /T.
fn page(content: &str) -> Vec<u8> {
    let layers = "/OCProperties<</OCGs[7 0 R 8 0 R]/D<</OFF[7 0 R]>>>>";
    let objects = [
        format!("<</Type/Catalog/Pages 2 0 R{layers}>>"),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 5 0 R/T 6 0 R>>\
         /Properties<</off 7 0 R/on 8 0 R>>>>/Contents 4 0 R>>"
            .to_owned(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>".to_owned(),
        "<</Type/Font/Subtype/Type1/BaseFont/Times-Italic>>".to_owned(),
        "<</Type/OCG/Name(hidden)>>".to_owned(),
        "<</Type/OCG/Name(shown)>>".to_owned(),
    ];
    written(&objects)
}

/// A page with one character, whose font is not embedded. pdfium leaves out U+11F04, since no installed font has it.
fn undrawn(character: &str) -> Vec<u8> {
    let map = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Kawi def\n/CMapType 2 def\n\
         1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n1 beginbfchar\n<0041> <{character}>\nendbfchar\n\
         endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend"
    );
    let content = "BT /F 20 Tf 50 300 Td <0041> Tj ET";
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 400 400]/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>".to_owned(),
        format!("<</Length {}>>stream\n{content}\nendstream", content.len()),
        "<</Type/Font/Subtype/Type0/BaseFont/Kawi/Encoding/Identity-H/ToUnicode 6 0 R/DescendantFonts[7 0 R]>>".to_owned(),
        format!("<</Length {}>>stream\n{map}\nendstream", map.len()),
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/Kawi/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>\
         /FontDescriptor<</Type/FontDescriptor/FontName/Kawi/Flags 4/FontBBox[0 0 1000 1000]/Ascent 800/Descent -200\
         /ItalicAngle 0/StemV 80>>>>"
            .to_owned(),
    ];
    written(&objects)
}

/// A PDF of these objects, the first of which is its root.
fn written(objects: &[String]) -> Vec<u8> {
    let numbered = objects.iter().zip(1..).map(|(object, number)| format!("{number} 0 obj{object}\nendobj\n"));
    let size = objects.len() + 1;
    format!("%PDF-1.7\n{}trailer<</Root 1 0 R/Size {size}>>\n", numbered.collect::<String>()).into_bytes()
}

/// Text in a size at a place.
fn at(x: u32, y: u32, size: f32, text: &str) -> String {
    format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n")
}

/// How often each character is in a text. Spaces, bullets and hyphens at line ends follow from the structure.
fn counted(text: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for c in text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '-' | '•' | '◦' | '▪')) {
        *counts.entry(c).or_default() += 1;
    }
    counts
}

#[test]
fn every_character_of_the_pages_is_in_a_block() {
    for layout in LAYOUTS {
        let name = format!("layouts/{layout}.pdf");
        let plain = String::from_utf8(run_on(Tool::PdfToText, &name, json!({})).files().remove(0)).unwrap();
        let document = extracted(&name, json!({"headersFooters": "keep"}));
        assert_eq!(document["hidden"], json!([]), "{layout}");
        let mut all = String::new();
        for block in blocks(&document) {
            all.push_str(text(block));
            if let Some(number) = block["number"].as_u64() {
                all.push_str(&format!("{number}."));
            }
        }
        assert_eq!(counted(&all), counted(&plain), "{layout}: {document}");
    }
}

#[test]
fn blocks_have_roles_ids_and_boxes() {
    let document = extracted("layouts/headings.pdf", json!({}));
    assert_eq!(document["version"], "1");
    assert_eq!(document["title"], "x", "of the metadata");
    assert_eq!(&roles(&document)[..4], ["title", "paragraph", "heading", "paragraph"]);
    assert_eq!(block(&document, "1.1 Tools")["level"], 3);
    let page = &document["pages"][0];
    assert_eq!((&page["source"], &page["confidence"], &page["needsModel"]), (&json!("text"), &json!(1.0), &json!([])));
    for (block, number) in blocks(&document).iter().zip(1..) {
        assert_eq!(block["id"], format!("b{number}"));
        let [left, top, right, bottom]: [f64; 4] = serde_json::from_value(block["places"][0]["box"].clone()).unwrap();
        assert!(0.0 < left && left < right && right < page["width"].as_f64().unwrap(), "{block}");
        assert!(0.0 < top && top < bottom && bottom < page["height"].as_f64().unwrap(), "{block}");
        assert!(block["confidence"].as_f64().unwrap() > 0.4 && block["reason"].is_string());
    }
}

#[test]
fn tables_have_cells_and_a_block() {
    let document = extracted("layouts/table-ruled.pdf", json!({}));
    let block = blocks(&document).iter().find(|block| block["role"] == "table").unwrap();
    let table = &document["tables"][0];
    assert_eq!((&block["table"], &block["reason"]), (&table["id"], &json!("rules")));
    let cell = |row: u64, column: u64| {
        let cells = table["cells"].as_array().unwrap();
        cells.iter().find(|cell| cell["row"] == row && cell["column"] == column).unwrap()
    };
    assert_eq!(
        (&cell(1, 1)["text"], &cell(0, 0)["header"], &cell(1, 0)["header"]),
        (&json!("1,200"), &json!(true), &json!(false))
    );
    assert_eq!(cell(1, 1)["place"]["page"], 1);
    assert!(text(block).contains("\t1,200\t"), "{block}");
}

#[test]
fn items_of_one_list_have_its_number() {
    let document = extracted("layouts/lists.pdf", json!({}));
    let items: Vec<&Value> = blocks(&document).iter().filter(|block| block["role"] == "listItem").collect();
    let lists: std::collections::BTreeSet<u64> = items.iter().map(|item| item["list"].as_u64().unwrap()).collect();
    assert_eq!(lists.first(), Some(&1));
    assert!(lists.len() >= 2 && items.iter().any(|item| item["depth"] == 1), "{document}");
    assert!(items.iter().any(|item| item["number"] == 2), "{document}");
}

#[test]
fn headers_and_footers_are_left_out_or_told_apart() {
    let left_out = run_on(Tool::ExtractDocument, "layouts/running.pdf", json!({}));
    assert_eq!(left_out.outcome().warnings[0].code, "headers_footers_dropped");
    assert!(!roles(&document(&left_out)).contains(&"header"));
    let kept = extracted("layouts/running.pdf", json!({"headersFooters": "keep"}));
    let count = |role: &str| roles(&kept).into_iter().filter(|known| *known == role).count();
    assert_eq!((count("header"), count("footer")), (3, 3), "{kept}");
    assert!(
        blocks(&kept)
            .iter()
            .filter(|block| block["role"] == "header")
            .all(|block| text(block).contains("The River Reader"))
    );
}

#[test]
fn hidden_text_is_in_no_block_and_has_its_reason() {
    let seen = at(50, 350, 12.0, "Seen words") + "1 0 0 rg\n" + &at(50, 330, 12.0, "Red words") + "0 g\n";
    let cases = [
        ("invisible", "BT 3 Tr /F 12 Tf 50 300 Td (secret) Tj ET".to_owned()),
        ("sameColor", format!("1 g {} 0 g", at(50, 300, 12.0, "secret"))),
        ("sameColor", format!("0.2 0.4 0.6 rg 40 290 200 40 re f 0.21 0.4 0.6 rg {}", at(50, 300, 12.0, "secret"))),
        ("tiny", at(50, 300, 0.5, "secret")),
        ("offPage", at(50, 500, 12.0, "secret")),
        ("covered", format!("{} 0 g 40 290 200 40 re f", at(50, 300, 12.0, "secret"))),
        ("layerOff", format!("/OC /off BDC {} EMC", at(50, 300, 12.0, "secret"))),
    ];
    for (why, content) in cases {
        let (made, document) = extracted_from(&page(&(seen.clone() + &content)), json!({}));
        let texts: String = blocks(&document).iter().map(text).collect();
        assert!(
            texts.contains("Seen words") && texts.contains("Red words") && !texts.contains("secret"),
            "{why}: {document}"
        );
        let hidden = document["hidden"].as_array().unwrap();
        assert_eq!(hidden.len(), 1, "{why}: {document}");
        assert_eq!((&hidden[0]["text"], &hidden[0]["why"]), (&json!("secret"), &json!(why)));
        assert_eq!(hidden[0]["place"]["page"], 1);
        assert!(made.outcome().warnings.iter().any(|warning| warning.code == "hidden_text"));
    }
}

#[test]
fn text_that_no_font_draws_is_told_apart_from_a_page_without_text() {
    for (character, expected) in [("D807DF04", &["no_text", "text_unreadable"][..]), ("0020", &["no_text"])] {
        let (made, document) = extracted_from(&undrawn(character), json!({"ocr": "never"}));
        // The file has no table of objects, which is repaired.
        let warnings = made.outcome().warnings.iter().map(|warning| warning.code.as_str());
        let warnings: Vec<_> = warnings.filter(|code| *code != "repaired").collect();
        assert_eq!((blocks(&document).len(), warnings.as_slice()), (0, expected), "{character}");
    }
}

#[test]
fn text_that_can_be_seen_is_not_hidden() {
    let cases = [
        format!("0 g 40 290 200 40 re f 1 g {}", at(50, 300, 12.0, "white on black")),
        format!("/OC /on BDC {} EMC", at(50, 300, 12.0, "on a layer")),
        format!("{} 1 g 40 200 200 40 re f", at(50, 300, 12.0, "beside a box")),
        format!("0.9 g {}", at(50, 300, 12.0, "light grey")),
    ];
    for content in cases {
        let (_, document) = extracted_from(&page(&content), json!({}));
        assert_eq!((blocks(&document).len(), &document["hidden"]), (1, &json!([])), "{content}: {document}");
    }
}

/// Three lines of text, the first of which has a mark, then a line in small type.
fn noted(note: &str) -> Vec<u8> {
    let mut content = "BT /F 12 Tf 50 350 Td (Rivers shape the land) Tj 5 Ts /F 7 Tf (1) Tj 0 Ts ET\n".to_owned();
    content += &at(50, 335, 12.0, "and carry gravel to the plains every spring.");
    content += &at(50, 320, 12.0, "Then they flood them.");
    page(&(content + note))
}

#[test]
fn footnotes_are_tied_to_their_marks() {
    let note = "BT 4 Ts /F 5 Tf 50 60 Td (1) Tj 0 Ts /F 8 Tf ( As measured in 1999.) Tj ET\n";
    let (_, document) = extracted_from(&noted(note), json!({}));
    let footnote = block(&document, "As measured in 1999.");
    assert_eq!((&footnote["role"], &footnote["mark"]), (&json!("footnote"), &json!("1")));
    let from = block(&document, "Rivers shape the land1");
    assert_eq!(document["footnotes"], json!([{"mark": "1", "from": from["id"], "block": footnote["id"]}]));
    let marks: Vec<&str> =
        from["spans"].as_array().unwrap().iter().filter(|span| span["superscript"] == true).map(text).collect();
    assert_eq!(marks, ["1"]);
    let (_, without) = extracted_from(&noted(&at(50, 60, 8.0, "7 small words about nothing")), json!({}));
    assert_eq!(without["footnotes"], json!([]));
}

#[test]
fn captions_belong_to_their_table() {
    let mut content = at(60, 372, 10.0, "Table 1: Prices of fruit");
    for (row, cells) in [["Fruit", "Price"], ["Apple", "10"], ["Pear", "12"]].iter().enumerate() {
        let y = 340 - 20 * row as u32;
        content += &format!("50 {} 100 20 re S 150 {} 100 20 re S\n", y - 5, y - 5);
        content += &(at(60, y, 10.0, cells[0]) + &at(160, y, 10.0, cells[1]));
    }
    let (_, document) = extracted_from(&page(&content), json!({}));
    let table = blocks(&document).iter().find(|block| block["role"] == "table").unwrap();
    let caption = block(&document, "Table 1: Prices");
    assert_eq!((&caption["role"], &caption["of"]), (&json!("caption"), &table["id"]), "{document}");
}

#[test]
fn fields_are_blocks_with_their_name() {
    let (_, document) = extracted_from(&form("BT /F 12 Tf 52 305 Td (Signed below.) Tj ET"), json!({}));
    let field = block(&document, "Approved on Monday");
    assert_eq!((&field["role"], &field["name"]), (&json!("formField"), &json!("u")));
    let signed = block(&document, "Signed below.");
    assert_eq!(signed["role"], "paragraph");
    let link = json!([{"block": signed["id"], "text": "Signed", "address": "https://example.com/"}]);
    assert_eq!(document["links"], link);
}

#[test]
fn pictures_are_figures_and_files() {
    let made = run_on(Tool::ExtractDocument, "images.pdf", json!({"images": "files", "ocr": "never"}));
    let document = document(&made);
    let figures = document["figures"].as_array().unwrap();
    assert!(!figures.is_empty(), "{document}");
    assert_eq!(made.outcome().artifacts.len(), 1 + figures.len());
    for (figure, artifact) in figures.iter().zip(&made.outcome().artifacts[1..]) {
        assert_eq!((figure["file"].as_str(), artifact.media), (artifact.filename.as_deref(), Format::Png));
        let picture = image::open(made.path(artifact)).unwrap();
        let [left, _, right, _]: [f64; 4] = serde_json::from_value(figure["place"]["box"].clone()).unwrap();
        assert!((f64::from(picture.width()) - (right - left) * 150.0 / 72.0).abs() < 3.0, "{figure}");
        let id = &figure["id"];
        assert_eq!(blocks(&document).iter().filter(|block| block["figure"] == *id).count(), 1);
    }
    let inline = extracted("images.pdf", json!({"images": "inline", "ocr": "never"}));
    assert!(inline["figures"][0]["data"].as_str().unwrap().starts_with("data:image/png;base64,iVBOR"));
}

#[test]
fn several_sources_make_a_file_each_in_order() {
    let sources =
        || ["layouts/lists.pdf", "layouts/headings.pdf"].map(|name| source(&fixture(name), Format::Pdf)).to_vec();
    let made = run(Tool::ExtractDocument, sources(), json!({"format": "markdown"}));
    let names: Vec<_> = made.outcome().artifacts.iter().map(|artifact| artifact.filename.as_deref().unwrap()).collect();
    assert_eq!(names, ["lists.md", "headings.md"]);
    let text = String::from_utf8(made.files().remove(1)).unwrap();
    let expected = std::fs::read_to_string(fixture("layouts/headings.md")).unwrap();
    assert_eq!(text.split_whitespace().collect::<Vec<_>>(), expected.split_whitespace().collect::<Vec<_>>());
    let first = run(Tool::ExtractDocument, sources(), json!({"pages": "2"}));
    assert_eq!(first.failure().code, ErrorCode::RenderFailed, "the documents have one page");
}

#[test]
fn scans_are_read_by_default() {
    let document = extracted("redact/ccitt.pdf", json!({"ocr": "always"}));
    let page = &document["pages"][0];
    assert_eq!(page["source"], "ocr");
    assert!((0.5..1.0).contains(&page["confidence"].as_f64().unwrap()), "{page}");
    assert!(blocks(&document).iter().any(|block| text(block).contains("Griffinshire")), "{document}");
    assert_eq!(document["figures"], json!([]), "the scan is the page");
}

/// The shared area of two boxes to that of both.
fn overlap(one: [f64; 4], other: [f64; 4]) -> f64 {
    let side = |from: usize, to: usize| (one[to].min(other[to]) - one[from].max(other[from])).max(0.0);
    let area = |sides: [f64; 4]| (sides[2] - sides[0]) * (sides[3] - sides[1]);
    let shared = side(0, 2) * side(1, 3);
    shared / (area(one) + area(other) - shared)
}

/// The truth is as high as Arial reaches, and as wide as Helvetica's advances together.
#[test]
fn boxes_of_blocks_are_those_of_their_words() {
    let content = at(50, 350, 20.0, "Seen") + &at(50, 300, 12.0, "Seen words") + &at(200, 100, 12.0, "words");
    for (turn, size) in [("", [400.0, 400.0]), ("/Rotate 90", [400.0, 400.0])] {
        let pdf = String::from_utf8(page(&content)).unwrap().replace("/MediaBox", &format!("{turn}/MediaBox"));
        let (_, document) = extracted_from(pdf.as_bytes(), json!({}));
        let truth = |x: f64, y: f64, em: f64, width: f64| {
            let upright = [x, 400.0 - y - 0.905 * em, x + width * em, 400.0 - y + 0.212 * em];
            let [left, top, right, bottom] = upright;
            if turn.is_empty() { upright } else { [size[0] - bottom, left, size[0] - top, right] }
        };
        let truths = [
            ("Seen", truth(50.0, 350.0, 20.0, 2.335)),
            ("Seen words", truth(50.0, 300.0, 12.0, 5.28)),
            ("words", truth(200.0, 100.0, 12.0, 2.667)),
        ];
        for (text, truth) in truths {
            let block =
                blocks(&document).iter().find(|block| block["text"] == text).unwrap_or_else(|| panic!("{document}"));
            let found: [f64; 4] = serde_json::from_value(block["places"][0]["box"].clone()).unwrap();
            assert!(overlap(found, truth) >= 0.9, "{turn} {text}: {found:?}, {truth:?}");
        }
    }
}

#[test]
fn the_pages_of_all_documents_together_have_a_limit() {
    let sources = vec![source(&fixture("text.pdf"), Format::Pdf); 2];
    let pages = |limit: u32| {
        let made = crate::run_within(Tool::ExtractDocument, sources.clone(), json!({}), limit);
        made.result.as_ref().map(|outcome| outcome.artifacts.len()).map_err(|failure| failure.code)
    };
    assert_eq!((pages(10), pages(9)), (Ok(2), Err(ErrorCode::PageLimitExceeded)));
}
