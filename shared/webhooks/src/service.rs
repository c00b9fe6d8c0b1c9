//! Creates and changes endpoints, for the API and the dashboard.

use std::sync::Arc;

use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_app::fault::Fault;
use docmill_app::webhooks::{WebhookError, endpoint_of};
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::request::Wanted;
use docmill_domain::webhook::{
    Destination, Disabled, DisabledReason, Endpoint, EndpointId, EndpointView, Health, SealedSecret,
};
use docmill_signing::keys::KeyRing;
use docmill_signing::seal::{SealingKey, Secret};
use docmill_store::webhooks::{Change, Created};
use serde_json::{Map, Value};

use crate::challenge::challenge;
use crate::send::Sender;
use crate::settings::{StartError, sender, signing_keys};
use crate::sign::SigningKeys;

/// What creating and changing endpoints needs.
#[derive(Debug)]
pub struct WebhookService {
    /// Tables and settings.
    pub context: Arc<Context>,
    /// Seals secrets.
    pub sealing: KeyRing<SealingKey>,
    /// Signs challenges.
    pub signing: SigningKeys,
    /// Sends challenges.
    pub sender: Sender,
}

impl WebhookService {
    /// With the keys and rules of the function's environment.
    ///
    /// # Errors
    /// If a setting is missing or contradictory.
    pub fn of_function(context: impl Into<Arc<Context>>) -> Result<Self, StartError> {
        let context = context.into();
        let sender = sender(context.config.local_mode)?;
        Ok(Self { sealing: KeyRing::of_function()?, signing: signing_keys()?, sender, context })
    }

    /// The new endpoint's view with its secret, which nobody can read again. Only URLs are challenged: for a queue or a bus, the role
    /// in the customer's account shows that it is theirs.
    ///
    /// # Errors
    /// If the request is invalid, the endpoint does not answer the challenge, there are too many, or it can't be stored now.
    pub async fn create(&self, caller: &Caller, body: &Map<String, Value>) -> Result<EndpointView, WebhookError> {
        let (destination, wanted) =
            Wanted::to_create(body, self.context.config.local_mode).map_err(WebhookError::Invalid)?;
        let (id, secret) = (EndpointId::new(), Secret::new());
        if let Some(url) = destination.url()
            && self.must_challenge(caller, wanted.challenge.unwrap_or_default())
        {
            challenge(&self.sender, &self.signing, url, std::slice::from_ref(&secret), caller.now).await?;
        }
        let sealed = SealedSecret { sealed: seal(&self.sealing, &secret, caller.account(), &id)?, until: None };
        let endpoint = new_endpoint(caller, id, destination, wanted, sealed);
        match self.context.webhooks.create(&endpoint).await? {
            Created::Yes => Ok(with_secret(&endpoint, &secret)),
            Created::Full => Err(WebhookError::TooMany),
        }
    }

    /// The changed endpoint's view. A new URL is challenged if the endpoint or the service asks for it.
    ///
    /// # Errors
    /// If the request is invalid, there is no such endpoint, it does not answer the challenge, or it can't be written now.
    pub async fn change(
        &self,
        caller: &Caller,
        id: &str,
        body: &Map<String, Value>,
    ) -> Result<EndpointView, WebhookError> {
        let wanted = Wanted::to_change(body, self.context.config.local_mode).map_err(WebhookError::Invalid)?;
        let endpoint = endpoint_of(&self.context, caller, id).await?;
        let new_url = wanted
            .destination
            .as_ref()
            .and_then(Destination::url)
            .filter(|url| Some(*url) != endpoint.destination.url());
        let asks = wanted.challenge.unwrap_or(endpoint.challenge);
        if let Some(url) = new_url.filter(|_| self.must_challenge(caller, asks)) {
            let secrets = self.secrets(&endpoint, caller.now)?;
            challenge(&self.sender, &self.signing, url, &secrets, caller.now).await?;
        }
        let changed = self.context.webhooks.change(caller.account(), &endpoint.id, &wanted, caller.now).await?;
        match changed {
            Change::Done(endpoint) => Ok(endpoint.view()),
            Change::Outdated | Change::Unknown => Err(WebhookError::NotFound),
        }
    }

    fn must_challenge(&self, caller: &Caller, asked_for: bool) -> bool {
        asked_for || caller.settings.service.webhook_challenge
    }

    fn secrets(&self, endpoint: &Endpoint, now: Timestamp) -> Result<Vec<Secret>, Fault> {
        let open = |secret: &SealedSecret| self.sealing.open(&secret.sealed, &endpoint.account, &endpoint.id);
        endpoint.signing_secrets(now).map(open).collect::<Result<_, _>>().map_err(Fault::internal)
    }
}

pub(crate) fn seal(
    keys: &KeyRing<SealingKey>,
    secret: &Secret,
    account: &str,
    id: &EndpointId,
) -> Result<String, Fault> {
    keys.seal(secret, account, id).map_err(Fault::internal)
}

fn new_endpoint(
    caller: &Caller,
    id: EndpointId,
    destination: Destination,
    wanted: Wanted,
    secret: SealedSecret,
) -> Endpoint {
    let Wanted { destination: _, kinds, description, rate_limit, signatures, challenge, active } = wanted;
    let disabled = (active == Some(false)).then_some(Disabled { reason: DisabledReason::Account, at: caller.now });
    Endpoint {
        account: caller.account().to_owned(),
        id,
        destination,
        kinds: kinds.unwrap_or_default(),
        description: description.unwrap_or_default(),
        rate_limit: rate_limit.flatten(),
        signatures: signatures.unwrap_or_default(),
        challenge: challenge.unwrap_or_default(),
        secrets: vec![secret],
        disabled,
        health: Health::default(),
        created_at: caller.now,
        updated_at: caller.now,
        of_jobs: false,
    }
}

pub(crate) fn with_secret(endpoint: &Endpoint, secret: &Secret) -> EndpointView {
    EndpointView { secret: Some(secret.as_str().to_owned()), ..endpoint.view() }
}
