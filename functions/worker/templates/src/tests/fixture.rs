//! Makes templates, and takes texts out of results.

use std::io::{Cursor, Read, Write};

use serde_json::Value;
use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::{Failure, Format, Options, Problem, Rendered, Template};

pub(super) const WORD: &str = r#"xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main""#;

pub(super) fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A document with this body.
pub(super) fn docx(body: &str) -> Vec<u8> {
    let types = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let relations = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
    archive(&[
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations),
        ("word/document.xml", &format!("<w:document {WORD}><w:body>{body}</w:body></w:document>")),
    ])
}

/// Paragraphs of one run each.
pub(super) fn paragraphs(texts: &[&str]) -> String {
    texts.iter().map(|text| paragraph(text)).collect()
}

pub(super) fn paragraph(text: &str) -> String {
    format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}

pub(super) fn table(rows: &[&[&str]]) -> String {
    let cell = |text: &&str| format!("<w:tc><w:tcPr/>{}</w:tc>", paragraph(text));
    let row = |cells: &&[&str]| format!("<w:tr>{}</w:tr>", cells.iter().map(cell).collect::<String>());
    format!("<w:tbl><w:tblPr/>{}</w:tbl>", rows.iter().map(row).collect::<String>())
}

pub(super) fn open(bytes: Vec<u8>, format: Format) -> Template {
    Template::open(bytes, format, Options::default()).unwrap()
}

pub(super) fn render(bytes: Vec<u8>, format: Format, data: &Value) -> Rendered {
    open(bytes, format).render(data).unwrap()
}

pub(super) fn part(archive: &[u8], name: &str) -> String {
    let mut text = String::new();
    ZipArchive::new(Cursor::new(archive)).unwrap().by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// The XML of a document's body, filled.
pub(super) fn body(template: &str, data: &Value) -> String {
    let xml = part(&render(docx(template), Format::Docx, data).bytes, "word/document.xml");
    assert!(docmill_package::markup::is_well_formed(&xml, &xml), "{xml}");
    let start = xml.find("<w:body>").unwrap() + "<w:body>".len();
    xml[start..xml.find("</w:body>").unwrap()].to_owned()
}

/// The text of each paragraph.
pub(super) fn lines(xml: &str) -> Vec<String> {
    let xml = xml.replace("<w:p/>", "<w:p></w:p>").replace("<w:br/>", "<w:t>⏎</w:t>");
    xml.split("</w:p>").filter(|piece| piece.contains("<w:p>")).map(text).collect()
}

pub(super) fn text(xml: &str) -> String {
    let is_text = |piece: &&str| piece.starts_with(['>', ' ']);
    let pieces = xml.split("<w:t").skip(1).filter(is_text).filter_map(|piece| piece.split_once('>'));
    let texts = pieces.map(|(_, rest)| rest.split("</w:t>").next().unwrap_or_default());
    texts.collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

pub(super) fn filled(template: &[&str], data: &Value) -> Vec<String> {
    lines(&body(&paragraphs(template), data))
}

/// One line of text, filled.
pub(super) fn line(template: &str, data: &Value) -> String {
    filled(&[template], data).concat()
}

pub(super) fn problems(bytes: Vec<u8>, format: Format, data: &Value) -> Vec<Problem> {
    match open(bytes, format).render(data).unwrap_err() {
        Failure::Template(problems) => problems,
        other @ (Failure::Corrupt(_) | Failure::TooLarge(_) | Failure::Options(_)) => panic!("{other:?}"),
    }
}
