//! Tools: their data, administrators' settings, and access.

pub mod catalogue;
pub mod command;
pub mod intake;
pub mod schema;
pub mod secrets;
mod slug;
#[cfg(feature = "schema")]
mod tool_file;
pub(crate) mod validation;
mod view;

use std::collections::BTreeMap;

use docmill_formats::Format;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use crate::account::AccessTier;
use crate::account::limits::Ceilings;
use crate::account::offer::Contact;
use crate::account::{Plan, StoredKey};
pub use crate::job::queue::QueueName;
use crate::job::source::SourceProperty;
use crate::tool::intake::{Section, Sources};
use crate::tool::schema::Schema;
pub use crate::tool::secrets::Secrets;
pub use crate::tool::slug::Slug;
#[cfg(feature = "schema")]
pub use crate::tool::tool_file::schema as file_schema;
pub use crate::tool::validation::PATTERN_BYTES;
pub use crate::tool::view::{OutputFormat, ToolMetadata, ToolSchemaView, ToolView};

/// A tool's file.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Definition {
    /// Where editors find what this file may have.
    #[serde(rename = "$schema", default)]
    pub schema: Option<String>,
    /// Its name in paths: lower case, with hyphens.
    pub slug: String,
    /// Its name for people.
    pub name: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Raised when what the tool makes of the same request changes.
    pub version: String,
    /// The group on the list of tools.
    pub category: String,
    /// Where its jobs wait: by the engines that the worker needs.
    pub queue: QueueName,
    /// The settings until an administrator changes them.
    pub settings: ToolSettings,
    /// An endpoint of this tool, in addition to the two that every tool has.
    #[serde(default)]
    pub short_endpoint: Option<String>,
    /// The kinds of keys that may use it: `live`, `test`.
    pub supported_modes: Vec<String>,
    /// What it takes.
    pub sources: Sources,
    /// Its output format, unless an option chooses another.
    #[cfg_attr(feature = "schema", schemars(schema_with = "tool_file::format"))]
    pub output_format: Format,
    /// Of several options that choose a format, the first one counts.
    #[serde(default)]
    pub output_choices: Vec<OutputChoice>,
    /// Whether the result has the format of its source, unless an option chooses another. `output_format` is then the first of them.
    #[serde(default)]
    pub keeps_format: bool,
    /// Whether one job may have several results.
    #[serde(default)]
    pub several_outputs: SeveralOutputs,
    /// Options that are also accepted at the top level.
    #[serde(default)]
    pub flat_options: Vec<String>,
    /// Whether misspelled names are errors unless a client allows them: an ignored option would leave the document less
    /// protected than its sender thinks.
    #[serde(default)]
    pub strict_names: bool,
    /// Which options a job shows again. Each that can hold text is declared.
    #[serde(default)]
    pub secrets: Secrets,
    /// Published as it is.
    #[serde(default)]
    pub metadata: Map<String, Value>,
    /// JSON Schema 2020-12 of the job body: published and enforced.
    #[serde(skip)]
    pub parameters: Schema,
}

impl Definition {
    /// The output of a job with these options, whose source has the first of the formats that the tool takes.
    pub fn output(&self, options: &Map<String, Value>) -> Format {
        self.chosen_output(options).unwrap_or(self.output_format)
    }

    /// The output of a job with these options and a source of this format. `None`: unknown, or a page's address.
    pub fn output_from(&self, options: &Map<String, Value>, source: Option<Format>) -> Format {
        let kept = source.filter(|source| self.keeps_format && self.sources.accepts(*source));
        self.chosen_output(options).or(kept).unwrap_or(self.output_format)
    }

    fn chosen_output(&self, options: &Map<String, Value>) -> Option<Format> {
        self.output_choices.iter().find_map(|choice| choice.format(options))
    }

    /// The outputs that a job with these options may have, depending on its source.
    pub fn possible_outputs(&self, options: &Map<String, Value>) -> Vec<Format> {
        match self.chosen_output(options) {
            None if self.keeps_format => self.kept_formats(),
            chosen => vec![chosen.unwrap_or(self.output_format)],
        }
    }

    fn kept_formats(&self) -> Vec<Format> {
        let mut formats = self.sources.formats.clone();
        formats.sort_by_key(|format| format.extension());
        formats
    }

    /// Whether a further step with these options may have several results. `follows_several`: the step before may have.
    pub fn makes_several_of(&self, options: &Map<String, Value>, follows_several: bool) -> bool {
        let sources = if follows_several { 2 } else { 1 };
        self.several_outputs.with(options, sources) || (follows_several && !self.sources.are_alike())
    }

    /// All outputs that the tool can make, the usual one first. Some may be named twice.
    pub fn all_outputs(&self) -> impl Iterator<Item = Format> {
        let chosen = self.output_choices.iter().flat_map(|choice| choice.formats.values().copied());
        let kept = if self.keeps_format { self.kept_formats() } else { Vec::new() };
        std::iter::once(self.output_format).chain(chosen).chain(kept)
    }

    /// All names that are allowed at the top level, with the section they belong to.
    pub fn flat_names(&self) -> BTreeMap<&str, Section> {
        let options = self.flat_options.iter().map(|name| (name.as_str(), Section::Options));
        self.sources.names().map(|name| (name, Section::Input)).chain(options).collect()
    }

    /// A job's options as shown to its owner.
    pub fn redact_options(&self, options: &Map<String, Value>) -> Value {
        Value::Object(self.secrets.redact(options))
    }

    /// Where a request gives the password of a protected source; `None` if the tool opens none.
    pub fn password_property(&self) -> Option<&'static str> {
        let of_source = self.sources.properties.contains(&SourceProperty::Password);
        let of_options = || !self.parameters["properties"]["options"]["properties"]["password"].is_null();
        match (of_source, self.sources.are_alike()) {
            (true, true) => Some("input.sources[].password"),
            (true, false) => Some("input.password"),
            (false, _) => of_options().then_some("options.password"),
        }
    }

    /// The endpoints that create this tool's jobs.
    pub fn endpoints(&self) -> Vec<String> {
        let own = format!("/v1/tools/{}/jobs", self.slug);
        [own, "/v1/jobs".to_owned()].into_iter().chain(self.short_endpoint.clone()).collect()
    }
}

/// An option that chooses the output format.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputChoice {
    /// The option's name.
    pub option: String,
    /// By the option's value.
    #[cfg_attr(feature = "schema", schemars(schema_with = "tool_file::format_by_value"))]
    pub formats: BTreeMap<String, Format>,
}

impl OutputChoice {
    /// The format that these options choose, if they do. A switch has the values `true` and `false`.
    fn format(&self, options: &Map<String, Value>) -> Option<Format> {
        match options.get(&self.option)? {
            Value::String(text) => self.formats.get(text).copied(),
            Value::Bool(is_on) => self.formats.get(if *is_on { "true" } else { "false" }).copied(),
            Value::Null | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// When a job may have several results.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum SeveralOutputs {
    /// Always, or never.
    Fixed(bool),
    /// If any of these options is chosen, or for several sources.
    Chosen {
        /// The options that choose several results.
        any: Vec<Choice>,
        /// Whether each source makes a result of its own.
        #[serde(rename = "ofEachSource", default)]
        of_each_source: bool,
        /// Whether a further step that takes one file runs for each of them.
        #[serde(rename = "eachInSteps", default)]
        each_in_steps: bool,
    },
}

/// An option with a value.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Choice {
    option: String,
    value: Value,
}

impl Default for SeveralOutputs {
    fn default() -> Self {
        Self::Fixed(false)
    }
}

impl SeveralOutputs {
    /// Whether a job with these options and so many sources may have several results.
    pub fn with(&self, options: &Map<String, Value>, sources: usize) -> bool {
        match self {
            Self::Fixed(several) => *several,
            Self::Chosen { any, of_each_source, each_in_steps: _ } => {
                (*of_each_source && sources > 1)
                    || any.iter().any(|choice| options.get(&choice.option) == Some(&choice.value))
            }
        }
    }

    /// Whether a further step that takes one file can follow all the same: it runs for each file.
    pub const fn are_each_in_steps(&self) -> bool {
        match self {
            Self::Fixed(_) => false,
            Self::Chosen { each_in_steps, .. } => *each_in_steps,
        }
    }

    /// Whether any job of the tool may have several results.
    pub fn ever(&self) -> bool {
        match self {
            Self::Fixed(several) => *several,
            Self::Chosen { .. } => true,
        }
    }
}

/// Conversion engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineKind {
    /// Opens office documents.
    LibreOffice,
    /// Opens pages in a browser.
    Chromium,
    /// Renders pages without a browser.
    Sghtmltopdf,
    /// Our own passes over libqpdf and PDFium.
    PdfTools,
    /// Renders Markdown to a page that the browser prints.
    Markdown,
    /// Signs what the PDF tools have prepared.
    Signer,
}

impl EngineKind {
    /// All engines.
    pub const ALL: [Self; 6] =
        [Self::LibreOffice, Self::Chromium, Self::Sghtmltopdf, Self::PdfTools, Self::Markdown, Self::Signer];

    /// The engine that does the main work of the tool's jobs in this `renderMode`.
    pub fn of(tool: &str, render_mode: Option<&str>) -> Self {
        match (Slug::parse(tool), render_mode) {
            (Some(Slug::OFFICE_TO_PDF | Slug::CONVERT_OFFICE), _) => Self::LibreOffice,
            (Some(Slug::HTML_TO_PDF), Some("basic")) => Self::Sghtmltopdf,
            (Some(Slug::HTML_TO_PDF | Slug::HTML_TO_IMAGE | Slug::EMAIL_TO_PDF), _) => Self::Chromium,
            (Some(Slug::MARKDOWN_TO_PDF), _) => Self::Markdown,
            _ => Self::PdfTools,
        }
    }

    /// Whether it loads pages, or parts of them, from the network.
    pub const fn loads_pages(self) -> bool {
        match self {
            Self::Chromium | Self::Sghtmltopdf | Self::Markdown => true,
            Self::LibreOffice | Self::PdfTools | Self::Signer => false,
        }
    }

    /// As jobs and logs have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LibreOffice => "libreoffice",
            Self::Chromium => "chromium",
            Self::Sghtmltopdf => "sghtmltopdf",
            Self::PdfTools => "pdf-tools",
            Self::Markdown => "markdown",
            Self::Signer => "signer",
        }
    }
}

/// Administrators' settings of a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ToolSettings {
    /// The lowest tier of plans that have the tool.
    pub access_tier: AccessTier,
    /// Credits that a job costs.
    pub credit_cost: u64,
    /// Whether jobs are accepted.
    pub state: ToolState,
    /// Where the tool is listed.
    pub page_visibility: PageVisibility,
    /// Replaces the one of the tool's file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub description: Option<String>,
    /// Replaces the one of the tool's file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub category: Option<String>,
}

impl ToolSettings {
    /// Whether a key on `plan` may use the tool: enabled for the API, not disabled, in the plan's tier, and allowed by plan and
    /// key.
    pub fn admits(&self, slug: &str, plan: &Plan, key: &StoredKey) -> bool {
        let by_plan = plan.allowed_tools.as_ref().is_none_or(|allowed| allowed.iter().any(|tool| tool == slug));
        let by_tier = self.access_tier <= plan.tier;
        self.page_visibility.api && self.state != ToolState::Disabled && by_tier && by_plan && key.may_use(slug)
    }
}

/// Whether a tool can be used: live and beta ones can, and a beta may still change. One under maintenance takes no new jobs for a while.
/// To keys, a disabled one is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
#[expect(missing_docs, reason = "the type says how they differ")]
pub enum ToolState {
    Live,
    Beta,
    Maintenance,
    Disabled,
}

/// Where the tool is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub struct PageVisibility {
    /// It has a public page.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub public: bool,
    /// The page of its category lists it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub category: bool,
    /// The navigation has it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub navigation: bool,
    /// The home page has it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub homepage: bool,
    /// Keys can use it.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub api: bool,
}

/// Administrators' settings of the whole service.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceSettings {
    /// Whether test keys work at all.
    pub test_mode: bool,
    /// Whether webhooks are delivered.
    pub webhook_delivery: bool,
    /// Whether each new URL of an endpoint must answer a challenge.
    #[serde(default)]
    pub webhook_challenge: bool,
    /// Limits of all jobs, where they are below what the functions support.
    #[serde(default, skip_serializing_if = "Ceilings::is_empty")]
    pub limits: Ceilings,
    /// Where to ask for credits; `None` if nowhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credits_contact: Option<Contact>,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        Self {
            test_mode: true,
            webhook_delivery: true,
            webhook_challenge: false,
            limits: Ceilings::default(),
            credits_contact: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account;
    use crate::tool::catalogue::Catalogue;

    #[test]
    fn a_tool_needs_the_switch_the_plan_and_the_key() {
        let catalogue = Catalogue::load().unwrap();
        let tool = &catalogue.tools()[0];
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
        let dearer = ToolSettings { access_tier: AccessTier::Pro, ..settings.clone() };
        for (tier, admitted) in [
            (AccessTier::Free, false),
            (AccessTier::Starter, false),
            (AccessTier::Pro, true),
            (AccessTier::Enterprise, true),
        ] {
            assert_eq!(dearer.admits(slug, &Plan { tier, ..plan.clone() }, &key), admitted, "{tier:?}");
        }
        let other_key = StoredKey { allowed_tools: Some(vec![]), ..key };
        assert!(!settings.admits(slug, &plan, &other_key));
    }
}
