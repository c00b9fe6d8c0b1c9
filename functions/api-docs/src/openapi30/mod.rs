//! The same description in OpenAPI 3.0, in forms that every generator of clients can read.
//!
//! It accepts whatever the description in 3.1 accepts. What generators can't express is kept in annotations, so that nothing is lost:
//! `x-rules` has rules that a value must also satisfy, and `x-any-of` the alternatives of a value (both JSON Schema 2020-12, with
//! their common parts in `components/x-schemas`); `x-const` has the only value of a flag, and `x-default` what the service assumes if
//! a value is left out.

mod schema;
#[cfg(test)]
mod tests;

use docmill_domain::catalogue::Catalogue;
use serde_json::{Map, Value, json};

use crate::description::{DescriptionError, put, schema_name};
use crate::sharing::same_but_for_words;

/// The whole OpenAPI document, made of that in 3.1.
///
/// # Errors
/// If the document lacks something that every description has.
pub fn openapi30(mut document: Value, catalogue: &Catalogue) -> Result<Value, DescriptionError> {
    put(&mut document, "", "openapi", json!("3.0.3"))?;
    object(&mut document, "/info")?.remove("summary");
    put(&mut document, "/info", "license", json!({"name": "Apache-2.0", "url": APACHE}))?;
    let webhooks = object(&mut document, "")?.remove("webhooks");
    put(&mut document, "", "x-webhooks", webhooks.ok_or(DescriptionError::Missing("webhooks"))?)?;

    leave_out_forms(&mut document);
    name_bodies_of_short_endpoints(&mut document, catalogue)?;
    give_each_job_one_response(&mut document)?;
    let original = std::mem::take(object(&mut document, "/components/schemas")?);
    convert_inline(&mut document, &original);
    let mut schemas = tell_apart_by_slug(&original, catalogue)?;
    schemas.values_mut().for_each(|each| schema::convert(each, &original));
    put(&mut document, "/components", "schemas", Value::Object(schemas))?;
    let parts = schema::parts_of_annotations(&document, &original);
    put(&mut document, "/components", "x-schemas", Value::Object(parts))?;
    remove_unused(&mut document)?;
    Ok(document)
}

const APACHE: &str = "https://www.apache.org/licenses/LICENSE-2.0";

/// Generators handle one type of successful responses only. A job with an optional download is the type that fits all of them.
const SUCCESSFUL: [&str; 3] = [
    "/components/responses/JobAccepted/content/application~1json",
    "/paths/~1v1~1jobs~1{job_id}~1download/get/responses/200/content/application~1json",
    "/paths/~1v1~1jobs~1{job_id}~1download/get/responses/202/content/application~1json",
];

fn give_each_job_one_response(document: &mut Value) -> Result<(), DescriptionError> {
    SUCCESSFUL.into_iter().try_for_each(|place| put(document, place, "schema", reference("WaitResponse")))
}

/// Not every generator knows forms with files. Endpoints that take them take JSON too.
fn leave_out_forms(document: &mut Value) {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    let operations = paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut);
    let contents = operations.filter_map(|operation| operation.pointer_mut("/requestBody/content")?.as_object_mut());
    contents.for_each(|content| drop(content.shift_remove("multipart/form-data")));
}

/// Short endpoints get bodies of their own, in which `toolSlug` is optional.
fn name_bodies_of_short_endpoints(document: &mut Value, catalogue: &Catalogue) -> Result<(), DescriptionError> {
    for tool in catalogue.tools() {
        let Some(endpoint) = &tool.definition.short_endpoint else { continue };
        let job = schema_name(&tool.definition.slug);
        let name = format!("{}Request", job.trim_end_matches("Job"));
        let content = ["paths", endpoint, "post", "requestBody", "content", "application/json"];
        let content = content.into_iter().try_fold(&mut *document, |value, key| value.get_mut(key));
        let content = content.ok_or(DescriptionError::Missing("body of a short endpoint"))?;
        put(content, "", "schema", reference(&name))?;
        let schemas = object(document, "/components/schemas")?;
        let body = schemas.get(&job).cloned().ok_or(DescriptionError::Missing("tool"))?;
        schemas.insert(name, body);
    }
    Ok(())
}

/// Which tool's schema a job has, depends on its `toolSlug`: as a discriminator where it is required, and otherwise in words.
fn tell_apart_by_slug(
    original: &Map<String, Value>,
    catalogue: &Catalogue,
) -> Result<Map<String, Value>, DescriptionError> {
    let mut schemas = original.clone();
    let mut any_tool = Map::new();
    let (mut choices, mut mapping) = (Vec::new(), Map::new());
    for tool in catalogue.tools() {
        let (slug, name) = (&tool.definition.slug, schema_name(&tool.definition.slug));
        let schema = schemas.get_mut(&name).ok_or(DescriptionError::Missing("tool"))?;
        let members = object(schema, "/properties")?;
        members.iter().for_each(|(name, member)| add_member(&mut any_tool, name, member));
        members.insert("toolSlug".to_owned(), json!({"type": "string", "enum": [slug]}));
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        put(schema, "", "required", [vec![json!("toolSlug")], required].concat().into())?;
        choices.push(reference(&name));
        mapping.insert(slug.clone(), json!(format!("#/components/schemas/{name}")));
    }
    let any_tool_request = schemas.get_mut("ToolJobRequest").ok_or(DescriptionError::Missing("ToolJobRequest"))?;
    let choices_of_any = object(any_tool_request, "")?.remove("anyOf");
    put(any_tool_request, "", "properties", Value::Object(any_tool))?;
    put(any_tool_request, "", "x-any-of", choices_of_any.unwrap_or_default())?;
    let discriminator = json!({"propertyName": "toolSlug", "mapping": mapping});
    schemas.insert("JobRequest".to_owned(), json!({"oneOf": choices, "discriminator": discriminator}));
    Ok(schemas)
}

/// A member that differs between tools is any object or any value.
fn add_member(members: &mut Map<String, Value>, name: &str, member: &Value) {
    let known = members.get(name);
    let shared = match name {
        "options" => any_object("The tool's options, as its own schema describes them."),
        "input" => any_object("The tool's source, as its own schema describes it."),
        _ if known.is_none_or(|known| same_but_for_words(known, member)) => known.unwrap_or(member).clone(),
        _ => json!({"description": "As the tool's own schema describes it."}),
    };
    members.insert(name.to_owned(), shared);
}

fn any_object(words: &str) -> Value {
    json!({"type": "object", "description": words, "additionalProperties": true})
}

/// Converts the schemas of parameters, headers, bodies and responses.
fn convert_inline(value: &mut Value, schemas: &Map<String, Value>) {
    match value {
        Value::Object(object) => {
            for (key, member) in object.iter_mut() {
                match key.as_str() {
                    "schema" => schema::convert(member, schemas),
                    "example" | "examples" => {}
                    _ => convert_inline(member, schemas),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| convert_inline(item, schemas)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Parts that were only rules, or were copied to where they are used, are not needed any more.
fn remove_unused(document: &mut Value) -> Result<(), DescriptionError> {
    loop {
        let text = document.to_string();
        let schemas = object(document, "/components/schemas")?;
        let before = schemas.len();
        schemas.retain(|name, _| text.contains(&format!("\"#/components/schemas/{name}\"")));
        if schemas.len() == before {
            return Ok(());
        }
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn object<'a>(value: &'a mut Value, pointer: &'static str) -> Result<&'a mut Map<String, Value>, DescriptionError> {
    value.pointer_mut(pointer).and_then(Value::as_object_mut).ok_or(DescriptionError::Missing(pointer))
}
