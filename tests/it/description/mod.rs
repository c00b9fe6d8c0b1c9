//! Compares the OpenAPI description with the code: routes, codes, schemas, examples, and responses of the real handlers.

mod answers;
mod sent;

use std::collections::BTreeSet;
use std::sync::Mutex;

use docmill_domain::catalogue::Catalogue;
use docmill_domain::event::EventKind;
use docmill_domain::job::{JobErrorCode, JobStatus};
use docmill_domain::tool::{AccessTier, ToolState};
use docmill_http::error::ErrorCode;
use docmill_http::routes::ROUTES;
use functions::api_docs;
use lambda_http::http::Method;
use serde_json::{Value, json};

use crate::contract::file;
use crate::support::http::Answer;

/// Headers of every response, which come from the gateway and HTTP itself.
const UNDOCUMENTED: [&str; 2] = ["content-type", "cache-control"];

/// The description, and the properties of its schemas that answers had: `Job.progress`.
struct Description(Value, Mutex<BTreeSet<String>>);

impl Description {
    fn load() -> Self {
        Self(api_docs::description::openapi(&Catalogue::load().unwrap()).unwrap(), Mutex::default())
    }

    /// Like `load`, but unknown properties are errors. The published one allows additions.
    fn closed() -> Self {
        let mut description = Self::load();
        let tools: BTreeSet<_> = tool_schemas().into_iter().map(|(name, _)| name).collect();
        let schemas = description.0["components"]["schemas"].as_object_mut().unwrap();
        schemas.iter_mut().filter(|(name, _)| !tools.contains(*name)).for_each(|(_, schema)| close(schema));
        description
    }

    fn resolve<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(reference) => self.0.pointer(reference.strip_prefix('#').unwrap()).expect(reference),
            None => value,
        }
    }

    fn operation(&self, method: &Method, path: &str) -> &Value {
        &self.0["paths"][path][method.as_str().to_ascii_lowercase()]
    }

    /// All operations, including webhooks, with a name for messages.
    fn operations(&self) -> Vec<(String, &Value)> {
        let items = ["paths", "webhooks"].into_iter().flat_map(|section| self.0[section].as_object().unwrap());
        items
            .flat_map(|(path, item)| item.as_object().unwrap().iter().map(move |(key, value)| (path, key, value)))
            .filter(|(_, key, _)| *key != "parameters")
            .map(|(path, method, operation)| (format!("{} {path}", method.to_uppercase()), operation))
            .collect()
    }

    /// The errors in `value` according to the JSON schema in `content`.
    fn breaches(&self, content: &Value, value: &Value) -> Vec<String> {
        let mut schema = content["application/json"]["schema"].clone();
        schema["components"] = self.0["components"].clone();
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
    }

    /// Checks a real response: its status, body and headers must be documented.
    fn check(&self, method: Method, path: &str, answer: &Answer) {
        let what = format!("{method} {path} → {}", answer.status);
        let documented = &self.operation(&method, path)["responses"][answer.status.to_string()];
        assert!(!documented.is_null(), "{what} is not documented");
        let documented = self.resolve(documented);
        if documented["content"].is_null() {
            assert_eq!(answer.body, Value::Null, "{what}");
        } else {
            assert_eq!(self.breaches(&documented["content"], &answer.body), [""; 0], "{what}: {}", answer.body);
            self.note(&documented["content"], &answer.body);
        }
        let named = documented["headers"].as_object().unwrap();
        for (name, header) in named {
            let header = self.resolve(header);
            let Some(value) = answer.header(&name.to_lowercase()) else {
                assert_ne!(header["required"], true, "{what} lacks {name}");
                continue;
            };
            let value = if header["schema"]["type"] == "integer" { value.parse().unwrap() } else { json!(value) };
            let validator = jsonschema::options().build(&header["schema"]).unwrap();
            assert!(validator.is_valid(&value), "{what}: {name}: {value}");
        }
        let known: BTreeSet<_> = named.keys().map(|name| name.to_lowercase()).collect();
        for name in answer.headers.keys().map(|name| name.as_str()) {
            assert!(known.contains(name) || UNDOCUMENTED.contains(&name), "{what}: {name} is not documented");
        }
    }
}

/// Forbids undefined properties at every level.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.values_mut().for_each(close);
            if object.get("type") == Some(&json!("object")) && object.contains_key("properties") {
                object.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn tool_schemas() -> Vec<(String, Value)> {
    let name = |slug: &str| api_docs::description::schema_name(slug);
    let catalogue = Catalogue::load().unwrap();
    catalogue
        .tools()
        .iter()
        .map(|tool| (name(&tool.definition.slug), Value::clone(&tool.definition.parameters)))
        .collect()
}

fn strings(value: &Value) -> BTreeSet<&str> {
    value.as_array().unwrap().iter().map(|each| each.as_str().unwrap()).collect()
}

#[test]
fn the_description_has_exactly_the_routes_of_the_code() {
    let description = Description::load();
    let listed: BTreeSet<_> =
        description.operations().into_iter().map(|(name, _)| name).filter(|name| name.contains('/')).collect();
    let mut expected: BTreeSet<_> = ROUTES.iter().map(|(method, path)| format!("{method} {path}")).collect();
    expected.insert("GET /.well-known/docmill-webhooks.json".to_owned());
    assert_eq!(listed, expected);
    assert_eq!(description.0["openapi"], "3.1.0");
    assert_eq!(description.0["info"]["version"], "1.0.0-batch12");
}

#[test]
fn the_description_has_exactly_the_error_codes_of_the_code_under_their_status() {
    let description = Description::load();
    let schemas = &description.0["components"]["schemas"];
    let all: BTreeSet<_> = ErrorCode::ALL.map(ErrorCode::as_str).into();
    assert_eq!(strings(&schemas["Error"]["properties"]["code"]["enum"]), all);

    let mut shown = BTreeSet::new();
    for (name, operation) in description.operations() {
        for (status, response) in operation["responses"].as_object().unwrap() {
            let response = description.resolve(response);
            let Some(examples) = response["content"]["application/json"]["examples"].as_object() else { continue };
            for (code, _) in examples.iter().filter(|_| status.starts_with(['4', '5'])) {
                let known = ErrorCode::ALL.into_iter().find(|known| known.as_str() == code).expect(code);
                assert_eq!(known.status().as_str(), status, "{name}: {code}");
                shown.insert(known.as_str());
            }
        }
    }
    // These two belong to no operation: they are described separately and in the guide.
    let elsewhere = [ErrorCode::RouteNotFound, ErrorCode::MethodNotAllowed].map(ErrorCode::as_str);
    assert_eq!(&shown | &elsewhere.into(), all);
    assert!(elsewhere.iter().all(|code| description.0["components"]["examples"][code].is_object()));
}

#[test]
fn the_description_has_exactly_the_states_job_errors_and_events_of_the_code() {
    let description = Description::load();
    let schemas = &description.0["components"]["schemas"];
    let job_errors: BTreeSet<_> = JobErrorCode::ALL.map(JobErrorCode::as_str).into();
    assert_eq!(strings(&schemas["JobError"]["properties"]["code"]["enum"]), job_errors);
    let guide = api_docs::guide::all();
    let errors = file("functions/api-docs/guides/errors.md");
    let rows = errors.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix("| `")?.split(" | ").collect();
        Some((cells[0].trim_end_matches('`'), cells[1], cells[2] != "no |"))
    });
    let known = JobErrorCode::ALL.map(|code| (code.as_str(), code.meaning(), code.is_retryable()));
    assert_eq!(rows.collect::<BTreeSet<_>>(), known.into());
    assert_eq!(strings(&schemas["JobStatus"]["enum"]), JobStatus::ALL.map(JobStatus::as_str).into());
    assert_eq!(strings(&schemas["EventType"]["enum"]), EventKind::ALL.map(EventKind::as_str).into());
    assert!(EventKind::ALL.iter().all(|kind| guide.contains(kind.as_str())));
    let tool = &schemas["Tool"]["properties"];
    serde_json::from_value::<Vec<AccessTier>>(tool["accessTier"]["enum"].clone()).unwrap();
    serde_json::from_value::<Vec<ToolState>>(tool["state"]["enum"].clone()).unwrap();
}

#[test]
fn job_bodies_are_the_schemas_that_are_enforced() {
    let description = Description::load();
    let schemas = &description.0["components"]["schemas"];
    let reference = |name: &str| json!({"$ref": format!("#/components/schemas/{name}")});
    // A unit test of the documentation compares the schemas themselves.
    let references: Vec<_> = tool_schemas().iter().map(|(name, _)| reference(name)).collect();
    assert_eq!(schemas["ToolJobRequest"]["anyOf"], json!(references));
    for tool in Catalogue::load().unwrap().tools() {
        let slug = &tool.definition.slug;
        let Some(endpoint) = &tool.definition.short_endpoint else { continue };
        let operation = description.operation(&Method::POST, endpoint);
        let name = api_docs::description::schema_name(slug);
        let expected = json!({"$ref": format!("#/components/schemas/{name}")});
        assert_eq!(operation["requestBody"]["content"]["application/json"]["schema"], expected);
    }
}

#[test]
fn every_reference_has_a_target() {
    fn visit(description: &Description, value: &Value) {
        if let Some(reference) = value["$ref"].as_str() {
            let target = reference.strip_prefix('#').and_then(|pointer| description.0.pointer(pointer));
            assert!(target.is_some(), "{reference}");
        }
        match value {
            Value::Object(object) => object.values().for_each(|value| visit(description, value)),
            Value::Array(items) => items.iter().for_each(|value| visit(description, value)),
            _ => {}
        }
    }
    let description = Description::load();
    visit(&description, &description.0);
}

#[test]
fn every_example_fits_its_schema() {
    let description = Description::closed();
    let responses = description.0["components"]["responses"].as_object().unwrap();
    let mut contents: Vec<_> = responses.iter().map(|(name, response)| (name.clone(), &response["content"])).collect();
    for (name, operation) in description.operations() {
        contents.push((format!("{name}, request"), &operation["requestBody"]["content"]));
        let answers = operation["responses"].as_object().unwrap();
        contents.extend(answers.iter().map(|(status, answer)| (format!("{name}, {status}"), &answer["content"])));
    }
    let mut checked = BTreeSet::new();
    for (name, content) in contents {
        let Some(examples) = content["application/json"]["examples"].as_object() else { continue };
        for (title, example) in examples {
            let value = &description.resolve(example)["value"];
            assert_eq!(description.breaches(content, value), [""; 0], "{name}: {title}");
            checked.insert(title.clone());
        }
    }
    let all: BTreeSet<_> = description.0["components"]["examples"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(checked, all, "every example is used");
}

#[test]
fn the_guides_signature_check_is_the_one_that_runs_in_the_python_client() {
    let guide = api_docs::guide::all();
    let mut blocks = guide.split("```python\n").skip(1).filter_map(|block| block.split("```").next());
    let code = blocks.find(|code| code.contains("hmac.compare_digest")).unwrap();
    let (imports, function) = code.split_once("\n\n\n").unwrap();
    assert!(file("tests/clients/convert.py").contains(function));
    assert_eq!(imports, "import base64, hashlib, hmac, time", "a test runs it");
}
