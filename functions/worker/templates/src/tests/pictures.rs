//! Pictures from data.

use std::io::{Cursor, Read};

use base64::Engine as _;
use serde_json::json;
use zip::ZipArchive;

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
    assert!(crate::markup::is_well_formed(&xml, &xml), "{xml}");
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
        (json!("https://a.example/logo.png"), "The value is an address, which is not fetched."),
        (json!("no picture!"), "The value is not a picture in base64."),
        (json!("AAAA"), "The picture is not a PNG, JPEG, GIF or SVG."),
        (json!("data:image/png,AAAA"), "The `data:` URI is not in base64."),
        (json!(1), "A picture in base64 or as a `data:` URI is needed, but the value is a number."),
        (json!("A".repeat(12 << 20)), "The picture has more than 8 MiB."),
        (json!(svg), "SVG pictures are for HTML. Use a PNG here."),
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
