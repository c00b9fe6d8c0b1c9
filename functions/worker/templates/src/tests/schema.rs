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
