//! Issues uploads for the endpoint and the dashboard.

use std::sync::Arc;

use docmill_aws::files::{ObjectKey, UPLOAD_LINK_LIFETIME};
use docmill_domain::breach::Breach;
use docmill_domain::link::SentLink;
use docmill_domain::upload::{UploadId, UploadRequest, UploadView};
use serde_json::{Map, Value};

use crate::caller::{Caller, UploadsUsedUp};
use crate::context::Context;
use crate::fault::{Fault, with_faults};

/// Why no link for an upload is issued.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    /// The request is wrong in these places.
    #[error("the request is invalid")]
    Invalid(Vec<Breach>),
    /// The uploads of the account's day would have more than `most` bytes. The next day begins after so many seconds.
    #[error("today's uploads would exceed {most} bytes")]
    UsedUp {
        /// The limit in bytes.
        most: u64,
        /// Until the next day begins.
        seconds: u64,
    },
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(UploadError);

/// Where uploads are issued.
#[derive(Debug)]
pub struct UploadService {
    /// What every API function has.
    pub context: Arc<Context>,
}

impl UploadService {
    /// Over the account's files and budgets.
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        Self { context: context.into() }
    }

    /// A signed link for uploading one document, as its owner sees it. Nothing is stored until it is used.
    ///
    /// # Errors
    /// If the request is invalid, the account has uploaded too much today, or the link can't be made now.
    pub async fn issue(&self, body: &Map<String, Value>, caller: &Caller) -> Result<UploadView, UploadError> {
        let limits = caller.limits(&self.context.config.limits);
        let wanted = UploadRequest::parse(body, limits.source_bytes).map_err(UploadError::Invalid)?;
        if let Some(UploadsUsedUp { most, seconds }) = caller.count_uploads(&self.context, wanted.bytes).await? {
            return Err(UploadError::UsedUp { most, seconds });
        }
        let id = UploadId::new();
        let key = ObjectKey::Upload { account: caller.account(), upload: id };
        let upload = self.context.files.upload_link(&key, &wanted).await?;
        let headers = upload.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Ok(UploadView {
            id: id.to_string(),
            url: SentLink(upload.link.reveal().to_owned()),
            method: "PUT".to_owned(),
            headers,
            url_expires_at: caller.now.plus(UPLOAD_LINK_LIFETIME).into(),
            expires_at: id.expires_at().into(),
        })
    }
}
