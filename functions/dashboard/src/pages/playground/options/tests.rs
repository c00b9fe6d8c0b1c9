//! Tests of options as forms.

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::intake::Section;

use super::super::body::body;
use super::schema::properties;
use super::*;

fn with_tool<T>(slug: &str, check: impl FnOnce(&Tool) -> T) -> T {
    check(Catalogue::load().unwrap().find(slug).unwrap())
}

fn control(slug: &str, name: &str) -> Control {
    with_tool(slug, |tool| controls(&tool.definition).into_iter().find(|control| control.name == name).unwrap())
}

#[test]
fn every_option_of_every_tool_has_a_control() {
    for tool in Catalogue::load().unwrap().tools() {
        let controls = controls(&tool.definition);
        assert_eq!(controls.len(), properties(&tool.definition, Section::Options).count());
        if let Some(mode) = tool.definition.metadata.get("modeOption").and_then(Value::as_str) {
            assert_eq!(controls[0].name, mode);
        }
    }
}

#[test]
fn kinds_follow_the_schema() {
    let number = Kind::Number { whole: true, least: Some(1.0), most: Some(100.0) };
    assert_eq!(control("office-to-pdf", "imageQuality").kind, number);
    assert!(
        matches!(control("office-to-pdf", "maxImageDpi").kind, Kind::Choice(values) if values.contains(&json!(300)))
    );
    assert!(matches!(control("office-to-pdf", "password").kind, Kind::Text { secret: true, .. }));
    assert!(matches!(control("html-to-pdf", "headerHtml").kind, Kind::Text { lines: true, .. }));
    assert_eq!(control("html-to-pdf", "marginTop").kind, Kind::Measure { is_length: true });
    let Kind::Variant { words, members } = control("html-to-pdf", "waitFor").kind else { panic!("variants") };
    assert_eq!(words, [json!("load"), json!("networkIdle")]);
    assert_eq!(
        members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["selector", "expression", "delayMs"]
    );
    assert!(control("html-to-pdf", "landscape").is_box());
    assert!(!control("office-to-pdf", "landscape").is_box(), "the document decides unless this is set");
}

#[test]
fn nobody_types_json_but_data_and_a_corrected_structure() {
    fn check(slug: &str, control: &Control) {
        match &control.kind {
            Kind::Json => {
                let is_json = [("render-template", "data"), ("tag-pdf", "structure")];
                assert!(is_json.contains(&(slug, control.name.as_str())), "{slug}: {}", control.name);
            }
            Kind::Group(members) | Kind::Tuple(members) => members.iter().for_each(|member| check(slug, member)),
            Kind::List { entry, .. } => check(slug, &control.row(entry, 0)),
            Kind::Choice(_)
            | Kind::Switch
            | Kind::Number { .. }
            | Kind::Measure { .. }
            | Kind::Text { .. }
            | Kind::Variant { .. }
            | Kind::Map { .. } => {}
        }
    }
    for tool in Catalogue::load().unwrap().tools() {
        controls(&tool.definition).iter().for_each(|control| check(&tool.definition.slug, control));
    }
}

#[test]
fn an_entry_that_can_be_a_plain_text_has_the_fields_of_its_object() {
    let entry = json!({"anyOf": [{"type": "string"}, {
        "type": "object", "additionalProperties": false,
        "properties": {"literal": {"type": "string"}, "wholeWords": {"type": "boolean", "default": false}},
    }]});
    let list = schema::control("words".into(), "words", &json!({"type": "array", "items": entry}), false);
    let form = list.form(Some(&json!(["Jane", {"literal": "Doe", "wholeWords": true}])));
    assert_eq!(list.given(&form), Some(json!([{"literal": "Jane"}, {"literal": "Doe", "wholeWords": true}])));
}

#[test]
fn errors_belong_to_the_innermost_field() {
    for (slug, name, below, field) in [
        ("redact-pdf", "regions", vec!["3", "page"], "option.regions.3.page"),
        ("redact-pdf", "regions", vec!["0", "box", "2"], "option.regions.0.box.2"),
        ("redact-pdf", "text", vec!["1"], "option.text.1"),
        ("ocr-pdf", "languages", vec!["0"], "option.languages.0"),
        ("fill-form", "fields", vec!["Name"], "option.fields"),
    ] {
        assert_eq!(control(slug, name).field_at(&below), field);
    }
}

#[test]
fn empty_rows_are_no_entries() {
    let data = FormData::of(&[
        ("tool", "redact-pdf"),
        ("option.text.0.literal", ""),
        ("option.text.7.literal", "Jane"),
        ("option.text.7.wholeWords", "on"),
    ]);
    assert_eq!(control("redact-pdf", "text").read(&data), Some(json!([{"literal": "Jane", "wholeWords": true}])));
    assert_eq!(control("redact-pdf", "regions").read(&data), None);
}

#[test]
fn members_of_an_object_have_their_own_fields() {
    let control = control("edit-metadata", "facturX");
    let Kind::Group(members) = &control.kind else { panic!("a group") };
    let fields: Vec<_> = members.iter().map(Control::field).collect();
    assert_eq!(fields[..3], ["option.facturX.source", "option.facturX.xml", "option.facturX.level"]);
    assert_eq!((control.label.as_str(), members[1].label.as_str()), ("Factur-X", "XML"));
    assert_eq!(control.read(&FormData::of(&[("tool", "edit-metadata")])), None);
}

#[test]
fn sources_come_from_the_schema_too() {
    let names = |slug| with_tool(slug, |tool| sources(&tool.definition));
    assert!(names("thumbnail").starts_with(&[
        Source::File,
        Source::Url("sourceUrl".into()),
        Source::Url("url".into())
    ]));
    assert_eq!(names("office-to-pdf"), [Source::File, Source::Url("sourceUrl".into()), Source::Job]);
    assert_eq!(names("html-to-pdf"), [Source::File, Source::Url("url".into()), Source::Inline("html".into())]);
}

#[test]
fn unchanged_options_are_not_sent() {
    let bare =
        FormData::of(&[("tool", "office-to-pdf"), ("source", "sourceUrl"), ("sourceUrl", "https://a.example/x.docx")]);
    with_tool("office-to-pdf", |tool| {
        assert_eq!(
            json!(body(&Catalogue::load().unwrap(), &tool.definition, &bare)),
            json!({"input": {"sourceUrl": "https://a.example/x.docx"}})
        );
    });
    // A box that is not ticked means false if the default is true.
    assert_eq!(control("html-to-pdf", "tagged").read(&bare), Some(json!(false)));
    assert_eq!(control("html-to-pdf", "landscape").read(&bare), None);
    assert_eq!(control("html-to-pdf", "tagged").read(&FormData::default()), None, "a form that was not sent yet");
}

#[test]
fn values_are_shown_as_they_were_given() {
    for (slug, name, value) in [
        ("html-to-pdf", "waitFor", json!({"selector": "#ready"})),
        ("html-to-pdf", "waitFor", json!("networkIdle")),
        ("html-to-pdf", "marginTop", json!(12)),
        ("html-to-pdf", "landscape", json!(true)),
        ("office-to-pdf", "landscape", json!(false)),
        ("office-to-pdf", "maxImageDpi", json!(150)),
        ("office-to-pdf", "pageRange", json!("1-3")),
        ("edit-metadata", "facturX", json!({"source": 1, "level": "basic"})),
        ("edit-metadata", "set", json!({"title": "A", "custom": {"b": "c"}})),
        ("organize-pdf", "crop", json!({"top": 12.5})),
        ("protect-pdf", "permissions", json!({"print": false})),
        ("redact-pdf", "regions", json!([{"page": 2, "box": [1, 2.5, 3, 4]}, {"page": 1, "box": [0, 0, 9, 9]}])),
        ("redact-pdf", "languages", json!(["deu", "fra"])),
        ("split-pdf", "ranges", json!(["1-3", "7"])),
        ("edit-metadata", "remove", json!("all")),
        ("edit-metadata", "remove", json!(["author", "title"])),
        ("html-to-pdf", "headers", json!({"X-A": "1", "X-B": "2"})),
        ("html-to-pdf", "waitForAll", json!(["load", {"delayMs": 100}])),
        ("fill-form", "fields", json!({"name": "Zoë", "terms": true, "colors": ["red", "blue"]})),
        ("convert-office", "sheet", json!(2)),
    ] {
        let control = control(slug, name);
        let fields = control.fields(Some(&value));
        let sent = fields.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let data = FormData::of(&[("tool", slug)].into_iter().chain(sent).collect::<Vec<_>>());
        assert_eq!(control.read(&data), Some(value), "{name}");
    }
}
