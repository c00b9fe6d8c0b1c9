//! Pictures from data.

use std::io::{Cursor, Read};

use base64::Engine as _;
use serde_json::json;
use zip::ZipArchive;

use super::book::Book;
use super::fixture::*;
use crate::{Format, Reason, Warning};

/// A white picture, twice as wide as high.
const WIDE: &str = "R0lGODlhAgABAIAAAP///wAAACwAAAAAAgABAAACAgQKADs=";

fn bytes_of(archive: &[u8], name: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    ZipArchive::new(Cursor::new(archive)).unwrap().by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_picture_stands_in_the_text_of_a_word_document_and_is_stored_once() {
    let template = docx(&paragraphs(&["Logo: {%logo}!", "{%logo}"]));
    let result = render(template, Format::Docx, &json!({"logo": format!("data:image/gif;base64,{WIDE}")}));
    let xml = part(&result.bytes, "word/document.xml");
    assert!(docmill_package::markup::is_well_formed(&xml, &xml), "{xml}");
    assert!(
        xml.contains("Logo: </w:t><w:drawing>") && xml.contains("</w:drawing><w:t xml:space=\"preserve\">!</w:t>"),
        "{xml}"
    );
    assert_eq!(xml.matches("<wp:extent cx=\"19050\" cy=\"9525\"/>").count(), 2);
    assert_eq!(xml.matches("r:embed=\"docmillPicture1\"").count(), 2);
    let stored = base64::engine::general_purpose::STANDARD.decode(WIDE).unwrap();
    assert_eq!(bytes_of(&result.bytes, "word/media/docmill1.gif"), stored);
    let relations = part(&result.bytes, "word/_rels/document.xml.rels");
    assert!(relations.contains("Id=\"docmillPicture1\"") && relations.contains("Target=\"/word/media/docmill1.gif\""));
    assert!(
        part(&result.bytes, "[Content_Types].xml").contains("<Default Extension=\"gif\" ContentType=\"image/gif\"/>")
    );
}

#[test]
fn a_picture_takes_the_place_of_one_whose_alternative_text_is_the_tag() {
    let placeholder = "<p:pic><p:nvPicPr><p:cNvPr id=\"4\" name=\"x\" descr=\"{%logo}\"/></p:nvPicPr><p:blipFill>\
        <a:blip r:embed=\"rId2\"><a:extLst><a:ext uri=\"svg\"/></a:extLst></a:blip><a:srcRect l=\"9\"/></p:blipFill>\
        <p:spPr><a:xfrm><a:off x=\"5\" y=\"6\"/><a:ext cx=\"1000\" cy=\"1000\"/></a:xfrm></p:spPr></p:pic>";
    let slide = format!("<p:sld xmlns:p=\"p\" xmlns:a=\"a\" xmlns:r=\"r\">{placeholder}</p:sld>");
    let relations = "<Relationships><Relationship Id=\"rId2\" Target=\"a\"/></Relationships>";
    let template = || {
        archive(&[
            ("[Content_Types].xml", "<Types/>"),
            ("ppt/slides/slide1.xml", &slide),
            ("ppt/slides/_rels/slide1.xml.rels", relations),
        ])
    };
    let result = render(template(), Format::Pptx, &json!({"logo": WIDE}));
    assert_eq!(
        part(&result.bytes, "ppt/slides/slide1.xml"),
        slide
            .replace("{%logo}", "")
            .replace("r:embed=\"rId2\"", "r:embed=\"docmillPicture1\"")
            .replace("<a:extLst><a:ext uri=\"svg\"/></a:extLst>", "")
            .replace("<a:srcRect l=\"9\"/>", "")
            .replace("cy=\"1000\"", "cy=\"500\"")
    );
    let related = part(&result.bytes, "ppt/slides/_rels/slide1.xml.rels");
    assert!(related.contains("docmillPicture1") && related.contains("rId2"), "{related}");
    // Without a picture, the placeholder goes.
    let result = render(template(), Format::Pptx, &json!({"logo": null}));
    assert!(!part(&result.bytes, "ppt/slides/slide1.xml").contains("p:pic"));
    assert_eq!(result.warnings, [Warning::PictureMissing(vec!["{%logo}".to_owned()])]);
}

/// A workbook whose drawing has a picture with the tag as its alternative text, in this anchor.
fn sheet_with_picture(anchor: &str) -> Vec<u8> {
    const PART: &str = "xl/drawings/drawing1.xml";
    let related = "<Relationships><Relationship Id=\"rId2\" Target=\"a\"/></Relationships>";
    let drawing = format!("<xdr:wsDr xmlns:xdr=\"xdr\" xmlns:a=\"a\" xmlns:r=\"r\">{anchor}</xdr:wsDr>");
    let book = Book::new().row(1, &["{#rows}{.}{/rows}"]).related("drawing", PART, &drawing);
    book.part("xl/drawings/_rels/drawing1.xml.rels", related).bytes()
}

const PICTURE_OF_SHEET: &str = "<xdr:pic><xdr:nvPicPr><xdr:cNvPr id=\"2\" name=\"x\" descr=\"{%logo}\"/></xdr:nvPicPr><xdr:blipFill>\
    <a:blip r:embed=\"rId2\"/></xdr:blipFill><xdr:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"1000\" cy=\"1000\"/></a:xfrm>\
    </xdr:spPr></xdr:pic><xdr:clientData/>";

#[test]
fn a_picture_in_a_sheet_keeps_its_cell_and_has_its_own_size() {
    let from = "<xdr:from><xdr:col>1</xdr:col><xdr:row>4</xdr:row></xdr:from>";
    let to = "<xdr:to><xdr:col>3</xdr:col><xdr:row>9</xdr:row></xdr:to>";
    let two = format!("<xdr:twoCellAnchor editAs=\"oneCell\">{from}{to}{PICTURE_OF_SHEET}</xdr:twoCellAnchor>");
    let one =
        format!("<xdr:oneCellAnchor>{from}<xdr:ext cx=\"1000\" cy=\"1000\"/>{PICTURE_OF_SHEET}</xdr:oneCellAnchor>");
    let placed = PICTURE_OF_SHEET.replace("{%logo}", "").replace("\"rId2\"", "\"docmillPicture1\"");
    let placed = placed.replace("cy=\"1000\"", "cy=\"500\"");
    for anchor in [two, one] {
        let data = json!({"logo": WIDE, "rows": ["a"]});
        let result = render(sheet_with_picture(&anchor), Format::Xlsx, &data);
        let drawing = part(&result.bytes, "xl/drawings/drawing1.xml").replace("oneCellAnchor >", "oneCellAnchor>");
        let expected =
            format!("<xdr:oneCellAnchor>{from}<xdr:ext cx=\"1000\" cy=\"500\"/>{placed}</xdr:oneCellAnchor>");
        assert!(drawing.contains(&expected), "{drawing}");
        let related = part(&result.bytes, "xl/drawings/_rels/drawing1.xml.rels");
        assert!(related.contains("Id=\"docmillPicture1\"") && related.contains("Target=\"/xl/media/docmill1.gif\""));
        let types = part(&result.bytes, "[Content_Types].xml");
        assert!(types.contains("<Default Extension=\"gif\"") && !types.contains("calcChain"), "{types}");
        let stored = base64::engine::general_purpose::STANDARD.decode(WIDE).unwrap();
        assert_eq!(bytes_of(&result.bytes, "xl/media/docmill1.gif"), stored);
        // An anchor of nothing would be invalid.
        let result = render(sheet_with_picture(&anchor), Format::Xlsx, &json!({"logo": null, "rows": ["a"]}));
        assert!(!part(&result.bytes, "xl/drawings/drawing1.xml").contains("Anchor"));
    }
}

/// An OpenDocument text with this body.
fn odt(body: &str) -> Vec<u8> {
    let names = "xmlns:text=\"t\" xmlns:draw=\"d\" xmlns:svg=\"s\" xmlns:xlink=\"x\"";
    let manifest =
        "<manifest:manifest xmlns:manifest=\"m\"><manifest:file-entry manifest:full-path=\"/\"/></manifest:manifest>";
    archive(&[
        ("mimetype", "application/vnd.oasis.opendocument.text"),
        ("META-INF/manifest.xml", manifest),
        ("content.xml", &format!("<office:text xmlns:office=\"o\" {names}>{body}</office:text>")),
    ])
}

#[test]
fn an_open_document_has_pictures_in_its_text_and_in_frames() {
    let frame = "<text:p><draw:frame svg:width=\"4cm\" svg:height=\"4cm\"><draw:image xlink:href=\"Pictures/a.svg\"/>\
        <draw:image xlink:href=\"Pictures/a.png\"/><svg:desc>{%logo}</svg:desc></draw:frame></text:p>";
    let template = || odt(&format!("<text:p>Logo: {{%logo}}!</text:p>{frame}"));
    let result = render(template(), Format::Odt, &json!({"logo": WIDE}));
    let xml = part(&result.bytes, "content.xml");
    assert!(docmill_package::markup::is_well_formed(&xml, &xml), "{xml}");
    assert!(xml.contains("<text:p>Logo: <draw:frame ") && xml.contains("</draw:frame>!</text:p>"), "{xml}");
    assert!(xml.contains("svg:width=\"0.0529cm\" svg:height=\"0.0265cm\""), "{xml}");
    let fitted = "<text:p><draw:frame svg:width=\"4.0000cm\" svg:height=\"2.0000cm\">\
        <draw:image xlink:href=\"Pictures/docmill1.gif\"/></draw:frame></text:p>";
    assert!(xml.contains(fitted), "{xml}");
    let manifest = part(&result.bytes, "META-INF/manifest.xml");
    let entry = "<manifest:file-entry manifest:full-path=\"Pictures/docmill1.gif\" manifest:media-type=\"image/gif\"/>";
    assert_eq!(manifest.matches(entry).count(), 1, "{manifest}");
    let stored = base64::engine::general_purpose::STANDARD.decode(WIDE).unwrap();
    assert_eq!(bytes_of(&result.bytes, "Pictures/docmill1.gif"), stored);
    // Without a picture, the frame goes.
    let result = render(template(), Format::Odt, &json!({"logo": ""}));
    assert!(!part(&result.bytes, "content.xml").contains("draw:frame"));
    assert_eq!(result.warnings, [Warning::PictureMissing(vec!["{%logo}".to_owned()])]);
}

#[test]
fn html_has_pictures_as_elements_and_in_attributes() {
    let page = "<p>{%logo}</p><img src=\"{%logo}\" alt=\"x\">";
    let result = render(page.into(), Format::Html, &json!({"logo": WIDE}));
    let uri = format!("data:image/gif;base64,{WIDE}");
    assert_eq!(
        String::from_utf8(result.bytes).unwrap(),
        format!("<p><img src=\"{uri}\" alt=\"\"></p><img src=\"{uri}\" alt=\"x\">")
    );
}

#[test]
fn what_is_no_picture_is_told_with_its_place() {
    let svg = base64::engine::general_purpose::STANDARD.encode("<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    for (value, message) in [
        (json!("https://a.example/logo.png"), "The value is an address, and addresses are not fetched."),
        (json!("no picture!"), "The value is not a picture in base64."),
        (json!("AAAA"), "The picture is not a PNG, JPEG, GIF or SVG."),
        (json!("data:image/png,AAAA"), "The `data:` URI is not in base64."),
        (json!(1), "A picture in base64 or as a `data:` URI is needed, but the value is a number."),
        (json!("A".repeat(12 << 20)), "The picture has more than 8 MiB."),
        (json!(svg), "SVG pictures can only be used in HTML. Use a PNG here."),
    ] {
        let found = problems(docx(&paragraph("{%logo}")), Format::Docx, &json!({"logo": value}));
        assert!(found[0].message.starts_with(message), "{}", found[0].message);
        assert_eq!((found[0].reason, found[0].place.text.as_str()), (Reason::UnusableValue, "{%logo}"));
    }
}

#[test]
fn a_picture_is_told_where_it_can_not_stand() {
    let slide = "<p:sld xmlns:a=\"a\"><a:p><a:r><a:t>{%logo}</a:t></a:r></a:p></p:sld>";
    let found = problems(archive(&[("ppt/slides/slide1.xml", slide)]), Format::Pptx, &json!({"logo": WIDE}));
    assert_eq!(found[0].reason, Reason::Misplaced);
    assert_eq!(problems("{%logo}".into(), Format::Markdown, &json!({"logo": WIDE}))[0].reason, Reason::InvalidTag);
}

#[test]
fn a_picture_in_a_cell_follows_its_row_and_joins_the_sheets_drawing() {
    let anchors = |bytes: &[u8], drawing: &str| -> Vec<(String, String)> {
        let xml = part(bytes, drawing);
        let between =
            |text: &str, open: &str| text.split(open).nth(1).unwrap().split(['<', '"']).next().unwrap().to_owned();
        let anchors = xml.split("<xdr:oneCellAnchor ").skip(1);
        anchors.map(|anchor| (between(anchor, "<xdr:row>"), between(anchor, "r:embed=\""))).collect()
    };
    let book = || Book::new().row(1, &["{#rows}{n}", "{%logo}", "{/rows}"]).row(2, &["{%logo}"]);
    let data = json!({"rows": [{"n": 1, "logo": WIDE}, {"n": 2, "logo": null}], "logo": WIDE});
    let made = book().fill(&data);
    assert_eq!(made.warnings, [Warning::PictureMissing(vec!["{%logo}".into()])]);
    let sheet = part(&made.bytes, "xl/worksheets/sheet1.xml");
    assert!(
        sheet.contains("<c r=\"B1\"/>") && sheet.contains("<c r=\"B2\"/>") && !sheet.contains("docmillOverCell"),
        "{sheet}"
    );
    assert!(sheet.ends_with("r:id=\"docmillDrawing\"/></worksheet>"), "{sheet}");
    let expected = [("0".to_owned(), "docmillPicture1".to_owned()), ("2".to_owned(), "docmillPicture1".to_owned())];
    assert_eq!(anchors(&made.bytes, "xl/drawings/docmill-sheet1.xml"), expected);
    let own = "<wsDr xmlns=\"d\"></wsDr>";
    let with = book().related("drawing", "xl/drawings/drawing1.xml", own);
    assert_eq!(anchors(&with.fill(&data).bytes, "xl/drawings/drawing1.xml"), expected);
}
