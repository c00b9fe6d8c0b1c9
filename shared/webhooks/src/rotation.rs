//! Gives endpoints new secrets.

use std::sync::Arc;
use std::time::Duration;

use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_app::fault::Fault;
use docmill_app::webhooks::{WebhookError, endpoint_of};
use docmill_domain::webhook::request::overlap_hours;
use docmill_domain::webhook::{EndpointView, SealedSecret};
use docmill_signing::keys::KeyRing;
use docmill_signing::seal::{SealingKey, Secret};
use docmill_store::webhooks::Change;
use serde_json::{Map, Value};

use crate::service::{seal, with_secret};
use crate::settings::StartError;

/// Most secrets of an endpoint: the current one, and replaced ones that still sign.
const MOST_SECRETS: usize = 3;

/// What a new secret needs.
#[derive(Debug)]
pub struct Rotation {
    /// Tables and settings.
    pub context: Arc<Context>,
    /// Seals secrets.
    pub sealing: KeyRing<SealingKey>,
}

impl Rotation {
    /// With the keys of the function's environment.
    ///
    /// # Errors
    /// If a key is missing or too short.
    pub fn of_function(context: impl Into<Arc<Context>>) -> Result<Self, StartError> {
        Ok(Self { context: context.into(), sealing: KeyRing::of_function()? })
    }

    /// The endpoint's view with a new secret. The earlier one goes on signing for the hours that `body` names.
    ///
    /// # Errors
    /// If the request is invalid, there is no such endpoint, or another request has changed it.
    pub async fn rotate(
        &self,
        caller: &Caller,
        id: &str,
        body: &Map<String, Value>,
    ) -> Result<EndpointView, WebhookError> {
        let overlap = Duration::from_secs(overlap_hours(body).map_err(WebhookError::Invalid)? * 3600);
        let endpoint = endpoint_of(&self.context, caller, id).await?;
        let (secret, ends) = (Secret::new(), caller.now.plus(overlap));
        let mut secrets =
            vec![SealedSecret { sealed: seal(&self.sealing, &secret, caller.account(), &endpoint.id)?, until: None }];
        let earlier = endpoint.signing_secrets(caller.now).cloned();
        let earlier =
            earlier.map(|old| SealedSecret { until: Some(old.until.map_or(ends, |until| until.min(ends))), ..old });
        secrets.extend(earlier.filter(|old| old.until > Some(caller.now)).take(MOST_SECRETS - 1));
        match self.context.webhooks.replace_secrets(&endpoint, &secrets, caller.now).await? {
            Change::Done(endpoint) => Ok(with_secret(&endpoint, &secret)),
            Change::Outdated | Change::Unknown => {
                Err(Fault::unavailable("another request rotated the secret at the same time").into())
            }
        }
    }
}
