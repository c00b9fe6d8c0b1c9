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
    pub tools: Vec<ToolView>,
}

/// What jobs of a tool are made of.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ToolSchemaResponse", description = ""))]
pub struct ToolSchemaBody {
    pub tool: ToolSchemaView,
}

/// What the account has used.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UsageResponse", description = ""))]
pub struct UsageBody {
    pub usage: UsageReport,
}

/// Usage of the current month, or of a range of days.
#[derive(Debug, Serialize)]
#[serde(untagged)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub enum UsageReport {
    Month(UsageView),
    Days(UsageOfDaysView),
}

/// A new upload, with the link that its bytes are sent to.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "UploadResponse", description = ""))]
pub struct UploadBody {
    pub upload: UploadView,
}

/// One stored template.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplateResponse", description = ""))]
pub struct TemplateBody {
    pub template: TemplateView,
}

/// The account's stored templates, by name.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TemplatesResponse", description = ""))]
pub struct TemplatesBody {
    #[cfg_attr(feature = "schema", schemars(length(max = MOST_TEMPLATES)))]
    pub templates: Vec<TemplateView>,
}

/// One font.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FontResponse", description = ""))]
pub struct FontBody {
    pub font: FontView,
}

/// The account's fonts, oldest first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "FontsResponse", description = ""))]
pub struct FontsBody {
    #[cfg_attr(feature = "schema", schemars(length(max = MOST_FONTS)))]
    pub fonts: Vec<FontView>,
}
