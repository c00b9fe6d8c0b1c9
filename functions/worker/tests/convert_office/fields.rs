//! Fields of Word documents, whose pages the installed LibreOffice tells.

use std::io::{Cursor, Write};

use docmill_plan::Recipe;
use zip::write::SimpleFileOptions;

use super::support::{Document, file, run};

const TYPES: &str = r#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/><Override PartName="/word/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>"#;
const ROOT: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
const RELATIONS: &str = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="a" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#;
const STYLES: &str = r#"<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style></w:styles>"#;

/// A cover with contents that are not made yet, two chapters that an index names, and that index; pages are counted from the first chapter on.
fn report() -> Document {
    let sign = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let field = |instruction: &str| {
        let (begin, separate, end) = (sign("begin"), sign("separate"), sign("end"));
        format!("{begin}<w:r><w:instrText>{instruction}</w:instrText></w:r>{separate}<w:r><w:t>?</w:t></w:r>{end}")
    };
    let heading = |text: &str| {
        let page = "<w:pPr><w:pStyle w:val=\"Heading1\"/><w:pageBreakBefore/></w:pPr>";
        let mark = format!("{}<w:r><w:instrText>XE \"chapter\"</w:instrText></w:r>{}", sign("begin"), sign("end"));
        format!("<w:p>{page}{mark}<w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let section = |more: &str| format!("<w:sectPr>{more}<w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr>");
    let body = format!(
        "<w:p>{}</w:p><w:p><w:pPr>{}</w:pPr></w:p>{}{}<w:p>{}</w:p><w:p>{}</w:p>{}",
        field("TOC \\o \\h"),
        section(""),
        heading("First chapter"),
        heading("Second chapter"),
        field("NUMPAGES"),
        field("INDEX"),
        section("").replace("</w:sectPr>", "<w:pgNumType w:start=\"1\" w:fmt=\"lowerRoman\"/></w:sectPr>")
    );
    let name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
    let document = format!("<w:document xmlns:w=\"{name}\"><w:body>{body}</w:body></w:document>");
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in [
        ("[Content_Types].xml", TYPES),
        ("_rels/.rels", ROOT),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", RELATIONS),
        ("word/styles.xml", STYLES),
    ] {
        archive.start_file(name, SimpleFileOptions::default()).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    file("report.docx", archive.finish().unwrap().into_inner())
}

#[tokio::test]
async fn contents_and_indexes_get_the_pages_of_the_layout() {
    let done = run(&report(), &Recipe::of_fields()).await;
    assert_eq!(done.warnings(), Vec::<&str>::new());
    let document = done.part("word/document.xml");
    let texts = document
        .split("<w:t")
        .skip(1)
        .filter(|rest| rest.starts_with(['>', ' ']))
        .filter_map(|rest| rest.split_once('>')?.1.split('<').next());
    let texts: Vec<_> = texts.collect();
    let contents = ["First chapter", "i", "Second chapter", "ii"];
    let expected =
        [&contents[..], &["First chapter", "Second chapter", "3"], &["chapter", ", ", "i", ", ", "ii"]].concat();
    assert_eq!(texts, expected, "{document}");
    assert_eq!(document.matches("PAGEREF _Toc").count(), 2);
    assert!(!document.contains("docmill"));
}
