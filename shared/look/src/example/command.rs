//! A call with `docmill`, the command line.

use docmill_domain::source::SourceKind;
use docmill_domain::tool::command::{kebab, verb};
use docmill_formats::Format;
use serde_json::{Map, Value};

use super::call::{Call, Place, Source};
use super::shell::{quoted, word};

/// Longer commands are broken.
const MOST: usize = 100;

/// `None` if the command line can't express the call.
pub(super) fn code(call: &Call<'_>) -> Option<String> {
    let mut files = Files::default();
    let documents = call.sources.iter().map(|source| files.document(source, call)).collect::<Option<Vec<_>>>()?;
    let intake = &call.tool.definition.sources;
    let further = if intake.attachments > 0 { Some("--attach") } else { None };
    let further = further.or((intake.roles && intake.may_be_one()).then_some("--stamp"));
    let named = documents.iter().take(if further.is_some() { 1 } else { documents.len() });
    let named: String = named.map(|document| format!(" {}", word(document))).collect();
    let target = word(call.file.as_deref().unwrap_or("."));
    let mut parts = vec![format!("docmill {}{named} -o {target}", verb(&call.tool.definition.slug))];
    if let Some(flag) = further {
        parts.extend(documents.iter().skip(1).map(|document| format!("{flag} {}", word(document))));
    }
    parts.extend(properties(call)?);
    parts.extend(options(&call.options, &call.tool.definition.parameters["properties"]["options"]["properties"]));
    for step in &call.steps {
        let schemas = &step.tool.definition.parameters["properties"]["options"]["properties"];
        let words = [vec![verb(step.slug()).to_owned()], options(&step.options, schemas)].concat();
        parts.push(format!("--then {}", word(&words.join(" "))));
    }
    let line = parts.join(" ");
    let command = if line.len() <= MOST { line } else { parts.join(" \\\n  ") };
    Some(files.written + &command)
}

/// The files that the command names.
#[derive(Default)]
struct Files {
    names: Vec<String>,
    /// Commands that write inline documents into files.
    written: String,
}

impl Files {
    /// The name of a source on the command line.
    fn document(&mut self, source: &Source, call: &Call<'_>) -> Option<String> {
        let name = match &source.place {
            Place::File(name) if name.starts_with('-') => format!("./{name}"),
            Place::File(name) => name.clone(),
            Place::Given(kind, address) if kind.is_address() => {
                (kind_of(address, call) == *kind).then(|| address.clone())?
            }
            Place::Given(SourceKind::Html, text) => self.write("page", Format::Html, text, call),
            Place::Given(SourceKind::Markdown, text) => self.write("text", Format::Markdown, text, call),
            Place::Given(SourceKind::Text, text) => self.write("text", Format::Txt, text, call),
            Place::Given(_, _) => return None,
            Place::Stored { name, version: None } => format!("template:{name}"),
            Place::Stored { name, version: Some(version) } => format!("template:{name}@{version}"),
        };
        self.names.push(name.clone());
        Some(name)
    }

    fn write(&mut self, stem: &str, extension: Format, text: &str, call: &Call<'_>) -> String {
        let is_free = |name: &String| {
            let is_name = |source: &Source| matches!(&source.place, Place::File(other) if other == name);
            !self.names.contains(name) && !call.sources.iter().any(is_name) && call.file.as_ref() != Some(name)
        };
        let numbered = (2..).map(|number| format!("{stem}-{number}.{extension}"));
        let name = std::iter::once(format!("{stem}.{extension}")).chain(numbered).find(is_free).unwrap_or_default();
        self.written.push_str(&format!("printf '%s\\n' {} >{}\n", quoted(text), word(&name)));
        name
    }
}

/// The kind of source that `docmill` makes of an address: a page, where the tool takes both and the suffix is not that of a file.
fn kind_of(address: &str, call: &Call<'_>) -> SourceKind {
    let kinds = &call.tool.definition.sources.kinds;
    let path = address.split_once("://").map_or("", |(_, rest)| rest).split(['?', '#']).next().unwrap_or_default();
    let last = path.split_once('/').and_then(|(_, path)| path.rsplit('/').next()).unwrap_or_default();
    let is_page = last.rsplit_once('.').is_none_or(|(_, suffix)| Format::from_extension(suffix) == Some(Format::Html));
    match (kinds.contains(&SourceKind::Url), kinds.contains(&SourceKind::SourceUrl)) {
        (true, true) if is_page => SourceKind::Url,
        (true, false) => SourceKind::Url,
        (true | false, true) | (false, false) => SourceKind::SourceUrl,
    }
}

/// The properties of the sources: for all, or with the number of each.
fn properties(call: &Call<'_>) -> Option<Vec<String>> {
    let mut flags = Vec::new();
    let options = &call.tool.definition.parameters["properties"]["options"]["properties"];
    let all: Vec<_> = call.sources.iter().map(|source| &source.properties).collect();
    for (index, properties) in all.iter().enumerate() {
        for (name, value) in *properties {
            let is_shared = all.iter().all(|other| other.get(name) == Some(value));
            if is_shared && index > 0 {
                continue;
            }
            match (name.as_str(), value) {
                ("headers", Value::Object(headers)) if is_shared => {
                    let header = |(name, value): (&String, &Value)| {
                        format!("--source-header {}", word(&format!("{name}={}", plain(value))))
                    };
                    flags.extend(headers.iter().map(header));
                }
                ("password" | "pageRange" | "title", Value::String(text)) if options.get(name).is_none() => {
                    let number = if is_shared { String::new() } else { format!("{}=", index + 1) };
                    flags.push(with_value(name, &(number + &escaped(text))));
                }
                _ => return None,
            }
        }
    }
    Some(flags)
}

fn options(options: &Map<String, Value>, schemas: &Value) -> Vec<String> {
    let own = options.iter().filter(|(name, value)| *name != "filename" && !value.is_null());
    own.map(|(name, value)| option(name, value, &schemas[name])).collect()
}

fn option(name: &str, value: &Value, schema: &Value) -> String {
    match value {
        Value::Bool(true) if schema["type"] == "boolean" => format!("--{}", kebab(name)),
        Value::Bool(on) if schema["type"] == "boolean" => format!("--{}={on}", kebab(name)),
        Value::Array(items) if schema["items"]["enum"].is_array() => {
            with_value(name, &items.iter().map(plain).collect::<Vec<_>>().join(","))
        }
        Value::String(text) => with_value(name, &escaped(text)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            with_value(name, &value.to_string())
        }
    }
}

fn with_value(name: &str, value: &str) -> String {
    // A hyphen would begin another flag.
    let separator = if value.starts_with('-') { '=' } else { ' ' };
    format!("--{}{separator}{}", kebab(name), word(value))
}

/// `@` would name a file.
fn escaped(text: &str) -> String {
    if text.starts_with('@') { format!("@{text}") } else { text.to_owned() }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
