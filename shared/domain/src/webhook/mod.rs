//! Webhooks: the endpoints of accounts, and the deliveries of events to them.

pub mod delivery;
pub mod destination;
pub mod endpoint;
mod reach;
pub mod request;
mod sample;
pub mod schedule;
mod view;

pub use crate::endpoint_id::EndpointId;
pub use crate::job::{JobWebhook, WebhookRequest};
pub use delivery::{Attempt, Delivery, DeliveryId, DeliveryState, Dropped, Sent};
pub use destination::{Arn, Destination};
pub use endpoint::{Disabled, DisabledReason, Endpoint, Health, SealedSecret, Signatures};
pub use sample::{
    KeyAlgorithm, PublicKeyView, SampleHeaders, SampleView, WebhookKeysView, WebhookTestStatus, WebhookTestView,
};
pub use view::{
    AttemptView, DeliveryStatus, DeliveryView, DestinationKind, DestinationView, DisabledView, EndpointStatus,
    EndpointView, FailingView,
};
