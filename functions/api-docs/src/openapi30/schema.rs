//! JSON Schema 2020-12 in the terms of OpenAPI 3.0.

use serde_json::{Map, Value, json};

/// Keywords that restrict an object further. Generators take some of them for types, and don't know others.
const RULES_OF_OBJECTS: [&str; 8] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentRequired"];
/// Generators don't know the first, and for the second make sets, which lose the order.
const RULES: [&str; 2] = ["propertyNames", "uniqueItems"];

/// Converts a schema and all schemas in it. `schemas`: what its references name, as they are in 3.1.
pub(super) fn convert(schema: &mut Value, schemas: &Map<String, Value>) {
    let Some(object) = schema.as_object_mut() else { return };
    object.remove("$schema");
    // A generator would name the type after it.
    object.remove("title");
    replace_reference(object, schemas);
    if object.contains_key("$ref") {
        return;
    }
    name_types(object);
    move_rules(object, schemas);
    join_alternatives(object, schemas);
    rename_keywords(object);
    for key in ["items", "additionalProperties"] {
        if let Some(member) = object.get_mut(key) {
            convert(member, schemas);
        }
    }
    for key in ["allOf", "oneOf"] {
        object.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().for_each(|each| convert(each, schemas));
    }
    let properties = object.get_mut("properties").and_then(Value::as_object_mut);
    properties.into_iter().flat_map(Map::values_mut).for_each(|each| convert(each, schemas));
}

/// In 3.0, nothing may stand beside a reference. Descriptions do in 3.1: objects are wrapped for them, and other parts copied.
fn replace_reference(schema: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    if schema.len() < 2 {
        return;
    }
    let Some(reference) = schema.remove("$ref") else { return };
    let part = target(&reference, schemas);
    if part["type"] == "object" {
        schema.insert("allOf".to_owned(), json!([{"$ref": reference}]));
    } else if let Value::Object(part) = part {
        for (name, value) in part {
            schema.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
}

/// `null` is an attribute in 3.0. A value of several types has none, and its rules are kept beside it.
fn name_types(schema: &mut Map<String, Value>) {
    let Some(Value::Array(types)) = schema.get("type") else { return };
    let named: Vec<_> = types.iter().filter(|each| *each != "null").cloned().collect();
    if let [one] = named.as_slice() {
        schema.insert("type".to_owned(), one.clone());
        schema.insert("nullable".to_owned(), json!(true));
    } else {
        let whole = annotation(&Value::Object(schema.clone()));
        schema.retain(|name, _| name == "description");
        schema.insert("x-any-of".to_owned(), json!([whole]));
    }
}

fn move_rules(schema: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let is_object = schema.contains_key("properties");
    let names = RULES_OF_OBJECTS.into_iter().filter(|_| is_object).chain(RULES);
    let rules: Map<_, _> = names.filter_map(|name| Some((name.to_owned(), schema.remove(name)?))).collect();
    if rules.is_empty() {
        return;
    }
    let words = rules.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let words = words.filter_map(|rule| description(rule, schemas)).map(sentence);
    let own = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    let description = own.into_iter().chain(words).collect::<Vec<_>>().join(" ");
    if !description.is_empty() {
        schema.insert("description".to_owned(), json!(description));
    }
    schema.insert("x-rules".to_owned(), annotation(&Value::Object(rules)));
}

/// A rule's own description, or that of the part that it refers to.
fn description<'a>(rule: &'a Value, schemas: &'a Map<String, Value>) -> Option<&'a str> {
    rule["description"].as_str().or_else(|| target(&rule["$ref"], schemas)["description"].as_str())
}

/// Alternatives that are objects become one object with the members of all. Others become any value.
fn join_alternatives(schema: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let Some(Value::Array(alternatives)) = schema.remove("anyOf") else { return };
    let mut members = Map::new();
    let objects = alternatives.iter().map(|each| target(&each["$ref"], schemas)["properties"].as_object());
    if let Some(objects) = objects.collect::<Option<Vec<_>>>() {
        for (name, member) in objects.into_iter().flatten() {
            let same = members.get(name).is_none_or(|known| known == member);
            members.insert(name.clone(), if same { member.clone() } else { json!({}) });
        }
        schema.insert("type".to_owned(), json!("object"));
        schema.insert("properties".to_owned(), Value::Object(members));
        schema.insert("x-any-of".to_owned(), Value::Array(alternatives));
    } else {
        schema.insert("x-any-of".to_owned(), annotation(&Value::Array(alternatives)));
    }
}

fn rename_keywords(schema: &mut Map<String, Value>) {
    match schema.remove("const") {
        Some(Value::String(text)) => drop(schema.insert("enum".to_owned(), json!([text]))),
        Some(other) => drop(schema.insert("x-const".to_owned(), other)),
        None => {}
    }
    if let Some(Value::Array(examples)) = schema.remove("examples")
        && let Some(example) = examples.into_iter().next()
    {
        schema.insert("example".to_owned(), example);
    }
    if let Some(limit) = schema.get("exclusiveMinimum").cloned() {
        schema.insert("minimum".to_owned(), limit);
        schema.insert("exclusiveMinimum".to_owned(), json!(true));
    }
    move_default(schema);
}

/// Some clients send defaults, which is not the same as leaving them out: another option may forbid or change them.
fn move_default(schema: &mut Map<String, Value>) {
    let Some(default) = schema.remove("default") else { return };
    let words = match schema.get("description").and_then(Value::as_str) {
        Some(words) => format!("{words} Default: `{default}`."),
        None => format!("Default: `{default}`."),
    };
    schema.insert("description".to_owned(), json!(words));
    schema.insert("x-default".to_owned(), default);
}

/// A rule's description as a whole sentence.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let end = if words.ends_with('.') { "" } else { "." };
    first.chain(letters).chain(end.chars()).collect()
}

const TYPES: &str = "#/components/schemas/";
/// Where annotations find the parts that they refer to, as they are in 3.1.
const PARTS: &str = "#/components/x-schemas/";

/// A schema of 3.1 with references to parts of 3.1.
fn annotation(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let members = object.iter().map(|(name, value)| match (name.as_str(), value.as_str()) {
                ("$ref", Some(reference)) => (name.clone(), json!(reference.replace(TYPES, PARTS))),
                _ => (name.clone(), annotation(value)),
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(annotation).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// The parts that annotations refer to, and those that these refer to.
pub(super) fn parts_of_annotations(document: &Value, schemas: &Map<String, Value>) -> Map<String, Value> {
    let mut parts = Map::new();
    let mut texts = vec![document.to_string()];
    while let Some(text) = texts.pop() {
        for (name, schema) in schemas {
            if !parts.contains_key(name) && text.contains(&format!("\"{PARTS}{name}\"")) {
                let part = annotation(schema);
                texts.push(part.to_string());
                parts.insert(name.clone(), part);
            }
        }
    }
    parts
}

fn target<'a>(reference: &Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let name = reference.as_str().and_then(|path| path.strip_prefix(TYPES));
    name.and_then(|name| schemas.get(name)).unwrap_or(&Value::Null)
}
