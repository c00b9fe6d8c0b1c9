//! A table of a JSON Schema's properties: name, type with limits and default, and meaning.

use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use crate::number;

/// Nested objects are shown down to this depth.
const MAX_DEPTH: usize = 6;

/// One row: a property, or one of a nested object (`facturX.level`).
#[derive(Clone, Debug)]
struct Row<'a> {
    name: String,
    required: bool,
    schema: &'a Value,
}

/// A table of an object schema's properties. `caption` is its label for screen readers and the prefix of its rows' ids, e.g.
/// `options.pageRange`.
pub fn table(caption: &str, object: &Value) -> Markup {
    let mut rows = Vec::new();
    collect(object, "", 0, &mut rows);
    html! {
        @if rows.is_empty() { p.muted { "None." } }
        @else {
            div.table-frame tabindex="0" role="region" aria-label={ (caption) ", table" } {
                table.options-table {
                    caption.quiet { (caption) }
                    thead { tr {
                        th scope="col" { "Name" } th scope="col" { "Description" }
                    } }
                    tbody { @for row in &rows { (show(row, caption)) } }
                }
            }
        }
    }
}

/// The same table as Markdown.
pub fn markdown(object: &Value) -> String {
    let mut rows = Vec::new();
    collect(object, "", 0, &mut rows);
    if rows.is_empty() {
        return "None.\n".to_owned();
    }
    let line = |row: &Row<'_>| {
        let required = if row.required { ", required" } else { "" };
        let meaning = row.schema["description"].as_str().unwrap_or_default();
        let cells = [format!("`{}`{required}", row.name), words(&with_default(row.schema)), meaning.to_owned()];
        format!("| {} |\n", cells.map(|cell| cell.replace('|', r"\|").replace('\n', " ")).join(" | "))
    };
    format!("| name | type | meaning |\n|---|---|---|\n{}", rows.iter().map(line).collect::<String>())
}

/// Markup of a type as Markdown.
fn words(markup: &Markup) -> String {
    let mut text = markup.0.replace("<code>", "`").replace("</code>", "`");
    for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
        text = text.replace(entity, character);
    }
    text
}

fn with_default(schema: &Value) -> Markup {
    html! { (kind(schema)) @if let Some(default) = schema.get("default") { ". Default: " code { (plain(default)) } } }
}

fn show(row: &Row<'_>, caption: &str) -> Markup {
    html! {
        tr id={ (caption.to_lowercase().replace(' ', "-")) "." (row.name.replace("[]", "")) } {
            th scope="row" {
                code { (row.name) }
                @if row.required { " " span.badge.info { "required" } }
            }
            td {
                p.type { (with_default(row.schema)) }
                p { (prose(row.schema["description"].as_str().unwrap_or_default())) }
            }
        }
    }
}

fn collect<'a>(object: &'a Value, prefix: &str, depth: usize, rows: &mut Vec<Row<'a>>) {
    let required: Vec<_> = object["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in object["properties"].as_object().into_iter().flatten() {
        let full = format!("{prefix}{name}");
        // Alternatives may have the same members.
        if rows.iter().any(|row| row.name == full) {
            continue;
        }
        rows.push(Row { name: full.clone(), required: required.contains(&name.as_str()), schema });
        if depth < MAX_DEPTH {
            collect(schema, &format!("{full}."), depth + 1, rows);
            collect(&schema["items"], &format!("{full}[]."), depth + 1, rows);
            // What is required in one of several ways need not be given: the row of the whole says so.
            let first = rows.len();
            for way in ["anyOf", "oneOf"].into_iter().filter_map(|union| schema[union].as_array()).flatten() {
                collect(way, &format!("{full}."), depth + 1, rows);
            }
            rows.iter_mut().skip(first).for_each(|row| row.required = false);
        }
    }
}

/// What a schema accepts, in words.
pub fn kind(schema: &Value) -> Markup {
    if let Some(choices) = schema["enum"].as_array() {
        return html! { @for (index, choice) in choices.iter().enumerate() { @if index > 0 { " · " } code { (plain(choice)) } } };
    }
    if let Some(value) = schema.get("const") {
        return html! { code { (plain(value)) } };
    }
    for union in ["anyOf", "oneOf"] {
        if let Some(ways) = schema[union].as_array().filter(|_| schema.get("type").is_none()) {
            let mut kinds: Vec<_> = ways.iter().map(|way| kind(way).into_string()).collect();
            kinds.dedup();
            return PreEscaped(kinds.join(" or "));
        }
    }
    if let Some(kinds) = schema["type"].as_array() {
        let of = |one: &Value| {
            let mut schema = schema.clone();
            schema["type"] = one.clone();
            kind(&schema).into_string()
        };
        return PreEscaped(kinds.iter().map(of).collect::<Vec<_>>().join(" or "));
    }
    match schema["type"].as_str() {
        Some("integer") => html! { "integer" (bounds(schema, "minimum", "maximum", "")) },
        Some("number") => html! { "number" (bounds(schema, "minimum", "maximum", "")) },
        Some("string") => text(schema),
        Some("array") => list(schema),
        Some("object") => object(schema),
        Some(other) => html! { (other) },
        None => html! { "any" },
    }
}

/// `list, 1–9 items of integer`, or `4 numbers` where the length is fixed.
fn list(schema: &Value) -> Markup {
    let plain = schema["items"]["type"].as_str().filter(|kind| matches!(*kind, "number" | "integer" | "string"));
    match (schema["minItems"].as_u64(), schema["maxItems"].as_u64(), plain) {
        (Some(least), Some(most), Some(kind)) if least == most && most > 1 => html! { (most) " " (kind) "s" },
        _ => html! {
            "list" (bounds(schema, "minItems", "maxItems", " items"))
            @if schema["items"]["type"] != "object" && schema["items"].is_object() { " of " (kind(&schema["items"])) }
        },
    }
}

fn object(schema: &Value) -> Markup {
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    match required.as_slice() {
        [name] => html! { "object with " code { (name) } " (" (kind(&schema["properties"][name])) ")" },
        _ => html! { "object" },
    }
}

fn text(schema: &Value) -> Markup {
    let limits = bounds(schema, "", "maxLength", " characters");
    let example = schema["examples"][0].as_str();
    html! {
        @match schema["format"].as_str() {
            Some("source-url" | "uri") => "URL",
            Some("page-range") => { "pages such as " code { "1-3,8,z" } }
            Some("job-id") => "id of a job",
            Some("filename") => "file name",
            Some("inline") => "text, at most 512 KiB",
            Some("uuid") => "UUID",
            Some("date-time") => "date and time (RFC 3339)",
            Some(_) | None => { "string" @if let Some(example) = example { " such as " code { (example) } } (limits) }
        }
    }
}

/// The schema's limits, e.g. `, 1–100 items`.
fn bounds(schema: &Value, low: &str, high: &str, unit: &str) -> Markup {
    let number = |name: &str| schema.get(name).filter(|value| value.as_f64() != Some(0.0) || unit.is_empty());
    let (above, below) = (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"));
    html! {
        @match (number(low), number(high)) {
            (Some(low), Some(high)) => { ", " (grouped(low)) "–" (grouped(high)) (unit) }
            (Some(low), None) => { ", at least " (grouped(low)) (unit) }
            (None, Some(high)) if above.is_none() => { ", at most " (grouped(high)) (unit) }
            (None, Some(high)) => { @if let Some(above) = above { ", above " (grouped(above)) } ", at most " (grouped(high)) (unit) }
            (None, None) => { @if let Some(above) = above { ", above " (grouped(above)) } @if let Some(below) = below { ", below " (grouped(below)) } }
        }
    }
}

/// Integers with thousands separators, everything else as JSON.
fn grouped(number: &Value) -> String {
    number.as_u64().map_or_else(|| number.to_string(), number::grouped)
}

/// Strings without quotes, everything else as JSON.
pub fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A description whose backticks become `<code>`.
pub fn prose(text: &str) -> Markup {
    html! { @for (index, part) in text.split('`').enumerate() { @if index % 2 == 1 { code { (part) } } @else { (part) } } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_reads_as_words() {
        let words = |schema| kind(&schema).into_string().replace("<code>", "`").replace("</code>", "`");
        for (schema, expected) in [
            (json!({"type": "integer", "minimum": 1, "maximum": 100}), "integer, 1–100"),
            (json!({"type": "number", "exclusiveMinimum": 0, "maximum": 100_000}), "number, above 0, at most 100,000"),
            (json!({"enum": ["a", 1]}), "`a` · `1`"),
            (json!({"type": "string", "maxLength": 1024}), "string, at most 1,024 characters"),
            (json!({"type": "string", "examples": ["20mm"]}), "string such as `20mm`"),
            (
                json!({"type": "array", "minItems": 1, "maxItems": 9, "items": {"type": "integer"}}),
                "list, 1–9 items of integer",
            ),
            (json!({"type": "array", "items": {"type": "object"}}), "list"),
            (json!({"type": ["object", "string"], "maxLength": 5}), "object or string, at most 5 characters"),
            (json!({"type": "array", "minItems": 4, "maxItems": 4, "items": {"type": "number"}}), "4 numbers"),
            (json!({"anyOf": [{"type": "string"}, {"type": "object"}, {"type": "object"}]}), "string or object"),
            (
                json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "string"}}}),
                "object with `a` (string)",
            ),
        ] {
            assert_eq!(words(schema), expected);
        }
        assert_eq!(prose("use `x` & y").into_string(), "use <code>x</code> &amp; y");
    }

    #[test]
    fn nested_objects_have_rows_of_their_own() {
        let schema = json!({"required": ["a"], "properties": {
            "a": {"type": "object", "properties": {"b": {"type": "integer", "default": 3}}},
            "c": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "boolean"}}}},
            "e": {"anyOf": [{"type": "string"}, {"type": "object", "required": ["f"], "properties": {"f": {"type": "integer"}}}]},
        }});
        let shown = table("Options", &schema).into_string();
        for part in [
            "<code>a</code> <span class=\"badge info\">required</span>",
            "<code>a.b</code>",
            "<code>3</code>",
            "<code>c[].d</code>",
        ] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
        let expected = "| name | type | meaning |\n|---|---|---|\n| `a`, required | object |  |\n| `a.b` | integer. Default: `3` |  |\n\
             | `c` | list |  |\n| `c[].d` | boolean |  |\n\
             | `e` | string or object with `f` (integer) |  |\n| `e.f` | integer |  |\n";
        assert_eq!(markdown(&schema), expected);
        assert_eq!(markdown(&json!({})), "None.\n");
    }

    #[test]
    fn markdown_has_no_entities_and_no_columns_of_its_own() {
        let schema = json!({"properties": {"a": {"enum": ["<&>"], "description": "one | two\nthree"}}});
        assert!(markdown(&schema).ends_with("| `a` | `<&>` | one \\| two three |\n"), "{}", markdown(&schema));
    }
}
