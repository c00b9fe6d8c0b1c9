//! The data that a template says it expects.

use serde_json::json;

use super::fixture::*;
use crate::Format;

#[test]
fn the_schema_has_names_kinds_and_what_is_required() {
    let template = paragraphs(&[
        "{customer.name} {date | date} {currency} {note | default:'-'}",
        "{#items}",
        "{name} {price | currency:currency} {#discounted}less{/discounted}",
        "{/items}",
        "{#tags}{.}{/tags} {#age > 18}adult{/} {items | sum:'price'}",
    ]);
    let expected = open(docx(&template), Format::Docx).expected();
    let text = json!({"type": ["string", "number", "boolean", "null"]});
    assert_eq!(
        expected.schema,
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "customer": {"type": "object", "properties": {"name": text}, "required": ["name"]},
                "date": {"type": "string", "format": "date"},
                "currency": text,
                "note": text,
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {"price": {"type": "number"}, "name": text, "discounted": {"type": "boolean"}},
                        "required": ["price", "name", "discounted"],
                    },
                },
                "tags": {"type": "array", "items": text},
                "age": {"type": "number"},
            },
            "required": ["customer", "date", "currency", "items", "tags"],
        })
    );
    assert_eq!(
        expected.example,
        json!({
            "customer": {"name": "name"}, "date": "2026-01-31", "currency": "currency", "note": "note",
            "items": [{"price": 1, "name": "name", "discounted": true}], "tags": ["tags"], "age": 1,
        })
    );
}

#[test]
fn the_example_fills_its_template() {
    let template =
        "{a.b} {#list}{x | number} {#on}{y}{/on}{/list}{^none}-{/none}{d | datetime}{#if != 'x'}{z}{/}{tags | join}";
    let template = open(template.into(), Format::Markdown);
    let example = template.expected().example;
    let result = template.render(&example).unwrap();
    assert!(result.warnings.is_empty(), "{:?}", result.warnings);
}

/// Names and sections without end take neither the stack nor the time of the square of their number.
#[test]
fn many_names_and_deep_sections_are_described() {
    let names: String = (0..50_000).map(|number| format!("{{name_{number}}}")).collect();
    let expected = open(names.into_bytes(), Format::Html).expected();
    assert_eq!(expected.schema["properties"].as_object().unwrap().len(), 50_000);
    let sections: String =
        (0..40).map(|number| format!("{{#{}}}", vec![format!("a{number}"); 1000].join("."))).collect();
    let template = open(format!("{sections}{{x}}{}", "{/}".repeat(40)).into_bytes(), Format::Html);
    let schema = template.expected().schema.to_string();
    assert!(serde_json::from_str::<serde_json::Value>(&schema).is_ok());
}
