//! How JSON Schemas are made of the types that are sent, for the description of the API.

use schemars::generate::SchemaSettings;
use schemars::transform::transform_subschemas;
use schemars::{Schema, SchemaGenerator};
use serde_json::Value;

/// Makes the schemas of types that are sent, under their names in the description.
pub fn generator() -> SchemaGenerator {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = "/components/schemas".into();
    settings.transforms.push(Box::new(as_described));
    settings.into_generator()
}

/// The sizes of Rust's numbers.
const WIDTHS: [&str; 5] = ["uint", "uint16", "uint32", "uint64", "int64"];

/// Without what only Rust knows: the widths of numbers, and `null` for what is left out.
fn as_described(schema: &mut Schema) {
    transform_subschemas(&mut as_described, schema);
    let width = schema.get("format").and_then(Value::as_str).filter(|format| WIDTHS.contains(format));
    if width.is_some() {
        schema.remove("format");
        if schema.get("maximum") == Some(&u16::MAX.into()) {
            schema.remove("maximum");
        }
    }
    if let Some(Value::String(text)) = schema.remove("description").filter(|text| text != "") {
        // Lines end where the code's do.
        schema.insert("description".to_owned(), text.replace('\n', " ").into());
    }
    join_values(schema);
    let required = schema.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|names| names.iter().any(|each| each == name));
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties.into_iter().flatten().filter(|(name, _)| !is_required(name)) {
        leave_out_null(property);
    }
}

/// Values of an enum, each with a description for readers of the code, become a list.
fn join_values(schema: &mut Schema) {
    let Some(Value::Array(ways)) = schema.get("oneOf") else { return };
    let values: Option<Vec<Vec<Value>>> = ways.iter().map(values_of).collect();
    let Some(values) = values else { return };
    schema.remove("oneOf");
    schema.insert("type".to_owned(), "string".into());
    schema.insert("enum".to_owned(), values.concat().into());
}

fn values_of(way: &Value) -> Option<Vec<Value>> {
    way["enum"].as_array().cloned().or_else(|| way.get("const").map(|value| vec![value.clone()]))
}

fn leave_out_null(property: &mut Value) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            property["type"] = only.clone();
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    let ways = property.get_mut("anyOf").and_then(Value::as_array_mut);
    let without = ways.map(|ways| {
        ways.retain(|way| way["type"] != "null");
        std::mem::take(ways)
    });
    if let (Some([Value::Object(only)]), Some(property)) = (without.as_deref(), property.as_object_mut()) {
        property.remove("anyOf");
        property.extend(only.clone());
    }
}
