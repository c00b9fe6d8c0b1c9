//! Every error that a client can get. Responses, logs and the documentation use this enum.

use docmill_app::fault::Fault;
use docmill_domain::breach::Breach;
use docmill_domain::job::JobId;
use docmill_domain::offer::Contact;
use docmill_store::StoreError;
use lambda_http::http::StatusCode;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

/// What went wrong. Each code has one status and a default text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "`text` says what each means")]
pub enum ErrorCode {
    InvalidJson,
    InvalidIdempotencyKey,
    MissingApiKey,
    InvalidApiKey,
    RevokedApiKey,
    InsufficientCredits,
    ToolNotAllowed,
    OriginNotAllowed,
    TestModeDisabled,
    AccountSuspended,
    ToolNotFound,
    JobNotFound,
    FontNotFound,
    TemplateNotFound,
    EventNotFound,
    WebhookNotFound,
    BatchNotFound,
    RouteNotFound,
    MethodNotAllowed,
    JobFailed,
    JobCanceled,
    JobEnded,
    JobNotEnded,
    BatchEnded,
    TooManyFonts,
    TooManyTemplates,
    TooManyWebhooks,
    WebhookDisabled,
    OutputExpired,
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
    InvalidFont,
    InvalidTemplate,
    WebhookChallengeFailed,
    IdempotencyKeyReused,
    RateLimited,
    Internal,
    Unavailable,
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for ErrorCode {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ErrorCode".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A stable code. More may be added: decide by `status` if you don't know one.",
            "enum": Self::ALL.map(Self::as_str).to_vec(),
        })
    }
}

impl ErrorCode {
    /// In the order of their statuses.
    pub const ALL: [Self; 39] = [
        Self::InvalidJson,
        Self::InvalidIdempotencyKey,
        Self::MissingApiKey,
        Self::InvalidApiKey,
        Self::RevokedApiKey,
        Self::InsufficientCredits,
        Self::ToolNotAllowed,
        Self::OriginNotAllowed,
        Self::TestModeDisabled,
        Self::AccountSuspended,
        Self::ToolNotFound,
        Self::JobNotFound,
        Self::FontNotFound,
        Self::TemplateNotFound,
        Self::EventNotFound,
        Self::WebhookNotFound,
        Self::BatchNotFound,
        Self::RouteNotFound,
        Self::MethodNotAllowed,
        Self::JobFailed,
        Self::JobCanceled,
        Self::JobEnded,
        Self::JobNotEnded,
        Self::BatchEnded,
        Self::TooManyFonts,
        Self::TooManyTemplates,
        Self::TooManyWebhooks,
        Self::WebhookDisabled,
        Self::OutputExpired,
        Self::PayloadTooLarge,
        Self::UnsupportedMediaType,
        Self::ValidationFailed,
        Self::InvalidFont,
        Self::InvalidTemplate,
        Self::WebhookChallengeFailed,
        Self::IdempotencyKeyReused,
        Self::RateLimited,
        Self::Internal,
        Self::Unavailable,
    ];

    /// As responses, logs and the documentation have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidIdempotencyKey => "invalid_idempotency_key",
            Self::MissingApiKey => "missing_api_key",
            Self::InvalidApiKey => "invalid_api_key",
            Self::RevokedApiKey => "revoked_api_key",
            Self::InsufficientCredits => "insufficient_credits",
            Self::ToolNotAllowed => "tool_not_allowed",
            Self::OriginNotAllowed => "origin_not_allowed",
            Self::TestModeDisabled => "test_mode_disabled",
            Self::AccountSuspended => "account_suspended",
            Self::ToolNotFound => "tool_not_found",
            Self::JobNotFound => "job_not_found",
            Self::FontNotFound => "font_not_found",
            Self::TemplateNotFound => "template_not_found",
            Self::EventNotFound => "event_not_found",
            Self::WebhookNotFound => "webhook_not_found",
            Self::BatchNotFound => "batch_not_found",
            Self::RouteNotFound => "route_not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::JobFailed => "job_failed",
            Self::JobCanceled => "job_canceled",
            Self::JobEnded => "job_ended",
            Self::JobNotEnded => "job_not_ended",
            Self::BatchEnded => "batch_ended",
            Self::TooManyFonts => "too_many_fonts",
            Self::TooManyTemplates => "too_many_templates",
            Self::TooManyWebhooks => "too_many_webhooks",
            Self::WebhookDisabled => "webhook_disabled",
            Self::OutputExpired => "output_expired",
            Self::PayloadTooLarge => "payload_too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::ValidationFailed => "validation_failed",
            Self::InvalidFont => "invalid_font",
            Self::InvalidTemplate => "invalid_template",
            Self::WebhookChallengeFailed => "challenge_failed",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::RateLimited => "rate_limited",
            Self::Internal => "internal",
            Self::Unavailable => "unavailable",
        }
    }

    /// It never depends on the place of the error.
    pub const fn status(self) -> StatusCode {
        match self {
            Self::InvalidJson | Self::InvalidIdempotencyKey => StatusCode::BAD_REQUEST,
            Self::MissingApiKey | Self::InvalidApiKey | Self::RevokedApiKey => StatusCode::UNAUTHORIZED,
            Self::InsufficientCredits => StatusCode::PAYMENT_REQUIRED,
            Self::ToolNotAllowed | Self::OriginNotAllowed | Self::TestModeDisabled | Self::AccountSuspended => {
                StatusCode::FORBIDDEN
            }
            Self::ToolNotFound
            | Self::JobNotFound
            | Self::FontNotFound
            | Self::TemplateNotFound
            | Self::EventNotFound
            | Self::WebhookNotFound
            | Self::BatchNotFound
            | Self::RouteNotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::JobFailed
            | Self::JobCanceled
            | Self::JobEnded
            | Self::JobNotEnded
            | Self::BatchEnded
            | Self::TooManyFonts
            | Self::TooManyTemplates
            | Self::TooManyWebhooks
            | Self::WebhookDisabled => StatusCode::CONFLICT,
            Self::OutputExpired => StatusCode::GONE,
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::ValidationFailed
            | Self::InvalidFont
            | Self::InvalidTemplate
            | Self::WebhookChallengeFailed
            | Self::IdempotencyKeyReused => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
            Self::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        }
    }

    /// The code with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.as_str() == name)
    }

    /// The default text: what happened and what to do. The place of an error may give a more exact one.
    pub const fn text(self) -> &'static str {
        match self {
            Self::InvalidJson => "The body must be a JSON object in UTF-8, nested at most 64 levels deep.",
            Self::InvalidIdempotencyKey => {
                "Idempotency-Key must be 1 to 255 printable ASCII characters, bare or in double quotes."
            }
            Self::MissingApiKey => "Send your API key in the header `Authorization: Bearer <API_KEY>`.",
            Self::InvalidApiKey => "This API key is unknown. Check that you copied the whole key.",
            Self::RevokedApiKey => "This API key was revoked or replaced, or has expired. Use a current key.",
            Self::InsufficientCredits => "You do not have enough credits. Credits reset on the first day of the month.",
            Self::ToolNotAllowed => {
                "This tool is not enabled for your API key. `GET /v1/tools` lists the tools that are."
            }
            Self::OriginNotAllowed => "This API key only works from its allowed origins. Check the `Origin` header.",
            Self::TestModeDisabled => "Test mode is off. Use a live key.",
            Self::AccountSuspended => "This account is suspended. Contact support.",
            Self::ToolNotFound => "There is no tool with this name. `GET /v1/tools` lists all tools.",
            Self::JobNotFound => "Your account has no job with this id.",
            Self::FontNotFound => "Your account has no font with this id.",
            Self::TemplateNotFound => "Your account has no template with this name and version.",
            Self::EventNotFound => "Your account has no event with this id. Events are kept for 30 days.",
            Self::WebhookNotFound => "Your account has no webhook endpoint with this id.",
            Self::BatchNotFound => "Your account has no batch with this id.",
            Self::RouteNotFound => "There is no such path. See /docs for all endpoints.",
            Self::MethodNotAllowed => {
                "This path does not support this method. The Allow header lists the methods that it supports."
            }
            Self::JobFailed => "The job failed and has no result. See `job.error` for the reason.",
            Self::JobCanceled => "The job was canceled and has no result.",
            Self::JobEnded => "The job has ended and can no longer be canceled. `DELETE` it to delete its result.",
            Self::JobNotEnded => "The job has not ended. It gets a receipt when it ends.",
            Self::BatchEnded => "The batch has ended. Create a new one with the items that are left.",
            Self::TooManyFonts => "Your account has 50 fonts, which is the limit. Delete one first.",
            Self::TooManyTemplates => {
                "Your account has 500 versions of templates, which is the limit. Delete some that you no longer use."
            }
            Self::TooManyWebhooks => "Your account has 20 webhook endpoints, which is the limit. Delete one first.",
            Self::WebhookDisabled => {
                "This webhook endpoint is disabled. Make it active first: PATCH it with `{\"status\": \"active\"}`."
            }
            Self::OutputExpired => "The result has expired. Create the job again.",
            Self::PayloadTooLarge => {
                "The request body is over 1 MiB. Pass large documents by URL, or upload them (`POST /v1/uploads`)."
            }
            Self::UnsupportedMediaType => "Send the body as `Content-Type: application/json`.",
            Self::ValidationFailed => "The request does not match the tool's schema. See `details`.",
            Self::InvalidFont => "The upload is not a font that can be used.",
            Self::InvalidTemplate => "The upload is not a template that can be used.",
            Self::WebhookChallengeFailed => "The endpoint did not answer the challenge.",
            Self::IdempotencyKeyReused => {
                "This Idempotency-Key was used for a different request. Use a new key for a new request."
            }
            Self::RateLimited => "Too many requests. Wait for the number of seconds in Retry-After.",
            Self::Internal => {
                "Something went wrong on our side. If it happens again, contact support with the requestId."
            }
            Self::Unavailable => {
                "The service is unavailable at the moment. Wait for the number of seconds in Retry-After, then try again with \
                 the same Idempotency-Key."
            }
        }
    }
}

/// An error for a client.
#[derive(Debug)]
pub struct ApiError {
    /// What programs go by.
    pub code: ErrorCode,
    /// What happened and what to do.
    pub message: String,
    /// Every invalid value, or every mistake in a template.
    pub details: Vec<Breach>,
    /// Only with `insufficient_credits`.
    pub shortfall: Option<Shortfall>,
    /// The job that the error is about, for its owner.
    pub job: Option<Value>,
    /// Value of the `Retry-After` header.
    pub retry_after_seconds: Option<u64>,
    /// Value of the `Allow` header.
    pub allow: Option<String>,
    /// The job that the request created in spite of the error, and its charge. Only logged.
    pub created: Option<(JobId, u64)>,
    /// Only logged.
    pub cause: Option<String>,
}

impl From<ErrorCode> for ApiError {
    fn from(code: ErrorCode) -> Self {
        Self {
            code,
            message: code.text().to_owned(),
            details: Vec::new(),
            shortfall: None,
            job: None,
            retry_after_seconds: matches!(code, ErrorCode::Unavailable).then_some(2),
            allow: None,
            created: None,
            cause: None,
        }
    }
}

impl ApiError {
    /// A fault of the service. Clients don't see the cause.
    pub fn internal(cause: impl ToString) -> Self {
        Self { cause: Some(cause.to_string()), ..ErrorCode::Internal.into() }
    }

    /// A fault that passes. Clients don't see the cause.
    pub fn unavailable(cause: impl ToString) -> Self {
        Self { cause: Some(cause.to_string()), ..ErrorCode::Unavailable.into() }
    }

    /// A body or query with these breaches, one at least.
    pub fn validation(details: Vec<Breach>) -> Self {
        Self { details, ..ErrorCode::ValidationFailed.into() }
    }

    /// `contact`: where to ask for more credits.
    pub fn insufficient_credits(required: u64, available: u64, contact: Option<&Contact>) -> Self {
        let needed = if required == 1 { "1 credit".to_owned() } else { format!("{required} credits") };
        let mut message =
            format!("This needs {needed}; you have {available}. Credits reset on the first day of the month.");
        if let Some(contact) = contact {
            message.push_str(&format!(" To get more: {contact}"));
        }
        Self {
            shortfall: Some(Shortfall { required, available }),
            ..Self::from(ErrorCode::InsufficientCredits).with_message(message)
        }
    }

    /// Too many requests of one key.
    pub fn rate_limited(retry_after_seconds: u64) -> Self {
        Self { retry_after_seconds: Some(retry_after_seconds), ..ErrorCode::RateLimited.into() }
    }

    /// The same with a more exact text.
    pub fn with_message(self, message: impl Into<String>) -> Self {
        Self { message: message.into(), ..self }
    }

    /// The same about this job.
    pub fn with_job(self, job: impl Serialize) -> Self {
        Self { job: Some(json!(job)), ..self }
    }
}

/// An error as clients read it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Error", description = ""))]
pub(crate) struct ErrorView {
    code: ErrorCode,
    /// What happened and what to do.
    message: String,
    /// The HTTP status.
    #[cfg_attr(feature = "schema", schemars(range(min = 400, max = 599)))]
    status: u16,
    /// Every invalid value, or every mistake in a template. Only with `validation_failed` and `invalid_template`.
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<Vec<Breach>>,
    #[serde(flatten)]
    shortfall: Option<Shortfall>,
}

/// The credits that a request lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = ""))]
pub struct Shortfall {
    /// How many credits the tool costs. Only with `insufficient_credits`.
    pub required: u64,
    /// How many credits are left. Only with `insufficient_credits`.
    pub available: u64,
}

impl From<ApiError> for ErrorView {
    fn from(error: ApiError) -> Self {
        let ApiError { code, message, details, shortfall, .. } = error;
        let has_details = code == ErrorCode::ValidationFailed || !details.is_empty();
        Self { code, message, status: code.status().as_u16(), details: has_details.then_some(details), shortfall }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        Fault::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_all_messages_say_what_to_do() {
        let codes: std::collections::HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(codes.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            assert!(code.text().ends_with('.'), "{code:?}");
        }
    }
}
