//! What a template's designer is told.

use serde_json::json;

use super::fixture::*;
use crate::{Format, Options, Reason, Template};

fn all(template: &[&str]) -> Vec<(Reason, String, String)> {
    let found = problems(
        docx(&paragraphs(template)),
        Format::Docx,
        &json!({"customer": {"name": "A"}, "items": [{"price": 1}]}),
    );
    found.into_iter().map(|problem| (problem.reason, problem.tag, problem.message)).collect()
}

fn one(reason: Reason, tag: &str, message: &str) -> (Reason, String, String) {
    (reason, tag.to_owned(), message.to_owned())
}

#[test]
fn all_unknown_names_are_reported_at_once_with_the_nearest_ones() {
    let unknown = Reason::UnknownName;
    assert_eq!(
        all(&["{custmer.name} {customer.nme}", "{#items}{prise}{zzz}{/items}{#itemz}{/itemz}{#itemz}x{/itemz}"]),
        [
            one(unknown, "{custmer.name}", "The data has no value `custmer.name`. Did you mean `customer`?"),
            one(unknown, "{customer.nme}", "The data has no value `customer.nme`. Did you mean `customer.name`?"),
            one(unknown, "{prise}", "The data has no value `prise`. Did you mean `price`?"),
            one(unknown, "{zzz}", "The data has no value `zzz`."),
            one(unknown, "{#itemz}", "The data has no value `itemz`. Did you mean `items`?"),
        ]
    );
}

#[test]
fn tags_of_other_engines_are_one_mistake_of_each_kind() {
    let jinja = ["{{ customer.name }}", "{% for item in items %}{{ item.price }}{% endfor %}", "{{#each items}}"];
    let told = all(&jinja);
    let tags: Vec<_> = told.iter().map(|(reason, tag, _)| (*reason, tag.as_str())).collect();
    assert_eq!(tags, [(Reason::InvalidTag, "{{ customer.name }}"), (Reason::InvalidTag, "{% for item in items %}")]);
    assert!(told[0].2.contains("set the option `delimiters`") && told[1].2.contains("{#items}…{/items}"), "{told:?}");
    let page = Template::open(b"<p>{{ name }}{{ name }}</p>".to_vec(), Format::Html, Options::default()).unwrap();
    assert_eq!(page.mistakes().len(), 1);
}

#[test]
fn unclosed_and_misplaced_tags_and_sections_say_what_is_wrong() {
    for (template, expected) in [
        (
            &["{customer.name and more"][..],
            one(Reason::UnclosedTag, "{", "The tag `{customer.name and more` is not closed by `}` in its paragraph."),
        ),
        (&["a } b"], one(Reason::UnopenedTag, "}", "`}` closes a tag that does not begin in this paragraph.")),
        (
            &["{#items}"],
            one(Reason::UnclosedSection, "{#items}", "The section `items` is not closed. Close it with `/items`."),
        ),
        (&["{/items}"], one(Reason::UnopenedSection, "{/items}", "No section `items` is open here.")),
        (
            &["{#items}{/customer}{/items}"],
            one(
                Reason::MismatchedSection,
                "{/customer}",
                "`customer` is closed here, but the section `items` is open.",
            ),
        ),
        (
            &["{customer.name | uper}"],
            one(Reason::UnknownFilter, "{customer.name | uper}", "There is no filter `uper`. Did you mean `upper`?"),
        ),
        (&["{a +}"], one(Reason::InvalidTag, "{a +}", "A name is missing.")),
        (
            &["{:items}"],
            one(
                Reason::Misplaced,
                "{:items}",
                "A tag that begins with `:` repeats a slide, so it must be on a slide of a presentation.",
            ),
        ),
        (
            &["{customer}"],
            one(
                Reason::UnusableValue,
                "{customer}",
                "The value is an object, which a tag can't write. Name one of its members, as in `a.b`.",
            ),
        ),
        (
            &["{customer.name | number:2}"],
            one(Reason::UnusableValue, "{customer.name | number:2}", "A number is needed, but the value is text."),
        ),
    ] {
        assert_eq!(all(template), [expected], "{template:?}");
    }
}

#[test]
fn a_section_out_of_a_table_or_a_link_is_misplaced() {
    let data = json!({"items": [1]});
    let into_table = format!("{}{}", paragraph("{#items}"), table(&[&["{/items}"]]));
    let link = "<w:p><w:hyperlink><w:r><w:t>{#items}a</w:t></w:r></w:hyperlink><w:r><w:t>b{/items}</w:t></w:r></w:p>";
    let across = table(&[&["{#items}", "{/items}{#items}", "{/items}"]]);
    for template in [into_table.as_str(), link, &across] {
        let found = problems(docx(template), Format::Docx, &data);
        assert!(found.iter().all(|problem| problem.reason == Reason::Misplaced), "{found:?}");
    }
}

#[test]
fn a_mistake_has_its_part_page_and_paragraph() {
    let body =
        format!("{}<w:p><w:r><w:lastRenderedPageBreak/><w:t>Total: {{totl}}</w:t></w:r></w:p>", paragraph("{x}"));
    let found = problems(docx(&body), Format::Docx, &json!({"total": 1}));
    assert_eq!(
        serde_json::to_value(&found[1]).unwrap(),
        json!({
            "reason": "unknown_name",
            "message": "The data has no value `totl`. Did you mean `total`?",
            "tag": "{totl}",
            "place": {"part": "word/document.xml", "page": 2, "text": "Total: {totl}"},
            "suggestion": "total",
        })
    );
    assert_eq!(found[0].place.page, Some(1));
}
