//! Webhook endpoints of callers: what all use cases about them have in common. Those that send requests are in `docmill-webhooks`.

use docmill_domain::breach::Breach;
use docmill_domain::webhook::{Endpoint, EndpointId};

use crate::caller::Caller;
use crate::context::Context;
use crate::fault::{Fault, with_faults};

/// Why a webhook endpoint can't be created, changed, read or used.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The request is wrong in these places.
    #[error("the request is invalid")]
    Invalid(Vec<Breach>),
    /// The account has no such endpoint.
    #[error("there is no such webhook endpoint")]
    NotFound,
    /// The account has no such event, or it is no longer kept.
    #[error("there is no such event")]
    EventNotFound,
    /// A limit is reached.
    #[error("the account has as many webhook endpoints as it may")]
    TooMany,
    /// It gets no events.
    #[error("the webhook endpoint is disabled")]
    Disabled,
    /// The endpoint did not answer the challenge: what it did, and what it should do.
    #[error("{0}")]
    ChallengeFailed(String),
    /// The service failed, not the caller.
    #[error(transparent)]
    Fault(#[from] Fault),
}

with_faults!(WebhookError);

/// An endpoint of the caller's account. Those of others, unknown ones and invalid ids give the same error.
///
/// # Errors
/// If the account has no such endpoint, or the table does not answer.
pub async fn endpoint_of(context: &Context, caller: &Caller, id: &str) -> Result<Endpoint, WebhookError> {
    let id = EndpointId::parse(id).ok_or(WebhookError::NotFound)?;
    let found = context.webhooks.endpoint(caller.account(), &id).await?;
    found.ok_or(WebhookError::NotFound)
}
