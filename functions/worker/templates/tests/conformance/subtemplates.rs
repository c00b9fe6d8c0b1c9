//! Templates that include others.

use serde_json::json;

use crate::files::{PICTURE, entry, paragraph, paragraphs, picture, run, table, table_of, word, word_with};
use crate::{Case, Format};

/// A document with styles, lists, notes, a picture and a link of its own.
fn other() -> Vec<u8> {
    let styled =
        |style: &str, text: &str| format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr>{}</w:p>", run(text));
    let note = format!("<w:p>{}<w:r><w:footnoteReference w:id=\"1\"/></w:r></w:p>", run("Noted {name}"));
    let shown = format!("<w:p>{}{}</w:p>", picture("A picture"), run("{%logo}"));
    let marked = "<w:p><w:commentRangeStart w:id=\"0\"/><w:r><w:t>{name}</w:t></w:r><w:commentRangeEnd w:id=\"0\"/><w:r><w:commentReference w:id=\"0\"/></w:r></w:p>";
    let turned = "<w:p><w:pPr><w:sectPr><w:pgSz w:w=\"16838\" w:h=\"11906\"/></w:sectPr></w:pPr></w:p>";
    let body = [
        styled("Heading1", "Title"),
        styled("Loud", "{name}!"),
        entry("One"),
        entry("Two"),
        note,
        shown,
        marked.to_owned(),
        turned.to_owned(),
    ];
    let styles = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Standard\"><w:name w:val=\"Normal\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"Standard\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Loud\"><w:name w:val=\"Loud\"/><w:basedOn w:val=\"Base\"/></w:style>\
         <w:style w:type=\"paragraph\" w:styleId=\"Base\"><w:name w:val=\"Base\"/><w:pPr><w:numPr><w:numId w:val=\"1\"/></w:numPr></w:pPr></w:style>";
    let notes = format!("<w:footnote w:id=\"1\">{}</w:footnote>", paragraph("About {company}"));
    word_with(&body.concat(), &[("styles", styles), ("footnotes", &notes)])
}

const TEXTS: [&str; 8] = ["Title", "Ann!", "One", "Two", "Noted Ann", "[picture][picture]", "Ann", ""];

pub(super) fn cases() -> Vec<Case> {
    let data = json!({"name": "Ann", "company": "Acme", "logo": PICTURE, "people": [{"name": "Ann"}, {"name": "Bo"}], "on": false});
    let around = ["before", "{>terms}", "after"];
    let text = |texts: &[&'static str]| [&["before"], texts, &["after"]].concat();
    let in_loop = paragraphs(&["{#people}", "{>terms}", "{/people}"]);
    let bo: Vec<&str> = TEXTS
        .iter()
        .map(|text| {
            if *text == "Ann!" {
                "Bo!"
            } else if *text == "Noted Ann" {
                "Noted Bo"
            } else if *text == "Ann" {
                "Bo"
            } else {
                text
            }
        })
        .collect();
    let repeated: Vec<&str> = TEXTS.into_iter().chain(bo).collect();
    let in_cell = table_of(&[vec![paragraph("{>terms}"), paragraph("x")]]);
    let header = [("header", paragraph("{>logo}"))];
    let header: Vec<_> = header.iter().map(|(name, content)| (*name, content.as_str())).collect();
    let logo = format!("<w:p>{}</w:p>", picture("A picture"));
    let html = b"<h1>Terms</h1><p>For <b>{name}</b></p>{#people}<p>{name}</p>{/people}".to_vec();
    let markdown = b"# Terms\n\n- for **{name}**\n".to_vec();
    vec![
        Case::word("a Word document", &paragraphs(&around), data.clone(), &text(&TEXTS)).with(
            "terms",
            Format::Docx,
            other(),
        ),
        Case::word("docxtemplater's include", &paragraphs(&["{:include terms}"]), data.clone(), &TEXTS).with(
            "terms",
            Format::Docx,
            other(),
        ),
        Case::word("a Word document in a loop", &in_loop, data.clone(), &repeated).with("terms", Format::Docx, other()),
        Case::word("a table in a cell", &in_cell, data.clone(), &["AnnBo", "", "x"]).with(
            "terms",
            Format::Docx,
            word(&table(&[&["{#people}{name}{/people}"]])),
        ),
        Case::word("documents in documents", &paragraphs(&["{>terms}"]), data.clone(), &["outer", "inner Ann"])
            .with("terms", Format::Docx, word(&paragraphs(&["outer", "{>more}"])))
            .with("more", Format::Docx, word(&paragraphs(&["inner {name}"]))),
        Case::word(
            "a document that is hidden",
            &paragraphs(&["{#on}", "{>terms}", "{/on}", "end"]),
            data.clone(),
            &["end"],
        )
        .with("terms", Format::Docx, other()),
        Case::new(
            "a document in a header",
            Format::Docx,
            word_with(&paragraph("text"), &header),
            data.clone(),
            &["text"],
        )
        .with("logo", Format::Docx, word(&logo)),
        Case::word("HTML", &paragraphs(&["{>terms}"]), data.clone(), &["Terms", "For Ann", "Ann", "Bo"]).with(
            "terms",
            Format::Html,
            html,
        ),
        Case::word("Markdown", &paragraphs(&["{>terms}"]), data, &["Terms", "•for Ann"]).with(
            "terms",
            Format::Markdown,
            markdown,
        ),
    ]
}
