//! Links of the data, and links whose addresses have tags.

use docmill_templates::{Failure, Format, Missing, Options, Problem, Reason, Template};
use serde_json::{Value, json};

use crate::Case;
use crate::files::{open_text, paragraph, run, shape, slide, with_part, word};
use crate::texts::part;

const HYPERLINK: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";

/// A document with the relationship `rLink` of a part to this address.
fn linking(document: &[u8], relations: &str, address: &str) -> Vec<u8> {
    let entry = format!(
        "<Relationship Id=\"rLink\" Type=\"{HYPERLINK}\" Target=\"{address}\" TargetMode=\"External\"/></Relationships>"
    );
    with_part(document, relations, part(document, relations).replace("</Relationships>", &entry))
}

fn linked_word(body: &str, address: &str) -> Vec<u8> {
    linking(&word(body), "word/_rels/document.xml.rels", address)
}

fn linked_slide(text: &str, address: &str) -> Vec<u8> {
    let link = "<a:rPr lang=\"en-US\"><a:hlinkClick r:id=\"rLink\"/></a:rPr>";
    let shape = shape(2, text).replace("<a:rPr lang=\"en-US\"/>", link);
    linking(&slide(&shape), "ppt/slides/_rels/slide1.xml.rels", address)
}

fn open_link(address: &str, text: &str) -> Vec<u8> {
    let names = "xmlns:xlink=\"http://www.w3.org/1999/xlink\" xlink:type=\"simple\"";
    open_text(&format!("<text:p><text:a {names} xlink:href=\"{address}\">{text}</text:a></text:p>"))
}

fn hyperlink(text: &str) -> String {
    format!("<w:hyperlink r:id=\"rLink\">{}</w:hyperlink>", run(text))
}

fn items() -> Value {
    json!({
        "shop": "https://a.example/?a=1&b=2",
        "page": {"url": "https://a.example", "text": "A & B"},
        "mail": "ada@example.com",
        "none": null,
        "domain": "a.example",
        "items": [{"id": 1, "name": "Tea", "url": "https://a.example/tea"}, {"id": 2, "name": "Cake", "url": "https://a.example/cake"}],
    })
}

pub(super) fn cases() -> Vec<Case> {
    let in_loop = format!("<w:p>{}{}{}</w:p>", run("{#items}"), hyperlink("{name}"), run(" {/items}"));
    let bold = shape(2, "see {:link page}!")
        .replace("<a:rPr lang=\"en-US\"/>", "<a:rPr lang=\"en-US\"><a:latin typeface=\"Carlito\"/></a:rPr>");
    vec![
        Case::word("a link", &paragraph("see {:link shop}!"), items(), &["see https://a.example/?a=1&b=2!"]),
        Case::word(
            "a link with a text",
            &paragraph("{:link shop | text:'Our ' + domain}"),
            items(),
            &["Our a.example"],
        ),
        Case::word("links in a loop", &paragraph("{#items}{:link url | text:name} {/items}"), items(), &["Tea Cake "]),
        Case::new(
            "addresses with tags",
            Format::Docx,
            linked_word(&in_loop, "https://{domain}/{id}"),
            items(),
            &["Tea Cake "],
        ),
        Case::new("a link on a slide", Format::Pptx, slide(&shape(2, "see {:link page}!")), items(), &["see A & B!"]),
        Case::new("a link among properties", Format::Pptx, slide(&bold), items(), &["see A & B!"]),
        Case::new(
            "an address with tags on a slide",
            Format::Pptx,
            linked_slide("{domain}", "https://%7Bdomain%7D/x"),
            items(),
            &["a.example"],
        ),
        Case::new(
            "a link in an OpenDocument text",
            Format::Odt,
            open_text("<text:p>see {:link page}!</text:p>"),
            items(),
            &["see A & B!"],
        ),
        Case::new(
            "an address with tags in an OpenDocument text",
            Format::Odt,
            open_link("https://%7Bdomain%7D/", "{domain}"),
            items(),
            &["a.example"],
        ),
    ]
}

fn filled(template: Vec<u8>, format: Format) -> Vec<u8> {
    Template::open(template, format, Options::default()).unwrap().render(&items()).unwrap().bytes
}

fn text(template: &str, format: Format) -> String {
    String::from_utf8(filled(template.into(), format)).unwrap()
}

#[test]
fn each_copy_of_a_link_leads_where_its_entry_says() {
    let in_loop = format!("<w:p>{}{}{}</w:p>", run("{#items}"), hyperlink("{name}"), run(" {/items}"));
    for address in
        ["https://{domain}/{id}?q={name | upper}", "https://%7bdomain%7D/%7Bid%7D?q=%7Bname%20%7C%20upper%7D"]
    {
        let made = filled(linked_word(&in_loop, address), Format::Docx);
        let relations = part(&made, "word/_rels/document.xml.rels");
        let document = part(&made, "word/document.xml");
        for (number, target) in [(1, "https://a.example/1?q=TEA"), (2, "https://a.example/2?q=CAKE")] {
            let entry =
                format!("Id=\"docmillLink{number}\" Type=\"{HYPERLINK}\" Target=\"{target}\" TargetMode=\"External\"");
            assert!(relations.contains(&entry), "{relations}");
            assert!(document.contains(&format!("<w:hyperlink r:id=\"docmillLink{number}\">")), "{document}");
        }
    }
}

#[test]
fn links_are_written_as_each_format_has_them() {
    let made = part(&filled(word(&paragraph("a {:link shop} b")), Format::Docx), "word/document.xml");
    assert!(made.contains(" HYPERLINK \"https://a.example/?a=1&amp;b=2\" "), "{made}");
    let made = filled(slide(&shape(2, "{:link shop}{:link shop}{:link mail}")), Format::Pptx);
    let relations = part(&made, "ppt/slides/_rels/slide1.xml.rels");
    assert!(
        relations.contains("Target=\"https://a.example/?a=1&amp;b=2\"") && relations.contains("mailto:ada@example.com")
    );
    assert_eq!(relations.matches(HYPERLINK).count(), 2, "one for each address: {relations}");
    let made = part(&filled(open_text("<text:p>{:link mail}</text:p>"), Format::Odt), "content.xml");
    assert!(made.contains("xlink:href=\"mailto:ada@example.com\">ada@example.com</text:a>"), "{made}");
    let html = "<p>{:link page} {:link none} {:link shop | text:'<b>'}</p>";
    let expected =
        "<p><a href=\"https://a.example\">A &amp; B</a>  <a href=\"https://a.example/?a=1&amp;b=2\">&lt;b&gt;</a></p>";
    assert_eq!(text(html, Format::Html), expected);
    assert_eq!(text("{:link page | text:'[x]'}", Format::Markdown), "[\\[x\\]](<https://a.example>)");
}

fn mistakes(template: Vec<u8>, format: Format, data: &Value) -> Vec<Problem> {
    match Template::open(template, format, Options::default()).unwrap().render(data) {
        Err(Failure::Template(problems)) => problems,
        other => panic!("{other:?}"),
    }
}

#[test]
fn links_lead_to_pages_and_mailboxes_only() {
    let hostile = [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/html,x",
        "//a.example",
        "/local",
        "ftp://a.example",
        "https://",
        "a@b@c",
    ];
    for address in hostile {
        let data = json!({"url": address, "domain": address});
        let templates = [
            (word(&paragraph("{:link url}")), Format::Docx),
            (slide(&shape(2, "{:link url}")), Format::Pptx),
            (open_text("<text:p>{:link url}</text:p>"), Format::Odt),
            ("{:link url}".into(), Format::Html),
            (linked_word(&format!("<w:p>{}</w:p>", hyperlink("x")), "{domain}"), Format::Docx),
            (open_link("{domain}", "x"), Format::Odt),
        ];
        for (template, format) in templates {
            let found = mistakes(template, format, &data);
            assert_eq!(found.len(), 1, "{address} {found:?}");
            assert_eq!(found[0].reason, Reason::UnusableValue, "{address} {found:?}");
            assert!(found[0].message.contains("can't be a link"), "{found:?}");
        }
    }
    // What could end the place of an address is encoded.
    let sly = json!({"url": "https://a.example/\" onclick=\"x()\" <b>{}\\ "});
    let template = Template::open("{:link url | text:'x'}".into(), Format::Html, Options::default()).unwrap();
    let expected = "<a href=\"https://a.example/%22%20onclick=%22x()%22%20%3Cb%3E%7B%7D%5C\">x</a>";
    assert_eq!(String::from_utf8(template.render(&sly).unwrap().bytes).unwrap(), expected);
}

#[test]
fn misplaced_links_and_broken_addresses_are_mistakes() {
    let data = json!({"domain": "", "url": "https://a.example"});
    let cases = [
        (
            linked_word(&format!("<w:p>{}</w:p>", hyperlink("{:link url}")), "https://a.example"),
            Format::Docx,
            Reason::Misplaced,
        ),
        (linked_word(&format!("<w:p>{}</w:p>", hyperlink("x")), "https://{#domain}"), Format::Docx, Reason::Misplaced),
        (linked_word(&format!("<w:p>{}</w:p>", hyperlink("x")), "https://{dmain}"), Format::Docx, Reason::UnknownName),
        (linked_word(&format!("<w:p>{}</w:p>", hyperlink("x")), "{domain}"), Format::Docx, Reason::UnusableValue),
        ("<a title=\"{:link url}\">x</a>".into(), Format::Html, Reason::Misplaced),
        ("{:link url | text}".into(), Format::Html, Reason::InvalidTag),
        ("{:link url | txt:'a'}".into(), Format::Html, Reason::UnknownFilter),
    ];
    for (template, format, reason) in cases {
        let found = mistakes(template, format, &data);
        assert_eq!(found.iter().map(|mistake| mistake.reason).collect::<Vec<_>>(), [reason], "{found:?}");
    }
    let kept = Options { missing: Missing::Keep, ..Options::default() };
    let template =
        Template::open(linked_word(&format!("<w:p>{}</w:p>", hyperlink("x")), "https://{dmain}"), Format::Docx, kept);
    let made = template.unwrap().render(&data).unwrap().bytes;
    assert!(part(&made, "word/document.xml").contains("<w:hyperlink r:id=\"rLink\">"));
}

#[test]
fn the_schema_knows_links() {
    let template = linked_word(
        &(paragraph("{:link shop | text:title}") + &format!("<w:p>{}</w:p>", hyperlink("x"))),
        "https://{domain}/{id}",
    );
    let expected = Template::open(template, Format::Docx, Options::default()).unwrap().expected();
    let example = json!({"shop": "https://example.com", "title": "title", "domain": "domain", "id": "id"});
    assert_eq!(expected.example, example);
}
