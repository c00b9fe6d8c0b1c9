//! The features that docxtemplater documents, one by one.

use docmill_templates::{Delimiters, Options};
use serde_json::json;

use crate::files::{PICTURE, entry, paragraph, paragraphs, picture, run, table, word_with};
use crate::{Case, Format};

pub(super) fn cases() -> Vec<Case> {
    [values(), sections(), tables(), expressions(), content()].into_iter().flatten().collect()
}

fn values() -> Vec<Case> {
    let runs = format!("<w:p>{}{}{}</w:p>", run("Dear {first"), run("_na"), run("me}!"));
    let delimiters = Options { delimiters: Delimiters::new("[[", "]]").unwrap(), ..Options::default() };
    let changed =
        Case::word("delimiters by an option", &paragraph("[[name]] {code}"), json!({"name": "Ann"}), &["Ann {code}"]);
    vec![
        Case::word("placeholders", &paragraph("{first} {last}"), json!({"first": "Ann", "last": "Lee"}), &["Ann Lee"]),
        Case::word("a tag across runs", &runs, json!({"first_name": "Ann"}), &["Dear Ann!"]),
        Case::word(
            "members of objects",
            &paragraph("{user.name.first}"),
            json!({"user": {"name": {"first": "Ann"}}}),
            &["Ann"],
        ),
        Case::word(
            "elements of lists",
            &paragraph("{users[1].name}"),
            json!({"users": [{"name": "A"}, {"name": "B"}]}),
            &["B"],
        ),
        Case::word("line breaks", &paragraph("{text}"), json!({"text": "one\ntwo\r\nthree"}), &["one|two|three"]),
        Case::word(
            "signs of XML",
            &paragraph("{text}"),
            json!({"text": "<w:p> & \"Ann's\" ]]>"}),
            &["<w:p> & \"Ann's\" ]]>"],
        ),
        Case::word("null", &paragraph("a{none}b"), json!({"none": null}), &["ab"]),
        Case::word(
            "delimiters by a tag",
            &paragraph("{=<% %>=}<%name%> {code} <%={ }=%>{name}"),
            json!({"name": "Ann"}),
            &["Ann {code} Ann"],
        ),
        Case { options: delimiters, ..changed },
        Case::word(
            "Cyrillic, Arabic and emoji",
            &paragraph("{ru} {ar} {emoji}"),
            json!({"ru": "Привет", "ar": "مرحبا", "emoji": "🎉"}),
            &["Привет مرحبا 🎉"],
        ),
    ]
}

fn sections() -> Vec<Case> {
    let products = json!({"products": [{"name": "Tea", "price": 2}, {"name": "Cake", "price": 3}]});
    let list = paragraph("Order:") + &entry("{#products}{name}") + &entry("for {price}{/products}");
    let page = "<w:p><w:r><w:br w:type=\"page\"/></w:r></w:p>";
    let pages = paragraph("{#products}") + &paragraph("{name}") + page + &paragraph("{/products}");
    let nested = ["{#groups}", "{name}", "{#members}", "{name} in {group}", "{/members}", "{/groups}"];
    let groups = json!({"groups": [{"name": "A", "group": "a", "members": [{"name": "x"}, {"name": "y"}]}, {"name": "B", "group": "b", "members": []}]});
    vec![
        Case::word(
            "a loop in a line",
            &paragraph("{#products}{name} {price}; {/products}end"),
            products.clone(),
            &["Tea 2; Cake 3; end"],
        ),
        Case::word(
            "a loop over paragraphs",
            &paragraphs(&["{#products}", "{name}", "{price}", "{/products}"]),
            products.clone(),
            &["Tea", "2", "Cake", "3"],
        ),
        Case::word(
            "a loop over a list's entries",
            &list,
            products.clone(),
            &["Order:", "Tea", "for 2", "Cake", "for 3"],
        ),
        Case::word("a loop with page breaks", &pages, products.clone(), &["Tea", "|", "Cake", "|"]),
        Case::word(
            "a loop over simple values",
            &paragraph("{#names}{.}, {/names}"),
            json!({"names": ["Ann", "Bo"]}),
            &["Ann, Bo, "],
        ),
        Case::word(
            "an end without a name",
            &paragraph("{#names}{.} {/}"),
            json!({"names": ["Ann", "Bo"]}),
            &["Ann Bo "],
        ),
        Case::word(
            "nested loops, and names around them",
            &paragraphs(&nested),
            groups,
            &["A", "x in a", "y in a", "B"],
        ),
        Case::word(
            "a condition",
            &paragraph("{#cat}Cat {name}{/cat}{#dog}Dog{/dog}"),
            json!({"cat": true, "name": "Minka", "dog": false}),
            &["Cat Minka"],
        ),
        Case::word(
            "an inverted section",
            &paragraph("{^repos}No repos{/repos}{^cat}No cat{/cat}"),
            json!({"repos": [], "cat": true}),
            &["No repos"],
        ),
        Case::word(
            "an object as a section",
            &paragraph("{#user}{name} of {company}{/user}"),
            json!({"user": {"name": "Ann"}, "company": "Acme"}),
            &["Ann of Acme"],
        ),
        Case::word(
            "paragraphs that are hidden",
            &paragraphs(&["a", "{#no}", "hidden", "{/no}", "b"]),
            json!({"no": false}),
            &["a", "b"],
        ),
        Case::word("a loop of nothing", &paragraphs(&["a", "{#none}", "{x}", "{/none}"]), json!({"none": []}), &["a"]),
        Case::word(
            "the dash syntax",
            &paragraph("{-w:p names}Dear {.}{/names}"),
            json!({"names": ["Ann", "Bo"]}),
            &["Dear Ann", "Dear Bo"],
        ),
    ]
}

fn tables() -> Vec<Case> {
    let items = json!({"items": [{"name": "Tea", "price": 2}, {"name": "Cake", "price": 3}], "none": []});
    let grid = json!({"rows": [{"cells": [1, 2]}, {"cells": [3, 4]}]});
    let around = paragraph("{#items}") + &table(&[&["{name}", "{price}"]]) + &paragraph("{/items}");
    vec![
        Case::word(
            "rows",
            &table(&[&["Name", "Price"], &["{#items}{name}", "{price}{/items}"]]),
            items.clone(),
            &["Name", "Price", "Tea", "2", "Cake", "3"],
        ),
        Case::word(
            "several rows",
            &table(&[&["{#items}{name}"], &["{price}{/items}"]]),
            items.clone(),
            &["Tea", "2", "Cake", "3"],
        ),
        Case::word(
            "a loop in a cell",
            &table(&[&["{#items}{name} {/items}", "x"]]),
            items.clone(),
            &["Tea Cake ", "x"],
        ),
        Case::word("paragraphs of a cell", &table_cell(), items.clone(), &["Tea", "Cake"]),
        Case::word("a cell whose paragraphs are hidden", &table_cell(), json!({"items": []}), &[""]),
        Case::word("tables", &around, items.clone(), &["Tea", "2", "Cake", "3"]),
        Case::word(
            "a table without rows",
            &(table(&[&["{#none}{name}", "{price}{/none}"]]) + &paragraph("end")),
            items.clone(),
            &["end"],
        ),
        Case::word(
            "loops in loops of rows",
            &table(&[&["{#rows}{#cells}{.} {/cells}", "row{/rows}"]]),
            grid,
            &["1 2 ", "row", "3 4 ", "row"],
        ),
        Case::word(
            "a row that its tag names",
            &table(&[&["{-w:tr items}{name}{/items}", "x"]]),
            items,
            &["Tea", "x", "Cake", "x"],
        ),
    ]
}

/// A cell with paragraphs that repeat.
fn table_cell() -> String {
    crate::files::table_of(&[vec![paragraphs(&["{#items}", "{name}", "{/items}"])]])
}

fn expressions() -> Vec<Case> {
    let data = json!({"price": 10, "count": 3, "age": 18, "name": "ann", "first": "Ann", "users": [{"name": "Bo", "age": 30}, {"name": "Al", "age": 20}]});
    let line = |name, template: &str, text: &str| Case::word(name, &paragraph(template), data.clone(), &[text]);
    vec![
        line("calculations", "{price * count + 1} {(price - 1) / 3} {price % 3}", "31 3 1"),
        line("comparisons", "{#age >= 18 && count != 4}adult{/}{#age < 18 || !price}child{/}", "adult"),
        line("choices", "{age >= 18 ? 'adult' : 'child'}", "adult"),
        line("joined texts", "{first + ' ' + name}", "Ann ann"),
        line("lengths", "{users.length} {#users.length > 1}many{/}", "2 many"),
        line("filters", "{name | upper} {price | toFixed:2} {users | sum:'age'}", "ANN 10.00 50"),
        line("filters of sections", "{#users | sortBy:'age'}{name} {/users}", "Al Bo "),
        line("places in lists", "{#users}{$number}/{users.length} {name}{#!$last}, {/}{/users}", "1/2 Bo, 2/2 Al"),
        line("defaults", "{missing | default:'–'}", "–"),
    ]
}

fn content() -> Vec<Case> {
    let chart = "<w:p><w:r><w:t>raw</w:t></w:r></w:p><w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"1\"/></w:tblGrid><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>";
    let html = "<h2>Title</h2><p>One <b>bold</b> <i>italic</i> <u>x</u> <s>y</s></p><ul><li>A</li><li>B<ol><li>C</li></ol></li></ul><p><a href=\"https://a.example/?a=1&amp;b=2\">link</a></p>";
    let logo = json!({"logo": PICTURE, "logos": [PICTURE, PICTURE], "n": [1, 2]});
    let alternative = format!("<w:p>{}</w:p>", picture("{%logo}"));
    let repeated = format!("{}<w:p>{}</w:p>{}", paragraph("{#n}"), picture("A picture"), paragraph("{/n}"));
    let note = format!("<w:p>{}<w:r><w:footnoteReference w:id=\"1\"/></w:r></w:p>", run("{name}"));
    let parts = [
        ("footnotes", format!("<w:footnote w:id=\"1\">{}</w:footnote>", paragraph("About {name}"))),
        ("header", paragraph("{#names}{.} {/names}")),
        ("footer", paragraphs(&["{#no}", "hidden", "{/no}"])),
        ("comments", format!("<w:comment w:id=\"0\" w:author=\"A\">{}</w:comment>", paragraph("{name}"))),
    ];
    let parts: Vec<_> = parts.iter().map(|(name, content)| (*name, content.as_str())).collect();
    let data = json!({"name": "Ann", "names": ["Ann", "Bo"], "no": false});
    vec![
        Case::word("raw XML", &paragraphs(&["a", "{@xml}", "b"]), json!({"xml": chart}), &["a", "raw", "", "b"]),
        Case::word(
            "HTML",
            &paragraphs(&["{~html}"]),
            json!({"html": html}),
            &["Title", "One bold italic x y", "•A", "•B", "1.C", "link"],
        ),
        Case::word("HTML as a block", &paragraphs(&["{~~html}"]), json!({"html": "<p>a</p>"}), &["a"]),
        Case::word("a picture as a block", &paragraphs(&["{%%logo}"]), logo.clone(), &["[picture]"]),
        Case::word(
            "Markdown",
            &paragraphs(&["{~text | markdown}"]),
            json!({"text": "# Title\n\n- **a**\n- b"}),
            &["Title", "•a", "•b"],
        ),
        Case::word(
            "pictures",
            &paragraphs(&["Logo: {%logo}", "{#logos}{%.}{/logos}"]),
            logo.clone(),
            &["Logo: [picture]", "[picture][picture]"],
        ),
        Case::word("a picture by its alternative text", &alternative, logo.clone(), &["[picture]"]),
        Case::word("pictures that are repeated", &repeated, logo.clone(), &["[picture]", "[picture]"]),
        Case::word(
            "codes",
            &paragraphs(&["{%url | qr}", "{%url | code128:40}"]),
            json!({"url": "https://a.example"}),
            &["[picture]", "[picture]"],
        ),
        Case::new("headers, footers, notes and comments", Format::Docx, word_with(&note, &parts), data, &["Ann"]),
    ]
}
