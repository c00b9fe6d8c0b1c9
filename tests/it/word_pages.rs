//! A document that Word saved says where Word broke its pages: its job reports how the PDF's compare.

use std::io::{Cursor, Write};

use docmill_findings::findings_of;
use serde_json::json;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

use crate::journeys::Traveller;

const FORMATS: &str = "application/vnd.openxmlformats-officedocument";
const RELATIONS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006";

/// Word made a page of each paragraph, which nothing but its note of a break says.
fn document() -> Vec<u8> {
    let paragraph = |mark: &str, text: &str| format!("<w:p><w:r>{mark}<w:t>{text}</w:t></w:r></w:p>");
    let body = [paragraph("", "The first words"), paragraph("<w:lastRenderedPageBreak/>", "What Word moved")].concat();
    let parts = [
        (
            "[Content_Types].xml",
            format!(
                "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Override PartName=\"/word/document.xml\" ContentType=\"{FORMATS}.wordprocessingml.document.main+xml\"/>\
                 <Override PartName=\"/docProps/app.xml\" ContentType=\"{FORMATS}.extended-properties+xml\"/></Types>"
            ),
        ),
        (
            "_rels/.rels",
            format!(
                "<Relationships xmlns=\"{RELATIONS}\"><Relationship Id=\"rId1\" Type=\"{OFFICE}/relationships/officeDocument\" \
                 Target=\"word/document.xml\"/></Relationships>"
            ),
        ),
        (
            "word/document.xml",
            format!(
                "<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:body>{body}</w:body>\
                 </w:document>"
            ),
        ),
        (
            "docProps/app.xml",
            format!(
                "<Properties xmlns=\"{OFFICE}/extended-properties\"><Pages>2</Pages><Characters>26</Characters>\
                 <Application>Microsoft Office Word</Application></Properties>"
            ),
        ),
    ];
    let mut package = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        package.start_file(name, SimpleFileOptions::default().last_modified_time(DateTime::default())).unwrap();
        package.write_all(content.as_bytes()).unwrap();
    }
    package.finish().unwrap().into_inner()
}

#[tokio::test]
async fn a_job_reports_how_its_pages_differ_from_those_of_word() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let upload = traveller.upload(&document(), &format!("{FORMATS}.wordprocessingml.document"), "saved.docx").await;
    let id = traveller.create("/v1/convert/office-to-pdf", json!({"uploadId": upload})).await;
    let job = traveller.end_of(&id).await;
    assert_eq!(job["status"], "completed", "{job}");
    let first = json!({"page": 2, "words": "What Word moved"});
    let fidelity = json!({"pages": 1, "pagesInWord": 2, "firstDifference": first});
    assert_eq!(job["report"], json!({ "fidelity": fidelity }), "{job}");
    let warning = &job["warnings"][0];
    let told = (&warning["code"], &warning["detail"], &warning["pages"]);
    assert_eq!(told, (&json!("pages_differ"), &json!("1 instead of 2"), &json!("1")), "{job}");
    assert_eq!(findings_of(&job), ["1 page instead of 2 in Word: from page 2, pages begin elsewhere."]);
}
