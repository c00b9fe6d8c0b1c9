//! Issues uploads for the endpoint and the dashboard.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::envelope::{Outcome, Reply};
use super::error::ApiError;
use super::guard::{Caller, as_account};
use docmill_app::context::Context;
use docmill_aws::files::{ObjectKey, UPLOAD_LINK_LIFETIME};
use docmill_domain::api_key::Mode;
use docmill_domain::quota::RatePolicy;
use docmill_domain::upload::{UploadId, UploadRequest};

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
        let limits = caller.limits(&self.context.config.limits);
        let wanted = UploadRequest::parse(body, limits.source_bytes).map_err(|breaches| {
            ApiError::validation(breaches).with_message("The upload request is invalid. See `details`.")
        })?;
        self.take_from_budget(&wanted, limits.daily_uploads(caller.key.mode), caller).await?;
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

    /// Counts the upload towards the day's budget, whether or not its link is used: that is known too late.
    async fn take_from_budget(&self, wanted: &UploadRequest, most: u64, caller: &Caller) -> Result<(), ApiError> {
        let (account, mode, now) = (caller.account(), caller.key.mode, caller.now);
        if self.context.budgets.take_upload(account, mode, wanted.bytes, most, now).await? {
            return Ok(());
        }
        let seconds = now.next_day().millis_since(now).div_ceil(1000);
        let message = format!(
            "Your account's uploads of today would exceed {most} bytes. Wait until midnight UTC, or send the document as \
             `sourceUrl`."
        );
        Err(ApiError::rate_limited(seconds).with_message(message))
    }
}
