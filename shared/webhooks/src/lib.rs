//! Webhooks on the wire: secrets that are sealed for storage, signatures by Standard Webhooks (standardwebhooks.com), and requests
//! through the guard of outgoing connections.

mod challenge;
mod keys;
mod replay;
mod rotation;
mod seal;
mod send;
mod service;
mod settings;
mod sign;

pub use keys::{BadKey, KeyRing};
pub use replay::{Replayed, Replays};
pub use rotation::Rotation;
pub use seal::{SealingKey, Secret, Unsealable};
pub use send::{Answer, Sender, TIMEOUT};
pub use service::WebhookService;
pub use settings::{StartError, sealing_keys, sender, signing_keys};
pub use sign::{Headers, SigningKeys, Unsigned};
