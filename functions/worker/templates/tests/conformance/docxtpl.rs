//! What the tests of docxtpl look at, with tags as they are here.

use serde_json::json;

use crate::Case;
use crate::files::{PICTURE, entry, paragraph, paragraphs, run, table, table_of};

/// A row whose cells are repeated.
fn columns() -> String {
    let cells = |texts: &[&str]| {
        let cell = |text: &&str| format!("<w:tc><w:tcPr/>{}</w:tc>", paragraph(text));
        texts.iter().map(cell).collect::<String>()
    };
    let row = |texts: &[&str]| format!("<w:tr>{}</w:tr>", cells(texts));
    format!(
        "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"2000\"/></w:tblGrid>{}{}</w:tbl>",
        row(&["{-w:tc columns}{name}{/columns}"]),
        row(&["{-w:tc columns}{count}{/columns}"])
    )
}

/// Cells that belong together over all rows.
fn merged() -> String {
    let cell = |merge: &str, text: &str| format!("<w:tc><w:tcPr><w:vMerge{merge}/></w:tcPr>{}</w:tc>", paragraph(text));
    let row = |cells: &str, text: &str| format!("<w:tr>{cells}<w:tc><w:tcPr/>{}</w:tc></w:tr>", paragraph(text));
    format!(
        "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid>{}{}</w:tbl>",
        row(&cell(" w:val=\"restart\"", "{group}"), "{first}"),
        row(&cell("", ""), "{-w:tr rest}{.}{/rest}")
    )
}

pub(super) fn cases() -> Vec<Case> {
    let people = json!({"people": [{"name": "Ann", "jobs": ["a", "b"], "logo": PICTURE}, {"name": "Bo", "jobs": [], "logo": PICTURE}]});
    let nested =
        table_of(&[vec![paragraph("{#people}{name}"), table(&[&["{#jobs}{.}{/jobs}"]]) + &paragraph("{/people}")]]);
    let bold = "<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{#yes}</w:t></w:r><w:r><w:t xml:space=\"preserve\">Yes </w:t></w:r><w:r><w:t>{/yes}{name}</w:t></w:r></w:p>";
    let field = format!(
        "<w:p>{}<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
        run("{name} "),
        run("1")
    );
    let marked = "<w:p><w:bookmarkStart w:id=\"1\" w:name=\"here\"/><w:r><w:t>{name}</w:t></w:r><w:bookmarkEnd w:id=\"1\"/></w:p>";
    let marks = paragraph("{#people}") + marked + &paragraph("{/people}");
    let boxed = format!(
        "<w:sdt><w:sdtPr><w:alias w:val=\"Name\"/><w:id w:val=\"7\"/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>",
        paragraph("{name}")
    );
    let controls = paragraph("{#people}") + &boxed + &paragraph("{/people}");
    let sections =
        "<w:p><w:pPr><w:sectPr><w:pgSz w:w=\"16838\" w:h=\"11906\" w:orient=\"landscape\"/></w:sectPr></w:pPr></w:p>";
    let sections = paragraph("{#people}") + &paragraph("{name}") + sections + &paragraph("{/people}");
    let revised = "<w:p><w:ins w:id=\"5\" w:author=\"A\" w:date=\"2026-11-26T00:00:00Z\"><w:r><w:t>{name}</w:t></w:r></w:ins></w:p>";
    let revised = paragraph("{#people}") + revised + &paragraph("{/people}");
    let named = "<w:p xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\" w14:paraId=\"0A0B0C0D\"><w:r><w:t>{name}</w:t></w:r></w:p>";
    let named = paragraph("{#people}") + named + &paragraph("{/people}");
    vec![
        Case::word("paragraphs with numbers", &named, people.clone(), &["Ann", "Bo"]),
        Case::word(
            "a choice in a sentence",
            &paragraph("He is {#adult}old{/adult}{^adult}young{/adult}."),
            json!({"adult": true}),
            &["He is old."],
        ),
        Case::word(
            "rows that are hidden by their data",
            &table(&[&["{-w:tr people}{#jobs.length > 0}{name}{/}{/people}"]]),
            people.clone(),
            &["Ann", ""],
        ),
        Case::word(
            "columns",
            &columns(),
            json!({"columns": [{"name": "A", "count": 1}, {"name": "B", "count": 2}]}),
            &["A", "B", "1", "2"],
        ),
        Case::word(
            "cells that are merged over rows",
            &merged(),
            json!({"group": "G", "first": 1, "rest": [2, 3]}),
            &["G", "1", "", "2", "", "3"],
        ),
        Case::word("tables in tables", &nested, people.clone(), &["Ann", "ab", "", "Bo", "", ""]),
        Case::word(
            "bullets",
            &(entry("{#people}{name}") + &entry("{jobs}{/people}")),
            people.clone(),
            &["Ann", "a, b", "Bo", ""],
        ),
        Case::word("tags of other formats than their text", bold, json!({"yes": true, "name": "Ann"}), &["Yes Ann"]),
        Case::word("text beside fields", &field, json!({"name": "Ann"}), &["Ann 1"]),
        Case::word("bookmarks that are repeated", &marks, people.clone(), &["Ann", "Bo"]),
        Case::word("content controls that are repeated", &controls, people.clone(), &["Ann", "Bo"]),
        Case::word("sections of pages", &sections, people.clone(), &["Ann", "", "Bo", ""]),
        Case::word("changes that are tracked", &revised, people.clone(), &["Ann", "Bo"]),
        Case::word(
            "pictures in rows",
            &table(&[&["{#people}{name}", "{%logo}{/people}"]]),
            people.clone(),
            &["Ann", "[picture]", "Bo", "[picture]"],
        ),
        Case::word(
            "text with several lines in cells",
            &table(&[&["{#people}{name}\n{jobs}{/people}"]]),
            people,
            &["Ann\na, bBo\n"],
        ),
        Case::word(
            "dates and amounts",
            &paragraphs(&["{at | date:'long'}", "{sum | currency:'EUR'}"]),
            json!({"at": "2026-11-26", "sum": 1234.5}),
            &["November 26, 2026", "€1,234.50"],
        ),
    ]
}
