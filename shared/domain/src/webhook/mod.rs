//! Webhooks: the endpoints of accounts, and the deliveries of events to them.

pub mod delivery;
pub mod endpoint;
pub mod request;
pub mod schedule;

pub use delivery::{Attempt, Delivery, DeliveryId, DeliveryState, Dropped, Sent};
pub use endpoint::{Disabled, DisabledReason, Endpoint, EndpointId, Health, SealedSecret, Signatures};
