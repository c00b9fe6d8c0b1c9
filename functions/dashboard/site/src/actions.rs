//! Use cases that pages run for the user's account, under the limits of its keys. Errors are those of the API, whose texts pages show.

use docmill_app::caller::as_account;
use docmill_app::fonts::Kept as KeptFont;
use docmill_app::jobs::submit::{Asked, Taken};
use docmill_app::templates::Kept as KeptTemplate;
use docmill_domain::api_key::Mode;
use docmill_domain::font::FontId;
use docmill_domain::job::Job;
use docmill_domain::quota::RatePolicy;
use docmill_domain::template::TemplateName;
use docmill_domain::upload::UploadView;
use docmill_http::error::ApiError;
use serde_json::{Map, Value};

use crate::state::AppState;

impl AppState {
    /// Creates a job in this mode.
    ///
    /// # Errors
    /// What the API answers: that no job is created, and why.
    pub async fn create_job(&self, account: &str, mode: Mode, asked: Asked<'_>) -> Result<Job, ApiError> {
        as_account(&self.context, account, mode, RatePolicy::Create, async |caller| {
            let Taken { job, .. } = self.jobs.create(&caller, asked).await?;
            Ok(job)
        })
        .await
    }

    /// Cancels a job.
    ///
    /// # Errors
    /// What the API answers, such as that there is no such job.
    pub async fn cancel_job(&self, account: &str, id: &str) -> Result<Job, ApiError> {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            Ok(self.control.cancel(&caller, id).await?)
        })
        .await
    }

    /// Deletes a job's documents.
    ///
    /// # Errors
    /// What the API answers, such as that there is no such job.
    pub async fn delete_job(&self, account: &str, id: &str) -> Result<(), ApiError> {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            Ok(self.control.delete(&caller, id).await?)
        })
        .await
    }

    /// A signed link for an upload that jobs in this mode may use.
    ///
    /// # Errors
    /// What the API answers, such as that too much was uploaded today.
    pub async fn issue_upload(
        &self,
        account: &str,
        mode: Mode,
        body: &Map<String, Value>,
    ) -> Result<UploadView, ApiError> {
        as_account(&self.context, account, mode, RatePolicy::Create, async |caller| {
            Ok(self.uploads.issue(body, &caller).await?)
        })
        .await
    }

    /// Makes a font of an upload.
    ///
    /// # Errors
    /// What the API answers, such as that the upload is no font.
    pub async fn add_font(&self, account: &str, body: &Map<String, Value>) -> Result<KeptFont, ApiError> {
        as_account(&self.context, account, Mode::Live, RatePolicy::Create, async |caller| {
            Ok(self.fonts.add(&caller, body).await?)
        })
        .await
    }

    /// Deletes a font.
    ///
    /// # Errors
    /// What the API answers, such as that there is no such font.
    pub async fn delete_font(&self, account: &str, id: &FontId) -> Result<(), ApiError> {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            Ok(self.fonts.delete(&caller, id.as_str()).await?)
        })
        .await
    }

    /// Makes an upload the next version of a template.
    ///
    /// # Errors
    /// What the API answers, such as that the upload is no template.
    pub async fn add_template(&self, account: &str, body: &Map<String, Value>) -> Result<KeptTemplate, ApiError> {
        as_account(&self.context, account, Mode::Live, RatePolicy::Create, async |caller| {
            Ok(self.templates.add(&caller, body, docmill_templates::check).await?)
        })
        .await
    }

    /// Deletes a version of a template, or all.
    ///
    /// # Errors
    /// What the API answers, such as that there is no such version.
    pub async fn delete_template(
        &self,
        account: &str,
        name: &TemplateName,
        version: Option<u32>,
    ) -> Result<(), ApiError> {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            Ok(self.templates.delete(&caller, name.as_str(), version).await?)
        })
        .await
    }
}
