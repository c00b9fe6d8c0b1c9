//! Templates and data that want to do harm.

use serde_json::{Value, json};

use super::book::Book;
use super::fixture::*;
use crate::{Failure, Format, Limits, Options, Template};

/// A GIF of one pixel.
const PIXEL: &str = "R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=";

/// A template of each format whose only text is this.
fn templates(text: &str) -> [(Format, Vec<u8>); 6] {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let slide = format!("<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:sld>");
    let open = format!("<o:text xmlns:o=\"o\" xmlns:text=\"t\"><text:p>{text}</text:p></o:text>");
    [
        (Format::Docx, docx(&format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"))),
        (Format::Xlsx, Book::new().row(1, &[&text]).bytes()),
        (Format::Pptx, archive(&[("ppt/slides/slide1.xml", &slide)])),
        (Format::Odt, archive(&[("content.xml", &open)])),
        (Format::Html, format!("<p>{text}</p>").into_bytes()),
        (Format::Markdown, text.into_bytes()),
    ]
}

/// The part of a filled template in which the text was.
fn text_part(format: Format, bytes: &[u8]) -> String {
    match format {
        Format::Docx => part(bytes, "word/document.xml"),
        Format::Xlsx => part(bytes, "xl/worksheets/sheet1.xml"),
        Format::Pptx => part(bytes, "ppt/slides/slide1.xml"),
        Format::Odt => part(bytes, "content.xml"),
        Format::Html | Format::Markdown => String::from_utf8(bytes.to_vec()).unwrap(),
    }
}

#[test]
fn a_million_passes_of_nested_loops_are_refused_in_every_format() {
    let list: Vec<_> = (0..10).collect();
    let text = format!("{}{{.}} and more{}", "{#a}".repeat(6), "{/a}".repeat(6));
    for (format, template) in templates(&text) {
        let options = Options { limits: Limits { bytes: 4 << 20, steps: 1_000_000 }, ..Options::default() };
        let template = Template::open(template, format, options).unwrap();
        let failed = template.render(&json!({ "a": list }));
        assert!(matches!(failed, Err(Failure::TooLarge(_))), "{format:?}: {failed:?}");
    }
}

#[test]
fn data_is_text_in_every_format() {
    for value in [
        "</w:t></w:r></w:p><w:p/>",
        "<![CDATA[x]]>]]>",
        "<!ENTITY x SYSTEM \"file:///etc/passwd\">&x;",
        "<script>alert(1)</script>",
        "{secret}{#secret}x{/secret}",
        "{=[[ ]]=}[[secret]]",
    ] {
        for (format, template) in templates("Dear {v}!") {
            let bytes = render(template, format, &json!({"v": value, "secret": "told"})).bytes;
            let made = text_part(format, &bytes);
            assert!(!made.contains("told") && !made.contains("<script") && !made.contains("<!"), "{format:?}: {made}");
            assert!(!made.contains("<w:p/>") && !made.contains("&x;"), "{format:?}: {made}");
            if !matches!(format, Format::Html | Format::Markdown) {
                assert!(docmill_package::markup::is_well_formed(&made, &made), "{format:?}: {made}");
            }
        }
    }
}

#[test]
fn data_is_never_a_formula() {
    for value in ["=HYPERLINK(\"http://a.example\")", "@SUM(A1)", "+1+cmd|' /C calc'!A0", "-2+3", "\t=1", "＝1"] {
        let comments =
            "<comments><commentList><comment ref=\"A1\"><text><t>{v}</t></text></comment></commentList></comments>";
        let book = Book::new().row(1, &["{v}", "so: {v}", "{#rows}{.}{/rows}"]);
        let book = book.related("comments", "xl/comments1.xml", comments);
        let made = book.fill(&json!({"v": value, "rows": [value, value]})).bytes;
        let sheet = part(&made, "xl/worksheets/sheet1.xml");
        assert!(!sheet.contains("<f") && !sheet.contains("t=\"str\""), "{sheet}");
        let shown = quick_xml::escape::partial_escape(value.trim());
        assert_eq!(sheet.matches("t=\"inlineStr\"").count(), 3, "{sheet}");
        assert!(sheet.contains(shown.as_ref()), "{sheet}");
        assert!(part(&made, "xl/comments1.xml").contains(shown.as_ref()));
    }
}

#[test]
fn no_address_of_data_is_opened() {
    for address in ["http://169.254.169.254/latest", "https://127.0.0.1/", "file:///etc/passwd", "//10.0.0.1/a.png"] {
        for template in [docx(&paragraph("Logo: {%v}")), docx(&paragraph("Code: {#on}{%v}{/on}"))] {
            let found = problems(template, Format::Docx, &json!({"v": address, "on": true}));
            assert_eq!((found.len(), found[0].tag.as_str()), (1, "{%v}"), "{address}");
            assert!(found[0].place.text.contains("{%v}"));
        }
    }
    // A picture that would load another one.
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'><image href='http://169.254.169.254/'/></svg>";
    let data = json!({"v": base64::Engine::encode(&base64::engine::general_purpose::STANDARD, svg)});
    for (format, template) in
        templates("{%v}").into_iter().filter(|(format, _)| matches!(format, Format::Docx | Format::Odt))
    {
        assert_eq!(
            problems(template, format, &data)[0].message,
            "SVG pictures can only be used in HTML. Use a PNG here."
        );
    }
}

#[test]
fn archives_with_too_many_parts_or_parts_of_one_name_are_refused() {
    let opened = Template::open(b"PK\x01\x02".repeat(10_001), Format::Docx, Options::default());
    assert!(matches!(opened, Err(Failure::TooLarge(_))), "{opened:?}");
    // The writer refuses two parts of one name, so the second gets it afterwards.
    let twice = archive(&[("word/document.xml", "<a>{b}</a>"), ("word/documenx.xml", "<a/>")]);
    let mut named = Vec::new();
    for (index, byte) in twice.iter().enumerate() {
        let is_other = *byte == b'x' && twice[..index].ends_with(b"word/documen");
        named.push(if is_other { b't' } else { *byte });
    }
    let opened = Template::open(named, Format::Docx, Options::default());
    assert!(matches!(opened, Err(Failure::Corrupt(_))), "{opened:?}");
}

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
        ("xl/drawings/drawing1.xml", text),
    ])
}

#[test]
fn fuzz_templates() {
    docmill_fuzz::fuzz("templates", &[], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let data = json!({"a": [{"b": 1}, {"b": "x"}], "c": {"d": true}, "e": null, "p": PIXEL});
        let limits = Limits { bytes: 1 << 20, steps: 10_000 };
        for (format, template) in [
            (Format::Docx, archive(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", &text)])),
            (Format::Xlsx, book(&text)),
            (Format::Odt, archive(&[("META-INF/manifest.xml", "<manifest/>"), ("content.xml", &text)])),
            (Format::Html, text.as_bytes().to_vec()),
            (Format::Markdown, text.as_bytes().to_vec()),
        ] {
            let options = Options { limits, missing: crate::Missing::Keep, ..Options::default() };
            if let Ok(template) = Template::open(template, format, options) {
                template.expected();
                let Ok(result) = template.render(&data) else { continue };
                let part_of_text = match format {
                    Format::Docx => "word/document.xml",
                    Format::Odt => "content.xml",
                    Format::Xlsx => "xl/drawings/drawing1.xml",
                    Format::Pptx | Format::Html | Format::Markdown => continue,
                };
                let xml = part(&result.bytes, part_of_text);
                // What has tags was well-formed, and stays it.
                assert!(xml == text || crate::markup::mended(xml.clone()).is_ok(), "{xml}");
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
