//! The state of all handlers: the service's context, the dashboard's settings, and the issuer.

use std::sync::Arc;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use docmill_app::batches::{BatchControl, NewBatches};
use docmill_app::context::Context;
use docmill_app::fonts::FontService;
use docmill_app::jobs::control::ControlService;
use docmill_app::jobs::submit::JobService;
use docmill_app::templates::TemplateService;
use docmill_app::uploads::UploadService;

use crate::config::DashboardConfig;
use crate::issuer::{Issuer, IssuerError};

/// What every handler is given.
#[derive(Clone, Debug)]
pub struct AppState {
    /// What all functions share: tables, settings, catalogue.
    pub context: Arc<Context>,
    /// The dashboard's own settings.
    pub config: Arc<DashboardConfig>,
    /// Who vouches for users.
    pub issuer: Arc<Issuer>,
    /// Creates the playground's jobs and uploads, like the API.
    pub jobs: Arc<JobService>,
    /// Signs links for uploads, like the API.
    pub uploads: Arc<UploadService>,
    /// Cancels and deletes jobs, like the API.
    pub control: Arc<ControlService>,
    /// Cancels, resumes and deletes batches, like the API.
    pub batches: Arc<BatchControl>,
    /// Creates batches of failed items.
    pub new_batches: Arc<NewBatches>,
    /// Adds and deletes fonts, like the API.
    pub fonts: Arc<FontService>,
    /// Adds and deletes templates, like the API.
    pub templates: Arc<TemplateService>,
    base_path: Arc<str>,
}

impl AppState {
    /// Asks nobody yet.
    ///
    /// # Errors
    /// If an address of the issuer can't be used.
    pub fn new(context: Arc<Context>, config: DashboardConfig) -> Result<Self, IssuerError> {
        let base_path = config.url.path().trim_end_matches('/').into();
        let jobs = Arc::new(JobService::new(context.clone(), None));
        Ok(Self {
            new_batches: Arc::new(NewBatches::new(jobs.clone())),
            batches: Arc::new(BatchControl::new(context.clone())),
            jobs,
            uploads: Arc::new(UploadService::new(context.clone())),
            control: Arc::new(ControlService::new(context.clone())),
            fonts: Arc::new(FontService::new(context.clone())),
            templates: Arc::new(TemplateService::new(context.clone())),
            context,
            issuer: Arc::new(Issuer::new(&config)?),
            config: Arc::new(config),
            base_path,
        })
    }

    /// The address of one of our paths, e.g. `/app/keys`, for `href`, `action`, `hx-get` …
    pub fn link(&self, path: &str) -> String {
        format!("{}{path}", self.base_path)
    }

    /// The same with scheme and host, for texts to copy: `absolute("/v1/jobs")`.
    pub fn absolute(&self, path: &str) -> String {
        format!("{}{path}", self.config.url.as_str().trim_end_matches('/'))
    }

    /// The gateway's prefix of all our paths, which is empty on AWS.
    pub fn base_path(&self) -> &str {
        &self.base_path
    }

    /// Redirects the browser to one of our paths with GET, after a form.
    pub fn redirect(&self, path: &str) -> Response {
        redirect_to(&self.link(path))
    }
}

/// 303, so that the browser follows with a GET.
pub fn redirect_to(location: &str) -> Response {
    match HeaderValue::try_from(location) {
        Ok(location) => (StatusCode::SEE_OTHER, [(header::LOCATION, location)]).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
