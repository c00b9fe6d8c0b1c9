//! A tool's options in few words: what an assistant needs to call it, without the weight of a JSON Schema.

use serde_json::{Map, Value, json};

/// Longest outline in characters: with the rest of the answer it stays below 1,500 tokens.
const MOST_CHARACTERS: usize = 4800;

/// How much is said about options, from all to little.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    All,
    FirstSentences,
    /// Of the options, and nothing of their members.
    OfOptions,
    /// Beginnings of the options' first sentences.
    Beginnings,
}

const DETAILS: [Detail; 4] = [Detail::All, Detail::FirstSentences, Detail::OfOptions, Detail::Beginnings];
/// Characters of a beginning.
const BEGINNING: usize = 60;

/// What the answer with a tool's schema says, for an assistant or a person. `option`: only this one, with all about it.
///
/// # Errors
/// If the tool has no such option: a sentence with those that it has.
pub fn of_tool(answer: &Value, option: Option<&str>) -> Result<Value, String> {
    let tool = &answer["tool"];
    let parameters = &tool["parameters"]["properties"];
    let empty = Map::new();
    let options = parameters["options"]["properties"].as_object().unwrap_or(&empty);
    if let Some(name) = option {
        let schema = options.get(name).ok_or_else(|| {
            let known: Vec<_> = options.keys().map(String::as_str).collect();
            format!("The tool has no option `{name}`. It has: {}.", known.join(", "))
        })?;
        return Ok(json!({"tool": tool["slug"], "option": line(name, schema, Detail::All)}));
    }
    let required = parameters["options"]["required"].as_array();
    let of = |detail| {
        let lines = options.iter().map(|(name, schema)| line(name, schema, detail));
        lines.collect::<Vec<_>>().join("\n")
    };
    let mut outlines = DETAILS.into_iter().map(|detail| (detail, of(detail)));
    let fits = |(_, text): &(Detail, String)| text.chars().count() <= MOST_CHARACTERS;
    let (detail, outline) = outlines.find(fits).unwrap_or_else(|| (Detail::Beginnings, of(Detail::Beginnings)));
    let inputs = parameters["input"]["properties"].as_object().unwrap_or(&empty);
    let mut told = json!({
        "tool": tool["slug"],
        "input": inputs.keys().collect::<Vec<_>>(),
        "formats": tool["metadata"]["sourceFormats"],
        "result": tool["outputFormat"]["extension"],
        "options": outline,
    });
    if inputs.contains_key("sources") {
        told["mostSources"] = tool["metadata"]["mostSources"].clone();
    }
    if let Some(required) = required {
        told["requiredOptions"] = json!(required);
    }
    if let Some(example) = parameters["options"]["examples"].get(0).filter(|_| detail < Detail::OfOptions) {
        told["exampleOptions"] = example.clone();
    }
    if detail > Detail::All {
        told["more"] = json!("describe_tool with `option` says all about one option.");
    }
    Ok(told)
}

/// `dpi: 36..600 = 150. Dots per inch.`
fn line(name: &str, schema: &Value, detail: Detail) -> String {
    let default = match schema.get("default") {
        Some(Value::Object(_) | Value::Array(_) | Value::Null) | None => String::new(),
        Some(default) => format!(" = {default}"),
    };
    let said = said(schema, detail);
    format!("{name}: {}{default}{}{said}", kind(schema, detail), if said.is_empty() { "" } else { ". " })
}

fn said(schema: &Value, detail: Detail) -> String {
    let whole = schema["description"].as_str().unwrap_or_default();
    let sentence = || whole.split_once(". ").map_or(whole, |(first, _)| first).trim_end_matches('.');
    match detail {
        Detail::All => whole.to_owned(),
        Detail::FirstSentences | Detail::OfOptions => sentence().to_owned(),
        Detail::Beginnings => {
            let sentence = sentence();
            let cut = sentence.char_indices().nth(BEGINNING).map(|(at, _)| at);
            cut.map_or_else(|| sentence.to_owned(), |at| format!("{}…", sentence.get(..at).unwrap_or_default()))
        }
    }
}

/// The type as a short expression: `"a"|"b"`, `1..100`, `[text]`, `{name: text}`.
fn kind(schema: &Value, detail: Detail) -> String {
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(choices) = schema["enum"].as_array() {
        return choices.iter().map(Value::to_string).collect::<Vec<_>>().join("|");
    }
    for several in ["anyOf", "oneOf"] {
        if let Some(kinds) = schema[several].as_array().filter(|_| schema["type"].is_null()) {
            let mut kinds: Vec<_> = kinds.iter().map(|schema| kind(schema, detail)).collect();
            kinds.dedup();
            return kinds.join(" | ");
        }
    }
    if let Some(types) = schema["type"].as_array() {
        let of_type = |each: &Value| {
            let mut schema = schema.clone();
            schema["type"] = each.clone();
            kind(&schema, detail)
        };
        return types.iter().map(of_type).collect::<Vec<_>>().join(" | ");
    }
    match schema["type"].as_str() {
        Some("boolean") => "bool".to_owned(),
        Some("integer" | "number") => match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!("{least}..{most}"),
            (Some(least), None) => format!("{least}.."),
            (None, Some(most)) => format!("..{most}"),
            (None, None) => "number".to_owned(),
        },
        Some("array") => format!("[{}]", kind(&schema["items"], detail)),
        Some("object") => members(schema, detail),
        _ => match schema["format"].as_str() {
            Some("page-range") => "pages".to_owned(),
            Some(_) | None => "text".to_owned(),
        },
    }
}

fn members(schema: &Value, detail: Detail) -> String {
    let required = schema["required"].as_array();
    let is_required = |name: &str| required.is_some_and(|required| required.iter().any(|each| each == name));
    let Some(properties) = schema["properties"].as_object() else {
        let values = if schema["additionalProperties"].is_object() {
            kind(&schema["additionalProperties"], detail)
        } else {
            "any".to_owned()
        };
        return format!("{{name: {values}}}");
    };
    let member = |(name, schema): (&String, &Value)| {
        let optional = if is_required(name) { "" } else { "?" };
        let said = if detail < Detail::OfOptions { said(schema, detail) } else { String::new() };
        let said = if said.is_empty() { said } else { format!(" ({})", said.trim_end_matches('.')) };
        format!("{name}{optional}: {}{said}", kind(schema, detail))
    };
    format!("{{{}}}", properties.iter().map(member).collect::<Vec<_>>().join(", "))
}
