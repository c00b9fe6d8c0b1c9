//! Adds, lists and deletes an account's fonts.

use std::sync::Arc;

use docmill_aws::files::ObjectKey;
use docmill_domain::breach::Breach;
use docmill_domain::font::{FontFace, FontId, FontView, StoredFont};
use docmill_domain::upload::{UploadId, named_upload, no_such_upload};
use docmill_fonts::{Face, Font, MOST_BYTES};
use docmill_store::StoreError;
use docmill_store::fonts::Added;
use serde_json::{Map, Value};

use crate::caller::Caller;
use crate::context::Context;
use crate::fault::{Fault, with_faults};

const CONTENT_TYPE: &str = "font/sfnt";

/// Why a font can't be added, listed or deleted.
#[derive(Debug, thiserror::Error)]
pub enum FontError {
    /// The request is wrong in these places.
    #[error("the request is invalid")]
    Invalid(Vec<Breach>),
    /// The upload is not a font that can be used, for this reason.
    #[error("{0}")]
    Unusable(String),
    /// A limit is reached.
    #[error("the account has as many fonts as it may")]
    TooMany,
    /// The account has no such font.
    #[error("there is no such font")]
    NotFound,
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(FontError);

/// The storage of fonts.
#[derive(Debug)]
pub struct FontService {
    /// What every API function has.
    pub context: Arc<Context>,
}

/// A font of the account.
#[derive(Debug)]
pub struct Kept {
    /// As its owner reads it.
    pub view: FontView,
    /// Whether the account already had it.
    pub was_there: bool,
}

impl FontService {
    /// Over the account's tables and files.
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        Self { context: context.into() }
    }

    /// Turns the upload that `body` names into a font, if it is valid.
    ///
    /// # Errors
    /// If there is no such upload, it is not a font, the account has too many, or it can't be stored now.
    pub async fn add(&self, caller: &Caller, body: &Map<String, Value>) -> Result<Kept, FontError> {
        let upload = named_upload(body, caller.now).map_err(FontError::Invalid)?;
        let file = self.upload(caller, upload).await?.ok_or_else(|| FontError::Invalid(no_such_upload()))?;
        let font = docmill_fonts::read(&file).map_err(|error| FontError::Unusable(error.to_string()))?;
        let stored = stored_font(caller, &file, &font, upload);
        self.keep(caller, &FontId::of(&file), &stored, font.file).await
    }

    /// The caller's upload, cut off once it is known to be too large for a font. `None` if there is none.
    async fn upload(&self, caller: &Caller, id: UploadId) -> Result<Option<Vec<u8>>, FontError> {
        let key = ObjectKey::Upload { account: caller.account(), upload: id }.to_string();
        Ok(self.context.files.get_bytes(&key, MOST_BYTES).await?)
    }

    /// Stores a font. The file is stored first, so that every listed font has one. It is deleted if it is not needed.
    async fn keep(&self, caller: &Caller, id: &FontId, font: &StoredFont, file: Vec<u8>) -> Result<Kept, FontError> {
        let account = caller.account();
        let key = ObjectKey::Font { account, upload: &font.upload };
        self.context.files.put_bytes(&key, file, CONTENT_TYPE).await?;
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
                Err(FontError::TooMany)
            }
        }
    }

    /// Oldest first.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<FontView>, FontError> {
        let fonts = self.of_account(caller.account()).await?;
        Ok(fonts.iter().map(|(id, font)| font.view(id)).collect())
    }

    /// Oldest first.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_account(&self, account: &str) -> Result<Vec<(FontId, StoredFont)>, StoreError> {
        let mut fonts: Vec<_> = self.context.fonts.of_account(account).await?.into_iter().collect();
        fonts.sort_by(|(one, first), (other, second)| (first.created_at, one).cmp(&(second.created_at, other)));
        Ok(fonts)
    }

    /// Jobs that were not started yet no longer use it.
    ///
    /// # Errors
    /// If there is no such font, or it can't be removed now.
    pub async fn delete(&self, caller: &Caller, id: &str) -> Result<(), FontError> {
        let id = FontId::parse(id).ok_or(FontError::NotFound)?;
        let removed = self.context.fonts.remove(caller.account(), &id).await?;
        self.delete_file(caller.account(), &removed.ok_or(FontError::NotFound)?).await;
        Ok(())
    }

    /// A remaining file is not listed, so a failure does not change the response.
    async fn delete_file(&self, account: &str, font: &StoredFont) {
        let key = ObjectKey::Font { account, upload: &font.upload }.to_string();
        if let Err(error) = self.context.files.delete(&key).await {
            tracing::error!(%error, account, "the file of a font could not be deleted");
        }
    }
}

fn stored_font(caller: &Caller, uploaded: &[u8], font: &Font, upload: UploadId) -> StoredFont {
    StoredFont {
        format: font.format.as_str().to_owned(),
        bytes: uploaded.len() as u64,
        faces: font.faces.iter().map(face).collect(),
        created_at: caller.now,
        upload: upload.to_string(),
    }
}

fn face(face: &Face) -> FontFace {
    let Face { family, aliases, style, weight, italic, postscript_name } = face.clone();
    FontFace { family, aliases, style, weight, italic, postscript_name }
}
