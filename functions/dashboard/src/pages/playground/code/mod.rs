//! Code that does the same as a form and saves the result: with each client, and with curl alone.

mod curl;
#[cfg(test)]
mod tests;

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::source::{SOURCES, SourceKind, SourceProperty, redact_url};
use docmill_domain::tool::Definition;
use docmill_formats::Format;
use docmill_look::code::Tab;
use docmill_look::example::Language;
use docmill_look::example::call::{Call, Step, UPLOAD};
use serde_json::{Map, Value, json};

/// Longer HTML is shortened.
const MOST_INLINE_BYTES: usize = 2000;
const STEPS: &str = "then";
/// Placeholder for a password or header value.
const SECRET: &str = "<secret>";
/// In the order of the tabs. curl needs the most code, and comes last.
const LANGUAGES: [Language; 6] =
    [Language::CommandLine, Language::Python, Language::TypeScript, Language::Go, Language::Rust, Language::Curl];

/// A file of the form.
#[derive(Clone, Copy, Debug)]
pub struct File<'a> {
    pub name: &'a str,
    pub content_type: &'a str,
}

/// The code for a form's body in each language. Each of `files` is an upload, in the order of the sources.
pub fn code(catalogue: &Catalogue, tool: &Tool, body: &Map<String, Value>, files: &[File<'_>]) -> Vec<Tab> {
    let (output, file) = result(catalogue, tool, body, files);
    let mut shown = redacted(body, &tool.definition);
    redact_steps(&mut shown, catalogue);
    name_uploads(&mut shown, &tool.definition, files.len());
    let steps = shown.get(STEPS).and_then(Value::as_array).into_iter().flatten();
    let steps = steps.filter_map(|step| Step::new(catalogue, step)).collect();
    let names: Vec<_> = files.iter().map(|file| file.name).collect();
    let call = Call::new(tool, &shown, &names, file.clone()).with_steps(steps);
    // JSON could be confused with the job itself.
    let direct = file.filter(|_| output != Format::Json).map(|file| (file, output.content_type()));
    let of = |language: Language| match language {
        Language::Curl => Some(curl::code(&tool.definition.slug, &shown, files, direct.clone())),
        Language::CommandLine | Language::Python | Language::TypeScript | Language::Go | Language::Rust => {
            language.client_code(&call)
        }
    };
    LANGUAGES.into_iter().filter_map(|language| Some(language.tab(of(language)?))).collect()
}

/// The last step's output, and the name of its file if it is always a single one.
fn result(
    catalogue: &Catalogue,
    tool: &Tool,
    body: &Map<String, Value>,
    files: &[File<'_>],
) -> (Format, Option<String>) {
    let options = body.get("options").and_then(Value::as_object).cloned().unwrap_or_default();
    let then = body.get(STEPS).and_then(Value::as_array).into_iter().flatten();
    let mut is_several = tool.definition.several_outputs.with(&options, files.len());
    let mut last = None;
    for step in then.filter_map(|step| Step::new(catalogue, step)) {
        is_several = step.tool.definition.makes_several_of(&step.options, is_several);
        last = Some(step);
    }
    let is_stored = body.get("input").is_some_and(|input| input.get(SourceKind::Template.as_str()).is_some());
    let wish = options.get("filename").and_then(Value::as_str).map(str::to_owned);
    let source = last.is_none().then(|| files.first().and_then(|file| Format::from_filename(file.name))).flatten();
    let Step { tool, options } = last.unwrap_or(Step { tool, options });
    let output = tool.definition.output_from(&options, source);
    // The format of a stored template is not known here: the result has its own name.
    let is_open = is_stored && tool.definition.keeps_format;
    (output, (!is_several && !is_open).then(|| target(wish, files, output.extension())))
}

/// The requested name, that of the first file, or another one that is not a file's.
fn target(wish: Option<String>, files: &[File<'_>], extension: &str) -> String {
    let first = files.first().map(|file| file.name.rsplit_once('.').map_or(file.name, |(stem, _)| stem));
    let stems = first.into_iter().chain(["result", "converted"]);
    let names = wish.into_iter().chain(stems.map(|stem| format!("{stem}.{extension}")));
    let is_free = |name: &String| files.iter().all(|file| file.name != name);
    names.into_iter().find(is_free).unwrap_or_else(|| format!("converted-document.{extension}"))
}

/// Puts the placeholders of uploads into the input, unless they are there already.
fn name_uploads(body: &mut Map<String, Value>, definition: &Definition, count: usize) {
    let Some(input) = body.get_mut("input").and_then(Value::as_object_mut) else { return };
    if count == 0 || has_ids(input) {
        return;
    }
    let mut ids = (0..count).map(|number| json!(format!("{UPLOAD}{number}")));
    if definition.sources.may_be_listed() {
        // All have the same password and headers.
        let mut first = input.get(SOURCES).and_then(|sources| sources[0].as_object().cloned()).unwrap_or_default();
        first.remove(SourceProperty::Filename.as_str());
        let source = |id: Value| {
            let mut source = first.clone();
            source.insert(SourceKind::UploadId.as_str().to_owned(), id);
            source
        };
        input.insert(SOURCES.to_owned(), ids.map(source).collect());
    } else if let Some(id) = ids.next() {
        input.insert(SourceKind::UploadId.as_str().to_owned(), id);
    }
}

/// Whether the sources have the uploads' placeholders already.
fn has_ids(input: &Map<String, Value>) -> bool {
    let is_placeholder = |source: &Value| source["uploadId"].as_str().is_some_and(|id| id.starts_with(UPLOAD));
    input.get(SOURCES).and_then(Value::as_array).is_some_and(|sources| sources.iter().any(is_placeholder))
}

/// Redacts each step's secrets according to its tool.
fn redact_steps(body: &mut Map<String, Value>, catalogue: &Catalogue) {
    for step in body.get_mut(STEPS).and_then(Value::as_array_mut).into_iter().flatten() {
        let tool = step["toolSlug"].as_str().and_then(|slug| catalogue.find(slug));
        if let (Some(tool), Some(step)) = (tool, step.as_object_mut()) {
            *step = redacted(step, &tool.definition);
        }
    }
}

fn redacted(body: &Map<String, Value>, definition: &Definition) -> Map<String, Value> {
    let section = |(name, value): (&String, &Value)| {
        let value =
            value.as_object().map_or_else(|| value.clone(), |object| json!(redacted_section(object, definition)));
        (name.clone(), value)
    };
    body.iter().map(section).collect()
}

fn redacted_section(section: &Map<String, Value>, definition: &Definition) -> Map<String, Value> {
    let secrets = &definition.secrets;
    let opens =
        |name: &str| matches!(SourceProperty::of(name), Some(SourceProperty::Password | SourceProperty::Headers));
    let shown = |(name, value): (&String, &Value)| {
        let kind = SourceKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        let is_content = secrets.content.contains(name) || kind.is_some_and(SourceKind::is_inline);
        let shown = match (value.as_str(), value.as_array(), value.as_object()) {
            (Some(url), ..) if kind.is_some_and(SourceKind::is_address) => json!(redact_url(url)),
            (Some(content), ..) if is_content && content.len() > MOST_INLINE_BYTES => json!("<p>…"),
            (_, Some(sources), _) if name == SOURCES => {
                let sources = sources.iter().filter_map(Value::as_object);
                sources.map(|source| json!(redacted_section(source, definition))).collect()
            }
            (.., Some(values)) if opens(name) => values.keys().map(|name| (name.clone(), json!(SECRET))).collect(),
            _ if secrets.values.contains(name) || opens(name) => json!(SECRET),
            _ => value.clone(),
        };
        (name.clone(), shown)
    };
    section.iter().map(shown).collect()
}
