//! A page for each endpoint, from the OpenAPI description.

use docmill::http::error::ErrorCode;
use docmill_look::code::copyable;
use docmill_look::schema;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::article::{Article, Links, Section};
use crate::error;

/// Nested references are resolved down to this depth.
const MAX_DEPTH: usize = 16;

/// An operation of the OpenAPI description.
#[derive(Clone, Debug)]
pub struct Operation<'a> {
    pub method: String,
    pub path: &'a str,
    item: &'a Value,
    value: &'a Value,
}

/// All operations in order. Webhooks are not included, because clients don't send requests to them.
pub fn all(description: &Value) -> Vec<Operation<'_>> {
    let paths = description["paths"].as_object().into_iter().flatten();
    paths
        .flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flatten().filter(|(name, _)| *name != "parameters");
            methods.map(move |(method, value)| Operation { method: method.to_uppercase(), path, item, value })
        })
        .collect()
}

impl Operation<'_> {
    /// `createToolJob` becomes `create-tool-job`.
    pub fn slug(&self) -> String {
        let mut slug = String::new();
        for letter in self.text("operationId").chars() {
            if letter.is_ascii_uppercase() {
                slug.push('-');
            }
            slug.push(letter.to_ascii_lowercase());
        }
        slug
    }

    pub fn title(&self) -> &str {
        self.text("summary")
    }

    fn text(&self, name: &str) -> &str {
        self.value[name].as_str().unwrap_or_default()
    }

    pub fn article(&self, description: &Value, links: &Links) -> Article {
        let parameters = parameters(self, description);
        let body = &self.value["requestBody"]["content"]["application/json"];
        let mut sections = Vec::new();
        let markup = html! {
            p.endpoint { span.badge.info { (self.method) } " " code { (self.path) } }
            p.lead { (schema::prose(self.text("description"))) }
            @if parameters["properties"].as_object().is_some_and(|parameters| !parameters.is_empty()) {
                (heading("Parameters and headers", &mut sections))
                (schema::table("Parameters", &parameters))
            }
            @if !body.is_null() {
                (heading("Request body", &mut sections))
                (request(body, description, links))
            }
            @for (status, response) in self.value["responses"].as_object().into_iter().flatten().filter(|(status, _)| status.starts_with(['2', '3'])) {
                (heading(&format!("Response {status}"), &mut sections))
                (answer(status, resolve(response, description), description))
            }
            (heading("Errors", &mut sections))
            (errors(self, description, links))
        };
        Article { summary: self.text("description").replace('`', ""), ..Article::new(self.title(), (markup, sections)) }
    }
}

fn heading(title: &str, sections: &mut Vec<Section>) -> Markup {
    let section = Section::new(title);
    let markup = html! { h2 id=(section.id) { (title) } };
    sections.push(section);
    markup
}

/// Parameters of path, query and headers, in the form of object properties.
fn parameters(operation: &Operation<'_>, description: &Value) -> Value {
    let mut object = json!({"properties": {}, "required": []});
    let lists = [&operation.item["parameters"], &operation.value["parameters"]];
    for parameter in lists.into_iter().filter_map(Value::as_array).flatten().map(|each| resolve(each, description)) {
        let Some(name) = parameter["name"].as_str() else { continue };
        let mut schema = parameter["schema"].clone();
        schema["description"] = parameter["description"].clone();
        object["properties"][name] = schema;
        if let Some(required) = object["required"].as_array_mut().filter(|_| parameter["required"] == true) {
            required.push(json!(name));
        }
    }
    object
}

fn request(body: &Value, description: &Value, links: &Links) -> Markup {
    let shown = body["schema"]["$ref"].as_str().and_then(|reference| reference.rsplit('/').next()).unwrap_or_default();
    html! {
        @if shown.ends_with("Job") || shown.ends_with("JobRequest") {
            p { "The body is the tool's own. Its page lists every option: see " a href=(links.to("/docs/tools")) { "Tools" } "." }
        } @else {
            (schema::table("Request body", &expand(&body["schema"], description, 0)))
        }
        (example("request-example", body, description))
    }
}

fn answer(status: &str, response: &Value, description: &Value) -> Markup {
    let content = &response["content"]["application/json"];
    html! {
        p { (schema::prose(response["description"].as_str().unwrap_or_default())) }
        @if !content.is_null() {
            (schema::table(&format!("Response {status}"), &expand(&content["schema"], description, 0)))
            (example(&format!("example-{status}"), content, description))
        }
    }
}

/// The first example of a body.
fn example(id: &str, content: &Value, description: &Value) -> Markup {
    let first = content["examples"].as_object().and_then(|examples| examples.values().next());
    let value = first.map(|first| &resolve(first, description)["value"]);
    html! { @if let Some(value) = value { h3 { "Example" } (copyable(id, &format!("{value:#}"))) } }
}

/// The error codes in the responses, with links to their pages.
fn errors(operation: &Operation<'_>, description: &Value, links: &Links) -> Markup {
    let responses = operation.value["responses"].as_object().into_iter().flatten();
    let named: Vec<_> = responses
        .filter_map(|(_, response)| {
            resolve(response, description)["content"]["application/json"]["examples"].as_object()
        })
        .flat_map(|examples| examples.keys())
        .filter_map(|name| ErrorCode::ALL.into_iter().find(|code| code.as_str() == name))
        .collect();
    html! {
        ul.error-list { @for code in named { li {
            (code.status().as_u16()) " "
            a href=(links.to(&format!("/docs/errors/{}", code.as_str()))) { code { (code.as_str()) } }
            @if let Some(meaning) = error::meaning(code.as_str()) { " – " (schema::prose(meaning)) }
        } } }
    }
}

fn resolve<'a>(value: &'a Value, description: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    pointer.and_then(|pointer| description.pointer(pointer)).unwrap_or(value)
}

/// A schema with its references resolved.
fn expand(schema: &Value, description: &Value, depth: usize) -> Value {
    if depth > MAX_DEPTH {
        return Value::Null;
    }
    match resolve(schema, description) {
        Value::Object(object) => {
            object.iter().map(|(name, value)| (name.clone(), expand(value, description, depth + 1))).collect()
        }
        Value::Array(items) => items.iter().map(|value| expand(value, description, depth + 1)).collect(),
        plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => plain.clone(),
    }
}
