//! Messages to the deliverer of webhooks. They only hurry: what they say is in the Events table, and the sweeper sends them again.

use aws_sdk_sqs::error::ProvideErrorMetadata;
use aws_sdk_sqs::types::SendMessageBatchRequestEntry;
use serde::{Deserialize, Serialize};

use super::chain::{self, Chain, HOPS};
use super::{Depth, Queue, QueueError, depth};
use crate::relay::{self, Destination};
use docmill_domain::webhook::DeliveryId;

/// Most messages in a request, and the longest delay of one (SQS).
const MOST_IN_BATCH: usize = 10;
const LONGEST_DELAY_SECONDS: u64 = 900;

/// What the deliverer is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum WebhookMessage {
    /// Version 1: an event has happened.
    #[serde(rename = "event.v1")]
    Event {
        /// Whose event it is.
        account: String,
        /// The event's id.
        event: String,
    },
    /// Version 1: a delivery is due.
    #[serde(rename = "delivery.v1")]
    Delivery(DeliveryId),
}

/// A message of this form and version.
///
/// # Errors
/// If the text is something else, such as a later version.
pub fn parse_webhook_message(body: &str) -> Result<WebhookMessage, serde_json::Error> {
    serde_json::from_str(body)
}

impl WebhookMessage {
    fn account(&self) -> &str {
        match self {
            Self::Event { account, .. } | Self::Delivery(DeliveryId { account, .. }) => account,
        }
    }
}

impl Queue {
    /// Tells the deliverer of an event.
    ///
    /// # Errors
    /// If SQS refuses it. The sweeper sends it again.
    pub async fn announce(&self, account: &str, event: &str) -> Result<(), QueueError> {
        let message = WebhookMessage::Event { account: account.to_owned(), event: event.to_owned() };
        let body = serde_json::to_string(&message).map_err(|error| QueueError::Refused(error.to_string()))?;
        self.post(relay::Message { to: Destination::Events, group: account.to_owned(), body, hops: None }).await
    }

    /// Tells the deliverer what is due, each in so many seconds.
    ///
    /// # Errors
    /// If SQS refuses it, or the messages are too many of their chain. The sweeper sends them again.
    pub async fn hurry(&self, messages: &[(WebhookMessage, u64)]) -> Result<(), QueueError> {
        for batch in messages.chunks(MOST_IN_BATCH) {
            let entries = batch.iter().enumerate().map(|(index, (message, delay))| entry(index, message, *delay));
            let sent = self
                .client
                .send_message_batch()
                .queue_url(&self.deliveries_url)
                .set_entries(Some(entries.collect::<Result<_, _>>()?))
                .send()
                .await
                .map_err(|error| QueueError::Refused(error.code().unwrap_or("no answer").to_owned()))?;
            if let Some(failed) = sent.failed().first() {
                return Err(QueueError::Refused(failed.code().to_owned()));
            }
        }
        Ok(())
    }

    /// Of deliveries that wait for a try, or whose receiver may be slow.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer.
    pub async fn deliveries_depth(&self) -> Result<Depth, QueueError> {
        depth(&self.client, &self.deliveries_url).await
    }
}

fn entry(index: usize, message: &WebhookMessage, delay: u64) -> Result<SendMessageBatchRequestEntry, QueueError> {
    let body = serde_json::to_string(message).map_err(|error| QueueError::Refused(error.to_string()))?;
    let delay = i32::try_from(delay.min(LONGEST_DELAY_SECONDS)).unwrap_or_default();
    SendMessageBatchRequestEntry::builder()
        .id(index.to_string())
        .message_group_id(message.account())
        .message_attributes(HOPS, chain::attribute(chain::hops(Chain::Deliveries, message.account())?)?)
        .message_body(body)
        .delay_seconds(delay)
        .build()
        .map_err(|error| QueueError::Refused(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use docmill_domain::webhook::EndpointId;

    #[test]
    fn messages_are_tagged_and_versioned() {
        let event = WebhookMessage::Event { account: "acme".into(), event: "evt_1".into() };
        let text = r#"{"type":"event.v1","account":"acme","event":"evt_1"}"#;
        assert_eq!(serde_json::to_string(&event).unwrap(), text);
        let endpoint = EndpointId::parse("wh_0123456789abcdef0123456789abcdef").unwrap();
        let delivery = WebhookMessage::Delivery(DeliveryId { account: "acme".into(), endpoint, event: "evt_1".into() });
        let text = r#"{"type":"delivery.v1","account":"acme","endpoint":"wh_0123456789abcdef0123456789abcdef","event":"evt_1"}"#;
        assert_eq!(serde_json::to_string(&delivery).unwrap(), text);
        for message in [event, delivery] {
            let text = serde_json::to_string(&message).unwrap();
            assert_eq!(serde_json::from_str::<WebhookMessage>(&text).unwrap(), message);
        }
        assert!(serde_json::from_str::<WebhookMessage>(r#"{"type":"event.v2"}"#).is_err());
    }
}
