//! Adds, lists, shows and deletes an account's stored templates.

use std::sync::Arc;

use docmill_aws::files::{FilesError, ObjectKey, Stored, TemplatePart, template_folder};
use docmill_domain::breach::Breach;
use docmill_domain::request::new_template::Wanted;
use docmill_domain::template::{
    self, Candidate, Checked, MOST_TEMPLATE_BYTES, TemplateName, TemplateView, Unusable, Version,
};
use docmill_domain::upload::{UploadId, no_such_upload};
use docmill_store::StoreError;
use docmill_store::templates::{Limit, Versions, Write};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::caller::Caller;
use crate::context::Context;
use crate::fault::{Fault, with_faults};

/// Most tries of a write while others change the same template.
const TRIES: u32 = 12;

/// Why a template can't be added, shown, listed or deleted.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// The request is wrong in these places.
    #[error("the request is invalid")]
    Invalid(Vec<Breach>),
    /// The upload is not a template that can be used.
    #[error(transparent)]
    Unusable(#[from] Unusable),
    /// A limit of versions or names is reached.
    #[error("there are as many templates as there may be")]
    TooMany(Limit),
    /// The account has no such template, or no such version of it.
    #[error("there is no such template, or it has no such version")]
    NotFound,
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(TemplateError);

/// The storage of templates.
#[derive(Debug)]
pub struct TemplateService {
    /// What every API function has.
    pub context: Arc<Context>,
}

/// A version of the account.
#[derive(Debug)]
pub struct Kept {
    /// As its owner reads it.
    pub view: TemplateView,
    /// Whether this upload was added before.
    pub was_there: bool,
}

impl TemplateService {
    /// Over the account's tables and files.
    pub fn new(context: impl Into<Arc<Context>>) -> Self {
        Self { context: context.into() }
    }

    /// Makes the upload that `body` names the next version of a template, if `check` can read it.
    ///
    /// # Errors
    /// If the request is invalid, there is no such upload, `check` refuses it, a limit is reached, or it can't be stored now.
    pub async fn add(
        &self,
        caller: &Caller,
        body: &Map<String, Value>,
        check: impl FnOnce(Candidate<'_>) -> Result<Checked, Unusable>,
    ) -> Result<Kept, TemplateError> {
        let wanted = Wanted::read(body, caller.now).map_err(TemplateError::Invalid)?;
        let stored = self.upload(caller, wanted.upload).await?;
        let stored = stored.ok_or_else(|| TemplateError::Invalid(no_such_upload()))?;
        let (content_type, disposition) = (stored.content_type.clone(), stored.content_disposition.clone());
        let checked = check(Candidate {
            file: stored.bytes(MOST_TEMPLATE_BYTES).await?,
            content_type: content_type.as_deref(),
            disposition: disposition.as_deref(),
            delimiters: wanted.delimiters.as_ref(),
        })?;
        self.keep(caller, &wanted, checked).await
    }

    /// The caller's upload, if there is one.
    async fn upload(&self, caller: &Caller, upload: UploadId) -> Result<Option<Stored>, TemplateError> {
        let key = ObjectKey::Upload { account: caller.account(), upload }.to_string();
        Ok(self.context.files.get(&key).await?)
    }

    /// Stores the next version of a template. Its files are stored first, so that every listed version has them. They are deleted
    /// if they are not needed. If this ends too early, the sweeper deletes them a day later.
    async fn keep(&self, caller: &Caller, wanted: &Wanted, checked: Checked) -> Result<Kept, TemplateError> {
        let (account, name) = (caller.account(), &wanted.name);
        let upload = wanted.upload.to_string();
        for _ in 0..TRIES {
            let seen = self.context.templates.named(account, name).await?;
            // Timeline: a version is added, the response is lost, and the request is repeated.
            let is_same = |version: &&Version| version.upload == upload && version.delimiters == wanted.delimiters;
            if let Some(earlier) = seen.each().iter().find(is_same) {
                let expected = self.expected(account, name, earlier).await?;
                return Ok(Kept { view: shown(name, earlier, seen.each(), &expected)?, was_there: true });
            }
            if seen.is_full() {
                return Err(TemplateError::TooMany(Limit::Template));
            }
            let version = Version {
                version: seen.next(),
                format: checked.format,
                bytes: checked.file.len() as u64,
                created_at: caller.now,
                upload: upload.clone(),
                file: Uuid::now_v7().simple().to_string(),
                delimiters: wanted.delimiters.clone(),
            };
            self.put(account, name, &version, &checked).await?;
            match self.context.templates.add(account, name, &seen, version.clone()).await? {
                Write::Done(now) => {
                    let view = shown(name, &version, now.each(), &checked.expected)?;
                    return Ok(Kept { view, was_there: false });
                }
                Write::Outdated => self.delete_files(account, &keys(account, name, &version)).await,
                Write::Full(limit) => {
                    self.delete_files(account, &keys(account, name, &version)).await;
                    return Err(TemplateError::TooMany(limit));
                }
            }
        }
        Err(contended())
    }

    async fn put(
        &self,
        account: &str,
        name: &TemplateName,
        version: &Version,
        checked: &Checked,
    ) -> Result<(), TemplateError> {
        let files = &self.context.files;
        let key = |part| ObjectKey::of_template(account, name, version, part);
        let (file, expected) = (key(TemplatePart::File), key(TemplatePart::Expected));
        let put = files.put_bytes(&file, checked.file.clone(), checked.format.content_type());
        put.await?;
        Ok(files.put_text(&expected, checked.expected.clone()).await?)
    }

    /// All templates by name, each with its newest version.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<TemplateView>, TemplateError> {
        let templates = self.of_account(caller.account()).await?;
        let view = |(name, versions): (TemplateName, Versions)| {
            let newest = template::chosen(versions.each(), None)?;
            Some(template::view(&name, newest, versions.each()))
        };
        Ok(templates.into_iter().filter_map(view).collect())
    }

    /// By name.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn of_account(&self, account: &str) -> Result<Vec<(TemplateName, Versions)>, StoreError> {
        self.context.templates.of_account(account).await
    }

    /// A version with the schema of its data and an example: this one, or else the newest.
    ///
    /// # Errors
    /// If there is no such version, or it can't be read now.
    pub async fn show(&self, account: &str, name: &str, version: Option<u32>) -> Result<TemplateView, TemplateError> {
        let name = TemplateName::parse(name).ok_or(TemplateError::NotFound)?;
        let versions = self.context.templates.named(account, &name).await?;
        self.show_of(account, &name, &versions, version).await
    }

    /// The same for versions that were read.
    ///
    /// # Errors
    /// As for [`Self::show`].
    pub async fn show_of(
        &self,
        account: &str,
        name: &TemplateName,
        versions: &Versions,
        version: Option<u32>,
    ) -> Result<TemplateView, TemplateError> {
        let wanted = template::chosen(versions.each(), version).ok_or(TemplateError::NotFound)?;
        let expected = self.expected(account, name, wanted).await?;
        shown(name, wanted, versions.each(), &expected)
    }

    /// What a version expects. A version that was deleted in the meantime does not exist.
    async fn expected(&self, account: &str, name: &TemplateName, version: &Version) -> Result<String, TemplateError> {
        let key = ObjectKey::of_template(account, name, version, TemplatePart::Expected).to_string();
        let bytes = self.context.files.get_bytes(&key, MOST_TEMPLATE_BYTES).await?;
        Ok(String::from_utf8(bytes.ok_or(TemplateError::NotFound)?).map_err(Fault::internal)?)
    }

    /// Deletes a version, or all. Jobs that name it and have not read it yet fail.
    ///
    /// # Errors
    /// If there is no such version, or it can't be removed now.
    pub async fn delete(&self, caller: &Caller, name: &str, version: Option<u32>) -> Result<(), TemplateError> {
        let account = caller.account();
        let name = TemplateName::parse(name).ok_or(TemplateError::NotFound)?;
        for _ in 0..TRIES {
            let seen = self.context.templates.named(account, &name).await?;
            template::chosen(seen.each(), version).ok_or(TemplateError::NotFound)?;
            let files = self.files_of(account, &name, &seen, version).await?;
            match self.context.templates.remove(account, &name, &seen, version, caller.now).await? {
                Write::Done(_) => {
                    self.delete_files(account, &files).await;
                    return Ok(());
                }
                Write::Outdated | Write::Full(_) => {}
            }
        }
        Err(contended())
    }

    /// The files that a deletion leaves unused. If no version remains, these are all that lie there: also those of an addition
    /// that was cut off.
    ///
    /// Timeline: A has stored the files of a new version, B lists and deletes all versions, and A adds its version. A's write
    /// fails, because B's came first, and A stores its files again, after B's list. If A's write comes first, B's fails.
    async fn files_of(
        &self,
        account: &str,
        name: &TemplateName,
        seen: &Versions,
        version: Option<u32>,
    ) -> Result<Vec<String>, FilesError> {
        let goes = |known: &&Version| version.is_none_or(|version| known.version == version);
        if seen.each().iter().all(|known| goes(&known)) {
            return self.context.files.list(&template_folder(account, name)).await;
        }
        Ok(seen.each().iter().filter(goes).flat_map(|version| keys(account, name, version)).collect())
    }

    /// A remaining file is not listed, and the sweeper deletes it a day later, so a failure does not change the response.
    async fn delete_files(&self, account: &str, keys: &[String]) {
        if let Err(error) = self.context.files.delete_all(keys).await {
            tracing::error!(%error, account, "files of a template could not be deleted");
        }
    }
}

fn keys(account: &str, name: &TemplateName, version: &Version) -> [String; 2] {
    [TemplatePart::File, TemplatePart::Expected]
        .map(|part| ObjectKey::of_template(account, name, version, part).to_string())
}

fn contended() -> TemplateError {
    Fault::unavailable("other requests changed the template during every attempt").into()
}

/// A version with what it expects.
fn shown(
    name: &TemplateName,
    version: &Version,
    all: &[Version],
    expected: &str,
) -> Result<TemplateView, TemplateError> {
    let mut expected: Map<String, Value> = serde_json::from_str(expected).map_err(Fault::internal)?;
    let (schema, example) = (expected.remove("schema"), expected.remove("example"));
    Ok(TemplateView { schema, example, ..template::view(name, version, all) })
}
