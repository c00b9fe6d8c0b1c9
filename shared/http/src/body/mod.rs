//! The bodies of successful responses, without what the envelope adds. In the description, the schema of a body is named after
//! its endpoint; its members are documented for readers of the API.

mod batches;
mod jobs;
mod webhooks;

use docmill_domain::font::{FontView, MOST_FONTS};
use docmill_domain::template::{MOST_TEMPLATES, TemplateView};
use docmill_domain::tool::{ToolSchemaView, ToolView};
use docmill_domain::upload::UploadView;
use docmill_domain::usage::{UsageOfDaysView, UsageView};
use serde::Serialize;

pub use batches::{ArchiveBody, BatchBody, BatchJobsBody, BatchResultsBody, BatchesBody};
pub use jobs::{DownloadBody, Downloads, JobBody, JobsBody, ReceiptBody, WaitBody};
pub use webhooks::{DeliveriesBody, EventBody, EventsBody, ReplayBody, WebhookBody, WebhookTestBody, WebhooksBody};

/// The tools that the caller may use.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ToolsResponse", description = ""))]
pub struct ToolsBody {
    /// In the order of the catalogue.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub tools: Vec<ToolView>,
}

/// What jobs of a tool are made of.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ToolSchemaResponse", description = ""))]
pub struct ToolSchemaBody {
    /// With the limits of the caller.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub tool: ToolSchemaView,
}

/// What the account has used.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UsageResponse", description = ""))]
pub struct UsageBody {
    /// Of the month, or of the days that the request names.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub usage: UsageReport,
}

/// Usage of the current month, or of a range of days.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum UsageReport {
    /// Of the current month.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    Month(UsageView),
    /// Of a range of days.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    Days(UsageOfDaysView),
}

/// A new upload, with the link that its bytes are sent to.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UploadResponse", description = ""))]
pub struct UploadBody {
    /// The link works for some minutes.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub upload: UploadView,
}

/// One stored template.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplateResponse", description = ""))]
pub struct TemplateBody {
    /// With the version that the request names, or the newest.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub template: TemplateView,
}

/// The account's stored templates, by name.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplatesResponse", description = ""))]
pub struct TemplatesBody {
    /// Each with its newest version.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(max = MOST_TEMPLATES)))]
    pub templates: Vec<TemplateView>,
}

/// One font.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FontResponse", description = ""))]
pub struct FontBody {
    /// As it is stored.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub font: FontView,
}

/// The account's fonts, oldest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FontsResponse", description = ""))]
pub struct FontsBody {
    /// All of them.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[cfg_attr(feature = "schema", schemars(length(max = MOST_FONTS)))]
    pub fonts: Vec<FontView>,
}

/// The schemas of all responses and of what is sent to webhooks, and of what they are made of, by their names in the description.
#[cfg(feature = "schema")]
pub fn schemas() -> serde_json::Map<String, serde_json::Value> {
    let mut generator = docmill_domain::sent::generator();
    add_body::<JobBody>(&mut generator);
    add_body::<JobsBody>(&mut generator);
    add_body::<WaitBody>(&mut generator);
    add_body::<DownloadBody>(&mut generator);
    add_body::<ToolsBody>(&mut generator);
    add_body::<ToolSchemaBody>(&mut generator);
    add_body::<UsageBody>(&mut generator);
    add_body::<BatchBody>(&mut generator);
    add_body::<BatchesBody>(&mut generator);
    add_body::<BatchJobsBody>(&mut generator);
    add_body::<BatchResultsBody>(&mut generator);
    add_body::<UploadBody>(&mut generator);
    add_body::<TemplateBody>(&mut generator);
    add_body::<TemplatesBody>(&mut generator);
    add_body::<FontBody>(&mut generator);
    add_body::<FontsBody>(&mut generator);
    add_body::<WebhookBody>(&mut generator);
    add_body::<WebhooksBody>(&mut generator);
    add_body::<WebhookTestBody>(&mut generator);
    add_body::<ReplayBody>(&mut generator);
    add_body::<DeliveriesBody>(&mut generator);
    add_body::<EventBody>(&mut generator);
    add_body::<EventsBody>(&mut generator);
    add::<crate::envelope::ErrorEnvelope<'_>>(&mut generator);
    // Without an envelope.
    add::<docmill_domain::webhook::WebhookKeysView>(&mut generator);
    add::<docmill_domain::event::EventBody<'_>>(&mut generator);
    generator.take_definitions(true)
}

/// A body in its envelope.
#[cfg(feature = "schema")]
fn add_body<B: schemars::JsonSchema>(generator: &mut schemars::SchemaGenerator) {
    add::<crate::envelope::Envelope<'_, B>>(generator);
}

#[cfg(feature = "schema")]
fn add<T: schemars::JsonSchema>(generator: &mut schemars::SchemaGenerator) {
    generator.subschema_for::<T>();
}
