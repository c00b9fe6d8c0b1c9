//! Messages to the runner of batches. They only hurry: what is to be done is in the Events table, and the sweeper sends them again.

use aws_sdk_sqs::error::ProvideErrorMetadata;
use serde::{Deserialize, Serialize};

use super::chain::{self, Chain, HOPS};
use super::{Queue, QueueError};
use docmill_domain::batch::BatchId;

/// The longest delay of a message (SQS).
const LONGEST_DELAY_SECONDS: u64 = 900;

/// What a runner is called for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum BatchMessage {
    /// Version 1: go on with a batch.
    #[serde(rename = "batch.v1")]
    Run {
        /// Whose batch it is.
        account: String,
        /// The batch.
        batch: BatchId,
    },
}

/// A message of this form and version.
///
/// # Errors
/// If the text is something else, such as a later version.
pub fn parse_batch_message(body: &str) -> Result<BatchMessage, serde_json::Error> {
    serde_json::from_str(body)
}

impl Queue {
    /// Calls a runner for the batch in so many seconds. The account is the message group, so that one account's batches don't delay
    /// those of others.
    ///
    /// # Errors
    /// If SQS refuses it, or the message is one too many of its chain. The sweeper sends it again.
    pub async fn call_runner(&self, account: &str, batch: BatchId, delay: u64) -> Result<(), QueueError> {
        let message = BatchMessage::Run { account: account.to_owned(), batch };
        let body = serde_json::to_string(&message).map_err(|error| QueueError::Refused(error.to_string()))?;
        self.client
            .send_message()
            .queue_url(&self.batches_url)
            .message_group_id(account)
            .message_attributes(HOPS, chain::attribute(chain::hops(Chain::Batches, account)?)?)
            .message_body(body)
            .delay_seconds(i32::try_from(delay.min(LONGEST_DELAY_SECONDS)).unwrap_or_default())
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
        let batch = BatchId::parse("bat_0123456789abcdef0123456789abcdef").unwrap();
        let message = BatchMessage::Run { account: "acme".into(), batch };
        let text = r#"{"type":"batch.v1","account":"acme","batch":"bat_0123456789abcdef0123456789abcdef"}"#;
        assert_eq!(serde_json::to_string(&message).unwrap(), text);
        assert_eq!(parse_batch_message(text).unwrap(), message);
        assert!(parse_batch_message(r#"{"type":"batch.v2"}"#).is_err());
    }
}
