//! Errors of use cases as errors for clients: the one place where their codes are chosen. `error` has each code's status.

use docmill_app::batches::BatchError;
use docmill_app::caller::Denied;
use docmill_app::fault::Fault;
use docmill_app::fonts::FontError;
use docmill_app::jobs::LookupError;
use docmill_app::jobs::control::ControlError;
use docmill_app::jobs::receipts::ReceiptError;
use docmill_app::jobs::submit::SubmitError;
use docmill_app::templates::TemplateError;
use docmill_app::tools::ToolError;
use docmill_app::uploads::UploadError;
use docmill_app::webhooks::WebhookError;
use docmill_domain::breach::Breach;
use docmill_domain::template::{MOST_NEW_NAMES, MOST_VERSIONS, Unusable};
use docmill_store::templates::Limit;

use super::error::{ApiError, ErrorCode};

/// When a client should ask for a tool in maintenance again.
const MAINTENANCE_SECONDS: u64 = 60;

impl From<Fault> for ApiError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Unavailable(cause) => Self::unavailable(cause),
            Fault::Internal(cause) => Self::internal(cause),
        }
    }
}

impl From<Denied> for ApiError {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::UnknownKey => ErrorCode::InvalidApiKey.into(),
            Denied::RevokedKey => ErrorCode::RevokedApiKey.into(),
            Denied::AccountSuspended => ErrorCode::AccountSuspended.into(),
            Denied::TestModeDisabled => ErrorCode::TestModeDisabled.into(),
            Denied::OriginNotAllowed => ErrorCode::OriginNotAllowed.into(),
            Denied::RateLimited { seconds } => Self::rate_limited(seconds),
            Denied::Fault(fault) => fault.into(),
        }
    }
}

impl From<LookupError> for ApiError {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::NotFound => ErrorCode::JobNotFound.into(),
            LookupError::Fault(fault) => fault.into(),
        }
    }
}

impl From<ControlError> for ApiError {
    fn from(error: ControlError) -> Self {
        match error {
            ControlError::NotFound => ErrorCode::JobNotFound.into(),
            ControlError::Ended(job) => Self::from(ErrorCode::JobEnded).with_job(job),
            ControlError::Fault(fault) => fault.into(),
        }
    }
}

impl From<ReceiptError> for ApiError {
    fn from(error: ReceiptError) -> Self {
        match error {
            ReceiptError::NotFound => ErrorCode::JobNotFound.into(),
            ReceiptError::NotEnded(job) => Self::from(ErrorCode::JobNotEnded).with_job(job),
            ReceiptError::Fault(fault) => fault.into(),
        }
    }
}

impl From<ToolError> for ApiError {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Unknown(meant) => tool_not_found(meant.as_deref()),
            ToolError::NotAllowed => ErrorCode::ToolNotAllowed.into(),
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::UnknownTool(meant) => tool_not_found(meant.as_deref()),
            SubmitError::ToolNotAllowed => ErrorCode::ToolNotAllowed.into(),
            SubmitError::ToolInMaintenance => {
                let message = "This tool is in maintenance. Try again later; nothing was charged.";
                let error = Self::from(ErrorCode::Unavailable).with_message(message);
                Self { retry_after_seconds: Some(MAINTENANCE_SECONDS), ..error }
            }
            SubmitError::Invalid(breaches) => Self::validation(breaches),
            SubmitError::InsufficientCredits { required, available, contact } => {
                Self::insufficient_credits(required, available, contact.as_ref())
            }
            SubmitError::TestJobsUsedUp { seconds } => Self::rate_limited(seconds).with_message(
                "Your account has reached today's limit of test jobs. Wait until midnight UTC, or use a live key.",
            ),
            SubmitError::UploadsUsedUp { most, seconds } => uploads_used_up(most, seconds),
            SubmitError::KeyReused => ErrorCode::IdempotencyKeyReused.into(),
            SubmitError::BatchEnded => ErrorCode::BatchEnded.into(),
            SubmitError::Fault(fault) => fault.into(),
        }
    }
}

impl From<BatchError> for ApiError {
    fn from(error: BatchError) -> Self {
        match error {
            BatchError::Submit(error) => error.into(),
            BatchError::Invalid(breaches) => invalid("The batch is invalid. See `details`.", breaches),
            BatchError::NotFound => ErrorCode::BatchNotFound.into(),
            BatchError::Ended => ErrorCode::BatchEnded.into(),
            BatchError::NothingToRetry => Self::from(ErrorCode::BatchEnded)
                .with_message("The failed items of this batch are no longer kept, or none has failed."),
            BatchError::Fault(fault) => fault.into(),
        }
    }
}

impl From<FontError> for ApiError {
    fn from(error: FontError) -> Self {
        match error {
            FontError::Invalid(breaches) => invalid("The font request is invalid. See `details`.", breaches),
            FontError::Unusable(why) => Self::from(ErrorCode::InvalidFont).with_message(why),
            FontError::TooMany => ErrorCode::TooManyFonts.into(),
            FontError::NotFound => ErrorCode::FontNotFound.into(),
            FontError::Fault(fault) => fault.into(),
        }
    }
}

impl From<TemplateError> for ApiError {
    fn from(error: TemplateError) -> Self {
        match error {
            TemplateError::Invalid(breaches) => invalid("The template request is invalid. See `details`.", breaches),
            TemplateError::Unusable(Unusable { message, mistakes }) => {
                Self { details: mistakes, ..Self::from(ErrorCode::InvalidTemplate).with_message(message) }
            }
            TemplateError::TooMany(limit) => too_many_templates(limit),
            TemplateError::NotFound => ErrorCode::TemplateNotFound.into(),
            TemplateError::Fault(fault) => fault.into(),
        }
    }
}

impl From<UploadError> for ApiError {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::Invalid(breaches) => invalid("The upload request is invalid. See `details`.", breaches),
            UploadError::UsedUp { most, seconds } => uploads_used_up(most, seconds),
            UploadError::Fault(fault) => fault.into(),
        }
    }
}

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Invalid(breaches) => invalid("The request is invalid. See `details`.", breaches),
            WebhookError::NotFound => ErrorCode::WebhookNotFound.into(),
            WebhookError::EventNotFound => ErrorCode::EventNotFound.into(),
            WebhookError::TooMany => ErrorCode::TooManyWebhooks.into(),
            WebhookError::Disabled => ErrorCode::WebhookDisabled.into(),
            WebhookError::ChallengeFailed(what) => Self::from(ErrorCode::WebhookChallengeFailed).with_message(what),
            WebhookError::Fault(fault) => fault.into(),
        }
    }
}

fn uploads_used_up(most: u64, seconds: u64) -> ApiError {
    ApiError::rate_limited(seconds).with_message(format!(
        "Your account's uploads of today would exceed {most} bytes. Wait until midnight UTC, or send the document as `sourceUrl`."
    ))
}

fn invalid(message: &str, breaches: Vec<Breach>) -> ApiError {
    ApiError::validation(breaches).with_message(message)
}

/// No tool has this name. `meant`: the name that was probably meant.
fn tool_not_found(meant: Option<&str>) -> ApiError {
    let error = ApiError::from(ErrorCode::ToolNotFound);
    match meant {
        Some(meant) => error.with_message(format!(
            "There is no tool with this name. Did you mean `{meant}`? `GET /v1/tools` lists all tools."
        )),
        None => error,
    }
}

fn too_many_templates(limit: Limit) -> ApiError {
    let error = ApiError::from(ErrorCode::TooManyTemplates);
    match limit {
        Limit::Account => error,
        Limit::Template => error.with_message(format!(
            "This template has {MOST_VERSIONS} versions, which is the limit. Delete some that you no longer use."
        )),
        Limit::NewNames => error.with_message(format!(
            "Your account has begun to use {MOST_NEW_NAMES} names of templates today, which is the limit. Add versions to \
             templates that you have, or continue tomorrow (UTC)."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_app::tools;
    use docmill_domain::catalogue::Catalogue;

    #[test]
    fn a_tool_that_is_nearly_named_right_is_suggested() {
        let catalogue = Catalogue::load().unwrap();
        let message = |slug: &str| ApiError::from(tools::find(&catalogue, slug).unwrap_err()).message;
        assert!(message("merge").contains("Did you mean `merge-pdf`?"), "{}", message("merge"));
        assert_eq!(message("zzz"), ApiError::from(ErrorCode::ToolNotFound).message);
    }
}
