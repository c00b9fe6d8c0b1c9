//! Messages: to workers with only a job's id, and to the deliverer of webhooks. All are tagged and versioned.

mod batches;
pub mod chain;
mod webhooks;

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::ProvideErrorMetadata;
use aws_sdk_sqs::types::QueueAttributeName;
use serde::{Deserialize, Serialize};

pub use batches::{BatchMessage, parse_batch_message};
use chain::{Chain, HOPS};
pub use webhooks::{WebhookMessage, parse_webhook_message};

use crate::relay::{self, Destination, Relay, RelayError, Request};
use docmill_config::Config;
use docmill_domain::job::JobId;
use docmill_domain::tool::QueueName;

/// What a worker is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    /// Version 1: convert this job.
    #[serde(rename = "convert.v1")]
    Convert {
        /// All else is in the job's item.
        job_id: JobId,
    },
}

/// Why a message was not sent or read.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// SQS, or the relay in its place, refused the request or did not answer.
    #[error("SQS refused the request: {0}")]
    Refused(String),
    /// The chain has [`MOST_HOPS`](chain::MOST_HOPS) messages.
    #[error("too many messages have followed from each other")]
    ChainTooLong,
}

impl From<RelayError> for QueueError {
    fn from(error: RelayError) -> Self {
        Self::Refused(error.to_string())
    }
}

/// All queues of the service.
#[derive(Debug)]
pub struct Queue {
    client: Client,
    urls: HashMap<QueueName, String>,
    /// New events, for the deliverer.
    events_url: String,
    /// Deliveries that wait for a try, or whose receiver may be slow.
    deliveries_url: String,
    /// Batches, for their runner.
    batches_url: String,
    /// Sends what workers send, where SQS can't be reached.
    relay: Option<Relay>,
}

impl Queue {
    /// The queues that the settings name.
    pub fn new(client: Client, config: &Config) -> Self {
        let urls = QueueName::ALL.into_iter().map(|name| (name, config.queue_url(name).to_owned())).collect();
        Self {
            client,
            urls,
            events_url: config.events_queue_url.clone(),
            deliveries_url: config.deliveries_queue_url.clone(),
            batches_url: config.batches_queue_url.clone(),
            relay: None,
        }
    }

    /// The same, for a worker that can't reach SQS.
    #[must_use]
    pub fn through(self, relay: Relay) -> Self {
        Self { relay: Some(relay), ..self }
    }

    fn url(&self, queue: QueueName) -> &str {
        self.urls.get(&queue).map_or("", String::as_str)
    }

    /// Asks for a job to be converted. The account is the message group, so that fair queues keep one account's backlog from
    /// delaying others.
    ///
    /// # Errors
    /// If SQS refuses it, or the message is one too many of its chain. The sweeper sends it again.
    pub async fn send(&self, queue: QueueName, account: &str, message: &Message) -> Result<(), QueueError> {
        let body = serde_json::to_string(message).map_err(|error| QueueError::Refused(error.to_string()))?;
        let hops = Some(chain::hops(Chain::Jobs, account)?);
        self.post(relay::Message { to: Destination::Conversions(queue), group: account.to_owned(), body, hops }).await
    }

    /// Sends a message to a queue, itself or through the relay.
    async fn post(&self, message: relay::Message) -> Result<(), QueueError> {
        match &self.relay {
            Some(relay) => Ok(relay.tell(&Request::Message(message)).await?),
            None => self.send_now(message).await,
        }
    }

    /// Sends a message that a worker has left with the relay.
    ///
    /// # Errors
    /// If SQS refuses it.
    pub async fn send_now(&self, message: relay::Message) -> Result<(), QueueError> {
        let url = match message.to {
            Destination::Conversions(queue) => self.url(queue),
            Destination::Events => &self.events_url,
        };
        let hops = message.hops.map(chain::attribute).transpose()?;
        self.client
            .send_message()
            .queue_url(url)
            .message_group_id(message.group)
            .set_message_attributes(hops.map(|hops| HashMap::from([(HOPS.to_owned(), hops)])))
            .message_body(message.body)
            .send()
            .await
            .map_err(|error| QueueError::Refused(error.code().unwrap_or("no answer").to_owned()))?;
        Ok(())
    }

    /// Makes a message visible again after `seconds`.
    ///
    /// # Errors
    /// If SQS or the relay refuses it. Then the message comes back when its time is over.
    pub async fn retry_in(&self, queue: QueueName, receipt: &str, seconds: i32) -> Result<(), QueueError> {
        let retry = relay::Retry { queue, receipt: receipt.to_owned(), seconds };
        match &self.relay {
            Some(relay) => Ok(relay.tell(&Request::Retry(retry)).await?),
            None => self.retry_now(retry).await,
        }
    }

    /// The same, for the relay.
    ///
    /// # Errors
    /// If SQS refuses it.
    pub async fn retry_now(&self, retry: relay::Retry) -> Result<(), QueueError> {
        self.client
            .change_message_visibility()
            .queue_url(self.url(retry.queue))
            .receipt_handle(retry.receipt)
            .visibility_timeout(retry.seconds)
            .send()
            .await
            .map_err(|error| QueueError::Refused(error.code().unwrap_or("no answer").to_owned()))?;
        Ok(())
    }

    /// Of new events, for the deliverer.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer.
    pub async fn events_depth(&self) -> Result<Depth, QueueError> {
        depth(&self.client, &self.events_url).await
    }

    /// Of calls of the runner of batches.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer.
    pub async fn batches_depth(&self) -> Result<Depth, QueueError> {
        depth(&self.client, &self.batches_url).await
    }

    /// Of jobs that wait for workers.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer.
    pub async fn depth(&self, queue: QueueName) -> Result<Depth, QueueError> {
        depth(&self.client, self.url(queue)).await
    }
}

/// A queue's approximate number of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    /// Including delayed ones.
    pub waiting: u64,
    /// Received, but neither acknowledged nor returned yet.
    pub in_work: u64,
}

async fn depth(client: &Client, url: &str) -> Result<Depth, QueueError> {
    let (visible, delayed, in_work) = (
        QueueAttributeName::ApproximateNumberOfMessages,
        QueueAttributeName::ApproximateNumberOfMessagesDelayed,
        QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
    );
    let output = client
        .get_queue_attributes()
        .queue_url(url)
        .set_attribute_names(Some(vec![visible.clone(), delayed.clone(), in_work.clone()]))
        .send()
        .await
        .map_err(|error| QueueError::Refused(error.code().unwrap_or("no answer").to_owned()))?;
    let attributes = output.attributes.unwrap_or_default();
    let count = |name| attributes.get(&name).and_then(|count| count.parse().ok()).unwrap_or(0);
    Ok(Depth { waiting: count(visible) + count(delayed), in_work: count(in_work) })
}

/// A message that was received too often without an acknowledgement.
#[derive(Debug)]
pub struct DeadLetters {
    client: Client,
    url: String,
}

/// A message that nobody could handle.
#[derive(Debug)]
pub struct DeadLetter {
    /// `None` if it is not ours or has an unknown version.
    pub message: Option<Message>,
    /// Removes it from the queue, until it is visible again.
    pub receipt: String,
}

/// Messages that were taken but not removed are visible again after this time.
const TAKEN_SECONDS: i32 = 300;

impl DeadLetters {
    /// The queue at this address.
    pub fn new(client: Client, url: String) -> Self {
        Self { client, url }
    }

    /// How many there are.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer.
    pub async fn depth(&self) -> Result<Depth, QueueError> {
        depth(&self.client, &self.url).await
    }

    /// Takes up to ten messages. An empty list means that there are no more for now.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer.
    pub async fn take(&self) -> Result<Vec<DeadLetter>, QueueError> {
        let output = self
            .client
            .receive_message()
            .queue_url(&self.url)
            .max_number_of_messages(10)
            .visibility_timeout(TAKEN_SECONDS)
            .wait_time_seconds(1)
            .send()
            .await
            .map_err(|error| QueueError::Refused(error.code().unwrap_or("no answer").to_owned()))?;
        let letter = |message: aws_sdk_sqs::types::Message| DeadLetter {
            message: message.body.and_then(|body| serde_json::from_str(&body).ok()),
            receipt: message.receipt_handle.unwrap_or_default(),
        };
        Ok(output.messages.unwrap_or_default().into_iter().map(letter).collect())
    }

    /// Removes a message that was taken.
    ///
    /// # Errors
    /// If SQS refuses it or does not answer. Then the message comes back.
    pub async fn remove(&self, receipt: &str) -> Result<(), QueueError> {
        self.client
            .delete_message()
            .queue_url(&self.url)
            .receipt_handle(receipt)
            .send()
            .await
            .map_err(|error| QueueError::Refused(error.code().unwrap_or("no answer").to_owned()))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_tagged_and_versioned() {
        let message = Message::Convert { job_id: JobId::NONE };
        let text = r#"{"type":"convert.v1","jobId":"00000000-0000-0000-0000-000000000000"}"#;
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        assert_eq!(serde_json::from_str::<Message>(text).unwrap(), message);
        assert!(serde_json::from_str::<Message>(r#"{"type":"convert.v2"}"#).is_err());
    }

    #[test]
    fn fuzz_messages() {
        docmill_fuzz::fuzz("messages", &[], |bytes| {
            if let Ok(message) = serde_json::from_slice::<Message>(bytes) {
                let text = serde_json::to_string(&message).unwrap();
                assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
            }
        });
    }
}
