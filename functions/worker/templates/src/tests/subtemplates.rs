//! Sub-templates: missing ones, those that include themselves, and what they must not do.

use serde_json::{Value, json};

use super::fixture::*;
use crate::{Failure, Format, Limits, Options, Problem, Reason, SubTemplate, Template};

fn sub(name: &str, format: Format, bytes: impl Into<Vec<u8>>) -> SubTemplate {
    SubTemplate { name: name.to_owned(), format, bytes: bytes.into() }
}

fn word(name: &str, texts: &[&str]) -> SubTemplate {
    sub(name, Format::Docx, docx(&paragraphs(texts)))
}

fn page(text: &str, given: &[SubTemplate], data: &Value) -> Result<String, Failure> {
    let template = Template::open_with(text.into(), Format::Html, Options::default(), given)?;
    Ok(String::from_utf8(template.render(data)?.bytes).unwrap())
}

fn document(texts: &[&str], given: &[SubTemplate]) -> Result<Template, Failure> {
    Template::open_with(docx(&paragraphs(texts)), Format::Docx, Options::default(), given)
}

fn faults(result: Result<String, Failure>) -> Vec<Problem> {
    match result.unwrap_err() {
        Failure::Template(problems) => problems,
        other @ (Failure::Corrupt(_) | Failure::TooLarge(_) | Failure::Options(_)) => panic!("{other:?}"),
    }
}

#[test]
fn pages_and_markdown_include_each_other_with_the_data_of_their_place() {
    let given =
        [sub("row", Format::Html, "<li>{name} of {company}</li>"), sub("note", Format::Markdown, "Dear *{name}*")];
    let data = json!({"company": "A & B", "people": [{"name": "Ann"}, {"name": "Bo"}], "name": "*Cy*"});
    let made = page("<ul>{#people}{>row}{/people}</ul>{&gt;note}", &given, &data).unwrap();
    assert_eq!(made, "<ul><li>Ann of A &amp; B</li><li>Bo of A &amp; B</li></ul><p>Dear <em>*Cy*</em></p>\n");
    let options = Options::default();
    let template = Template::open_with("# {name}\n\n{>note}\n".into(), Format::Markdown, options, &given).unwrap();
    let made = template.render(&json!({"name": "Ann"})).unwrap().bytes;
    assert_eq!(String::from_utf8(made).unwrap(), "# Ann\n\nDear *Ann*\n");
}

#[test]
fn a_missing_one_is_a_mistake_with_its_place_and_the_nearest_name() {
    let found = faults(page("<p>a</p>\n{>trems}", &[sub("terms", Format::Html, "x")], &json!({})));
    assert_eq!((found[0].reason, found[0].place.line), (Reason::UnknownName, Some(2)));
    assert_eq!(found[0].message, "No further source of the job is called `trems`. Did you mean `terms`?");
    // A template alone may be stored: its jobs bring the others.
    let template = Template::open("{>terms}".into(), Format::Html, Options::default()).unwrap();
    assert_eq!((template.mistakes().len(), template.absent().len()), (0, 1));
}

#[test]
fn mistakes_of_sub_templates_have_their_names() {
    let given = [word("terms", &["{nmae}", "{#open}"]), sub("page", Format::Markdown, "{nmae")];
    let template = document(&["{>terms}", "{>page}"], &given).unwrap();
    let places: Vec<_> =
        template.mistakes().iter().map(|mistake| (mistake.reason, mistake.place.part.as_str())).collect();
    let expected = [(Reason::UnclosedTag, "page"), (Reason::UnclosedSection, "terms/word/document.xml")];
    assert_eq!(places, expected);
    let found = faults(page("{>a}", &[sub("a", Format::Html, "x\n{nmae}")], &json!({"name": 1})));
    assert_eq!((found[0].place.part.as_str(), found[0].place.line), ("a", Some(2)));
    assert_eq!(found[0].suggestion.as_deref(), Some("name"));
}

#[test]
fn inclusions_without_end_or_too_deep_are_mistakes() {
    let found = faults(page("{>a}", &[sub("a", Format::Html, "{>b}"), sub("b", Format::Html, "{>a}")], &json!({})));
    assert!(
        found.iter().all(|problem| problem.message.ends_with("or sub-templates are nested more than 8 levels deep.")),
        "{found:?}"
    );
    let chain = |length: usize| -> Vec<_> {
        let content = |index: usize| if index + 1 < length { format!("{{>a{}}}", index + 1) } else { "end".to_owned() };
        (0..length).map(|index| sub(&format!("a{index}"), Format::Html, content(index))).collect()
    };
    assert_eq!(page("{>a0}", &chain(8), &json!({})).unwrap(), "end");
    assert!(page("{>a0}", &chain(9), &json!({})).is_err());
}

#[test]
fn formats_that_do_not_fit_are_mistakes() {
    let found = faults(page("{>a}", &[word("a", &["x"])], &json!({})));
    assert!(found[0].message.starts_with("`a` can't be included here"), "{found:?}");
    let slide = "<p:sld xmlns:p=\"p\" xmlns:a=\"a\"><a:p><a:r><a:t>{&gt;a}</a:t></a:r></a:p></p:sld>";
    let given = [word("a", &["x"])];
    let slides = archive(&[("ppt/slides/slide1.xml", slide)]);
    let template = Template::open_with(slides, Format::Pptx, Options::default(), &given).unwrap();
    assert_eq!(template.mistakes()[0].reason, Reason::Misplaced);
    let template = document(&["text {>a}"], &given).unwrap();
    assert!(template.mistakes()[0].message.ends_with("so its tag must be the only text in its paragraph."));
}

#[test]
fn what_a_sub_template_expects_belongs_to_its_place() {
    let given = [word("person", &["{name}", "{>more}"]), sub("more", Format::Markdown, "{age | number}")];
    let template = document(&["{#people}", "{>person}", "{/people}"], &given).unwrap();
    let expected = template.expected();
    assert_eq!(expected.example, json!({"people": [{"name": "name", "age": 1}]}));
    // Many that include many are read only so often.
    let many = |next: &str| format!("{{>{next}}}").repeat(1000);
    let given: Vec<_> =
        (0..8).map(|index| sub(&format!("a{index}"), Format::Html, many(&format!("a{}", index + 1)))).collect();
    let template = Template::open_with(many("a0").into(), Format::Html, Options::default(), &given).unwrap();
    assert_eq!(template.expected().example, json!({}));
}

#[test]
fn sub_templates_that_grow_without_bound_end_at_a_limit() {
    let limits = Limits { bytes: 1 << 20, steps: 100_000 };
    let nested = |inner: &str| -> Vec<SubTemplate> {
        let content =
            |index: usize| if index < 7 { format!("{{>a{}}}", index + 1).repeat(100) } else { inner.to_owned() };
        (0..8).map(|index| sub(&format!("a{index}"), Format::Html, content(index))).collect()
    };
    let list: Vec<_> = (0..1000).collect();
    for inner in ["", "some text", "{#list}{.}{/list}"] {
        let options = Options { limits, ..Options::default() };
        let template = Template::open_with("{>a0}".into(), Format::Html, options, &nested(inner)).unwrap();
        let failed = template.render(&json!({"list": list}));
        assert!(matches!(failed, Err(Failure::TooLarge(_))), "{inner}");
    }
    // A part that unpacks to too much, and a picture that does.
    let options = || Options { limits, ..Options::default() };
    let bomb = sub("a", Format::Docx, docx(&" ".repeat(2 << 20)));
    let opened = Template::open_with(docx(&paragraphs(&["{>a}"])), Format::Docx, options(), &[bomb]);
    assert!(matches!(opened, Err(Failure::TooLarge(_))), "{opened:?}");
    let opened = Template::open_with(docx(&paragraphs(&["{>a}"])), Format::Docx, options(), &[with_picture(2 << 20)]);
    assert!(matches!(opened, Err(Failure::TooLarge(_))), "{opened:?}");
}

/// A document that shows a picture of so many bytes, which names itself as its own part.
fn with_picture(bytes: usize) -> SubTemplate {
    let types = "<Types><Default Extension=\"png\" ContentType=\"image/png\"/></Types>";
    let body = "<w:p><w:r><w:pict r:id=\"a\"/></w:r></w:p>";
    let document = format!("<w:document {WORD} xmlns:r=\"r\"><w:body>{body}</w:body></w:document>");
    let related = "<Relationships><Relationship Id=\"a\" Type=\"x/image\" Target=\"media/a.png\"/></Relationships>";
    let own = "<Relationships><Relationship Id=\"b\" Type=\"x/image\" Target=\"/word/media/a.png\"/><Relationship Id=\"c\" Type=\"x/image\" Target=\"../../../../etc/passwd\"/></Relationships>";
    let parts = [
        ("[Content_Types].xml", types),
        ("word/document.xml", &document),
        ("word/_rels/document.xml.rels", related),
        ("word/media/a.png", &"x".repeat(bytes)),
        ("word/media/_rels/a.png.rels", own),
    ];
    sub("a", Format::Docx, archive(&parts))
}

#[test]
fn copied_parts_keep_their_relationships_and_lead_to_no_others() {
    let template = document(&["{>a}"], &[with_picture(10)]).unwrap();
    let made = template.render(&json!({})).unwrap().bytes;
    let xml = part(&made, "word/document.xml");
    assert!(xml.contains("<w:pict r:id=\"docmillSub1_a\"/>") && xml.contains("xmlns:r=\"r\""), "{xml}");
    let related = part(&made, "word/_rels/document.xml.rels");
    assert!(related.contains("Id=\"docmillSub1_a\"") && related.contains("Target=\"/word/sub1/word/media/a.png\""));
    assert_eq!(part(&made, "word/sub1/word/media/a.png"), "x".repeat(10));
    assert!(part(&made, "word/sub1/word/media/_rels/a.png.rels").contains("\"/word/sub1/word/media/a.png\""));
    let types = part(&made, "[Content_Types].xml");
    assert!(
        types.contains("<Override PartName=\"/word/sub1/word/media/a.png\" ContentType=\"image/png\"/>"),
        "{types}"
    );
}

#[test]
fn broken_sub_templates_are_refused() {
    let wrong = "<w:document xmlns:w=\"other\"><w:body/></w:document>";
    let undeclared = format!("<w:document {WORD}><w:body><w:p><#w:r/></w:p></w:body></w:document>");
    let forbidden = format!("<w:document {WORD} \0a=\"\"><w:body><w:p/></w:body></w:document>");
    for bytes in [
        b"no archive".to_vec(),
        archive(&[("[Content_Types].xml", "<Types/>")]),
        archive(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", "<a/>")]),
        archive(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", wrong)]),
        archive(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", &undeclared)]),
        archive(&[("[Content_Types].xml", "<Types/>"), ("word/document.xml", &forbidden)]),
    ] {
        let opened = document(&["{>a}"], &[sub("a", Format::Docx, bytes)]);
        assert!(matches!(opened, Err(Failure::Corrupt(_))), "{opened:?}");
    }
    let latin =
        Template::open_with("{>a}".into(), Format::Html, Options::default(), &[sub("a", Format::Html, b"\xe4")]);
    assert!(matches!(latin, Err(Failure::Corrupt(_))));
}

#[test]
fn fuzz_sub_templates() {
    docmill_fuzz::fuzz("sub-templates", &[], |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let types = "<Types/>";
        let parts = [
            ("[Content_Types].xml", types),
            ("word/document.xml", &*text),
            ("word/_rels/document.xml.rels", &*text),
            ("word/styles.xml", &*text),
            ("word/numbering.xml", &*text),
            ("word/footnotes.xml", &*text),
        ];
        let limits = Limits { bytes: 1 << 20, steps: 10_000 };
        for given in [sub("a", Format::Docx, archive(&parts)), sub("a", Format::Html, bytes)] {
            let options = Options { limits, ..Options::default() };
            let main = docx(&paragraphs(&["{>a}"]));
            let Ok(template) = Template::open_with(main, Format::Docx, options, &[given]) else { continue };
            let _ = template.expected();
            if let Ok(made) = template.render(&json!({"a": ["x"]})) {
                let xml = part(&made.bytes, "word/document.xml");
                assert!(docmill_package::markup::is_well_formed(&xml.replace("<?xml", "<?x"), &xml), "{xml}");
            }
        }
    });
}
