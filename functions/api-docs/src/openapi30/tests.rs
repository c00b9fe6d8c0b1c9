//! The description in OpenAPI 3.0 has all of the one in 3.1, in forms that generators can read.

use std::collections::BTreeSet;

use docmill_domain::catalogue::Catalogue;
use serde_json::{Map, Value, json};

use super::openapi30;
use crate::description::{openapi, schema_name, text};
use crate::requests::requests;

fn both() -> (Value, Value) {
    let catalogue = Catalogue::load().unwrap();
    let document = openapi(&catalogue).unwrap();
    (document.clone(), openapi30(document, &catalogue).unwrap())
}

/// What a schema of 3.0 says, as JSON Schema 2020-12: alone, or with all that its annotations add.
fn as_json_schema(schema: &Value, with_annotations: bool) -> Value {
    match schema {
        Value::Object(object) => {
            let keep = |(name, value): (&String, &Value)| (name.clone(), as_json_schema(value, with_annotations));
            let mut object: Map<String, Value> = object.iter().map(keep).collect();
            if object.get("exclusiveMinimum") == Some(&json!(true)) {
                object["exclusiveMinimum"] = object.remove("minimum").unwrap();
            }
            if object.remove("nullable").is_some() {
                object["type"] = json!([object["type"], "null"]);
            }
            if with_annotations {
                // Each annotation is a schema of its own, beside the one that it belongs to.
                let rules = object.remove("x-rules").into_iter();
                let one = object.remove("x-any-of").map(|all| json!({"anyOf": all})).into_iter();
                let value = object.remove("x-const").map(|value| json!({"const": value})).into_iter();
                let mut all: Vec<_> = rules.chain(one).chain(value).collect();
                if !all.is_empty() {
                    all.push(Value::Object(object));
                    return json!({"allOf": all});
                }
            }
            Value::Object(object)
        }
        Value::Array(items) => items.iter().map(|item| as_json_schema(item, with_annotations)).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

/// A validator of a component of the description, by its name.
fn validator(description: &Value, name: &str, with_annotations: bool) -> jsonschema::Validator {
    let schemas = as_json_schema(&description["components"]["schemas"], with_annotations);
    let components = json!({"schemas": schemas, "x-schemas": description["components"]["x-schemas"]});
    let schema = json!({"$ref": format!("#/components/schemas/{name}"), "components": components});
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn every_request_that_a_tool_accepts_fits_every_type_for_it() {
    let catalogue = Catalogue::load().unwrap();
    let description = openapi30(openapi(&catalogue).unwrap(), &catalogue).unwrap();
    let any_job = validator(&description, "JobRequest", false);
    let any_tool = validator(&description, "ToolJobRequest", false);
    let mut accepted = 0;
    for tool in catalogue.tools() {
        let own = jsonschema::validator_for(&tool.definition.parameters).unwrap();
        let job = schema_name(&tool.definition.slug);
        let short = tool.definition.short_endpoint.as_ref();
        let short = short.map(|_| validator(&description, &format!("{}Request", job.trim_end_matches("Job")), false));
        for mut body in requests(&tool.definition) {
            if !own.is_valid(&body) {
                continue;
            }
            assert!(any_tool.is_valid(&body), "ToolJobRequest: {body}");
            assert!(short.as_ref().is_none_or(|short| short.is_valid(&body)), "short form of {job}: {body}");
            body["toolSlug"] = json!(tool.definition.slug);
            assert!(any_job.is_valid(&body), "JobRequest: {body}");
            accepted += 1;
        }
    }
    assert!(accepted > 300, "{accepted} requests");
}

#[test]
fn with_its_annotations_a_tools_type_is_as_strict_as_the_service() {
    let catalogue = Catalogue::load().unwrap();
    let description = openapi30(openapi(&catalogue).unwrap(), &catalogue).unwrap();
    let mut verdicts = [0, 0];
    for tool in catalogue.tools() {
        let own = jsonschema::validator_for(&tool.definition.parameters).unwrap();
        let name = schema_name(&tool.definition.slug);
        let annotated = validator(&description, &name, true);
        for mut body in requests(&tool.definition) {
            body["toolSlug"] = json!(tool.definition.slug);
            let expected = own.is_valid(&body);
            assert_eq!(annotated.is_valid(&body), expected, "{name}: {body}");
            verdicts[usize::from(expected)] += 1;
        }
    }
    assert!(verdicts.iter().all(|count| *count > 300), "requests of both kinds: {verdicts:?}");
}

#[test]
fn both_descriptions_have_the_same_operations_and_examples_fit_both() {
    let (exact, simple) = both();
    let operations = |description: &Value| -> BTreeSet<String> {
        let items = description["paths"].as_object().unwrap().values().flat_map(|item| item.as_object().unwrap());
        items.filter_map(|(_, operation)| operation["operationId"].as_str().map(str::to_owned)).collect()
    };
    assert_eq!(operations(&simple), operations(&exact));
    assert_eq!((&simple["openapi"], &exact["openapi"]), (&json!("3.0.3"), &json!("3.1.0")));
    assert_eq!(simple["x-webhooks"]["event"]["post"]["operationId"], "receiveEvent");

    let mut checked = 0;
    for (place, content) in contents(&simple) {
        let schema = json!({"allOf": [as_json_schema(&content["schema"], false)],
            "components": {"schemas": as_json_schema(&simple["components"]["schemas"], false)}});
        let validator = jsonschema::validator_for(&schema).unwrap();
        for (name, example) in content["examples"].as_object().into_iter().flatten() {
            let pointer = example["$ref"].as_str().unwrap().trim_start_matches('#');
            let value = &simple.pointer(pointer).unwrap()["value"];
            let breaches: Vec<_> = validator.iter_errors(value).map(|error| error.to_string()).collect();
            assert_eq!(breaches, [""; 0], "{place}: {name}");
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} examples");
}

/// Every body of a request or response in JSON, with the pointer to it.
fn contents(description: &Value) -> Vec<(String, Value)> {
    fn visit(value: &Value, place: &str, found: &mut Vec<(String, Value)>) {
        let Some(object) = value.as_object() else { return };
        for (key, member) in object {
            let place = format!("{place}/{key}");
            if key == "application/json" {
                found.push((place, member.clone()));
            } else {
                visit(member, &place, found);
            }
        }
    }
    let mut found = Vec::new();
    visit(&description["paths"], "paths", &mut found);
    visit(&description["components"]["responses"], "responses", &mut found);
    found
}

/// What every generator can read, as `make test-generators` shows. Everything else would be found there only after minutes.
#[test]
fn its_types_have_no_conditions_no_alternatives_and_no_defaults() {
    fn visit(place: &str, schema: &Value) {
        let Some(object) = schema.as_object() else { return };
        for unknown in
            ["anyOf", "not", "if", "const", "default", "examples", "propertyNames", "dependentRequired", "uniqueItems"]
        {
            assert!(!object.contains_key(unknown), "{place} has {unknown}");
        }
        assert!(!object.contains_key("$ref") || object.len() == 1, "{place} has more than its reference");
        assert!(!object.contains_key("allOf") || object["allOf"].as_array().unwrap().len() == 1, "{place}: allOf");
        assert!(!object.contains_key("oneOf") || object.contains_key("discriminator"), "{place}: oneOf");
        assert!(object.get("type").is_none_or(Value::is_string), "{place} has several types");
        for key in ["items", "additionalProperties"] {
            object.get(key).into_iter().for_each(|member| visit(&format!("{place}/{key}"), member));
        }
        for (name, member) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
            visit(&format!("{place}/{name}"), member);
        }
    }
    let (_, description) = both();
    let schemas = description["components"]["schemas"].as_object().unwrap();
    schemas.iter().for_each(|(name, schema)| visit(name, schema));
    contents(&description).iter().for_each(|(place, content)| visit(place, &content["schema"]));
    for parameter in description["components"]["parameters"].as_object().unwrap().values() {
        visit("parameter", &parameter["schema"]);
    }
    let kinds = ["parameters", "schemas", "responses"];
    let names: Vec<_> =
        kinds.iter().flat_map(|kind| description["components"][kind].as_object().unwrap().keys()).collect();
    let different: BTreeSet<_> = names.iter().collect();
    assert_eq!(names.len(), different.len(), "generators make types of all kinds of components: {names:?}");
    // A tenth more than 3.1 may have: references with words of their own are copied.
    assert!(text(&description).unwrap().len() <= 360_000);
}
