//! The deliverer: sends events to the webhook endpoints of their account.
//!
//! An event becomes one delivery for each endpoint that wants it ([`fan_out`]), and a delivery is tried until it succeeds or its
//! schedule ends ([`delivery`]). The messages of a batch are handled at the same time, and each is acknowledged, whatever came of
//! it: the table says what is still to be done, and the sweeper sends a message for it again.

mod delivery;
mod fan_out;

use docmill_app::context::Context;
use docmill_aws::queue::{Queue, QueueError, WebhookMessage};
use docmill_config::clock::Clock;
use docmill_signing::keys::KeyRing;
use docmill_signing::seal::{SealingKey, Unsealable};
use docmill_store::StoreError;
use docmill_webhooks::{AwsOutlets, Outlets, SigningKeys, StartError, Unsigned};
use docmill_webhooks::{sender, signing_keys};

#[derive(Debug)]
pub struct Deliverer {
    pub context: Context,
    pub queue: Queue,
    pub sealing: KeyRing<SealingKey>,
    pub signing: SigningKeys,
    pub outlets: Outlets,
    pub clock: Clock,
}

/// Why a message could not be handled. The sweeper sends it again.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Sealed(#[from] Unsealable),
    #[error(transparent)]
    Unsigned(#[from] Unsigned),
}

impl Deliverer {
    pub fn of_function(context: Context) -> Result<Self, StartError> {
        let outlets = Outlets { http: sender(context.config.local_mode)?, aws: AwsOutlets::new(context.aws.clone()) };
        let (sealing, signing, clock) = (KeyRing::of_function()?, signing_keys()?, Clock::default());
        Ok(Self { queue: context.queue(), context, sealing, signing, outlets, clock })
    }

    /// Handles a message. It is always acknowledged.
    pub async fn handle(&self, body: &str) {
        let Ok(message) = docmill_aws::queue::parse_webhook_message(body) else {
            tracing::error!("a message of an unknown form or version was dropped");
            return;
        };
        if let Err(error) = Box::pin(self.take(&message)).await {
            tracing::error!(%error, "a webhook message could not be handled; the sweeper will send it again");
        }
    }

    /// Does what a message asks for, if it is still to be done.
    pub async fn take(&self, message: &WebhookMessage) -> Result<(), Obstacle> {
        // While delivery is off, everything stays due.
        if !self.context.settings.current().await?.service.webhook_delivery {
            return Ok(());
        }
        match message {
            WebhookMessage::Event { account, event } => self.fan_out(account, event).await,
            WebhookMessage::Delivery(id) => self.deliver(id).await,
        }
    }
}
