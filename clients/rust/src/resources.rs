use std::path::Path;

use jiff::civil::Date;
use reqwest::Method;
use serde::Deserialize;

use crate::client::Client;
use crate::error::Result;
use crate::models::{
    Event, EventResponse, Font, FontRequest, FontResponse, FontsResponse, Template, TemplateRequest, TemplateResponse,
    TemplatesResponse, Tool, ToolSchema, ToolSchemaResponse, ToolsResponse, Usage, UsageOfDays, UsageOfDaysGroupBy,
};
use crate::transport::Call;

#[derive(Deserialize)]
struct UsageResponse<T> {
    usage: T,
}

impl Client {
    /// The tools that the key can use.
    pub async fn tools(&self) -> Result<Vec<Tool>> {
        let response: ToolsResponse = self.json(&Call::get(&["v1", "tools"])?).await?;
        Ok(response.tools)
    }

    /// What a tool takes: a JSON Schema, and the limits that hold for the key.
    pub async fn tool_schema(&self, slug: &str) -> Result<ToolSchema> {
        let response: ToolSchemaResponse = self.json(&Call::get(&["v1", "tools", slug, "schema"])?).await?;
        Ok(response.tool)
    }

    /// What the account used in this month, and what is left.
    pub async fn usage(&self) -> Result<Usage> {
        let response: UsageResponse<Usage> = self.json(&Call::get(&["v1", "account", "usage"])?).await?;
        Ok(response.usage)
    }

    /// What was used from one day to another, both included.
    pub async fn usage_of_days(&self, from: Date, to: Date, group_by: UsageOfDaysGroupBy) -> Result<UsageOfDays> {
        let call = Call::get(&["v1", "account", "usage"])?
            .query("from", Some(from))
            .query("to", Some(to))
            .query("groupBy", Some(group_by));
        let response: UsageResponse<UsageOfDays> = self.json(&call).await?;
        Ok(response.usage)
    }

    /// Uploads a template from a file on this machine, and adds it as the next version of this name.
    pub async fn create_template(&self, name: &str, path: impl AsRef<Path>) -> Result<Template> {
        let upload = self.upload(path).await?;
        let request =
            TemplateRequest { name: Some(name.to_owned()), upload_id: Some(upload.id), ..TemplateRequest::default() };
        let response: TemplateResponse = self.json(&Call::post(&["v1", "templates"], &request)?).await?;
        Ok(response.template)
    }

    /// The account's templates, each with its newest version.
    pub async fn templates(&self) -> Result<Vec<Template>> {
        let response: TemplatesResponse = self.json(&Call::get(&["v1", "templates"])?).await?;
        Ok(response.templates)
    }

    /// A version with the schema of its data and an example: the newest by default.
    pub async fn template(&self, name: &str, version: Option<u32>) -> Result<Template> {
        let call = Call::get(&["v1", "templates", name])?.query("version", version);
        let response: TemplateResponse = self.json(&call).await?;
        Ok(response.template)
    }

    /// Deletes a version, or all of them.
    pub async fn delete_template(&self, name: &str, version: Option<u32>) -> Result<()> {
        let call = Call::new(Method::DELETE, &["v1", "templates", name])?.query("version", version);
        self.send(&call).await.map(drop)
    }

    /// Makes a font of a file on this machine available to the account's jobs.
    pub async fn create_font(&self, path: impl AsRef<Path>) -> Result<Font> {
        let upload = self.upload(path).await?;
        let request = FontRequest { upload_id: Some(upload.id) };
        let response: FontResponse = self.json(&Call::post(&["v1", "fonts"], &request)?).await?;
        Ok(response.font)
    }

    /// The account's fonts.
    pub async fn fonts(&self) -> Result<Vec<Font>> {
        let response: FontsResponse = self.json(&Call::get(&["v1", "fonts"])?).await?;
        Ok(response.fonts)
    }

    /// Deletes a font.
    pub async fn delete_font(&self, id: &str) -> Result<()> {
        self.send(&Call::new(Method::DELETE, &["v1", "fonts", id])?).await.map(drop)
    }

    /// An event.
    pub async fn event(&self, id: &str) -> Result<Event> {
        let response: EventResponse = self.json(&Call::get(&["v1", "events", id])?).await?;
        Ok(response.event)
    }
}
