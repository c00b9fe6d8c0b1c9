//! A request in four languages, made from snippets. A test runs every example on the pages.

use docmill::domain::catalogue::Tool;
use docmill::domain::source::SourceKind;
use docmill::domain::tool::Definition;
use serde_json::{Map, Value, json};

use crate::code::Tab;
use crate::highlight::Syntax;

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

    const fn syntax(self) -> Syntax {
        match self {
            Self::Curl => Syntax::Shell,
            Self::Python => Syntax::Python,
            Self::TypeScript => Syntax::TypeScript,
            Self::Rust => Syntax::Rust,
        }
    }

    fn tab(self, code: String) -> Tab {
        Tab { label: self.name(), syntax: self.syntax(), code }
    }
}

/// A program in each language.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    pub name: &'static str,
    codes: [&'static str; 4],
}

impl Program {
    /// The codes are in the order of [`Language::ALL`].
    pub const fn new(name: &'static str, codes: [&'static str; 4]) -> Self {
        Self { name, codes }
    }

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
        Language::ALL.map(|language| language.tab(self.code(language).trim_end().to_owned())).into()
    }
}

macro_rules! snippet {
    ($name:literal) => {
        Program::new(
            $name,
            [
                include_str!(concat!("../snippets/", $name, ".sh")),
                include_str!(concat!("../snippets/", $name, ".py")),
                include_str!(concat!("../snippets/", $name, ".ts")),
                include_str!(concat!("../snippets/", $name, ".rs")),
            ],
        )
    };
}

/// Gets the result itself.
const CONVERT: Program = snippet!("convert");
/// Gets the job and a link to its result, for results that may be several files, or JSON like the job itself.
const LINK: Program = snippet!("link");

/// A conversion that waits for its result and saves it.
#[derive(Clone, Debug)]
pub struct Example {
    endpoint: String,
    body: Value,
    result: Saved,
}

/// How an example saves the result.
#[derive(Clone, Debug)]
enum Saved {
    /// From the answer itself, in this file.
    As { file: String, content_type: String },
    /// From a link in the answer, under the name that comes with it.
    ByLink,
}

impl Example {
    /// A typical request to a tool, based on its schema.
    pub fn of(tool: &Tool) -> Self {
        Self::with(&tool.definition, sample(&tool.definition))
    }

    /// A request to a tool with this body.
    pub fn with(definition: &Definition, body: Value) -> Self {
        let named = format!("/v1/tools/{}/jobs", definition.slug);
        let endpoint = definition.short_endpoint.clone().unwrap_or(named);
        let none = Map::new();
        let options = body["options"].as_object().unwrap_or(&none);
        let output = definition.output(options);
        let result = if definition.several_outputs.with(options) || output.format == "json" {
            Saved::ByLink
        } else {
            Saved::As { file: format!("result.{}", output.extension), content_type: output.content_type.clone() }
        };
        Self { endpoint, body, result }
    }

    /// The same with another name for the file, where the example chooses it.
    pub fn saved_as(self, name: &str) -> Self {
        let result = match self.result {
            Saved::As { content_type, .. } => Saved::As { file: name.to_owned(), content_type },
            Saved::ByLink => Saved::ByLink,
        };
        Self { result, ..self }
    }

    pub fn code(&self, language: Language) -> String {
        let body = match language {
            Language::Curl => text(&self.body, false, 2).replace('\'', r"'\''"),
            Language::Python => text(&self.body, true, 8),
            Language::TypeScript => text(&self.body, false, 4),
            Language::Rust => text(&self.body, false, 12),
        };
        let snippet = match &self.result {
            Saved::As { file, content_type } => {
                CONVERT.code(language).replace(CONTENT_TYPE, content_type).replace(FILE, file)
            }
            Saved::ByLink => LINK.code(language).to_owned(),
        };
        snippet.trim_end().replace(ENDPOINT, &self.endpoint).replace(BODY, &body)
    }

    pub fn tabs(&self) -> Vec<Tab> {
        Language::ALL.map(|language| language.tab(self.code(language))).into()
    }
}

/// What to set before an example runs. `address` is the API's.
pub fn environment(address: &str) -> String {
    format!("export DOCMILL_URL={address}\nexport DOCMILL_KEY=dm_test_…")
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

/// A body with the fewest sources that make sense, and options with an example or that are required.
pub fn sample(definition: &Definition) -> Value {
    let sources = &definition.sources;
    let options = &definition.parameters["properties"]["options"];
    let format = sources.formats.first().map_or("pdf", String::as_str);
    let file = |name: &str| json!({"sourceUrl": format!("https://files.example.com/{name}.{format}")});
    let mut body = if sources.are_several() {
        // The second of two roles is another kind of file.
        let count = if sources.roles { sources.least } else { sources.least.max(2) };
        let sources: Vec<_> = ["first", "second"].into_iter().take(count).map(file).collect();
        json!({"sources": sources})
    } else if sources.kinds.contains(&SourceKind::Markdown) && !sources.kinds.contains(&SourceKind::Html) {
        json!({"markdown": "# Hello"})
    } else if sources.kinds.contains(&SourceKind::SourceUrl) {
        file(match format {
            "eml" => "message",
            _ => "report",
        })
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
            for (snippet, parts) in
                [(CONVERT, &[ENDPOINT, BODY, CONTENT_TYPE, FILE][..]), (LINK, &[ENDPOINT, BODY][..])]
            {
                for part in parts {
                    assert!(snippet.code(language).contains(part), "{part} in {} ({})", snippet.name, language.name());
                }
            }
        }
    }

    #[test]
    fn examples_choose_how_to_save_by_the_kind_of_result() {
        let catalogue = Catalogue::load().unwrap();
        let python = |slug: &str| Example::of(catalogue.find(slug).unwrap()).code(Language::Python);
        for (slug, direct) in
            [("merge-pdf", true), ("thumbnail", true), ("split-pdf", false), ("inspect-document", false)]
        {
            assert_eq!(python(slug).contains("\"Accept\""), direct, "{slug}");
            assert!(!python(slug).contains("report.pdf\", \"wb"), "{slug}");
        }
        assert!(python("convert-office").contains("result.odt") || python("convert-office").contains("result.docx"));
        assert!(python("html-to-image").contains("image/webp"));
    }

    /// Each body is JSON in `json!`, which takes any, so the program compiles as the snippet does.
    #[test]
    fn a_rust_example_differs_from_its_compiled_snippet_in_values_only() {
        let catalogue = Catalogue::load().unwrap();
        for tool in catalogue.tools() {
            let example = Example::of(tool);
            let code = example.code(Language::Rust);
            let (_, rest) = code.split_once("json!(\n").unwrap();
            let (body, _) = rest.split_once("\n        ))").unwrap();
            assert_eq!(serde_json::from_str::<Value>(body).unwrap(), example.body, "{}", tool.definition.slug);
            let mut snippet = code.replace(body.trim(), BODY).replace(&example.endpoint, ENDPOINT);
            let compiled = match &example.result {
                Saved::As { file, content_type } => {
                    snippet = snippet.replace(file, FILE).replace(content_type, CONTENT_TYPE);
                    CONVERT
                }
                Saved::ByLink => LINK,
            };
            assert_eq!(snippet, compiled.code(Language::Rust).trim_end(), "{}", tool.definition.slug);
        }
    }

    #[test]
    fn bodies_have_the_syntax_of_each_language() {
        let catalogue = Catalogue::load().unwrap();
        let definition = &catalogue.find("html-to-pdf").unwrap().definition;
        let example = Example::with(definition, json!({"html": "<p>it's</p>", "options": {"tagged": false}}));
        let curl = example.code(Language::Curl);
        assert!(curl.contains(r#"-d '{"html": "<p>it'\''s</p>", "options": {"tagged": false}}'"#), "{curl}");
        assert!(example.code(Language::Python).contains(r#"{"html": "<p>it's</p>", "options": {"tagged": False}}"#));
        assert!(example.code(Language::Rust).contains("/v1/convert/html-to-pdf"));
        let long = json!({"sourceUrl": "https://files.example.com/reports/2026/november.docx", "options": {"landscape": true}});
        let shown = Example::with(definition, long).code(Language::TypeScript);
        assert!(shown.contains("{\n      \"sourceUrl\": \"https"), "{shown}");
    }
}
