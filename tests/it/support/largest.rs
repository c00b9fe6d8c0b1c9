//! The largest requests that tools accept, made from their schemas.

use std::io::{Error, Write};
use std::sync::OnceLock;

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::limits::MAX_BODY_BYTES;
use docmill_domain::request::JobRequest;
use serde_json::{Map, Value, json};

/// Four bytes in UTF-8, and two units in UTF-16.
const WIDE: &str = "𝔘";
/// Tried in this order as the length of a list without one of its own.
const LENGTHS: [usize; 3] = [2000, 100, 1];

/// So many bytes of options leave room for sources and steps.
const MOST_OPTIONS: usize = 60_000;

/// A body near the limit of a request: every option with as much as it takes, further steps, labels, unknown names, and as many
/// sources with addresses as long as fit.
pub fn largest_body(catalogue: &Catalogue, tool: &Tool) -> Map<String, Value> {
    let mut body = smallest_body(catalogue, tool);
    add_options(tool, &mut body);
    if let Err(breaches) = JobRequest::parse(catalogue, tool, &body) {
        panic!("{}: {breaches:?}", tool.definition.slug);
    }
    let labels = (0..20).map(|n| (format!("{n:0>2}{}", WIDE.repeat(38)), json!(WIDE.repeat(500))));
    grow(catalogue, tool, &mut body, "metadata", [Value::Object(labels.collect())]);
    let output = json!({"filename": "x".repeat(200), "putUrl": address(8000), "putHeaders": headers()});
    grow(catalogue, tool, &mut body, "output", [output]);
    let webhook = json!({"url": address(2000), "secret": format!("whsec_{}", "A".repeat(84))});
    grow(catalogue, tool, &mut body, "webhook", [webhook]);
    add_steps(catalogue, tool, &mut body);
    body.extend((0..20).map(|n| (format!("unknown-{n}-{}", WIDE.repeat(100)), json!(1))));
    for (count, length) in [(100, 8000), (100, 4000), (21, 8000), (2, 8000)] {
        let sources = vec![source(length); count];
        let mut larger = body.clone();
        for name in ["sourceUrl", "url", "html"] {
            larger.remove(name);
        }
        larger.insert("sources".to_owned(), json!(sources));
        if is_accepted(catalogue, tool, &larger) {
            body = larger;
            break;
        }
    }
    for (name, value) in
        [("sourceUrl", json!(address(8000))), ("url", json!(address(8000))), ("html", json!("x".repeat(400_000)))]
    {
        if body.contains_key(name) {
            grow(catalogue, tool, &mut body, name, [value]);
        }
    }
    body
}

fn smallest_body(catalogue: &Catalogue, tool: &Tool) -> Map<String, Value> {
    let file = json!({"sourceUrl": "https://a.example/x"});
    let sources = [
        file.clone(),
        json!({"sources": [file]}),
        json!({"sources": [file, file]}),
        json!({"url": "https://a.example/"}),
        json!({"html": "x"}),
    ];
    // Options without which some tools do nothing.
    let options = [
        json!({}),
        json!({"text": ["xx"]}),
        json!({"userPassword": "x"}),
        json!({"key": {"pkcs12": "x"}}),
        json!({"format": "docx"}),
        json!({"text": "x"}),
        json!({"mode": "every"}),
        json!({"fields": {"a": "b"}}),
        json!({"data": {"a": "b"}}),
        json!({"operations": [{"pages": "1"}]}),
        json!({"pages": "1"}),
    ];
    let bodies = sources.iter().flat_map(|source| {
        options.iter().map(|options| {
            let mut body = source.as_object().unwrap().clone();
            body.insert("options".to_owned(), options.clone());
            body
        })
    });
    let mut accepted = bodies.filter(|body| is_accepted(catalogue, tool, body));
    accepted.next().unwrap_or_else(|| panic!("{} needs another smallest request", tool.definition.slug))
}

fn source(length: usize) -> Value {
    json!({"sourceUrl": address(length), "filename": "x".repeat(200)})
}

fn address(length: usize) -> String {
    format!("https://a.example/{}", "x".repeat(length))
}

fn headers() -> Map<String, Value> {
    (0..10).map(|n| (format!("x-{n}-{}", "x".repeat(90)), json!("x".repeat(4000)))).collect()
}

/// Fails when more bytes are written to it than there is room for.
struct Room(usize);

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| Error::other("no room"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

/// Whether the JSON of these members has at most so many bytes. Some candidates have hundreds of megabytes, so counting ends there.
fn fits(members: &Map<String, Value>, most: usize) -> bool {
    serde_json::to_writer(Room(most), members).is_ok()
}

fn is_accepted(catalogue: &Catalogue, tool: &Tool, body: &Map<String, Value>) -> bool {
    fits(body, MAX_BODY_BYTES) && JobRequest::parse(catalogue, tool, body).is_ok()
}

/// Sets the member to the first of these values that the tool accepts, if there is one.
fn grow(
    catalogue: &Catalogue,
    tool: &Tool,
    body: &mut Map<String, Value>,
    name: &str,
    values: impl IntoIterator<Item = Value>,
) {
    for value in values {
        let mut larger = body.clone();
        larger.insert(name.to_owned(), value);
        if is_accepted(catalogue, tool, &larger) {
            *body = larger;
            return;
        }
    }
}

fn add_options(tool: &Tool, body: &mut Map<String, Value>) {
    let schemas = tool.definition.parameters["properties"]["options"]["properties"].as_object().cloned();
    let mut options = body.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, schema) in schemas.into_iter().flatten() {
        let of_others = options.clone();
        let with = |value: Value| of_others.clone().into_iter().chain([(name.clone(), value)]).collect();
        // An option is checked together with the others, since some exclude each other.
        let larger = candidates(&schema).into_iter().map(with);
        let accepted = |options: &Map<String, Value>| {
            fits(options, MOST_OPTIONS) && tool.breaches_of_options(&json!(options)).is_empty()
        };
        options = larger.into_iter().find(accepted).unwrap_or(of_others);
    }
    body.insert("options".to_owned(), Value::Object(options));
}

/// Each step that fits, until there are five.
fn add_steps(catalogue: &Catalogue, tool: &Tool, body: &mut Map<String, Value>) {
    static STEPS: OnceLock<Vec<Value>> = OnceLock::new();
    for step in STEPS.get_or_init(|| largest_steps(catalogue)) {
        let mut steps = body.get("then").and_then(Value::as_array).cloned().unwrap_or_default();
        steps.push(step.clone());
        grow(catalogue, tool, body, "then", [json!(steps)]);
    }
}

/// Steps with their largest options.
fn largest_steps(catalogue: &Catalogue) -> Vec<Value> {
    let tools = ["edit-metadata", "watermark-pdf", "redact-pdf", "organize-pdf", "fill-form", "compress-pdf"];
    let step = |slug: &str| {
        let tool = catalogue.find(slug).unwrap();
        let mut body = smallest_body(catalogue, tool);
        add_options(tool, &mut body);
        json!({"toolSlug": slug, "options": body["options"]})
    };
    tools.into_iter().map(step).collect()
}

/// Values for a schema, the largest first. Not all are valid.
fn candidates(schema: &Value) -> Vec<Value> {
    let alternatives = ["anyOf", "oneOf"].iter().filter_map(|name| schema[name].as_array()).flatten();
    let mut values: Vec<Value> = alternatives.flat_map(candidates).collect();
    if let Some(choices) = schema["enum"].as_array() {
        values.extend(choices.iter().max_by_key(|choice| choice.to_string().len()).cloned());
    }
    match schema["type"].as_str() {
        Some("string") => {
            let length = most(schema, "maxLength").unwrap_or(20_000);
            values.extend([WIDE, "x"].map(|letter| json!(letter.repeat(length))));
            values.extend(
                ["1-2,".repeat(length / 4).trim_end_matches(','), "#aabbcc", "2026-01-01T00:00:00Z"].map(Value::from),
            );
        }
        Some("array") => {
            let items = candidates(&schema["items"]);
            let lengths = most(schema, "maxItems").into_iter().chain(LENGTHS);
            values.extend(lengths.flat_map(|length| items.iter().map(move |item| json!(vec![item; length]))));
        }
        Some("object") => values.extend(object(schema)),
        Some("boolean") => values.push(json!(true)),
        Some("integer" | "number") => {
            values.extend(["maximum", "minimum"].iter().filter_map(|name| schema.get(name).cloned()));
            values.push(json!(1));
        }
        Some(_) | None => {}
    }
    values
}

fn object(schema: &Value) -> Option<Value> {
    let known = schema["properties"].as_object().into_iter().flatten();
    let mut members: Map<String, Value> =
        known.filter_map(|(name, schema)| Some((name.clone(), candidates(schema).into_iter().next()?))).collect();
    if let Some(value) = schema.get("additionalProperties").and_then(|schema| candidates(schema).into_iter().next()) {
        let length = most(&schema["propertyNames"], "maxLength").unwrap_or(40).saturating_sub(4);
        let short = if value.to_string().len() > 4000 { json!("x".repeat(300)) } else { value };
        let count = most(schema, "maxProperties").unwrap_or(20);
        members.extend((0..count).map(|n| (format!("{n:0>4}{}", "x".repeat(length)), short.clone())));
    }
    Some(Value::Object(members))
}

fn most(schema: &Value, name: &str) -> Option<usize> {
    usize::try_from(schema[name].as_u64()?).ok()
}
