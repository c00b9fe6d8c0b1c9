//! The published JSON Schemas of `extract-document`'s results: those of the types, with their comments as descriptions.
//!
//! After a change of the types, `DOCMILL_WRITE_SCHEMAS=1 cargo test --workspace --lib published_schemas` writes them.

use std::path::PathBuf;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::{Value, json};

use super::model::{Document, VERSION};
use super::write::Chunk;

fn schema_of<T: JsonSchema>(name: &str, title: &str) -> (String, Value) {
    let file = format!("{name}-{VERSION}.json");
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.transforms.push(Box::new(RecursiveTransform(as_written)));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), json!(title));
    schema.insert("$id".to_owned(), json!(format!("/docs/schemas/{file}")));
    (file, schema.to_value())
}

/// Without the widths of Rust's numbers, which readers need not know, and without `null`: what is not known is left out.
fn as_written(schema: &mut Schema) {
    schema.remove("format");
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(mut ways)) = schema.remove("anyOf") {
        ways.retain(|way| way["type"] != "null");
        assert_eq!(ways.len(), 1, "{ways:?}");
        ways.iter().filter_map(Value::as_object).flatten().for_each(|(key, value)| {
            schema.insert(key.clone(), value.clone());
        });
    }
}

fn published(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../api-docs/schemas").join(file)
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    for (file, schema) in [
        schema_of::<Document>("extract-document", "A document of extract-document, as JSON"),
        schema_of::<Chunk<'_>>("extract-document-chunk", "A line of the chunks of extract-document"),
    ] {
        let path = published(&file);
        if std::env::var_os("DOCMILL_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, format!("{schema:#}\n")).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let written: Value = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(written, schema, "{file} is not that of the types: see schema.rs");
    }
}
