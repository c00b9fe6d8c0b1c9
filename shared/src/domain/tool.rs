//! The catalogue of tools, what administrators set about them, and who may use them.
//!
//! A tool is its data and its JSON Schema under `tools/` and an engine adapter in the worker; adding one touches no endpoint.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::account::{Plan, StoredKey};
use super::validation::{HtmlToPdf, OfficeToPdf, SchemaErrors};

/// A tool's data, its schema as it is published, and the validator that was compiled from that.
struct Files {
    definition: &'static str,
    schema: &'static LazyLock<Value>,
    errors: SchemaErrors,
}

static OFFICE_TO_PDF: LazyLock<Value> = LazyLock::new(|| read(include_str!("../../tools/office-to-pdf.schema.json")));
static HTML_TO_PDF: LazyLock<Value> = LazyLock::new(|| read(include_str!("../../tools/html-to-pdf.schema.json")));
static NO_SCHEMA: LazyLock<Value> = LazyLock::new(Value::default);

/// The compiler has read the same file for its validator, and would have refused one that is not JSON.
fn read(schema: &str) -> Value {
    serde_json::from_str(schema).unwrap_or_default()
}

const FILES: [Files; 2] = [
    Files {
        definition: include_str!("../../tools/office-to-pdf.json"),
        schema: &OFFICE_TO_PDF,
        errors: OfficeToPdf::iter_errors,
    },
    Files {
        definition: include_str!("../../tools/html-to-pdf.json"),
        schema: &HTML_TO_PDF,
        errors: HtmlToPdf::iter_errors,
    },
];

/// Every tool this build knows, in the order in which they are listed.
#[derive(Debug)]
pub struct Catalogue {
    tools: Vec<Tool>,
}

#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    #[error("a tool's file is not readable: {0}")]
    File(#[from] serde_json::Error),
}

impl Catalogue {
    pub fn load() -> Result<Self, CatalogueError> {
        let tools = FILES.iter().map(Tool::load).collect::<Result<_, _>>()?;
        Ok(Self { tools })
    }

    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    pub fn find(&self, slug: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.definition.slug == slug)
    }
}

/// A tool of the catalogue, and the validator of the schema it publishes.
#[derive(Debug)]
pub struct Tool {
    pub definition: Definition,
    pub(super) errors: SchemaErrors,
}

impl Tool {
    fn load(files: &Files) -> Result<Self, CatalogueError> {
        let mut definition: Definition = serde_json::from_str(files.definition)?;
        definition.parameters = Schema(files.schema);
        Ok(Self { definition, errors: files.errors })
    }

    /// The response of the schema endpoint. The schema in it is the one that validates requests.
    pub fn schema_view(&self, limits: &Value) -> Value {
        let Definition { slug, version, parameters, supported_modes, output_format, metadata, .. } = &self.definition;
        let mut metadata = metadata.clone();
        metadata.insert("limits".into(), limits.clone());
        json!({
            "slug": slug,
            "version": version,
            "parameters": **parameters,
            "supportedModes": supported_modes,
            "outputFormat": output_format,
            "metadata": metadata,
        })
    }

    /// The entry of the tools list.
    pub fn list_view(&self, settings: &ToolSettings) -> Value {
        let Definition { slug, name, endpoints, .. } = &self.definition;
        json!({
            "slug": slug,
            "name": name,
            "description": settings.description.as_ref().unwrap_or(&self.definition.description),
            "accessTier": settings.access_tier,
            "creditCost": settings.credit_cost,
            "pageVisibility": settings.page_visibility,
            "state": settings.state,
            "category": settings.category.as_ref().unwrap_or(&self.definition.category),
            "endpoints": endpoints,
        })
    }
}

/// A tool's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Definition {
    pub slug: String,
    pub name: String,
    pub description: String,
    pub version: String,
    pub category: String,
    pub queue: QueueName,
    /// What holds until an administrator decides otherwise.
    pub settings: ToolSettings,
    pub endpoints: Vec<String>,
    pub supported_modes: Vec<String>,
    pub output_format: OutputFormat,
    /// Names that are accepted at the top level, and where they belong.
    pub flat_names: BTreeMap<String, Section>,
    pub secrets: Secrets,
    pub metadata: Map<String, Value>,
    /// JSON Schema 2020-12 of the job body, from a file of its own: published and enforced.
    #[serde(skip)]
    pub parameters: Schema,
}

/// A JSON Schema that is read when it is first needed: most functions start without it.
#[derive(Clone, Copy, Debug)]
pub struct Schema(&'static LazyLock<Value>);

impl Default for Schema {
    fn default() -> Self {
        Self(&NO_SCHEMA)
    }
}

impl Deref for Schema {
    type Target = Value;

    fn deref(&self) -> &Value {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QueueName {
    Office,
    Html,
}

impl QueueName {
    pub const ALL: [Self; 2] = [Self::Office, Self::Html];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Office => "office",
            Self::Html => "html",
        }
    }
}

/// What converts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    LibreOffice,
    Chromium,
    Sghtmltopdf,
}

impl EngineKind {
    pub const ALL: [Self; 3] = [Self::LibreOffice, Self::Chromium, Self::Sghtmltopdf];

    /// The engine for a tool's jobs of this `renderMode`.
    pub fn of(tool: &str, render_mode: Option<&str>) -> Option<Self> {
        match (tool, render_mode) {
            ("office-to-pdf", _) => Some(Self::LibreOffice),
            ("html-to-pdf", Some("basic")) => Some(Self::Sghtmltopdf),
            ("html-to-pdf", _) => Some(Self::Chromium),
            _ => None,
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LibreOffice => "libreoffice",
            Self::Chromium => "chromium",
            Self::Sghtmltopdf => "sghtmltopdf",
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputFormat {
    pub format: String,
    pub content_type: String,
    pub extension: String,
}

/// The two parts of a canonical request that a flat name can belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Section {
    Input,
    Options,
}

impl Section {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Options => "options",
        }
    }
}

/// Names whose values are not for everybody who may read the job.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secrets {
    /// Addresses: their query and fragment are hidden.
    pub urls: Vec<String>,
    /// Hidden whole.
    pub values: Vec<String>,
    /// Document content: shown as its size and digest.
    pub content: Vec<String>,
}

/// What administrators decide about a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSettings {
    pub access_tier: AccessTier,
    pub credit_cost: u64,
    pub state: ToolState,
    pub page_visibility: PageVisibility,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub category: Option<String>,
}

impl ToolSettings {
    /// Whether a key on `plan` may use the tool: API-enabled, not disabled, and allowed by plan and key.
    pub fn admits(&self, slug: &str, plan: &Plan, key: &StoredKey) -> bool {
        let by_plan = plan.allowed_tools.as_ref().is_none_or(|allowed| allowed.iter().any(|tool| tool == slug));
        self.page_visibility.api && self.state != ToolState::Disabled && by_plan && key.may_use(slug)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessTier {
    Free,
    Starter,
    Pro,
    Enterprise,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    Live,
    Beta,
    Maintenance,
    Disabled,
}

/// Where a tool shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageVisibility {
    pub public: bool,
    pub category: bool,
    pub navigation: bool,
    pub homepage: bool,
    pub api: bool,
}

/// Switches of the whole service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceSettings {
    /// Whether test keys work at all.
    pub test_mode: bool,
    /// Whether webhooks are delivered. Off until delivery exists.
    pub webhook_delivery: bool,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self { test_mode: true, webhook_delivery: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::account;

    #[test]
    fn every_tool_file_loads_and_every_name_it_mentions_is_in_its_schema() {
        let catalogue = Catalogue::load().unwrap();
        assert_eq!(catalogue.tools().len(), FILES.len());
        for tool in catalogue.tools() {
            let definition = &tool.definition;
            let properties = &definition.parameters["properties"];
            for (name, section) in &definition.flat_names {
                assert!(properties[name].is_object(), "{name} at the top level");
                assert!(properties[section.as_str()]["properties"][name].is_object(), "{name} in {section:?}");
            }
            let Secrets { urls, values, content } = &definition.secrets;
            for name in urls.iter().chain(values).chain(content) {
                let known = [Section::Input, Section::Options]
                    .iter()
                    .any(|section| properties[section.as_str()]["properties"][name].is_object());
                assert!(known, "{name} is no property of {}", definition.slug);
            }
        }
    }

    #[test]
    fn a_tool_needs_the_switch_the_plan_and_the_key() {
        let tool = &Catalogue::load().unwrap().tools[0];
        let settings = tool.definition.settings.clone();
        let slug = tool.definition.slug.as_str();
        let (plan, key) = (Plan::fallback("free"), account::tests::key());
        assert!(settings.admits(slug, &plan, &key));

        let hidden = ToolSettings {
            page_visibility: PageVisibility { api: false, ..settings.page_visibility },
            ..settings.clone()
        };
        assert!(!hidden.admits(slug, &plan, &key));
        let disabled = ToolSettings { state: ToolState::Disabled, ..settings.clone() };
        assert!(!disabled.admits(slug, &plan, &key));
        let other_plan = Plan { allowed_tools: Some(vec!["html-to-pdf".into()]), ..plan.clone() };
        assert!(!settings.admits(slug, &other_plan, &key));
        let other_key = StoredKey { allowed_tools: Some(vec![]), ..key };
        assert!(!settings.admits(slug, &plan, &other_key));
    }
}
