//! Webhooks on the wire: signatures by Standard Webhooks (standardwebhooks.com), requests through the guard of outgoing
//! connections, and the use cases that need them: endpoints that are challenged, secrets that change, events sent again.

#![warn(missing_docs, clippy::missing_errors_doc)]

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
pub use outlets::Outlets;
pub use replay::{Replayed, Replays};
pub use rotation::Rotation;
pub use send::{Answer, Sender, TIMEOUT};
pub use service::WebhookService;
pub use settings::{StartError, sender, signing_keys};
pub use sign::{Headers, SigningKeys, Unsigned};
