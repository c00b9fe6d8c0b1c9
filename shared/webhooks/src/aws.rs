//! Events into queues and buses of customers, under a role of theirs that trusts the service for their account only.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aws_config::SdkConfig;
use aws_sdk_eventbridge::error::{DisplayErrorContext, ProvideErrorMetadata, SdkError};
use aws_sdk_eventbridge::types::PutEventsRequestEntry;
use aws_sdk_sqs::types::MessageAttributeValue;
use docmill_aws::Aws;
use docmill_domain::time::Timestamp;
use docmill_domain::webhook::destination::external_id;
use docmill_domain::webhook::{Arn, Endpoint, Sent};
use docmill_store::events::StoredEvent;
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::send::{Answer, TIMEOUT};
use crate::sign::Headers;

/// The `source` of events on a bus.
const SOURCE: &str = "docmill";
/// Most roles whose credentials are kept.
const MOST_ROLES: usize = 200;
/// Longest text of an error that is kept.
const MOST_SHOWN: usize = 500;
const FIFO: &str = ".fifo";

/// Sends to queues and buses. Credentials of a role are kept until shortly before they expire.
pub struct AwsOutlets {
    aws: Aws,
    roles: Mutex<HashMap<(String, Arn, String), Arc<SdkConfig>>>,
}

impl std::fmt::Debug for AwsOutlets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AwsOutlets(..)")
    }
}

impl AwsOutlets {
    /// Without any credentials yet.
    pub fn new(aws: Aws) -> Self {
        Self { aws, roles: Mutex::default() }
    }

    pub(crate) async fn to_queue(
        &self,
        endpoint: &Endpoint,
        queue: &Arn,
        role: &Arn,
        headers: &Headers,
        body: String,
        now: Timestamp,
    ) -> Answer {
        let sent = async {
            let config = self.under(endpoint, role, queue.region()).await;
            let url = queue_url(queue, config.endpoint_url());
            let attributes = [
                ("webhook-id", headers.id.clone()),
                ("webhook-timestamp", headers.timestamp.to_string()),
                ("webhook-signature", headers.signature.clone()),
            ];
            let mut send = aws_sdk_sqs::Client::new(&config).send_message().queue_url(url).message_body(body);
            for (name, value) in attributes {
                send = send.message_attributes(name, text(value)?);
            }
            if queue.resource().ends_with(FIFO) {
                send = send.message_group_id(&endpoint.account).message_deduplication_id(&headers.id);
            }
            send.send().await.map(drop).map_err(|error| why(&error))
        };
        answered(sent, now).await
    }

    pub(crate) async fn to_bus(
        &self,
        endpoint: &Endpoint,
        bus: &Arn,
        role: &Arn,
        event: &StoredEvent,
        now: Timestamp,
    ) -> Answer {
        let sent = async {
            let config = self.under(endpoint, role, bus.region()).await;
            let entry = PutEventsRequestEntry::builder()
                .event_bus_name(bus.as_str())
                .source(SOURCE)
                .detail_type(&event.kind)
                .detail(json!(event.view()).to_string())
                .build();
            let put = aws_sdk_eventbridge::Client::new(&config).put_events().entries(entry).send().await;
            let put = put.map_err(|error| why(&error))?;
            match put.entries().iter().find(|entry| entry.error_code().is_some()) {
                Some(refused) => Err(shown(refused.error_code(), refused.error_message())),
                None => Ok(()),
            }
        };
        answered(sent, now).await
    }

    /// The configuration of clients under a customer's role, in the region of their queue or bus.
    async fn under(&self, endpoint: &Endpoint, role: &Arn, region: &str) -> Arc<SdkConfig> {
        let name = (endpoint.account.clone(), role.clone(), region.to_owned());
        let known = self.roles.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
        if let Some(known) = known {
            return known;
        }
        let config = self.aws.assuming(role.as_str(), &external_id(&endpoint.account), region).await;
        let config = Arc::new(config);
        let mut roles = self.roles.lock().unwrap_or_else(PoisonError::into_inner);
        if roles.len() >= MOST_ROLES {
            roles.clear();
        }
        roles.insert(name, config.clone());
        config
    }
}

/// `https://sqs.region.amazonaws.com/account/name`, or the same path at the endpoint of the local stack.
fn queue_url(queue: &Arn, endpoint: Option<&str>) -> String {
    let suffix = if queue.as_str().starts_with("arn:aws-cn:") { "amazonaws.com.cn" } else { "amazonaws.com" };
    let host = format!("https://sqs.{}.{suffix}", queue.region());
    format!("{}/{}/{}", endpoint.unwrap_or(&host).trim_end_matches('/'), queue.account(), queue.resource())
}

fn text(value: String) -> Result<MessageAttributeValue, String> {
    let value = MessageAttributeValue::builder().data_type("String").string_value(value).build();
    value.map_err(|error| error.to_string())
}

/// Why a call failed: what AWS said to it, or to the request for the role's credentials.
fn why<E: ProvideErrorMetadata + std::error::Error + 'static>(error: &SdkError<E>) -> String {
    match (error.code(), error.message()) {
        (None, None) => {
            let text = DisplayErrorContext(error).to_string();
            // The same again, for developers of the SDK, is left out.
            text.split(" (DispatchFailure").next().unwrap_or_default().chars().take(MOST_SHOWN).collect()
        }
        (code, message) => shown(code, message),
    }
}

/// What the customer can mend: AWS names the missing permission.
fn shown(code: Option<&str>, message: Option<&str>) -> String {
    let text = format!("{}: {}", code.unwrap_or("no answer"), message.unwrap_or("AWS did not say why"));
    text.chars().take(MOST_SHOWN).collect()
}

/// The outcome in the form of an HTTP exchange: AWS answers a success with 200.
async fn answered(sent: impl Future<Output = Result<(), String>>, now: Timestamp) -> Answer {
    let began = Instant::now();
    let outcome = timeout(TIMEOUT, sent).await;
    let (status, error) = match outcome {
        Ok(Ok(())) => (Some(200), None),
        Ok(Err(error)) => (None, Some(error)),
        Err(_) => (None, Some(format!("no answer within {} seconds", TIMEOUT.as_secs()))),
    };
    let ms = u64::try_from(Duration::as_millis(&began.elapsed())).unwrap_or(u64::MAX);
    Answer { sent: Sent { at: now, ms, status, answer: String::new(), error }, retry_after: None }
}
