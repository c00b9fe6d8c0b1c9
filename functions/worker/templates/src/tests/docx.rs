//! docxtemplater's documented features, one by one, and what Word does to tags.

use serde_json::json;

use super::fixture::*;
use crate::{Delimiters, Format, Missing, Options, Template};

#[test]
fn values_are_written_in_place_of_their_tags() {
    let data = json!({"first_name": "John", "count": 3, "price": 1.5, "yes": true, "user": {"name": "Ann"}});
    assert_eq!(
        line("Hello {first_name}, {count} × {price}: {yes}, {user.name}!", &data),
        "Hello John, 3 × 1.5: true, Ann!"
    );
    assert_eq!(line("{ first_name }", &data), "John");
    assert_eq!(line("{first name}|{last-name}", &json!({"first name": "A", "last-name": "B"})), "A|B");
}

#[test]
fn a_tag_divided_by_runs_takes_the_format_of_its_first_run() {
    let runs = "<w:p><w:r><w:t>Dear {fi</w:t></w:r><w:proofErr/><w:r><w:rPr><w:b/></w:rPr><w:t>rst</w:t></w:r>\
                <w:r><w:t>} and </w:t></w:r><w:r><w:t>{</w:t></w:r><w:r><w:t>last}.</w:t></w:r></w:p>";
    let xml = body(runs, &json!({"first": "Ann", "last": "Bo"}));
    assert_eq!(
        xml,
        "<w:p><w:r><w:t xml:space=\"preserve\">Dear Ann</w:t></w:r><w:proofErr/><w:r><w:rPr><w:b/></w:rPr><w:t></w:t></w:r>\
         <w:r><w:t> and </w:t></w:r><w:r><w:t xml:space=\"preserve\">Bo</w:t></w:r><w:r><w:t>.</w:t></w:r></w:p>"
    );
}

#[test]
fn sections_in_a_paragraph_repeat_their_text() {
    let data = json!({"items": [{"n": "a"}, {"n": "b"}]});
    assert_eq!(line("{#items}{n}, {/items}end", &data), "a, b, end");
    assert_eq!(line("{#items}{n}, {/}end", &data), "a, b, end");
    assert_eq!(line("{#tags}[{.}]{/tags}", &json!({"tags": ["x", "y"]})), "[x][y]");
    assert_eq!(line("{#items}{n}{^$last}, {/$last}{/items}", &data), "a, b");
    assert_eq!(line("{#items}{$number}/{items.length} {/}", &data), "1/2 2/2 ");
}

#[test]
fn sections_over_paragraphs_repeat_them_and_their_own_paragraphs_go() {
    let data = json!({"items": [{"n": "a"}, {"n": "b"}]});
    assert_eq!(
        filled(&["before", "{#items}", "Name: {n}", "{/items}", "after"], &data),
        ["before", "Name: a", "Name: b", "after"]
    );
    assert_eq!(filled(&["{#items}Name: {n}", "Second{/items}"], &data), ["Name: a", "Second", "Name: b", "Second"]);
    assert_eq!(filled(&["Head {#items}{n}", "tail {/items}end"], &data), ["Head a", "tail b", "tail end"]);
}

#[test]
fn nested_sections_find_names_inside_first_and_then_outside() {
    let data = json!({"company": "C", "groups": [{"name": "g1", "people": [{"name": "p1"}, {"name": "p2"}]}, {"name": "g2", "people": []}]});
    let template = ["{#groups}", "{name} of {company}", "{#people}", "- {name} of {company}", "{/people}", "{/groups}"];
    assert_eq!(filled(&template, &data), ["g1 of C", "- p1 of C", "- p2 of C", "g2 of C"]);
}

#[test]
fn conditions_show_and_inverted_sections_hide() {
    for (value, shown) in [
        (json!(true), true),
        (json!(false), false),
        (json!(null), false),
        (json!(""), false),
        (json!("x"), true),
        (json!(0), false),
        (json!(1), true),
        (json!([]), false),
        (json!({}), true),
    ] {
        let expected = if shown { "yes" } else { "no" };
        assert_eq!(line("{#v}yes{/v}{^v}no{/v}", &json!({"v": value})), expected, "{value}");
    }
    assert_eq!(line("{#user}{name}{/user}", &json!({"user": {"name": "Ann"}})), "Ann");
    assert_eq!(line("{^gone}nothing{/gone}", &json!({})), "nothing");
    let data = json!({"age": 20, "kind": "a", "cond": false});
    assert_eq!(line("{#age >= 18 && kind == ‘a’}adult{/}{#age < 18}child{/}", &data), "adult");
    assert_eq!(line("{cond ? 'x' : 'y'}{!cond}", &data), "ytrue");
}

#[test]
fn expressions_calculate_and_filters_follow() {
    let data = json!({"price": 0.1, "tax": 0.2, "name": "ann lee", "items": [{"p": 2, "n": "b"}, {"p": 1, "n": "a"}], "tags": ["x", "y"]});
    assert_eq!(line("{price + tax} {(price + tax) * 10 - 1}", &data), "0.3 2");
    assert_eq!(line("{name | upper} {name | capitalize} {nothing | default:'-'}", &data), "ANN LEE Ann lee -");
    assert_eq!(line("{#items | sortBy:'n'}{n}{/items}{items | sum:'p'}{items | size}", &data), "ab32");
    assert_eq!(
        line("{tags | join:' & '} {tags} {name | truncate:3} {name | replace:'lee':'Bo'}", &data),
        "x & y x, y ann… ann Bo"
    );
}

#[test]
fn table_rows_repeat_if_a_section_begins_and_ends_in_their_cells() {
    let data = json!({"items": [{"n": "a", "p": 1}, {"n": "b", "p": 2}], "total": 3});
    let xml = body(&table(&[&["Name", "Price"], &["{#items}{n}", "{p}{/items}"], &["Total", "{total}"]]), &data);
    assert_eq!(xml.matches("<w:tr>").count(), 4);
    assert_eq!(lines(&xml), ["Name", "Price", "a", "1", "b", "2", "Total", "3"]);

    let two_rows = body(&table(&[&["{#items}{n}"], &["{p}{/items}"]]), &data);
    assert_eq!(lines(&two_rows), ["a", "1", "b", "2"]);
    assert_eq!(two_rows.matches("<w:tr>").count(), 4);

    let outside = body(&format!("{}{}{}", paragraph("{#items}"), table(&[&["{n}"]]), paragraph("{/items}")), &data);
    assert_eq!(outside.matches("<w:tbl>").count(), 2);
    assert_eq!(lines(&outside), ["a", "b"]);

    let in_cell = body(&table(&[&["{#items}{n} {/items}", "x"]]), &data);
    assert_eq!(lines(&in_cell), ["a b ", "x"]);
    assert_eq!(in_cell.matches("<w:tr>").count(), 1);
}

#[test]
fn nested_sections_with_the_same_rows_repeat_them_for_each_other() {
    let data = json!({"a": [{"x": 1, "b": [{"y": 1}, {"y": 2}]}, {"x": 2, "b": [{"y": 3}]}]});
    let xml = body(&table(&[&["{#a}{#b}{x}", "{y}{/b}{/a}"]]), &data);
    assert_eq!(lines(&xml), ["1", "1", "1", "2", "2", "3"]);
}

#[test]
fn a_tag_may_name_the_element_to_repeat() {
    let data = json!({"items": [{"n": "a"}, {"n": "b"}]});
    let xml = body(&table(&[&["{-w:tr items}{n}{/items}", "x"]]), &data);
    assert_eq!(lines(&xml), ["a", "x", "b", "x"]);
    assert_eq!(lines(&body(&paragraph("{-w:p items}Name {n}{/items}"), &data)), ["Name a", "Name b"]);
}

#[test]
fn a_hidden_row_or_paragraph_leaves_a_valid_table() {
    let data = json!({"items": [], "show": false});
    let xml = body(&format!("{}{}", table(&[&["{#items}{n}{/items}{#items}", "{/items}"]]), paragraph("end")), &data);
    assert_eq!(xml, paragraph("end"));
    let cell = format!("<w:tbl><w:tr><w:tc>{}</w:tc></w:tr></w:tbl>", paragraphs(&["{#show}", "text", "{/show}"]));
    assert_eq!(body(&cell, &data), "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>");
}

#[test]
fn repeated_pictures_have_numbers_of_their_own() {
    let picture = |number: u32| format!("<w:drawing><wp:docPr xmlns:wp=\"w\" id=\"{number}\" name=\"a\"/></w:drawing>");
    let with = |number| format!("<w:p><w:r><w:t>{{#items}}</w:t>{}<w:t>{{/items}}</w:t></w:r></w:p>", picture(number));
    let xml = body(&format!("{}{}", with(7), with(9)), &json!({"items": [1, 2]}));
    for number in [7, 9, 10, 11] {
        assert_eq!(xml.matches(&format!("id=\"{number}\"")).count(), 1, "{xml}");
    }
}

#[test]
fn copies_of_titles_in_the_properties_are_no_places_for_tags() {
    let properties = "<Properties xmlns:vt=\"v\"><Company>{name}</Company><TitlesOfParts><vt:lpstr>{#a}{b</vt:lpstr></TitlesOfParts></Properties>";
    let result = render(archive(&[("docProps/app.xml", properties)]), Format::Docx, &json!({"name": "Ann"}));
    assert_eq!(part(&result.bytes, "docProps/app.xml"), properties.replace("{name}", "Ann"));
}

#[test]
fn raw_xml_replaces_its_paragraph_if_it_is_complete() {
    let xml = body(&paragraphs(&["a", "{@xml}", "b"]), &json!({"xml": "<w:p><w:r><w:t>raw</w:t></w:r></w:p>"}));
    assert_eq!(lines(&xml), ["a", "raw", "b"]);
    for wrong in ["<w:p>", "</w:body><w:body>", "<x:p/>", "</x><x>", "<!DOCTYPE a><w:p/>"] {
        let found = problems(docx(&paragraph("{@xml}")), Format::Docx, &json!({"xml": wrong}));
        assert_eq!(
            found[0].message, "The value is not well-formed XML, or has a prefix that the template does not declare.",
            "{wrong}"
        );
    }
}

#[test]
fn delimiters_are_changed_by_an_option_or_a_tag() {
    assert_eq!(line("{=[[ ]]=}[[name]] {code} [[={ }=]]{name}", &json!({"name": "Ann"})), "Ann {code} Ann");
    let options = Options { delimiters: Delimiters::new("{{", "}}").unwrap(), ..Options::default() };
    let template = Template::open(docx(&paragraph("{{name}} {code}")), Format::Docx, options).unwrap();
    let result = template.render(&json!({"name": "Ann"})).unwrap();
    assert_eq!(text(&part(&result.bytes, "word/document.xml")), "Ann {code}");
}

#[test]
fn values_are_escaped_and_their_line_breaks_and_tabs_kept() {
    let data = json!({"v": "<b> & \"c\"\u{1}", "lines": "one\r\ntwo\tthree"});
    assert_eq!(
        body(&paragraph("{v}"), &data),
        "<w:p><w:r><w:t xml:space=\"preserve\">&lt;b&gt; &amp; \"c\"</w:t></w:r></w:p>"
    );
    let text = "<w:t xml:space=\"preserve\">";
    assert_eq!(
        body(&paragraph("{lines}"), &data),
        format!("<w:p><w:r>{text}one</w:t><w:br/>{text}two</w:t><w:tab/>{text}three</w:t></w:r></w:p>")
    );
}

#[test]
fn what_is_missing_fails_or_is_empty_or_keeps_its_tag() {
    let with = |missing| {
        let options = Options { missing, ..Options::default() };
        let template = Template::open(docx(&paragraph("a{x}b{#y}c{/y}{z}")), Format::Docx, options).unwrap();
        template.render(&json!({"z": null}))
    };
    assert!(with(Missing::Error).is_err());
    for (missing, expected) in [(Missing::Empty, "ab"), (Missing::Keep, "a{x}b")] {
        let result = with(missing).unwrap();
        assert_eq!(text(&part(&result.bytes, "word/document.xml")), expected);
    }
    assert_eq!(with(Missing::Empty).unwrap().warnings, [crate::Warning::ValueEmpty(vec!["{x}".into(), "{z}".into()])]);
}

#[test]
fn tags_are_filled_in_every_part_that_has_text_and_other_parts_stay_byte_for_byte() {
    let word = |element: &str| format!("<w:{element} {WORD}>{}</w:{element}>", paragraph("{name}"));
    let parts = ["header1", "footer2", "footnotes", "endnotes", "comments"];
    let texts: Vec<_> = parts.iter().map(|name| (format!("word/{name}.xml"), word("hdr"))).collect();
    let mut all: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let chart = r#"<c:chart xmlns:c="c" xmlns:a="a"><a:p><a:r><a:t>{name}</a:t></a:r></a:p><c:pt><c:v>{name}</c:v></c:pt></c:chart>"#;
    let core =
        "<cp:coreProperties xmlns:cp=\"c\" xmlns:dc=\"d\"><dc:title>Letter to {name}</dc:title></cp:coreProperties>";
    let styles = "<w:styles>{name}</w:styles>";
    all.extend([("word/charts/chart1.xml", chart), ("docProps/core.xml", core), ("word/styles.xml", styles)]);
    let box_text = format!(
        "<w:p><w:r><mc:AlternateContent xmlns:mc=\"m\"><w:txbxContent>{}</w:txbxContent></mc:AlternateContent></w:r></w:p>",
        paragraph("{name}")
    );
    let document = format!("<w:document {WORD}><w:body>{box_text}</w:body></w:document>");
    all.push(("word/document.xml", &document));

    let template = archive(&all);
    let result = render(template.clone(), Format::Docx, &json!({"name": "Ann"})).bytes;
    for (name, text) in &all {
        let expected = if *name == "word/styles.xml" { (*text).to_owned() } else { text.replace("{name}", "Ann") };
        assert_eq!(part(&result, name).replace(" xml:space=\"preserve\"", ""), expected, "{name}");
    }
    let raw = |archive: &[u8]| {
        let at = memchr::memmem::find(archive, b"word/styles.xml").unwrap();
        archive[at - 30..at + 50].to_vec()
    };
    assert_eq!(raw(&template), raw(&result));
}

/// A reference to a comment, with the range that it is about.
fn commented(number: u32, text: &str) -> String {
    format!(
        "<w:p><w:commentRangeStart w:id=\"{number}\"/><w:r><w:t>{text}</w:t></w:r><w:commentRangeEnd w:id=\"{number}\"/><w:r><w:commentReference w:id=\"{number}\"/></w:r></w:p>"
    )
}

#[test]
fn each_copy_of_repeated_text_has_a_comment_of_its_own() {
    let comment = |number: u32, text: &str| {
        format!("<w:comment w:id=\"{number}\" w:author=\"A\">{}</w:comment>", paragraph(text))
    };
    let comments =
        [comment(0, "For {owner}"), comment(4, "Check {name} of {owner}"), comment(5, "plain"), comment(6, "{name}")];
    let comments = format!("<w:comments {WORD}>{}</w:comments>", comments.concat());
    let body = [
        commented(0, "whole"),
        paragraph("{#items}"),
        commented(4, "{name}"),
        paragraph("{#parts}"),
        commented(5, "{.}"),
        paragraph("{/parts}"),
        paragraph("{/items}"),
        paragraph("{#none}"),
        commented(6, "{name}"),
        paragraph("{/none}"),
    ];
    let document = format!("<w:document {WORD}><w:body>{}</w:body></w:document>", body.concat());
    let template = archive(&[("word/document.xml", &document), ("word/comments.xml", &comments)]);
    let data =
        json!({"owner": "Ada", "none": [], "items": [{"name": "bar", "parts": [1, 2]}, {"name": "baz", "parts": [3]}]});
    let made = render(template, Format::Docx, &data);
    assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    let (document, comments) = (part(&made.bytes, "word/document.xml"), part(&made.bytes, "word/comments.xml"));
    assert!(docmill_package::markup::is_well_formed(&comments, &comments), "{comments}");
    let ids = |text: &str, sign: &str| {
        let mut ids: Vec<u32> =
            text.split(sign).skip(1).map(|rest| rest.split('"').nth(1).unwrap().parse().unwrap()).collect();
        ids.sort_unstable();
        ids
    };
    let own = ids(&comments, "<w:comment w:id");
    assert_eq!(own.len(), 6, "one for the whole, two for items, three for parts: {comments}");
    for sign in ["<w:commentReference w:id", "<w:commentRangeStart w:id", "<w:commentRangeEnd w:id"] {
        assert_eq!(ids(&document, sign), own, "each comment is named once: {document}");
    }
    let texts: Vec<_> = comments.split("<w:comment ").skip(1).map(text).collect();
    let count = |wanted: &str| texts.iter().filter(|text| *text == wanted).count();
    let counts = ["For Ada", "Check bar of Ada", "Check baz of Ada", "plain"].map(count);
    assert_eq!(counts, [1, 1, 1, 3], "{texts:?}");
}

#[test]
fn a_template_without_tags_stays_as_it_is() {
    let template = docx(&paragraph("no tags"));
    let result = render(template.clone(), Format::Docx, &json!({}));
    assert_eq!(part(&result.bytes, "word/document.xml"), part(&template, "word/document.xml"));
    assert!(result.warnings.is_empty());
}

#[test]
fn data_that_nothing_uses_is_named() {
    let data =
        json!({"used": 1, "extra": 2, "items": [{"n": 1, "sku": 2}], "user": {"name": "a", "mail": "b"}, "list": [1]});
    let template = docx(&paragraph("{used}{#items}{n}{/items}{user.name}{#list}{.}{/list}"));
    let warnings = render(template, Format::Docx, &data).warnings;
    assert_eq!(warnings, [crate::Warning::UnusedData(vec!["extra".into(), "items.sku".into(), "user.mail".into()])]);
}
