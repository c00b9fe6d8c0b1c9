//! Where requests leave: over HTTP, or into a queue or a bus of a customer.

use docmill_domain::time::Timestamp;
use docmill_domain::webhook::{Destination, Endpoint};
use docmill_store::events::StoredEvent;

use crate::aws::AwsOutlets;
use crate::send::{Answer, Sender};
use crate::sign::Headers;

/// All ways out.
#[derive(Debug)]
pub struct Outlets {
    /// To URLs.
    pub http: Sender,
    /// To queues and buses.
    pub aws: AwsOutlets,
}

impl Outlets {
    /// Sends the event to the endpoint's destination. `now`: the time of the request.
    pub async fn send(
        &self,
        endpoint: &Endpoint,
        event: &StoredEvent,
        headers: &Headers,
        body: String,
        now: Timestamp,
    ) -> Answer {
        match &endpoint.destination {
            Destination::Url { url } => self.http.send(url, headers, body, now).await,
            Destination::Sqs { queue, role } => self.aws.to_queue(endpoint, queue, role, headers, body, now).await,
            Destination::EventBridge { bus, role } => self.aws.to_bus(endpoint, bus, role, event, now).await,
        }
    }
}
