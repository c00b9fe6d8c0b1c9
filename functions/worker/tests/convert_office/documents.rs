//! The documents: flat OpenDocument, which is readable here, and the fixtures.

use std::io::{Cursor, Read, Write};
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::support::{Document, file};

pub(crate) fn fixture(name: &str) -> Document {
    file(name, read(name))
}

fn read(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/office").join(name)).unwrap()
}

const HEADING: &str = "<office:styles><style:style style:name=\"Heading_20_1\" style:display-name=\"Heading 1\" \
    style:family=\"paragraph\" style:default-outline-level=\"1\"/></office:styles>";

/// A text with a heading, several scripts, a table, a picture and tracked changes.
pub(crate) fn text() -> Document {
    let picture = BASE64_STANDARD.encode(read("photo.jpg"));
    let change = |kind: &str, content: &str| {
        format!(
            "<text:changed-region xml:id=\"{kind}\" text:id=\"{kind}\"><text:{kind}><office:change-info>\
             <dc:creator>A</dc:creator><dc:date>2026-01-01T00:00:00</dc:date></office:change-info>{content}\
             </text:{kind}></text:changed-region>"
        )
    };
    let changes = change("deletion", "<text:p>deleted words</text:p>") + &change("insertion", "");
    let cell = |words: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{words}</text:p></table:table-cell>")
    };
    let body = format!(
        "<office:text><text:tracked-changes>{changes}</text:tracked-changes>\
         <text:h text:style-name=\"Heading_20_1\" text:outline-level=\"1\">Chapter one</text:h>\
         <text:p>Grüße aus Köln, Ελλάδα, 日本語の文章, مرحبا بالعالم.</text:p>\
         <text:p>Here <text:change text:change-id=\"deletion\"/>and <text:change-start text:change-id=\"insertion\"/>inserted words\
         <text:change-end text:change-id=\"insertion\"/> end.</text:p>\
         <table:table table:name=\"T\"><table:table-column table:number-columns-repeated=\"2\"/>\
         <table:table-row>{}{}</table:table-row></table:table>\
         <text:p><draw:frame text:anchor-type=\"as-char\" svg:width=\"2cm\" svg:height=\"2cm\"><draw:image>\
         <office:binary-data>{picture}</office:binary-data></draw:image></draw:frame></text:p></office:text>",
        cell("left cell"),
        cell("right cell")
    );
    file("text.fodt", flat("text", HEADING, &body))
}

/// Three sheets: one with formatted values, one with a formula, and an empty one.
pub(crate) fn sheets() -> Document {
    let styles = "<office:automatic-styles>\
        <number:number-style style:name=\"euro\"><number:number number:decimal-places=\"2\" \
        number:min-integer-digits=\"1\" number:grouping=\"true\"/><number:text> €</number:text></number:number-style>\
        <number:percentage-style style:name=\"share\"><number:number number:decimal-places=\"0\" number:min-integer-digits=\"1\"/>\
        <number:text>%</number:text></number:percentage-style>\
        <style:style style:name=\"money\" style:family=\"table-cell\" style:data-style-name=\"euro\"/>\
        <style:style style:name=\"part\" style:family=\"table-cell\" style:data-style-name=\"share\"/></office:automatic-styles>";
    let words = |words: &str| {
        format!("<table:table-cell office:value-type=\"string\"><text:p>{words}</text:p></table:table-cell>")
    };
    let value = |style: &str, kind: &str, value: &str| {
        format!(
            "<table:table-cell table:style-name=\"{style}\" office:value-type=\"{kind}\" office:value=\"{value}\"/>"
        )
    };
    let row = |cells: &[String]| format!("<table:table-row>{}</table:table-row>", cells.concat());
    let sheet = |name: &str, rows: &str| {
        format!("<table:table table:name=\"{name}\"><table:table-column/>{rows}</table:table>")
    };
    let first = [
        row(&[words("Name"), words("Amount"), words("Share")]),
        row(&[words("Zoë Łódź 山田"), value("money", "float", "1234.5"), value("part", "percentage", "0.25")]),
        row(&[words("a,b \"c\""), value("money", "float", "-3"), value("part", "percentage", "1")]),
    ];
    let formula =
        "<table:table-cell table:formula=\"of:=1+1\" office:value-type=\"float\" office:value=\"2\"/>".to_owned();
    let second = row(&[words("second"), formula]);
    let body = format!(
        "<office:spreadsheet>{}{}{}</office:spreadsheet>",
        sheet("First", &first.concat()),
        sheet("Second; sheet", &second),
        sheet("Third", &row(&["<table:table-cell/>".to_owned()]))
    );
    file("sheets.fods", flat("spreadsheet", styles, &body))
}

fn flat(kind: &str, styles: &str, body: &str) -> String {
    let names = [
        ("office", "office"),
        ("text", "text"),
        ("table", "table"),
        ("draw", "drawing"),
        ("style", "style"),
        ("number", "datastyle"),
        ("svg", "svg-compatible"),
    ];
    let names =
        names.map(|(short, name)| format!(" xmlns:{short}=\"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0\""));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><office:document{} xmlns:of=\"urn:oasis:names:tc:opendocument:xmlns:of:1.2\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\" \
         office:mimetype=\"application/vnd.oasis.opendocument.{kind}\" office:version=\"1.2\">{styles}\
         <office:body>{body}</office:body></office:document>",
        names.concat()
    )
}

/// A package with the part that macros are in.
pub(crate) fn with_macros(name: &str) -> Vec<u8> {
    let mut package = zip::ZipArchive::new(Cursor::new(read(name))).unwrap();
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    for index in 0..package.len() {
        let mut part = package.by_index(index).unwrap();
        let mut content = Vec::new();
        part.read_to_end(&mut content).unwrap();
        writer.start_file(part.name().unwrap(), options).unwrap();
        writer.write_all(&content).unwrap();
    }
    writer.start_file("xl/vbaProject.bin", options).unwrap();
    writer.write_all(b"macros").unwrap();
    writer.finish().unwrap().into_inner()
}
