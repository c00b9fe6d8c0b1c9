use super::super::super::model::{Cell, Document, Figure, Footnote, Id, Role, Span, Table};
use super::super::html::html;
use super::{cell, document, item};

/// The lines of the body.
fn body(document: &Document) -> Vec<String> {
    let text = html(document);
    let (_, body) = text.split_once("<body>\n").unwrap();
    body.strip_suffix("</body>\n</html>\n").unwrap().lines().map(str::to_owned).collect()
}

fn spans(document: &mut Document, spans: &[Span]) {
    document.blocks[0].spans = spans.to_vec();
}

fn plain(text: &str) -> Span {
    Span { text: text.to_owned(), ..Span::default() }
}

#[test]
fn blocks_have_their_elements_ids_and_pages() {
    let document = Document {
        title: Some("A \"B\" & <C>".to_owned()),
        language: Some("de".to_owned()),
        ..document([
            (Role::Title, 1, "Gardens"),
            (Role::Heading { level: 9 }, 1, "Roses"),
            (Role::Paragraph, 2, "Red\n& white"),
            (Role::Code, 2, "if a < b {\n}"),
            (Role::Header, 2, "above"),
            (Role::Footer, 2, "below"),
            (Role::Formula, 2, "a + b"),
            (Role::FormField { name: Some("na\"me".to_owned()) }, 2, "Ada"),
        ])
    };
    let text = html(&document);
    let head = "<!DOCTYPE html>\n<html lang=\"de\">\n<head><meta charset=\"utf-8\"><title>A &quot;B&quot; &amp; &lt;C&gt;</title></head>\n<body>\n";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(
        body(&document),
        [
            "<h1 id=\"b1\" data-page=\"1\">Gardens</h1>",
            "<h6 id=\"b2\" data-page=\"1\">Roses</h6>",
            "<p id=\"b3\" data-page=\"2\">Red<br>&amp; white</p>",
            "<pre id=\"b4\" data-page=\"2\"><code>if a &lt; b {",
            "}</code></pre>",
            "<header id=\"b5\" data-page=\"2\">above</header>",
            "<footer id=\"b6\" data-page=\"2\">below</footer>",
            "<p id=\"b7\" data-page=\"2\" data-role=\"formula\">a + b</p>",
            "<p id=\"b8\" data-page=\"2\" data-role=\"formField\" data-field=\"na&quot;me\">Ada</p>",
        ]
    );
}

#[test]
fn a_document_without_a_title_has_that_of_its_title_block() {
    assert!(
        html(&document([(Role::Title, 1, "Gardens")]))
            .contains("<html>\n<head><meta charset=\"utf-8\"><title>Gardens</title>")
    );
    assert!(html(&Document::default()).contains("<title>Document</title></head>\n<body>\n</body>"));
}

#[test]
fn text_is_never_markup() {
    let script = "<script>alert('x')</script>\" onload=\"x";
    let mut document = document([
        (Role::Title, 1, script),
        (Role::Paragraph, 1, script),
        (item(1, 0, None), 1, script),
        (Role::Code, 1, script),
        (Role::Footnote { mark: script.to_owned() }, 1, script),
        (Role::Table { table: Id::table(1) }, 1, script),
        (Role::Figure { figure: Id::figure(1) }, 1, script),
        (Role::Caption { of: Some(Id::block(7)) }, 1, script),
    ]);
    document.tables.push(Table { id: Id::table(1), rows: 1, columns: 1, cells: vec![cell(0, 0, script)] });
    let file = Some(script.to_owned());
    document.figures.push(Figure { id: Id::figure(1), place: None, file, data: None, text: None });
    document.blocks[1].language = Some(script.to_owned());
    let text = html(&document);
    assert!(!text.contains("<script") && !text.contains("\" onload"), "{text}");
    assert_eq!(text.matches("&lt;script&gt;").count(), 12, "{text}");
}

#[test]
fn spans_are_emphasised_and_only_addresses_of_the_web_and_of_mail_are_links() {
    let mut document = document([(Role::Paragraph, 1, "")]);
    let styled = [
        plain("a<"),
        Span { bold: true, italic: true, ..plain("b") },
        Span { code: true, ..plain("c") },
        Span { superscript: true, ..plain("d") },
        Span { subscript: true, ..plain("e") },
    ];
    spans(&mut document, &styled);
    let expected = "a&lt;<strong><em>b</em></strong><code>c</code><sup>d</sup><sub>e</sub>";
    assert_eq!(body(&document), [format!("<p id=\"b1\" data-page=\"1\">{expected}</p>")]);

    let mut linked = |address: &str| {
        spans(&mut document, &[Span { link: Some(address.into()), ..plain("x") }]);
        body(&document).remove(0)
    };
    for address in ["https://a.example/?q=%22", "HTTP://a.example", "mailto:a@a.example"] {
        assert!(linked(address).contains(&format!("<a href=\"{address}\">x</a>")));
    }
    assert!(linked("https://a.example/?a=1&b=\"").contains("<a href=\"https://a.example/?a=1&amp;b=&quot;\">"));
    let unsafe_ones = [
        "javascript:alert(1)",
        " java\nscript:alert(1)",
        "JAVASCRIPT:x",
        "data:text/html,x",
        "file:///etc",
        "//a.example",
        "#x",
        "",
    ];
    for address in unsafe_ones {
        assert_eq!(linked(address), "<p id=\"b1\" data-page=\"1\">x</p>", "{address}");
    }
}

#[test]
fn lists_are_nested_and_part_where_their_kind_changes() {
    let document = document([
        (item(1, 0, Some(3)), 1, "a"),
        (item(1, 1, None), 1, "b"),
        (item(1, 3, None), 1, "c"),
        (item(1, 0, Some(4)), 1, "d"),
        (item(1, 0, None), 1, "e"),
        (item(2, 0, None), 1, "f"),
        (Role::Paragraph, 1, "g"),
        (item(3, 1, None), 1, "h"),
    ]);
    let body = body(&document).concat().replace(" data-page=\"1\"", "");
    assert_eq!(
        body,
        "<ol><li value=\"3\" id=\"b1\">a<ul><li id=\"b2\">b<ul><li id=\"b3\">c</li></ul></li></ul></li>\
         <li value=\"4\" id=\"b4\">d</li></ol><ul><li id=\"b5\">e</li></ul><ul><li id=\"b6\">f</li></ul>\
         <p id=\"b7\">g</p><ul><li id=\"b8\">h</li></ul>"
    );
}

#[test]
fn tables_have_their_spans_headers_captions_and_empty_places() {
    let mut document = document([
        (Role::Caption { of: Some(Id::block(2)) }, 1, "Table 1"),
        (Role::Table { table: Id::table(1) }, 1, "not used"),
        (Role::Caption { of: Some(Id::block(9)) }, 1, "lost"),
        (Role::Table { table: Id::table(9) }, 1, "no such table"),
    ]);
    let cells = vec![
        Cell { row_span: 2, ..cell(0, 0, "a") },
        Cell { column_span: 7, ..cell(0, 1, "b\nb") },
        cell(1, 2, "c"),
        cell(2, 1, "d"),
    ];
    document.tables.push(Table { id: Id::table(1), rows: 3, columns: 3, cells });
    assert_eq!(
        body(&document).concat(),
        "<table id=\"b2\" data-page=\"1\"><caption><p id=\"b1\" data-page=\"1\">Table 1</p></caption>\
         <tr><th rowspan=\"2\">a</th><th colspan=\"2\">b<br>b</th></tr>\
         <tr><td></td><td>c</td></tr>\
         <tr><td></td><td>d</td><td></td></tr></table>\
         <p id=\"b3\" data-page=\"1\" data-role=\"caption\">lost</p>"
    );
}

#[test]
fn figures_have_their_picture_or_their_text() {
    let mut document = document([
        (Role::Figure { figure: Id::figure(1) }, 1, "A rose"),
        (Role::Caption { of: Some(Id::block(1)) }, 1, "Figure 1"),
        (Role::Figure { figure: Id::figure(2) }, 1, "A tulip"),
        (Role::Figure { figure: Id::figure(3) }, 1, ""),
    ]);
    let figure = |number| Figure { id: Id::figure(number), place: None, file: None, data: None, text: None };
    document.figures = vec![Figure { file: Some("f1.png".to_owned()), ..figure(1) }, figure(2), figure(3)];
    assert_eq!(
        body(&document).concat().replace(" data-page=\"1\"", ""),
        "<figure id=\"b1\"><img src=\"f1.png\" alt=\"A rose\"><figcaption><p id=\"b2\">Figure 1</p></figcaption></figure>\
         <figure id=\"b3\"><p>A tulip</p></figure><figure id=\"b4\"></figure>"
    );
}

#[test]
fn marks_lead_to_their_footnotes_and_back() {
    let mut document = document([(Role::Paragraph, 1, "Roses1"), (Role::Footnote { mark: "1".to_owned() }, 1, "Red.")]);
    document.footnotes.push(Footnote { mark: "1".to_owned(), from: Some(Id::block(1)), block: Id::block(2) });
    spans(&mut document, &[plain("Roses"), Span { superscript: true, ..plain("1") }, plain("1")]);
    assert_eq!(
        body(&document),
        [
            "<p id=\"b1\" data-page=\"1\">Roses<a href=\"#b2\" role=\"doc-noteref\"><sup>1</sup></a>1</p>",
            "<aside id=\"b2\" data-page=\"1\" role=\"doc-footnote\"><sup>1</sup> Red. <a href=\"#b1\" role=\"doc-backlink\">↩</a></aside>",
        ]
    );
}

#[test]
fn text_to_the_left_says_so() {
    assert!(
        html(&document([(Role::Paragraph, 1, "שלום")])).contains("<p id=\"b1\" data-page=\"1\" dir=\"auto\">שלום</p>")
    );
}
