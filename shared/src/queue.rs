//! Messages to the workers: tagged and versioned, and no more than a job's id.

use std::collections::HashMap;

use aws_sdk_sqs::Client;
use aws_sdk_sqs::error::ProvideErrorMetadata;
use aws_sdk_sqs::types::QueueAttributeName;
use serde::{Deserialize, Serialize};

use crate::config::Config;
use crate::domain::job::JobId;
use crate::domain::tool::QueueName;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Message {
    /// Version 1: convert this job.
    #[serde(rename = "convert.v1")]
    Convert { job_id: JobId },
}

#[derive(Debug, thiserror::Error)]
#[error("SQS did not take the request: {0}")]
pub struct QueueError(String);

#[derive(Debug)]
pub struct Queue {
    client: Client,
    urls: HashMap<QueueName, String>,
}

impl Queue {
    pub fn new(client: Client, config: &Config) -> Self {
        let urls = QueueName::ALL.into_iter().map(|name| (name, config.queue_url(name).to_owned())).collect();
        Self { client, urls }
    }

    fn url(&self, queue: QueueName) -> &str {
        self.urls.get(&queue).map_or("", String::as_str)
    }

    /// Asks for a job to be converted. The account is the message group: fair queues keep one account's backlog from
    /// holding up the others.
    pub async fn send(&self, queue: QueueName, account: &str, message: &Message) -> Result<(), QueueError> {
        let body = serde_json::to_string(message).map_err(|error| QueueError(error.to_string()))?;
        self.client
            .send_message()
            .queue_url(self.url(queue))
            .message_group_id(account)
            .message_body(body)
            .send()
            .await
            .map_err(|error| QueueError(error.code().unwrap_or("no answer").to_owned()))?;
        Ok(())
    }

    /// Lets a message that is being worked on come back after `seconds`.
    pub async fn retry_in(&self, queue: QueueName, receipt: &str, seconds: i32) -> Result<(), QueueError> {
        self.client
            .change_message_visibility()
            .queue_url(self.url(queue))
            .receipt_handle(receipt)
            .visibility_timeout(seconds)
            .send()
            .await
            .map_err(|error| QueueError(error.code().unwrap_or("no answer").to_owned()))?;
        Ok(())
    }

    /// Whether the queue holds nothing at all, in work and delayed messages included. Approximate by nature.
    pub async fn is_empty(&self, queue: QueueName) -> Result<bool, QueueError> {
        let counters = [
            QueueAttributeName::ApproximateNumberOfMessages,
            QueueAttributeName::ApproximateNumberOfMessagesNotVisible,
            QueueAttributeName::ApproximateNumberOfMessagesDelayed,
        ];
        let output = self
            .client
            .get_queue_attributes()
            .queue_url(self.url(queue))
            .set_attribute_names(Some(counters.to_vec()))
            .send()
            .await
            .map_err(|error| QueueError(error.code().unwrap_or("no answer").to_owned()))?;
        let attributes = output.attributes.unwrap_or_default();
        Ok(counters.iter().all(|counter| attributes.get(counter).is_none_or(|count| count == "0")))
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
}
