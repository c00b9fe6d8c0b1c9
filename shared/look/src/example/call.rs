//! What a program does: one job with its sources, options and further steps, and the file that it saves.

use docmill_domain::catalogue::{Catalogue, Tool};
use docmill_domain::source::{SOURCES, SourceKind};
use serde_json::{Map, Value, json};

/// Stands for the id of an upload in a body, before the number of its file.
pub const UPLOAD: &str = "$upload";

/// A job as clients in any language describe it.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// The first tool.
    pub tool: &'a Tool,
    /// In the order of the request.
    pub sources: Vec<Source>,
    /// The first tool's options.
    pub options: Map<String, Value>,
    /// What follows the first tool.
    pub steps: Vec<Step<'a>>,
    /// The name of the saved file; `None` if only the result tells it, because it may be several files.
    pub file: Option<String>,
}

/// A document, and properties such as its password.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it comes from.
    pub place: Place,
    /// As the API takes them, such as `password`.
    pub properties: Map<String, Value>,
}

/// Where a source comes from.
#[derive(Clone, Debug)]
pub enum Place {
    /// A file of this machine, which is uploaded.
    File(String),
    /// As the API takes it.
    Given(SourceKind, String),
    /// A template of the account: this version, or the newest.
    Stored {
        /// The template's name.
        name: String,
        /// `None`: the newest.
        version: Option<u64>,
    },
}

/// A further tool.
#[derive(Clone, Debug)]
pub struct Step<'a> {
    /// The tool itself.
    pub tool: &'a Tool,
    /// The tool's options.
    pub options: Map<String, Value>,
}

impl<'a> Call<'a> {
    /// The call that a request's body describes. The number after [`UPLOAD`] is that of one of `files`.
    pub fn new(tool: &'a Tool, body: &Map<String, Value>, files: &[&str], file: Option<String>) -> Self {
        let input = body.get("input").and_then(Value::as_object).unwrap_or(body);
        let sources = match input.get(SOURCES).and_then(Value::as_array) {
            Some(listed) => {
                listed.iter().filter_map(Value::as_object).filter_map(|each| Source::read(each, files)).collect()
            }
            None => Source::read(input, files).into_iter().collect(),
        };
        Self { tool, sources, options: section(body.get("options")), steps: Vec::new(), file }
    }

    /// The same with further tools.
    #[must_use]
    pub fn with_steps(self, steps: Vec<Step<'a>>) -> Self {
        Self { steps, ..self }
    }

    /// The source, if it need not be in a list.
    pub fn only_source(&self) -> Option<&Source> {
        match self.sources.as_slice() {
            [only] if self.tool.definition.sources.may_be_one() => Some(only),
            _ => None,
        }
    }

    /// The kind that clients make of a plain address: a page to open, or a file to fetch.
    pub fn kind_of_address(&self) -> SourceKind {
        let opens_pages = matches!(self.tool.definition.slug.as_str(), "html-to-pdf" | "html-to-image");
        if opens_pages { SourceKind::Url } else { SourceKind::SourceUrl }
    }
}

impl Source {
    fn read(source: &Map<String, Value>, files: &[&str]) -> Option<Self> {
        if let Some(template) = source.get(SourceKind::Template.as_str()) {
            let name = template["name"].as_str()?.to_owned();
            let place = Place::Stored { name, version: template["version"].as_u64() };
            return Some(Self { place, properties: Map::new() });
        }
        let (kind, value) =
            SourceKind::ALL.into_iter().find_map(|kind| Some((kind, source.get(kind.as_str())?.as_str()?)))?;
        let file = value.strip_prefix(UPLOAD).and_then(|number| files.get(number.parse::<usize>().ok()?));
        let place = match file {
            Some(name) if kind == SourceKind::UploadId => Place::File((*name).to_owned()),
            Some(_) | None => Place::Given(kind, value.to_owned()),
        };
        let properties = source.iter().filter(|(name, _)| {
            ["output", "filename", "password", "pageRange", "title", "headers"].contains(&name.as_str())
        });
        Some(Self { place, properties: properties.map(|(name, value)| (name.clone(), value.clone())).collect() })
    }
}

impl<'a> Step<'a> {
    /// A step of a request's body. `None` if no tool has its name.
    pub fn new(catalogue: &'a Catalogue, step: &Value) -> Option<Self> {
        Some(Self { tool: catalogue.find(step["toolSlug"].as_str()?)?, options: section(step.get("options")) })
    }

    /// The tool's name in paths and requests.
    pub fn slug(&self) -> &'a str {
        &self.tool.definition.slug
    }
}

/// A stored template as the API takes it.
pub(super) fn template(name: &str, version: Option<u64>) -> Value {
    match version {
        Some(version) => json!({"name": name, "version": version}),
        None => json!({"name": name}),
    }
}

fn section(value: Option<&Value>) -> Map<String, Value> {
    value.and_then(Value::as_object).cloned().unwrap_or_default()
}
