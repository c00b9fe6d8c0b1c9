//! The request that a tool's pages show, made from its schema.

use docmill_domain::source::SourceKind;
use docmill_domain::tool::Definition;
use docmill_formats::Format;
use serde_json::{Map, Value, json};

/// A body with the fewest sources that make sense, and options with an example or that are required.
pub fn sample(definition: &Definition) -> Value {
    let sources = &definition.sources;
    let options = &definition.parameters["properties"]["options"];
    let format = sources.formats.first().copied().unwrap_or(Format::Pdf);
    let file = |name: &str| json!({"sourceUrl": format!("https://files.example.com/{name}.{format}")});
    let mut body = if sources.are_several() {
        // The second of two roles is another kind of file.
        let count = if sources.roles { sources.least } else { sources.least.max(2) };
        let sources: Vec<_> = ["first", "second"].into_iter().take(count).map(file).collect();
        json!({"sources": sources})
    } else if sources.kinds.contains(&SourceKind::Markdown) && !sources.kinds.contains(&SourceKind::Html) {
        json!({"markdown": "# Hello"})
    } else if sources.kinds.contains(&SourceKind::SourceUrl) {
        file(name(format))
    } else {
        json!({"html": "<h1>Hello</h1>"})
    };
    let required = options["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let chosen: Map<_, _> = required.map(|name| (name.to_owned(), value(&options["properties"][name]))).collect();
    let chosen = options["examples"].get(0).cloned().unwrap_or(Value::Object(chosen));
    if chosen.as_object().is_some_and(|chosen| !chosen.is_empty()) {
        body["options"] = chosen;
    }
    body
}

fn name(format: Format) -> &'static str {
    if format == Format::Eml {
        "message"
    } else if format == Format::Xml {
        "invoice"
    } else {
        "report"
    }
}

/// A value that the schema accepts: its example, its default, or a simple value of its type.
fn value(schema: &Value) -> Value {
    let given = schema["examples"].get(0).or(schema.get("default")).or(schema["enum"].get(0));
    if let Some(given) = given {
        return given.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([value(&schema["items"])]),
        Some("object") => json!({}),
        Some(_) | None => json!("…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::catalogue::Catalogue;
    use docmill_domain::request::JobRequest;

    #[test]
    fn every_tool_has_an_example_that_its_schema_accepts() {
        let catalogue = Catalogue::load().unwrap();
        for tool in catalogue.tools() {
            let body = sample(&tool.definition);
            let parsed = JobRequest::parse(&catalogue, tool, body.as_object().unwrap());
            assert!(parsed.is_ok(), "{}: {body}: {parsed:?}", tool.definition.slug);
        }
    }
}
