//! A page for each endpoint, from the OpenAPI description.

use docmill_http::error::ErrorCode;
use docmill_look::code::copyable_code;
use docmill_look::highlight::Syntax;
use docmill_look::schema;
use maud::{Markup, html};
use serde_json::{Value, json};

use crate::article::{Article, Links, Section, first_sentence};
use crate::error;
use crate::members::{Members, resolve};

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

    /// The kind of resource that it belongs to, such as `Jobs`.
    pub fn family(&self) -> &str {
        self.value["tags"][0].as_str().unwrap_or_default()
    }

    fn text(&self, name: &str) -> &str {
        self.value[name].as_str().unwrap_or_default()
    }

    pub fn article(&self, description: &Value, links: &Links) -> Article {
        let parameters = parameters(self, description);
        let body = self.body();
        let mut sections = Vec::new();
        let markup = html! {
            p.endpoint { span.badge.info { (self.method) } " " code { (self.path) } }
            p.lead { (schema::prose(self.text("description"))) }
            div.endpoint-columns {
                (self.code(description, &mut sections))
                div {
                    @if parameters["properties"].as_object().is_some_and(|parameters| !parameters.is_empty()) {
                        (heading("Parameters and headers", &mut sections))
                        (Members { description, links, marks_required: true }.of(&parameters))
                    }
                    @if !body.is_null() {
                        (heading("Request body", &mut sections))
                        (request(body, description, links))
                    }
                    @for (status, response) in self.successes() {
                        (heading(&format!("Response {status}"), &mut sections))
                        (answer(resolve(response, description), description, links))
                    }
                    (heading("Errors", &mut sections))
                    (errors(self, description, links))
                }
            }
        };
        let summary = first_sentence(self.text("description"));
        Article { summary, is_wide: true, ..Article::new(self.title(), (markup, sections)) }
    }

    fn successes(&self) -> impl Iterator<Item = (&String, &Value)> {
        let responses = self.value["responses"].as_object().into_iter().flatten();
        responses.filter(|(status, _)| status.starts_with(['2', '3']))
    }

    /// A request to copy, and its response.
    fn code(&self, description: &Value, sections: &mut Vec<Section>) -> Markup {
        let example = self.successes().find_map(|(status, response)| {
            let content = &resolve(response, description)["content"]["application/json"];
            Some((status, example(content, description)?))
        });
        html! {
            aside.endpoint-code aria-label="Request and response" {
                (heading("Request", sections))
                (copyable_code("request-code", Syntax::Shell, &self.curl(description)))
                @if let Some((status, value)) = example {
                    (heading("Response", sections))
                    p.code-label { (status) }
                    (copyable_code("response-code", Syntax::Json, &format!("{value:#}")))
                }
            }
        }
    }

    /// The request with curl. Ids come from the environment.
    pub fn curl(&self, description: &Value) -> String {
        let path = self
            .path
            .replace("{tool_slug}", if self.form().is_null() { "html-to-pdf" } else { "office-to-pdf" })
            .replace("{job_id}", "$JOB_ID")
            .replace("{font_id}", "$FONT_ID")
            .replace("{template_name}", "$TEMPLATE")
            .replace("{batch_id}", "$BATCH_ID")
            .replace("{event_id}", "$EVENT_ID")
            .replace("{webhook_id}", "$WEBHOOK_ID");
        let fields = example(self.form(), description).map(fields);
        let body = example(self.body(), description).filter(|_| fields.is_none());
        let body = body.map(|value| format!("{value:#}").replace('\'', r"'\''"));
        // What curl does by itself.
        let usual = if body.is_some() || fields.is_some() { "POST" } else { "GET" };
        let method = if self.method == usual { String::new() } else { format!("-X {} ", self.method) };
        let start = format!(
            "curl -sS --fail-with-body {method}\"$DOCMILL_URL{path}\" \\\n  -H \"Authorization: Bearer $DOCMILL_KEY\""
        );
        match body {
            Some(body) => {
                format!("{start} \\\n  -H 'Content-Type: application/json' \\\n  -d '{}'", with_upload(&body))
            }
            None => start + &fields.unwrap_or_default(),
        }
    }

    /// The form that it takes besides JSON, or null.
    fn form(&self) -> &Value {
        &self.value["requestBody"]["content"]["multipart/form-data"]
    }

    /// What it takes: a form, or else JSON.
    fn body(&self) -> &Value {
        if self.form().is_null() { &self.value["requestBody"]["content"]["application/json"] } else { self.form() }
    }

    /// Method, path, description, and the request with curl.
    pub fn markdown(&self, description: &Value) -> String {
        let (method, path, text) = (&self.method, self.path, self.text("description"));
        format!("# {}\n\n`{method} {path}`\n\n{text}\n\n```sh\n{}\n```\n", self.title(), self.curl(description))
    }
}

/// The fields of a form for curl. Lists are files.
fn fields(form: &Value) -> String {
    let each = form.as_object().into_iter().flatten().flat_map(|(name, value)| match value.as_array() {
        Some(files) => files.iter().map(|file| format!("{name}=@{}", file.as_str().unwrap_or_default())).collect(),
        None => vec![format!("{name}={}", value.as_str().unwrap_or_default())],
    });
    each.map(|field| format!(" \\\n  -F {field}")).collect()
}

/// The example's upload id as a variable of the shell.
fn with_upload(body: &str) -> String {
    match body.split_once("\"upl_") {
        Some((before, rest)) => {
            format!("{before}\"'\"$UPLOAD_ID\"'{}", rest.trim_start_matches(|letter: char| letter.is_ascii_hexdigit()))
        }
        None => body.to_owned(),
    }
}

/// A page for the object that most responses contain.
pub fn job_object(description: &Value, links: &Links) -> Article {
    let example = &description["components"]["examples"]["JobCompleted"]["value"]["job"];
    let members = Members { description, links, marks_required: false };
    let mut sections = Vec::new();
    let body = html! {
        p.lead { "Every response about a job contains it in " code { "job" } ", and events in " code { "data.job" } "." }
        div.endpoint-columns {
            aside.endpoint-code aria-label="Example" {
                (heading("Example", &mut sections))
                (copyable_code("job-code", Syntax::Json, &format!("{example:#}")))
            }
            div {
                (heading("Properties", &mut sections))
                (members.of(&description["components"]["schemas"]["Job"]))
            }
        }
    };
    let summary = "All properties of a job: its state, result, cost, timings and warnings.".to_owned();
    Article { summary, is_wide: true, ..Article::new("The job object", (body, sections)) }
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
            p { "The body is the tool's own. Its page lists every option: see " a href=(links.to("/docs/tools")) { "Tool reference" } "." }
        } @else {
            (Members { description, links, marks_required: true }.of(&body["schema"]))
        }
    }
}

fn answer(response: &Value, description: &Value, links: &Links) -> Markup {
    let content = &response["content"]["application/json"];
    html! {
        p { (schema::prose(response["description"].as_str().unwrap_or_default())) }
        @if !content.is_null() {
            details.nested {
                summary { "Properties" }
                (Members { description, links, marks_required: false }.of(&content["schema"]))
            }
        }
    }
}

/// The first example of a body.
fn example<'a>(content: &'a Value, description: &'a Value) -> Option<&'a Value> {
    let first = content["examples"].as_object()?.values().next()?;
    resolve(first, description).get("value")
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
