//! What the functions of webhook endpoints have in common.

use super::error::{ApiError, ErrorCode};
use super::guard::Caller;
use docmill_app::context::Context;
use docmill_domain::webhook::{Endpoint, EndpointId};

/// An endpoint of the caller's account. Those of others, unknown ones and invalid ids give the same error.
pub async fn endpoint_of(context: &Context, caller: &Caller, id: &str) -> Result<Endpoint, ApiError> {
    let id = EndpointId::parse(id).ok_or(ErrorCode::WebhookNotFound)?;
    let found = context.webhooks.endpoint(caller.account(), &id).await?;
    found.ok_or_else(|| ErrorCode::WebhookNotFound.into())
}
