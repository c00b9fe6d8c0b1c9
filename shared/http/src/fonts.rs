//! Adds, lists and deletes an account's fonts.

use std::sync::Arc;

use lambda_http::http::StatusCode;
use serde_json::Value;

use super::envelope::{Outcome, Reply};
use super::error::{ApiError, ErrorCode};
use super::guard::{Caller, as_account};
use docmill_app::context::Context;
use docmill_aws::files::ObjectKey;
use docmill_domain::api_key::Mode;
use docmill_domain::font::{FontId, StoredFont};
use docmill_domain::quota::RatePolicy;
use docmill_domain::upload::UploadId;
use docmill_store::StoreError;
use docmill_store::fonts::Added;

const CONTENT_TYPE: &str = "font/sfnt";

/// The storage of fonts.
#[derive(Debug)]
pub struct FontService {
    pub context: Arc<Context>,
}

/// A font of the account.
#[derive(Debug)]
pub struct Kept {
    pub view: Value,
    /// Whether the account already had it.
    pub was_there: bool,
}

impl FontService {
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        Self { context: context.into() }
    }

    /// The caller's upload, cut off once it is known to have more than `most` bytes. `None` if there is none.
    pub async fn upload(&self, caller: &Caller, id: UploadId, most: usize) -> Result<Option<Vec<u8>>, ApiError> {
        let key = ObjectKey::Upload { account: caller.account(), upload: id }.to_string();
        self.context.files.get_bytes(&key, most).await.map_err(ApiError::unavailable)
    }

    /// Stores a font. The file is stored first, so that every listed font has one. It is deleted if it is not needed.
    pub async fn keep(&self, caller: &Caller, id: &FontId, font: &StoredFont, file: Vec<u8>) -> Result<Kept, ApiError> {
        let account = caller.account();
        let key = ObjectKey::Font { account, upload: &font.upload };
        self.context.files.put_bytes(&key, file, CONTENT_TYPE).await.map_err(ApiError::unavailable)?;
        match self.context.fonts.add(account, id, font).await? {
            Added::Yes => Ok(Kept { view: font.view(id), was_there: false }),
            Added::Already(earlier) => {
                // A repeated request names the same upload.
                if earlier.upload != font.upload {
                    self.delete_file(account, font).await;
                }
                Ok(Kept { view: earlier.view(id), was_there: true })
            }
            Added::Full => {
                self.delete_file(account, font).await;
                Err(ErrorCode::TooManyFonts.into())
            }
        }
    }

    /// Oldest first.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<Value>, ApiError> {
        let fonts = self.of_account(caller.account()).await?;
        Ok(fonts.iter().map(|(id, font)| font.view(id)).collect())
    }

    /// Oldest first.
    pub async fn of_account(&self, account: &str) -> Result<Vec<(FontId, StoredFont)>, StoreError> {
        let mut fonts: Vec<_> = self.context.fonts.of_account(account).await?.into_iter().collect();
        fonts.sort_by(|(one, first), (other, second)| (first.created_at, one).cmp(&(second.created_at, other)));
        Ok(fonts)
    }

    /// Jobs that were not started yet no longer use it.
    pub async fn delete(&self, caller: &Caller, id: &str) -> Result<(), ApiError> {
        let id = FontId::parse(id).ok_or(ErrorCode::FontNotFound)?;
        let removed = self.context.fonts.remove(caller.account(), &id).await?;
        self.delete_file(caller.account(), &removed.ok_or(ErrorCode::FontNotFound)?).await;
        Ok(())
    }

    /// The same for a signed-in user's account.
    pub async fn delete_as(&self, account: &str, id: &FontId) -> Outcome {
        as_account(&self.context, account, Mode::Live, RatePolicy::Read, async |caller| {
            self.delete(&caller, id.as_str()).await?;
            Ok(Reply::empty(StatusCode::NO_CONTENT))
        })
        .await
    }

    /// A remaining file is not listed, so a failure does not change the response.
    async fn delete_file(&self, account: &str, font: &StoredFont) {
        let key = ObjectKey::Font { account, upload: &font.upload }.to_string();
        if let Err(error) = self.context.files.delete(&key).await {
            tracing::error!(%error, account, "the file of a font could not be deleted");
        }
    }
}
