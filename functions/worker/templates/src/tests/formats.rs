//! Presentations, OpenDocument, HTML and Markdown.

use serde_json::{Value, json};

use super::fixture::*;
use crate::{Failure, Format, Reason};

fn text_of(template: &str, format: Format, data: &Value) -> String {
    String::from_utf8(render(template.into(), format, data).bytes).unwrap()
}

#[test]
fn slides_are_filled_with_breaks_as_presentations_have_them() {
    let run = "<a:r><a:rPr b=\"1\"/><a:t>{title}</a:t></a:r>";
    let slide = format!("<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><p:txBody><a:p>{run}</a:p></p:txBody></p:sld>");
    let result = render(archive(&[("ppt/slides/slide1.xml", &slide)]), Format::Pptx, &json!({"title": "A\nB & C"}));
    let filled = "<a:r><a:rPr b=\"1\"/><a:t>A</a:t></a:r><a:br><a:rPr b=\"1\"/></a:br><a:r><a:rPr b=\"1\"/><a:t>B &amp; C</a:t></a:r>";
    assert_eq!(part(&result.bytes, "ppt/slides/slide1.xml"), slide.replace(run, filled));
}

#[test]
fn rows_of_a_slides_table_repeat_and_mistakes_have_the_slides_number() {
    let cell = |text: &str| format!("<a:tc><a:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></a:txBody></a:tc>");
    let row = |one: &str, two: &str| format!("<a:tr>{}{}</a:tr>", cell(one), cell(two));
    let slide = |content: &str| format!("<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><a:tbl>{content}</a:tbl></p:sld>");
    let template = || archive(&[("ppt/slides/slide3.xml", &slide(&row("{#rows}{a}", "{b}{/rows}")))]);
    let data = json!({"rows": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]});
    let result = render(template(), Format::Pptx, &data);
    assert_eq!(part(&result.bytes, "ppt/slides/slide3.xml"), slide(&(row("1", "2") + &row("3", "4"))));
    assert_eq!(problems(template(), Format::Pptx, &json!({}))[0].place.page, Some(3));
}

#[test]
fn tags_are_found_beside_slides_too() {
    let text = "<a:p><a:r><a:t>{name}</a:t></a:r></a:p>";
    let names = "xmlns:p=\"p\" xmlns:a=\"a\" xmlns:c=\"c\" xmlns:cp=\"cp\"";
    let parts = [
        ("ppt/notesSlides/notesSlide1.xml", text),
        ("ppt/slideMasters/slideMaster1.xml", text),
        ("ppt/slideLayouts/slideLayout1.xml", text),
        ("ppt/notesMasters/notesMaster1.xml", text),
        ("ppt/handoutMasters/handoutMaster1.xml", text),
        ("ppt/comments/comment1.xml", "<p:cm><p:text>For {name}</p:text></p:cm>"),
        ("ppt/comments/modernComment_100_0.xml", text),
        ("ppt/charts/chart1.xml", "<c:strCache><c:pt><c:v>{name}</c:v></c:pt></c:strCache>"),
        ("ppt/charts/chart2.xml", "<c:numCache><c:pt><c:v>{number}</c:v></c:pt></c:numCache>"),
        ("ppt/drawings/drawing1.xml", text),
        ("ppt/diagrams/data1.xml", text),
        ("docProps/core.xml", "<cp:title>{name}</cp:title>"),
        ("docProps/custom.xml", "<cp:property><cp:lpwstr>{name}</cp:lpwstr></cp:property>"),
    ];
    let whole = |text: &str| format!("<p:x {names}>{text}</p:x>");
    let texts = parts.map(|(name, text)| (name, whole(text)));
    let template: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let result = render(archive(&template), Format::Pptx, &json!({"name": "Ann & Bo", "number": 1.5}));
    for (name, text) in texts {
        let expected = text.replace("{name}", "Ann &amp; Bo").replace("{number}", "1.5");
        assert_eq!(part(&result.bytes, name).replace(" xml:space=\"preserve\"", ""), expected, "{name}");
    }
}

#[test]
fn an_open_document_has_tags_in_notes_comments_headers_properties_and_charts() {
    let names = "xmlns:office=\"o\" xmlns:text=\"t\" xmlns:style=\"s\" xmlns:chart=\"c\" xmlns:dc=\"d\"";
    let body = "<text:p>A<text:note><text:note-body><text:p>{name}</text:p></text:note-body></text:note> and \
        <office:annotation><dc:creator>x</dc:creator><text:p>{name}</text:p></office:annotation>{name}</text:p>";
    let parts = [
        ("content.xml", body),
        ("styles.xml", "<style:header><text:p>{name}</text:p></style:header>"),
        ("meta.xml", "<dc:title>{name}</dc:title>"),
        ("Object 1/content.xml", "<chart:title><text:p>{name}</text:p></chart:title>"),
    ];
    let texts = parts.map(|(name, text)| (name, format!("<office:x {names}>{text}</office:x>")));
    let template: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let result = render(archive(&template), Format::Odt, &json!({"name": "Ann"}));
    for (name, text) in texts {
        assert_eq!(part(&result.bytes, name), text.replace("{name}", "Ann"), "{name}");
    }
}

#[test]
fn opendocument_has_tags_in_paragraphs_spans_lists_and_tables() {
    let content =
        |body: &str| format!("<office:text xmlns:office=\"o\" xmlns:text=\"t\" xmlns:table=\"b\">{body}</office:text>");
    let filled = |body: &str, data: Value| {
        let result = render(archive(&[("content.xml", &content(body))]), Format::Odt, &data);
        let xml = part(&result.bytes, "content.xml");
        let inner = content("\0");
        let (start, end) = inner.split_once('\0').unwrap();
        xml.strip_prefix(start).unwrap().strip_suffix(end).unwrap().to_owned()
    };
    assert_eq!(
        filled("<text:p>Dear {na<text:span>me}</text:span>!</text:p>", json!({"name": "A\nB  C\tD"})),
        "<text:p>Dear A<text:line-break/>B <text:s/>C<text:tab/>D<text:span></text:span>!</text:p>"
    );
    let data = json!({"items": [{"n": 1}, {"n": 2}]});
    let row = |text: &str| {
        format!(
            "<table:table-row><table:table-cell><text:p>{text}</text:p></table:table-cell><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"
        )
    };
    let closing = row("{#items}{n}").replace(">x<", ">x{/items}<");
    assert_eq!(filled(&closing, data.clone()), row("1") + &row("2"));
    let item = |text: &str| format!("<text:list-item><text:p>{text}</text:p></text:list-item>");
    let list = |items: &str| format!("<text:list>{items}</text:list>");
    let template = list(&(item("{#items}{n}") + &item("-{/items}")));
    assert_eq!(filled(&template, data), list(&(item("1") + &item("-") + &item("2") + &item("-"))));
}

#[test]
fn html_escapes_values_and_leaves_scripts_and_styles() {
    let data = json!({"name": "<b>\"A\" & 'B'", "items": [1, 2], "class": "x\" onload=\"y"});
    assert_eq!(
        text_of(
            "<style>p { color: red }</style><p class=\"{class}\">{name}</p><!-- {no} --><script>if (a) { b }</script>",
            Format::Html,
            &data
        ),
        "<style>p { color: red }</style><p class=\"x&quot; onload=&quot;y\">&lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;</p><!-- {no} --><script>if (a) { b }</script>"
    );
    assert_eq!(
        text_of("<ul>\n{#items}\n<li>{.}</li>\n{/items}\n</ul>", Format::Html, &data),
        "<ul>\n<li>1</li>\n<li>2</li>\n</ul>"
    );
    let found = problems("<a\nhref={name}>".into(), Format::Html, &data);
    assert_eq!((found[0].reason, found[0].place.line), (Reason::Misplaced, Some(2)));
}

#[test]
fn markdown_escapes_signs_and_its_tables_repeat_rows() {
    let data = json!({"title": "A *star*\n# no | heading <script>", "items": [{"n": "a", "p": 1}, {"n": "b", "p": 2}]});
    assert_eq!(text_of("# {title}\n", Format::Markdown, &data), "# A \\*star\\* \\# no \\| heading &lt;script&gt;\n");
    assert_eq!(
        text_of("| Name | Price |\n|---|---|\n{#items}\n| {n} | {p} |\n{/items}\nend", Format::Markdown, &data),
        "| Name | Price |\n|---|---|\n| a | 1 |\n| b | 2 |\nend"
    );
}

#[test]
fn a_package_is_told_by_its_main_part_whatever_it_is_called() {
    let format = |bytes: &[u8]| Format::identify(bytes, Some("html"), None);
    assert_eq!(format(&docx("<w:p/>")).unwrap(), Some(Format::Docx));
    let odt = archive(&[("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "<x/>")]);
    assert_eq!(format(&odt).unwrap(), Some(Format::Odt));
    let sheet = archive(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", "<x/>")]);
    assert_eq!(format(&sheet).unwrap(), None);
    assert!(matches!(format(b"PK\x03\x04"), Err(Failure::Corrupt(_))));
}
