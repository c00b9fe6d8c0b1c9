//! Parts that the tools' schemas have in common, as components of the description.
//!
//! Each tool's own schema stands alone, since it is published and enforced by itself. In the description, all of them would repeat
//! the same sources, steps and outputs, so each part is described once and referred to. Whatever the references say, a schema
//! accepts the same requests.

use docmill_domain::catalogue::Catalogue;
use serde_json::{Map, Value, json};

/// A component and where it is found: a tool, and a pointer into its schema.
struct Part {
    name: &'static str,
    tool: &'static str,
    place: &'static str,
}

const fn part(name: &'static str, tool: &'static str, place: &'static str) -> Part {
    Part { name, tool, place }
}

/// Parts that contain others come first.
const PARTS: [Part; 37] = [
    part("JobOutput", "office-to-pdf", "/properties/output"),
    part("FurtherSteps", "office-to-pdf", "/properties/then"),
    part("JobWebhookRequest", "office-to-pdf", "/properties/webhook"),
    part("Labels", "office-to-pdf", "/properties/metadata"),
    part("ToolSlug", "office-to-pdf", "/properties/toolSlug"),
    part("PdfInput", "split-pdf", "/properties/input"),
    part("FileInput", "office-to-pdf", "/properties/input"),
    part("FilesInput", "watermark-pdf", "/properties/input"),
    part("PageInput", "html-to-pdf", "/properties/input"),
    part("MergeSources", "merge-pdf", "/properties/sources"),
    part("CompareSources", "compare-documents", "/properties/sources"),
    part("FileSources", "watermark-pdf", "/properties/sources"),
    part("DocumentSources", "extract-document", "/properties/sources"),
    part("TemplateSources", "render-template", "/properties/sources"),
    part("ImageSources", "images-to-pdf", "/properties/sources"),
    part("StoredTemplate", "render-template", "/properties/input/properties/template"),
    part("SourceUrl", "office-to-pdf", "/properties/input/properties/sourceUrl"),
    part("PageUrl", "html-to-pdf", "/properties/input/properties/url"),
    part("SourceUploadId", "office-to-pdf", "/properties/input/properties/uploadId"),
    part("SourceJobId", "office-to-pdf", "/properties/input/properties/jobId"),
    part("SourceOutput", "office-to-pdf", "/properties/input/properties/output"),
    part("InlineHtml", "html-to-pdf", "/properties/input/properties/html"),
    part("InlineMarkdown", "markdown-to-pdf", "/properties/input/properties/markdown"),
    part("Filename", "office-to-pdf", "/properties/input/properties/filename"),
    part("SourcePassword", "split-pdf", "/properties/input/properties/password"),
    part("SourceHeaders", "office-to-pdf", "/properties/input/properties/headers"),
    part("OneFile", "office-to-pdf", "/allOf/0"),
    part("OnePage", "html-to-pdf", "/allOf/0"),
    part("OneOrMoreFiles", "watermark-pdf", "/allOf/0"),
    part("OneOrMoreDocuments", "merge-pdf", "/allOf/0"),
    part("PageWidth", "html-to-pdf", "/properties/options/properties/width"),
    part("PageHeight", "html-to-pdf", "/properties/options/properties/height"),
    part("PageHeaders", "html-to-pdf", "/properties/options/properties/headers"),
    part("WaitFor", "html-to-pdf", "/properties/options/properties/waitFor"),
    part("WaitForAll", "html-to-pdf", "/properties/options/properties/waitForAll"),
    part("Cookies", "html-to-pdf", "/properties/options/properties/cookies"),
    part("Languages", "ocr-pdf", "/properties/options/properties/languages"),
];

/// Adds each tool's schema and its options under their names, and the parts that they share.
pub fn add_tools(schemas: &mut Map<String, Value>, catalogue: &Catalogue, name: impl Fn(&str) -> String) {
    let parts: Vec<_> = PARTS.iter().filter_map(|part| Some((part, original(part, catalogue)?))).collect();
    for tool in catalogue.tools() {
        let mut schema = generated(Value::clone(&tool.definition.parameters));
        share(&mut schema, "", &parts);
        let name = name(&tool.definition.slug);
        name_options(&mut schema, name.trim_end_matches("Job"), schemas);
        schemas.insert(name, schema);
    }
    for (index, (part, schema)) in parts.iter().enumerate() {
        let mut schema = schema.clone();
        // A part refers to those after it. Its own key does not matter here.
        for_members(&mut schema, |key, member| share(member, key, &parts[index + 1..]));
        schemas.insert(part.name.to_owned(), schema);
    }
}

/// Makes a tool's options a component, because generators name the types of components only.
fn name_options(schema: &mut Value, tool: &str, schemas: &mut Map<String, Value>) {
    if let Some(options) = schema.pointer_mut("/properties/options") {
        let name = format!("{tool}Options");
        let reference = json!({"$ref": format!("#/components/schemas/{name}")});
        schemas.insert(name, std::mem::replace(options, reference));
    }
}

fn original(part: &Part, catalogue: &Catalogue) -> Option<Value> {
    let schema = generated(Value::clone(&catalogue.find(part.tool)?.definition.parameters));
    schema.pointer(part.place).cloned()
}

/// Replaces what equals a part, below the same key, by a reference that keeps its own description.
fn share(schema: &mut Value, key: &str, parts: &[(&Part, Value)]) {
    let found = parts.iter().find(|(part, original)| part.key() == key && same_but_for_words(schema, original));
    if let Some((part, original)) = found {
        let mut reference = json!({"$ref": format!("#/components/schemas/{}", part.name)});
        if let Some(words) = schema.get("description").filter(|words| Some(*words) != original.get("description")) {
            reference["description"] = words.clone();
        }
        *schema = reference;
        return;
    }
    for_members(schema, |key, member| share(member, key, parts));
}

fn for_members(schema: &mut Value, mut visit: impl FnMut(&str, &mut Value)) {
    match schema {
        Value::Object(object) => object.iter_mut().for_each(|(key, member)| visit(key, member)),
        Value::Array(items) => {
            items.iter_mut().enumerate().for_each(|(index, member)| visit(&index.to_string(), member));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

pub fn same_but_for_words(schema: &Value, original: &Value) -> bool {
    match (schema.as_object(), original.as_object()) {
        (Some(one), Some(other)) => {
            let rules = |object: &Map<String, Value>| object.len() - usize::from(object.contains_key("description"));
            rules(one) == rules(other)
                && one.iter().all(|(name, value)| name == "description" || other.get(name) == Some(value))
        }
        _ => false,
    }
}

impl Part {
    fn key(&self) -> &'static str {
        self.place.rsplit('/').next().unwrap_or_default()
    }
}

/// The same schema in forms that generators of clients can read: rules of the body say that it is an object, and choices with
/// control characters, which no language has in names, are patterns.
fn generated(mut schema: Value) -> Value {
    // The whole description has this version of JSON Schema.
    schema.as_object_mut().and_then(|schema| schema.shift_remove("$schema"));
    for rule in schema["allOf"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        rule.entry("type").or_insert(json!("object"));
    }
    without_control_characters(&mut schema);
    schema
}

fn without_control_characters(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        let choices: Option<Vec<&str>> =
            object.get("enum").and_then(Value::as_array).and_then(|all| all.iter().map(Value::as_str).collect());
        if let Some(choices) = choices.filter(|all| all.iter().any(|choice| choice.contains(char::is_control))) {
            let pattern = format!("^({})$", choices.into_iter().map(escaped).collect::<Vec<_>>().join("|"));
            object.remove("enum");
            object.insert("type".to_owned(), json!("string"));
            object.insert("pattern".to_owned(), json!(pattern));
        }
    }
    for_members(schema, |_, member| without_control_characters(member));
}

/// A text as a regular expression.
fn escaped(text: &str) -> String {
    let letter = |letter: char| match letter {
        '\t' => r"\t".to_owned(),
        letter if letter.is_control() => format!(r"\u{:04x}", u32::from(letter)),
        letter if r"\^$.|?*+()[]{}".contains(letter) => format!(r"\{letter}"),
        letter => letter.to_string(),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::description::{openapi, schema_name, text};
    use crate::requests::requests;

    /// A schema with its references resolved, as the tool has it.
    fn resolved(schema: &Value, description: &Value) -> Value {
        match schema {
            Value::Object(object) => match object.get("$ref").and_then(Value::as_str) {
                Some(reference) => {
                    let target = description.pointer(reference.strip_prefix('#').unwrap()).expect(reference);
                    let mut whole = resolved(target, description);
                    for (name, value) in object.iter().filter(|(name, _)| *name != "$ref") {
                        whole[name] = value.clone();
                    }
                    whole
                }
                None => object.iter().map(|(name, value)| (name.clone(), resolved(value, description))).collect(),
            },
            Value::Array(items) => items.iter().map(|item| resolved(item, description)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
        }
    }

    #[test]
    fn every_tools_schema_is_the_enforced_one_once_its_references_are_resolved() {
        let catalogue = Catalogue::load().unwrap();
        let description = openapi(&catalogue).unwrap();
        for tool in catalogue.tools() {
            let name = schema_name(&tool.definition.slug);
            let shown = resolved(&description["components"]["schemas"][&name], &description);
            assert_eq!(shown, generated(Value::clone(&tool.definition.parameters)), "{name}");
        }
        assert!(PARTS.iter().all(|part| original(part, &catalogue).is_some()));
    }

    #[test]
    fn the_description_is_small_and_every_part_is_used() {
        let description = text(&openapi(&Catalogue::load().unwrap()).unwrap()).unwrap();
        assert!(description.len() <= 300_000, "{} bytes: shorten descriptions", description.len());
        for part in &PARTS {
            let reference = format!("\"#/components/schemas/{}\"", part.name);
            assert!(description.matches(&reference).count() > 1, "{} is used once at most", part.name);
        }
    }

    #[test]
    fn generators_find_no_control_characters_and_rules_of_objects_only() {
        let description = openapi(&Catalogue::load().unwrap()).unwrap();
        fn visit(value: &Value, check: &mut impl FnMut(&Map<String, Value>)) {
            match value {
                Value::Object(object) => {
                    check(object);
                    object.values().for_each(|value| visit(value, check));
                }
                Value::Array(items) => items.iter().for_each(|value| visit(value, check)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        visit(&description, &mut |object| {
            for choice in object.get("enum").and_then(Value::as_array).into_iter().flatten() {
                assert!(!choice.as_str().is_some_and(|text| text.contains(char::is_control)), "{choice}");
            }
        });
        let schemas = description["components"]["schemas"].as_object().unwrap();
        // Options are objects by themselves, and their rules are conditions.
        for (name, schema) in schemas.iter().filter(|(name, _)| !name.ends_with("Options")) {
            for member in schema["allOf"].as_array().into_iter().flatten() {
                let member = resolved(member, &description);
                assert_eq!(member["type"], "object", "{name}: {member}");
            }
        }
        let groups = |section: &str| -> std::collections::BTreeSet<String> {
            let operations =
                description[section].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap().values());
            operations.filter_map(|operation| operation["tags"][0].as_str().map(str::to_owned)).collect()
        };
        assert!(groups("paths").is_disjoint(&groups("webhooks")), "a group has paths and webhooks");
    }

    #[test]
    fn each_tool_accepts_the_same_requests_with_and_without_references() {
        let catalogue = Catalogue::load().unwrap();
        let description = openapi(&catalogue).unwrap();
        let mut verdicts = [0, 0];
        for tool in catalogue.tools() {
            let name = schema_name(&tool.definition.slug);
            let own = jsonschema::validator_for(&tool.definition.parameters).unwrap();
            let shared =
                json!({"$ref": format!("#/components/schemas/{name}"), "components": description["components"]});
            let shared = jsonschema::validator_for(&shared).unwrap();
            for body in requests(&tool.definition) {
                let accepted = own.is_valid(&body);
                assert_eq!(accepted, shared.is_valid(&body), "{name}: {body}");
                verdicts[usize::from(accepted)] += 1;
            }
        }
        assert!(verdicts.iter().all(|count| *count > 300), "requests of both kinds: {verdicts:?}");
    }
}
