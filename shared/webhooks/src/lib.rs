//! Webhooks on the wire: secrets that are sealed for storage, signatures by Standard Webhooks (standardwebhooks.com), and requests
//! through the guard of outgoing connections.

mod aws;
mod challenge;
mod outlets;
mod replay;
mod rotation;
mod send;
mod service;
mod settings;
mod sign;

pub use aws::AwsOutlets;
pub use docmill_signing::keys::{BadKey, KeyRing};
pub use docmill_signing::seal::{SealingKey, Secret, Unsealable};
pub use outlets::Outlets;
pub use replay::{Replayed, Replays};
pub use rotation::Rotation;
pub use send::{Answer, Sender, TIMEOUT};
pub use service::WebhookService;
pub use settings::{StartError, sender, signing_keys};
pub use sign::{Headers, SigningKeys, Unsigned};
