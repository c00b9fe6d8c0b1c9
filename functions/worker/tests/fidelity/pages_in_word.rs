//! What results say about the pages that Word made of the same document.

use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::packages::{docx, docx_with_pages};
use crate::support::{Printed, deliver};

const BREAK: &str = "<w:lastRenderedPageBreak/>";

/// Pages begin with these words and are as long as a page and a half.
fn chapter(words: &str, mark: &str) -> String {
    let line = "<w:p><w:r><w:t>One line of the chapter.</w:t></w:r></w:p>";
    format!("<w:p><w:pPr><w:pageBreakBefore/></w:pPr><w:r>{mark}<w:t>{words}</w:t></w:r></w:p>{}", line.repeat(20))
}

fn characters(body: &str) -> usize {
    let texts = body.split("<w:t>").skip(1).filter_map(|rest| rest.split_once("</w:t>"));
    texts.flat_map(|(text, _)| text.chars()).filter(|letter| !letter.is_whitespace()).count()
}

async fn printed(directory: &Path, body: &str, pages: u32, options: Value) -> Printed {
    deliver(&docx_with_pages(directory, body, pages, characters(body)), options).await.0
}

#[tokio::test]
async fn a_document_with_words_pages_says_so() {
    let directory = TempDir::new().unwrap();
    let body = [chapter("The first chapter", ""), chapter("The second chapter", BREAK)].concat();
    let printed = printed(directory.path(), &body, 2, json!({})).await;
    let fidelity = json!({"pages": 2, "pagesInWord": 2});
    assert_eq!(printed.report, Some(json!({ "fidelity": fidelity })));
    assert_eq!(printed.codes(), Vec::<&str>::new());
}

#[tokio::test]
async fn the_first_page_that_begins_elsewhere_is_named() {
    let directory = TempDir::new().unwrap();
    let moved = ["<w:p><w:r>", BREAK, "<w:t>Words that Word moved to another page</w:t></w:r></w:p>"].concat();
    let body = [&*chapter("The first chapter", ""), &moved, &chapter("The second chapter", BREAK)].concat();
    let printed = printed(directory.path(), &body, 3, json!({})).await;
    let first = json!({"page": 2, "words": "Words that Word moved to another page"});
    let fidelity = json!({"pages": 2, "pagesInWord": 3, "firstDifference": first});
    assert_eq!(printed.report, Some(json!({ "fidelity": fidelity })));
    assert_eq!(printed.codes(), ["pages_differ"]);
    let warning = &printed.warnings[0];
    let pages = warning.pages.as_ref().map(ToString::to_string);
    assert_eq!((warning.detail.as_deref(), pages.as_deref()), (Some("2 instead of 3"), Some("2")));
}

#[tokio::test]
async fn nothing_is_said_about_other_pages_than_those_of_word() {
    let directory = TempDir::new().unwrap();
    let body = [chapter("The first chapter", ""), chapter("The second chapter", BREAK)].concat();
    for options in [json!({"pageRange": "1"}), json!({"landscape": true}), json!({"includeNotes": true})] {
        assert_eq!(printed(directory.path(), &body, 2, options.clone()).await.report, None, "{options}");
    }
    assert_eq!(deliver(&docx(directory.path(), &body), json!({})).await.0.report, None, "no program is named");
    assert_eq!(printed(directory.path(), &body, 3, json!({})).await.report, None, "the numbers of pages differ");
}
