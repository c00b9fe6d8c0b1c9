//! Rich text in documents and pages.

use serde_json::json;

use super::fixture::*;
use crate::{Format, Reason};

#[test]
fn rich_text_takes_the_place_of_its_paragraph_with_its_looks() {
    let template = "<w:p><w:r><w:t>Before</w:t></w:r></w:p>\
                    <w:p><w:pPr><w:pStyle w:val=\"Quote\"/><w:jc w:val=\"both\"/></w:pPr>\
                    <w:r><w:rPr><w:sz w:val=\"30\"/></w:rPr><w:t>{~te</w:t></w:r><w:r><w:t>xt}</w:t></w:r></w:p>";
    let xml = body(template, &json!({"text": "<p>One</p><ul><li><b>Two</b></li></ul>"}));
    let size = "<w:sz w:val=\"30\"/>";
    assert_eq!(
        xml,
        format!(
            "<w:p><w:r><w:t>Before</w:t></w:r></w:p>\
             <w:p><w:pPr><w:pStyle w:val=\"Quote\"/><w:jc w:val=\"both\"/></w:pPr>\
             <w:r><w:rPr>{size}</w:rPr><w:t xml:space=\"preserve\">One</w:t></w:r></w:p>\
             <w:p><w:pPr><w:pStyle w:val=\"Quote\"/><w:ind w:left=\"720\" w:hanging=\"360\"/></w:pPr>\
             <w:r><w:rPr><w:b/>{size}</w:rPr><w:t>•</w:t><w:tab/></w:r>\
             <w:r><w:rPr><w:b/>{size}</w:rPr><w:t xml:space=\"preserve\">Two</w:t></w:r></w:p>"
        )
    );
}

#[test]
fn markdown_is_rich_text_too_and_sections_repeat_it() {
    let template = "<w:p><w:r><w:t>{#notes}</w:t></w:r></w:p><w:p><w:r><w:t>{~. | markdown}</w:t></w:r></w:p>\
                    <w:p><w:r><w:t>{/notes}</w:t></w:r></w:p>";
    let xml = body(template, &json!({"notes": ["**a** & <script>x</script>", "1. b"]}));
    assert_eq!(
        xml,
        "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">a</w:t></w:r>\
         <w:r><w:t xml:space=\"preserve\"> &amp; </w:t></w:r></w:p>\
         <w:p><w:pPr><w:ind w:left=\"720\" w:hanging=\"360\"/></w:pPr><w:r><w:t>1.</w:t><w:tab/></w:r>\
         <w:r><w:t xml:space=\"preserve\">b</w:t></w:r></w:p>"
    );
}

#[test]
fn an_empty_value_leaves_an_empty_paragraph() {
    // A table's cell must have one.
    let template = "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>{~text}</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p/>";
    for empty in [json!(null), json!(""), json!("<script>x</script>")] {
        let xml = body(template, &json!({"text": empty}));
        assert_eq!(xml, "<w:tbl><w:tr><w:tc><w:p></w:p></w:tc></w:tr></w:tbl><w:p/>");
    }
}

#[test]
fn pages_get_what_is_safe() {
    let data = json!({"text": "<p onclick='x()'>a <a href='https://a.example/?b&c'>b</a></p><script>x()</script>"});
    let made = render(b"<div>{~text}</div>".to_vec(), Format::Html, &data).bytes;
    assert_eq!(
        String::from_utf8(made).unwrap(),
        "<div><p>a <a href=\"https://a.example/?b&amp;c\" rel=\"noopener noreferrer\">b</a></p></div>"
    );
}

#[test]
fn rich_text_is_told_where_it_can_not_stand() {
    let reasons = |bytes: Vec<u8>, format| {
        problems(bytes, format, &json!({"text": "a"})).into_iter().map(|problem| problem.reason).collect::<Vec<_>>()
    };
    assert_eq!(reasons(docx("<w:p><w:r><w:t>Text: {~text}</w:t></w:r></w:p>"), Format::Docx), [Reason::Misplaced]);
    assert_eq!(reasons(b"<a title=\"{~text}\">".to_vec(), Format::Html), [Reason::Misplaced]);
    assert_eq!(reasons(b"{~text}".to_vec(), Format::Markdown), [Reason::InvalidTag]);
    assert_eq!(reasons(b"{~text | markdown:1}".to_vec(), Format::Html), [Reason::InvalidTag]);
}
