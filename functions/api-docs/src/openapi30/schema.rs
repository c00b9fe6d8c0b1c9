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
    name_types(object, schemas);
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
fn name_types(schema: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let Some(Value::Array(types)) = schema.get("type") else { return };
    let named: Vec<_> = types.iter().filter(|each| *each != "null").cloned().collect();
    if let [one] = named.as_slice() {
        schema.insert("type".to_owned(), one.clone());
        schema.insert("nullable".to_owned(), json!(true));
    } else {
        let whole = resolved(&Value::Object(schema.clone()), schemas);
        schema.retain(|name, _| name == "description");
        schema.insert("x-any-of".to_owned(), json!([whole]));
    }
}

fn move_rules(schema: &mut Map<String, Value>, schemas: &Map<String, Value>) {
    let is_object = schema.contains_key("properties");
    let names = RULES_OF_OBJECTS.into_iter().filter(|_| is_object).chain(RULES);
    let moved = names.filter_map(|name| Some((name.to_owned(), resolved(&schema.remove(name)?, schemas))));
    let rules: Map<_, _> = moved.collect();
    if rules.is_empty() {
        return;
    }
    let words = rules.get("allOf").and_then(Value::as_array).into_iter().flatten();
    let words = words.filter_map(|rule| rule["description"].as_str()).map(sentence);
    let own = schema.get("description").and_then(Value::as_str).map(str::to_owned);
    let description = own.into_iter().chain(words).collect::<Vec<_>>().join(" ");
    if !description.is_empty() {
        schema.insert("description".to_owned(), json!(description));
    }
    schema.insert("x-rules".to_owned(), Value::Object(rules));
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
        schema.insert("x-any-of".to_owned(), resolved(&Value::Array(alternatives), schemas));
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

/// The schema with the parts that it refers to.
pub(super) fn resolved(schema: &Value, schemas: &Map<String, Value>) -> Value {
    match schema {
        Value::Object(object) => {
            let part = object.get("$ref").map(|reference| resolved(target(reference, schemas), schemas));
            let mut whole = match part {
                Some(Value::Object(part)) => part,
                _ => Map::new(),
            };
            let own = object.iter().filter(|(name, _)| *name != "$ref");
            whole.extend(own.map(|(name, value)| (name.clone(), resolved(value, schemas))));
            Value::Object(whole)
        }
        Value::Array(items) => items.iter().map(|item| resolved(item, schemas)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn target<'a>(reference: &Value, schemas: &'a Map<String, Value>) -> &'a Value {
    let name = reference.as_str().and_then(|path| path.strip_prefix("#/components/schemas/"));
    name.and_then(|name| schemas.get(name)).unwrap_or(&Value::Null)
}
