//! A request in four languages, made from snippets that a test runs.

use docmill::domain::catalogue::Tool;
use docmill::domain::source::SourceKind;
use docmill::domain::tool::Definition;
use docmill_look::code::Tab;
use serde_json::{Map, Value, json};

/// The snippets' endpoint, which examples replace.
const ENDPOINT: &str = "/v1/convert/office-to-pdf";
const BODY: &str = r#"{"sourceUrl": "https://files.example.com/report.docx"}"#;
const CONTENT_TYPE: &str = "application/pdf";
const FILE: &str = "report.pdf";

/// Bodies up to this length stay on one line.
const ONE_LINE: usize = 72;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    Curl,
    Python,
    TypeScript,
    Rust,
}

impl Language {
    pub const ALL: [Self; 4] = [Self::Curl, Self::Python, Self::TypeScript, Self::Rust];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Curl => "curl",
            Self::Python => "Python",
            Self::TypeScript => "TypeScript",
            Self::Rust => "Rust",
        }
    }

    const fn snippet(self) -> &'static str {
        CONVERT.code(self)
    }
}

/// A program in each language. A test runs them unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub name: &'static str,
    codes: [&'static str; 4],
}

macro_rules! program {
    ($name:literal) => {
        Program {
            name: $name,
            codes: [
                include_str!(concat!("../snippets/", $name, ".sh")),
                include_str!(concat!("../snippets/", $name, ".py")),
                include_str!(concat!("../snippets/", $name, ".ts")),
                include_str!(concat!("../snippets/", $name, ".rs")),
            ],
        }
    };
}

const CONVERT: Program = program!("convert");

/// The complete programs in guides.
pub const PROGRAMS: [Program; 2] = [program!("chain"), program!("cleanup")];

impl Program {
    pub const fn code(self, language: Language) -> &'static str {
        let [curl, python, typescript, rust] = self.codes;
        match language {
            Language::Curl => curl,
            Language::Python => python,
            Language::TypeScript => typescript,
            Language::Rust => rust,
        }
    }

    pub fn tabs(self) -> Vec<Tab> {
        Language::ALL.map(|language| Tab { label: language.name(), code: self.code(language).trim_end().into() }).into()
    }
}

/// A conversion that waits for its result and saves it.
#[derive(Clone, Debug)]
pub struct Example {
    pub endpoint: String,
    pub body: Value,
    pub content_type: String,
    /// The file name of the result.
    pub file: String,
}

impl Example {
    /// A typical request to a tool, based on its schema.
    pub fn of(tool: &Tool) -> Self {
        let definition = &tool.definition;
        let body = sample(definition);
        Self { file: format!("result.{}", definition.output_format.extension), ..Self::with(definition, body) }
    }

    /// A request to a tool with this body.
    pub fn with(definition: &Definition, body: Value) -> Self {
        let named = format!("/v1/tools/{}/jobs", definition.slug);
        Self {
            endpoint: definition.short_endpoint.clone().unwrap_or(named),
            body,
            content_type: definition.output_format.content_type.clone(),
            file: format!("result.{}", definition.output_format.extension),
        }
    }

    pub fn code(&self, language: Language) -> String {
        let body = match language {
            Language::Curl => text(&self.body, false, 2).replace('\'', r"'\''"),
            Language::Python => text(&self.body, true, 8),
            Language::TypeScript => text(&self.body, false, 4),
            Language::Rust => text(&self.body, false, 12),
        };
        let snippet =
            language.snippet().trim_end().replace(ENDPOINT, &self.endpoint).replace(CONTENT_TYPE, &self.content_type);
        snippet.replace(FILE, &self.file).replace(BODY, &body)
    }

    pub fn tabs(&self) -> Vec<Tab> {
        Language::ALL.map(|language| Tab { label: language.name(), code: self.code(language) }).into()
    }
}

/// A value as code: JSON with spaces, or Python, with line breaks if it is long.
fn text(value: &Value, python: bool, indent: usize) -> String {
    let line = one_line(value, python);
    match value.as_object() {
        Some(object) if line.len() > ONE_LINE => {
            let space = " ".repeat(indent);
            let member = |(name, value): (&String, &Value)| {
                format!("{space}  {}: {}", json!(name), text(value, python, indent + 2))
            };
            format!("{{\n{}\n{space}}}", object.iter().map(member).collect::<Vec<_>>().join(",\n"))
        }
        Some(_) | None => line,
    }
}

fn one_line(value: &Value, python: bool) -> String {
    match value {
        Value::Object(object) => {
            let member = |(name, value): (&String, &Value)| format!("{}: {}", json!(name), one_line(value, python));
            format!("{{{}}}", object.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => {
            format!("[{}]", items.iter().map(|item| one_line(item, python)).collect::<Vec<_>>().join(", "))
        }
        Value::Bool(true) if python => "True".to_owned(),
        Value::Bool(false) if python => "False".to_owned(),
        Value::Null if python => "None".to_owned(),
        Value::Bool(_) | Value::Null | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// A body with the required number of sources, and options with an example or that are required.
pub fn sample(definition: &Definition) -> Value {
    let sources = &definition.sources;
    let options = &definition.parameters["properties"]["options"];
    let format = sources.formats.first().map_or("pdf", String::as_str);
    let file = |name: &str| json!({"sourceUrl": format!("https://files.example.com/{name}.{format}")});
    let mut body = if sources.are_several() {
        json!({"sources": [file("first"), file("second")]})
    } else if sources.kinds.contains(&SourceKind::SourceUrl) {
        file("report")
    } else if sources.kinds.contains(&SourceKind::Markdown) {
        json!({"markdown": "# Hello"})
    } else {
        json!({"html": "<h1>Hello</h1>"})
    };
    let required = options["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let chosen: Map<_, _> = required.map(|name| (name.to_owned(), value(&options["properties"][name]))).collect();
    let chosen = options["examples"].get(0).cloned().unwrap_or(Value::Object(chosen));
    if chosen.as_object().is_some_and(|chosen| !chosen.is_empty()) {
        body["options"] = chosen;
    }
    body
}

/// A value that the schema accepts: its example, its default, or a simple value of its type.
fn value(schema: &Value) -> Value {
    let given = schema["examples"].get(0).or(schema.get("default")).or(schema["enum"].get(0));
    if let Some(given) = given {
        return given.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => schema.get("minimum").cloned().unwrap_or(json!(1)),
        Some("boolean") => json!(true),
        Some("array") => json!([value(&schema["items"])]),
        Some("object") => json!({}),
        Some(_) | None => json!("…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill::domain::catalogue::Catalogue;
    use docmill::domain::request::JobRequest;

    #[test]
    fn every_tool_has_an_example_that_its_schema_accepts() {
        let catalogue = Catalogue::load().unwrap();
        for tool in catalogue.tools() {
            let body = sample(&tool.definition);
            let parsed = JobRequest::parse(&catalogue, tool, body.as_object().unwrap());
            assert!(parsed.is_ok(), "{}: {body}: {parsed:?}", tool.definition.slug);
        }
    }

    #[test]
    fn every_snippet_contains_the_parts_that_examples_replace() {
        for language in Language::ALL {
            for part in [ENDPOINT, BODY, CONTENT_TYPE, FILE] {
                assert_eq!(language.snippet().matches(part).count(), 1, "{part} in {}", language.name());
            }
        }
    }

    #[test]
    fn bodies_have_the_syntax_of_each_language() {
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find("html-to-pdf").unwrap().definition;
        let example = Example::with(definition, json!({"html": "<p>it's</p>", "options": {"tagged": false}}));
        assert!(
            example.code(Language::Curl).ends_with(r#"-d '{"html": "<p>it'\''s</p>", "options": {"tagged": false}}'"#)
        );
        assert!(example.code(Language::Python).contains(r#"{"html": "<p>it's</p>", "options": {"tagged": False}}"#));
        assert!(example.code(Language::Rust).contains("/v1/convert/html-to-pdf"));
        let long = json!({"sourceUrl": "https://files.example.com/reports/2026/november.docx", "options": {"landscape": true}});
        let shown = Example::with(definition, long).code(Language::TypeScript);
        assert!(shown.contains("{\n      \"sourceUrl\": \"https"), "{shown}");
    }
}
