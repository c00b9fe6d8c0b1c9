//! Issues uploads for the endpoint and the dashboard.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::envelope::{Outcome, Reply};
use super::error::ApiError;
use super::guard::{Caller, as_account};
use crate::context::Context;
use crate::domain::api_key::Mode;
use crate::domain::quota::RatePolicy;
use crate::domain::upload::{UploadId, UploadRequest};
use crate::files::{ObjectKey, UPLOAD_LINK_LIFETIME};

/// Where uploads are issued.
#[derive(Debug)]
pub struct UploadService {
    pub context: Arc<Context>,
}

impl UploadService {
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        Self { context: context.into() }
    }

    /// The same for a signed-in user's account.
    pub async fn issue_as(&self, account: &str, mode: Mode, body: &Map<String, Value>) -> Outcome {
        as_account(&self.context, account, mode, RatePolicy::Create, async |caller| self.issue(body, &caller).await)
            .await
    }

    /// A signed link for uploading one document. Nothing is stored until it is used.
    pub async fn issue(&self, body: &Map<String, Value>, caller: &Caller) -> Outcome {
        let wanted = UploadRequest::parse(body, caller.limits(&self.context.config.limits).source_bytes).map_err(
            |breaches| ApiError::validation(breaches).with_message("The upload request is invalid. See `details`."),
        )?;
        let id = UploadId::new();
        let key = ObjectKey::Upload { account: caller.account(), upload: id };
        let upload = self.context.files.upload_link(&key, &wanted).await.map_err(ApiError::unavailable)?;
        let view = json!({
            "id": id.to_string(),
            "url": upload.link.reveal(),
            "method": "PUT",
            "headers": upload.headers,
            "urlExpiresAt": caller.now.plus(UPLOAD_LINK_LIFETIME).to_string(),
            "expiresAt": id.expires_at().to_string(),
        });
        Ok(Reply::ok("upload", view))
    }
}
