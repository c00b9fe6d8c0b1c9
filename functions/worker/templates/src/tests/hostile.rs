//! Templates and data that want to do harm.

use serde_json::{Value, json};

use super::fixture::*;
use crate::{Failure, Format, Limits, Options, Template};

#[test]
fn loops_in_loops_end_at_a_limit() {
    let list: Vec<Value> = (0..1000).map(Value::from).collect();
    let loops = |inner: &str| format!("{}{inner}{}", "{#a}".repeat(6), "{/a}".repeat(6));
    let limits = Limits { bytes: 1 << 20, steps: 200_000 };
    for inner in ["text", "", "{a | sortBy | first}", "{#b}x{/b}", "{'a' + a == 'b'}"] {
        let options = Options { limits, ..Options::default() };
        let template = Template::open(docx(&paragraph(&loops(inner))), Format::Docx, options).unwrap();
        let failed = template.render(&json!({"a": list, "b": false}));
        assert!(matches!(failed, Err(Failure::TooLarge(_))), "{inner}");
    }
}

#[test]
fn a_part_that_unpacks_to_too_much_is_refused() {
    let options = Options { limits: Limits { bytes: 1 << 20, steps: 1000 }, ..Options::default() };
    let bomb = docx(&" ".repeat(2 << 20));
    assert!(bomb.len() < 10_000);
    assert!(matches!(Template::open(bomb, Format::Docx, options), Err(Failure::TooLarge(_))));
}

#[test]
fn broken_archives_and_xml_are_refused() {
    for bytes in [Vec::new(), b"PK\x03\x04".to_vec(), b"no archive".to_vec()] {
        assert!(matches!(Template::open(bytes, Format::Docx, Options::default()), Err(Failure::Corrupt(_))));
    }
    for xml in ["<a>{b}", "<a>{b}</c>", "<!DOCTYPE a [<!ENTITY x 'y'>]><a>{b}&x;</a>", "<a>&y;{b}</a>", "{b}"] {
        let opened = Template::open(archive(&[("word/document.xml", xml)]), Format::Docx, Options::default());
        assert!(matches!(opened, Err(Failure::Corrupt(_))), "{xml}");
    }
    let deep = format!("{}{{b}}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let opened = Template::open(archive(&[("word/document.xml", &deep)]), Format::Docx, Options::default());
    assert!(matches!(opened, Err(Failure::Corrupt(_))));
}

#[test]
fn data_can_not_add_elements_or_tags() {
    let data = json!({"v": "</w:t></w:r><w:r>{other}]]>", "other": "secret"});
    assert_eq!(line("{v}", &data), "</w:t></w:r><w:r>{other}]]>");
}

/// A workbook whose sheet, texts and chart are this.
fn book(text: &str) -> Vec<u8> {
    let kind = "http://x/";
    let related = format!(
        r#"<Relationships><Relationship Id="a" Type="{kind}worksheet" Target="s.xml"/><Relationship Id="b" Type="{kind}sharedStrings" Target="t.xml"/></Relationships>"#
    );
    archive(&[
        ("[Content_Types].xml", "<Types/>"),
        ("xl/workbook.xml", r#"<workbook><sheets><sheet name="A" r:id="a"/></sheets></workbook>"#),
        ("xl/_rels/workbook.xml.rels", &related),
        ("xl/s.xml", text),
        ("xl/t.xml", "<sst><si><t>{#a}{b}</t></si><si><t>{/a}</t></si></sst>"),
        ("xl/charts/chart1.xml", text),
    ])
}

#[test]
fn fuzz_templates() {
    docmill_fuzz::fuzz("templates", &[], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let data = json!({"a": [{"b": 1}, {"b": "x"}], "c": {"d": true}, "e": null});
        let limits = Limits { bytes: 1 << 20, steps: 10_000 };
        for (format, template) in [
            (Format::Docx, archive(&[("word/document.xml", &text)])),
            (Format::Xlsx, book(&text)),
            (Format::Odt, archive(&[("content.xml", &text)])),
            (Format::Html, text.as_bytes().to_vec()),
            (Format::Markdown, text.as_bytes().to_vec()),
        ] {
            let options = Options { limits, missing: crate::Missing::Keep, ..Options::default() };
            if let Ok(template) = Template::open(template, format, options) {
                template.expected();
                if let Ok(result) = template.render(&data)
                    && format == Format::Docx
                {
                    let xml = part(&result.bytes, "word/document.xml");
                    // What has tags was well-formed, and stays it.
                    assert!(xml == text || crate::markup::mended(xml.clone()).is_ok(), "{xml}");
                }
            }
        }
    });
}

#[test]
fn data_of_ten_mebibytes_is_filled_or_refused_with_a_reason() {
    let long = format!("<&>{}", "x".repeat(61)).repeat((10 << 20) / 64);
    let made = body("<w:p><w:r><w:t>{a}</w:t></w:r></w:p>", &json!({ "a": long }));
    assert!(made.len() > long.len() && made.contains("&lt;&amp;&gt;"));

    let rows: Vec<_> = (0..1_000_000).map(|row| json!(row)).collect();
    let template = format!("<w:p><w:r><w:t>{{#a}}{}{{/a}}</w:t></w:r></w:p>", "x".repeat(200));
    let refused = open(docx(&template), Format::Docx).render(&json!({ "a": rows })).unwrap_err();
    assert!(matches!(refused, Failure::TooLarge(_)), "{refused}");
}

#[test]
fn rich_text_with_more_elements_than_are_read_is_a_mistake() {
    let text = |count: usize| json!({"a": "<b>".repeat(count)});
    let page = |data: &serde_json::Value| open(b"<p>{~a}</p>".to_vec(), Format::Html).render(data);
    assert!(page(&text(1000)).is_ok());
    let Failure::Template(mistakes) = page(&text(3_000_000)).unwrap_err() else { panic!("a mistake") };
    assert_eq!(mistakes[0].message, "The text has too many elements.");
    // Several texts that are as large as allowed are too much work together.
    let limits = Limits { steps: 500_000, ..Limits::default() };
    let options = Options { limits, ..Options::default() };
    let rows = vec![text(20_000)["a"].clone(); 10];
    let many = Template::open(b"{#rows}{~.}{/rows}".to_vec(), Format::Html, options).unwrap();
    assert!(matches!(many.render(&json!({ "rows": rows })).unwrap_err(), Failure::TooLarge(_)));
}
