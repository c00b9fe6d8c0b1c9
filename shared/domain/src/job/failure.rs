//! Failures of jobs, and warnings about results.

use serde::{Deserialize, Serialize};

use super::cut::cut_to;
use super::mistake::Mistake;
use crate::page_range::PageRange;

/// Why a job failed. Responses, logs and metrics share this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = "Why the job failed."))]
#[expect(missing_docs, reason = "`meaning` says what each means")]
pub enum JobErrorCode {
    SourceUnreachable,
    SourceForbidden,
    SourceTooLarge,
    SourceTimeout,
    UnsupportedFormat,
    CorruptDocument,
    PasswordRequired,
    WrongPassword,
    PageLimitExceeded,
    RenderFailed,
    RedactionIncomplete,
    DocumentSigned,
    SigningFailed,
    InvalidSignatureKey,
    TemplateError,
    ConversionTimeout,
    EngineCrashed,
    SourceJobFailed,
    DeliveryFailed,
    Internal,
}

impl JobErrorCode {
    /// In the order of the documentation.
    pub const ALL: [Self; 20] = [
        Self::SourceUnreachable,
        Self::SourceForbidden,
        Self::SourceTooLarge,
        Self::SourceTimeout,
        Self::UnsupportedFormat,
        Self::CorruptDocument,
        Self::PasswordRequired,
        Self::WrongPassword,
        Self::PageLimitExceeded,
        Self::RenderFailed,
        Self::RedactionIncomplete,
        Self::DocumentSigned,
        Self::SigningFailed,
        Self::InvalidSignatureKey,
        Self::TemplateError,
        Self::ConversionTimeout,
        Self::EngineCrashed,
        Self::SourceJobFailed,
        Self::DeliveryFailed,
        Self::Internal,
    ];

    /// As responses, logs and metrics have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SourceUnreachable => "source_unreachable",
            Self::SourceForbidden => "source_forbidden",
            Self::SourceTooLarge => "source_too_large",
            Self::SourceTimeout => "source_timeout",
            Self::UnsupportedFormat => "unsupported_format",
            Self::CorruptDocument => "corrupt_document",
            Self::PasswordRequired => "password_required",
            Self::WrongPassword => "wrong_password",
            Self::PageLimitExceeded => "page_limit_exceeded",
            Self::RenderFailed => "render_failed",
            Self::RedactionIncomplete => "redaction_incomplete",
            Self::DocumentSigned => "document_signed",
            Self::SigningFailed => "signing_failed",
            Self::InvalidSignatureKey => "invalid_signature_key",
            Self::TemplateError => "template_error",
            Self::ConversionTimeout => "conversion_timeout",
            Self::EngineCrashed => "engine_crashed",
            Self::SourceJobFailed => "source_job_failed",
            Self::DeliveryFailed => "delivery_failed",
            Self::Internal => "internal",
        }
    }

    /// Its meaning, as documented.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::SourceUnreachable => {
                "the address could not be reached: unknown name, no connection, HTTP status 400 or above, a redirect loop, \
                 or an upload or template that was deleted"
            }
            Self::SourceForbidden => "the service does not fetch from this address",
            Self::SourceTooLarge => "the source is over the size limit",
            Self::SourceTimeout => "the source took too long to download",
            Self::UnsupportedFormat => "this file format is not supported",
            Self::CorruptDocument => "the file is damaged, or not of the type it claims to be",
            Self::PasswordRequired => "the document is encrypted: send its password",
            Self::WrongPassword => "the password does not open the document",
            Self::PageLimitExceeded => "the result would have too many pages",
            Self::RenderFailed => "the document could not be rendered with these options",
            Self::RedactionIncomplete => "something that is to be redacted could not be removed, or was not found",
            Self::DocumentSigned => "the document is signed, and `output.keepSignatures` forbids to rewrite it",
            Self::SigningFailed => "the document can't be signed in this way: the message says what forbids it",
            Self::InvalidSignatureKey => "the key or its certificate can't be used, or its password is wrong",
            Self::TemplateError => "the template has mistakes, or does not fit its data: see `details`",
            Self::ConversionTimeout => "the conversion took too long",
            Self::EngineCrashed => "the engine crashed twice on this document",
            Self::SourceJobFailed => {
                "the job whose result this one needs has failed, was canceled, or has no such result"
            }
            Self::DeliveryFailed => "the result could not be sent to `output.putUrl`",
            Self::Internal => "an error on our side",
        }
    }

    /// Whether the source, the document or the request is the cause, rather than the service. Only such failures count towards
    /// an account's budget of refunded work. Not among them: failures in which nothing was converted, or the engine crashed.
    pub const fn is_owners_to_mend(self) -> bool {
        match self {
            Self::SourceUnreachable
            | Self::SourceForbidden
            | Self::SourceTooLarge
            | Self::SourceTimeout
            | Self::UnsupportedFormat
            | Self::CorruptDocument
            | Self::PasswordRequired
            | Self::WrongPassword
            | Self::PageLimitExceeded
            | Self::RenderFailed
            | Self::RedactionIncomplete
            | Self::DocumentSigned
            | Self::SigningFailed
            | Self::InvalidSignatureKey
            | Self::TemplateError
            | Self::ConversionTimeout
            | Self::DeliveryFailed => true,
            Self::EngineCrashed | Self::SourceJobFailed | Self::Internal => false,
        }
    }

    /// Whether the same request may succeed later.
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::SourceUnreachable
            | Self::SourceTimeout
            | Self::ConversionTimeout
            | Self::EngineCrashed
            | Self::DeliveryFailed
            | Self::Internal => true,
            Self::SourceForbidden
            | Self::SourceTooLarge
            | Self::UnsupportedFormat
            | Self::CorruptDocument
            | Self::PasswordRequired
            | Self::WrongPassword
            | Self::PageLimitExceeded
            | Self::RenderFailed
            | Self::RedactionIncomplete
            | Self::DocumentSigned
            | Self::SigningFailed
            | Self::InvalidSignatureKey
            | Self::TemplateError
            | Self::SourceJobFailed => false,
        }
    }
}

/// The code of the warning that a signed source was rewritten.
pub const SIGNATURE_INVALIDATED: &str = "signature_invalidated";
/// Longer texts are cut to keep a job's item small.
const MAX_TEXT_BYTES: usize = 400;
/// Further warnings are dropped.
pub const MAX_WARNINGS: usize = 50;
/// Further details of an error are dropped.
pub const MAX_DETAILS: usize = 20;

fn cut(text: impl Into<String>) -> String {
    cut_to(MAX_TEXT_BYTES, text)
}

/// The message of every internal error.
pub const INTERNAL_MESSAGE: &str = "Something went wrong on our side. The job costs nothing. Try again.";

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JobError {
    /// What programs go by.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub code: JobErrorCode,
    /// What to do.
    // It never contains secrets or internal names.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The mistakes in a template (`template_error`), 20 at most.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub details: Vec<Mistake>,
}

impl JobError {
    /// With a message that is cut if it is too long for the job's item.
    pub fn new(code: JobErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: cut(message), retryable: code.is_retryable(), details: Vec::new() }
    }

    /// Keeps the first mistakes, and the beginnings of their texts: a job's item stays small.
    pub fn with_details(mut self, details: impl IntoIterator<Item = Mistake>) -> Self {
        self.details = details.into_iter().take(MAX_DETAILS).map(Mistake::shortened).collect();
        self
    }

    /// Our fault.
    pub fn internal() -> Self {
        Self::new(JobErrorCode::Internal, INTERNAL_MESSAGE)
    }
}

/// How the result differs from the source, or an option that had no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Warning {
    /// A stable code, such as `unknown_option`, `resource_blocked` or `missing_glyph`. More may be added.
    pub code: String,
    /// For people.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub message: String,
    /// What it is about, such as the name of a font.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
    /// The pages of the step's PDF that the warning is about, such as `1-3,8`, if they are known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub pages: Option<PageRange>,
}

/// What follows the name of a stand-in in the message of a warning.
const USED: &str = "\" was used instead.";

impl Warning {
    /// Code and message are cut if they are too long for the job's item.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: cut(code), message: cut(message), detail: None, pages: None }
    }

    /// `stand_in`: the font that was used, if known. `consequence`: whole sentences.
    pub fn font_substituted(font: &str, stand_in: Option<&str>, consequence: &str) -> Self {
        let used = stand_in.map_or_else(|| "Another was used instead.".to_owned(), |name| format!("\"{name}{USED}"));
        let message = format!("The font {font:?} is not available. {used} {consequence}");
        Self::new("font_substituted", message).with_detail(font)
    }

    /// The font that was used instead of the one that the warning is about.
    pub fn stand_in(&self) -> Option<&str> {
        let (before, _) = self.message.split_once(USED).filter(|_| self.code == "font_substituted")?;
        before.rsplit_once('"').map(|(_, name)| name)
    }

    /// Says what it is about, cut if it is too long for the job's item.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(cut(detail));
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_are_written_as_they_serialise() {
        for code in JobErrorCode::ALL {
            assert_eq!(json!(code), json!(code.as_str()));
        }
    }

    #[test]
    fn a_warning_names_the_font_that_stands_in() {
        let warning = |stand_in| Warning::font_substituted("Acme \"G\"", stand_in, "It is as wide.");
        let known = warning(Some("Noto Sans"));
        assert_eq!(known.stand_in(), Some("Noto Sans"));
        assert_eq!(
            known.message,
            "The font \"Acme \\\"G\\\"\" is not available. \"Noto Sans\" was used instead. It is as wide."
        );
        assert_eq!(warning(None).stand_in(), None);
        assert_eq!(Warning::new("font_failed", known.message).stand_in(), None);
    }

    #[test]
    fn texts_of_a_source_stay_short() {
        let long = "ä".repeat(100_000);
        let warning = Warning::new("resource_blocked", long.clone()).with_detail(long.clone());
        assert_eq!(warning.message, format!("{}…", "ä".repeat(MAX_TEXT_BYTES / 2)));
        assert!(warning.detail.is_some_and(|detail| detail.ends_with("ä…")));
        assert!(JobError::new(JobErrorCode::UnsupportedFormat, long).message.len() < 1000);
        assert_eq!(JobError::new(JobErrorCode::Internal, "short").message, "short");
    }
}
