//! Tools as keys read them: in the list, and with their schema.

#[cfg(feature = "schema")]
use std::collections::BTreeMap;

use docmill_formats::Format;
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::catalogue::{Published, Tool};
use super::{AccessTier, Definition, PageVisibility, ToolSettings, ToolState};
use crate::account::limits::Limit;

/// A tool's entry in the list.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Tool", description = ""))]
pub struct ToolView {
    /// Its name in paths and requests.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub slug: String,
    /// Its name for people.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub name: String,
    /// What it does, in a sentence.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub description: String,
    /// The lowest tier of plans that have it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub access_tier: AccessTier,
    /// How many credits a job costs.
    pub credit_cost: u64,
    /// Where it is listed.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub page_visibility: PageVisibility,
    /// In `maintenance`, new jobs are refused with 503.
    pub state: ToolState,
    /// The group on the list of tools.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub category: String,
    /// The paths that create jobs for this tool.
    pub endpoints: Vec<String>,
}

/// What the schema endpoint tells of a tool.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ToolSchema", description = ""))]
pub struct ToolSchemaView {
    /// Its name in paths and requests.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub slug: String,
    /// Of the tool, not of the schema's language.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub version: String,
    /// JSON Schema 2020-12 of the job body.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub parameters: Value,
    /// The kinds of keys that may use it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub supported_modes: Vec<String>,
    /// Unless an option chooses another.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub output_format: OutputFormat,
    /// What else is published of the tool.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub metadata: ToolMetadata,
}

/// The format of a tool's result.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct OutputFormat {
    /// The name that requests give the format.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub format: &'static str,
    /// Its media type.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub content_type: &'static str,
    /// Without a dot.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub extension: &'static str,
}

impl From<Format> for OutputFormat {
    fn from(format: Format) -> Self {
        Self { format: format.name(), content_type: format.content_type(), extension: format.extension() }
    }
}

/// More may be added.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct ToolMetadata {
    /// The `metadata` of the tool's file.
    #[serde(flatten)]
    pub others: Map<String, Value>,
    /// The limits that hold for jobs of the calling key: sizes in bytes, durations in milliseconds. A plan or a key may have lower
    /// ones than the service.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, i64>"))]
    pub limits: Map<String, Value>,
}

impl Tool {
    /// The response of the schema endpoint. It contains the schema that validates requests, with the caller's limit on sources.
    pub fn schema_view(&self, published: Published<'_>) -> ToolSchemaView {
        let Definition { slug, version, parameters, supported_modes, output_format, metadata, sources, .. } =
            &self.definition;
        let Published { limits, create, read, output_retention_hours } = published;
        let most = limits.sources.min(sources.most_files() as u64);
        let mut limits = limits.view(create, read, output_retention_hours);
        limits.insert(Limit::Sources.as_str().to_owned(), json!(most));
        let mut others = metadata.clone();
        others.insert("mostSources".into(), json!(most));
        ToolSchemaView {
            slug: slug.clone(),
            version: version.clone(),
            parameters: parameters.for_sources(most),
            supported_modes: supported_modes.clone(),
            output_format: OutputFormat::from(*output_format),
            metadata: ToolMetadata { others, limits },
        }
    }

    /// The tool's entry in the tools list.
    pub fn list_view(&self, settings: &ToolSettings) -> ToolView {
        let definition = &self.definition;
        ToolView {
            slug: definition.slug.clone(),
            name: definition.name.clone(),
            description: settings.description.as_ref().unwrap_or(&definition.description).clone(),
            access_tier: settings.access_tier,
            credit_cost: settings.credit_cost,
            page_visibility: settings.page_visibility,
            state: settings.state,
            category: settings.category.as_ref().unwrap_or(&definition.category).clone(),
            endpoints: definition.endpoints(),
        }
    }
}
