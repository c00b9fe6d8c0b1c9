//! What the tests of easy-template-x look at, with tags as they are here.

use serde_json::json;

use crate::Case;
use crate::files::{PICTURE, entry, paragraph, paragraphs, run, table};

pub(super) fn cases() -> Vec<Case> {
    let posts = json!({"posts": [{"author": "Ann", "text": "one\ntwo", "show": true}, {"author": "Bo", "text": "three", "show": false}]});
    let link = format!("<w:p><w:hyperlink w:anchor=\"here\">{}</w:hyperlink></w:p>", run("{#posts}{author} {/posts}"));
    let tabs = "<w:p><w:r><w:t>{author}</w:t><w:tab/><w:t xml:space=\"preserve\"> {text}</w:t></w:r></w:p>";
    let marked = format!(
        "<w:p>{}<w:proofErr w:type=\"spellStart\"/>{}<w:proofErr w:type=\"spellEnd\"/>{}</w:p>",
        run("{"),
        run("author"),
        run("}")
    );
    let right = format!("<w:p><w:pPr><w:bidi/></w:pPr>{}</w:p>", run("{#names}{.} {/names}"));
    vec![
        Case::word(
            "texts",
            &paragraphs(&["{author}: {text}"]),
            json!({"author": "Ann", "text": "one\ntwo"}),
            &["Ann: one|two"],
        ),
        Case::word(
            "posts in paragraphs",
            &paragraphs(&["{#posts}", "{author}", "{text}", "{/posts}"]),
            posts.clone(),
            &["Ann", "one|two", "Bo", "three"],
        ),
        Case::word(
            "posts in rows",
            &table(&[&["{#posts}{author}", "{text}{/posts}"]]),
            posts.clone(),
            &["Ann", "one|two", "Bo", "three"],
        ),
        Case::word("posts in a list", &entry("{#posts}{author}{/posts}"), posts.clone(), &["AnnBo"]),
        Case::word(
            "conditions in loops",
            &paragraphs(&["{#posts}", "{author}", "{#show}", "{text}", "{/show}", "{/posts}"]),
            posts.clone(),
            &["Ann", "one|two", "Bo"],
        ),
        Case::word(
            "conditions in loops of rows",
            &table(&[&["{#posts}{author}", "{#show}{text}{/show}{/posts}"]]),
            posts.clone(),
            &["Ann", "one|two", "Bo", ""],
        ),
        Case::word(
            "conditions of paragraphs and tables",
            &(paragraph("{#show}") + &table(&[&["{a}"]]) + &paragraph("{/show}") + &paragraph("end")),
            json!({"show": false, "a": 1}),
            &["end"],
        ),
        Case::word(
            "sections around a table's text and after it",
            &(paragraphs(&["{#posts}", "{author}:"]) + &table(&[&["{text}"]]) + &paragraph("{/posts}")),
            posts.clone(),
            &["Ann:", "one|two", "Bo:", "three"],
        ),
        Case::word("links", &link, posts, &["Ann Bo "]),
        Case::word("tabs", tabs, json!({"author": "Ann", "text": "x"}), &["Ann x"]),
        Case::word("tags with marks of the spell checker", &marked, json!({"author": "Ann"}), &["Ann"]),
        Case::word("text from right to left", &right, json!({"names": ["א", "ב"]}), &["א ב "]),
        Case::word(
            "pictures and empty ones",
            &paragraphs(&["a{%logo}b", "a{%none}b"]),
            json!({"logo": PICTURE, "none": null}),
            &["a[picture]b", "ab"],
        ),
        Case::word(
            "a missing value of a nested name",
            &paragraph("{#user}{name}{#address}{city}{/address}{/user}"),
            json!({"user": {"name": "Ann", "address": null}}),
            &["Ann"],
        ),
    ]
}
