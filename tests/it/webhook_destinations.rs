//! Deliveries into queues and buses of customers, on the emulator, which evaluates the trust policies of their roles.

use std::collections::HashMap;

use aws_sdk_sqs::types::QueueAttributeName;
use docmill_config::clock;
use docmill_domain::event::EventKind;
use docmill_store::events::StoredEvent;
use functions::list_webhook_deliveries;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::hooks::{Deliveries, Hook, is_signed};
use crate::support::http::{Answer, get};
use crate::support::world::{Account, World, patient_aws};

/// The emulator's only account.
const OWNER: &str = "000000000000";

fn region() -> String {
    std::env::var("AWS_REGION").unwrap()
}

/// A call to the emulator's IAM, in its query protocol.
async fn iam(parameters: &[(&str, &str)]) {
    let endpoint = std::env::var("AWS_ENDPOINT_URL").unwrap();
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    let scope = "AWS4-HMAC-SHA256 Credential=test/20261124/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=0";
    let call = reqwest::Client::new().post(endpoint).header("authorization", scope);
    let call = call.header("content-type", "application/x-www-form-urlencoded").body(form);
    let answer = call.send().await.unwrap();
    assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
}

/// A role that may be assumed with this external id, and may then do `action`.
pub(crate) async fn role(external_id: &str, action: &str) -> String {
    let name = format!("docmill-sign-{}", Uuid::now_v7().simple());
    let trust = json!({"Version": "2012-10-17", "Statement": [{
        "Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole",
        "Condition": {"StringEquals": {"sts:ExternalId": external_id}},
    }]});
    let allowed =
        json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": "*"}]});
    let (trust, allowed) = (trust.to_string(), allowed.to_string());
    let version = ("Version", "2010-05-08");
    iam(&[("Action", "CreateRole"), version, ("RoleName", &name), ("AssumeRolePolicyDocument", &trust)]).await;
    let policy = [
        ("Action", "PutRolePolicy"),
        version,
        ("RoleName", &name),
        ("PolicyName", "send"),
        ("PolicyDocument", &allowed),
    ];
    iam(&policy).await;
    format!("arn:aws:iam::{OWNER}:role/{name}")
}

struct Own {
    world: World,
    hooks: Deliveries,
    account: Account,
}

impl Own {
    async fn new() -> Self {
        let world = World::with_own_events().await;
        let (hooks, account) = (Deliveries::of(&world), world.account(1).await);
        Self { world, hooks, account }
    }

    fn external_id(&self) -> String {
        docmill_domain::webhook::destination::external_id(&self.account.id)
    }

    /// Sends a new event to the endpoint. Returns it, with its delivery as the account sees it.
    async fn send(&self, endpoint: &Value) -> (StoredEvent, Value) {
        let event =
            StoredEvent::new(&self.account.id, EventKind::JobCompleted, clock::now(), json!({"note": "a test"}));
        self.world.context.events.record(&event).await.unwrap();
        self.hooks.announce(&self.account, &event.id).await;
        let id = endpoint["id"].as_str().unwrap();
        let request = get("/").key(&self.account.key).parameter("webhook_id", id).query("eventId", &event.id).build();
        let answer = Answer::of(list_webhook_deliveries::handle(self.world.context.clone(), request).await);
        (event, answer.body["deliveries"][0].clone())
    }
}

fn queue_arn(url: &str) -> String {
    format!("arn:aws:sqs:{}:{OWNER}:{}", region(), url.rsplit('/').next().unwrap())
}

#[tokio::test]
async fn a_queue_gets_the_same_body_and_signatures_as_a_url() {
    let own = Own::new().await;
    let sqs = patient_aws().sqs();
    let role = role(&own.external_id(), "sqs:SendMessage").await;
    for (suffix, attributes) in
        [("", None), (".fifo", Some(HashMap::from([(QueueAttributeName::FifoQueue, "true".to_owned())])))]
    {
        let name = format!("events-{}{suffix}", Uuid::now_v7().simple());
        let created = sqs.create_queue().queue_name(name).set_attributes(attributes).send().await.unwrap();
        let url = created.queue_url.unwrap();
        let destination = json!({"type": "sqs", "queueArn": queue_arn(&url), "roleArn": role});
        let endpoint = own.hooks.endpoint_with(&own.account, json!({"destination": destination})).await;
        assert_eq!((endpoint.get("url"), &endpoint["destination"]["externalId"]), (None, &json!(own.external_id())));
        let (event, delivery) = own.send(&endpoint).await;
        assert_eq!(delivery["status"], "delivered", "{delivery}");
        let received = sqs.receive_message().queue_url(&url).message_attribute_names("All").send().await.unwrap();
        let message = &received.messages()[0];
        assert_eq!(message.body(), Some(event.body().as_str()));
        let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| {
            (name.to_owned(), message.message_attributes().unwrap()[name].string_value().unwrap().to_owned())
        });
        let hook = Hook { headers: headers.to_vec(), body: message.body().unwrap().to_owned() };
        assert_eq!(hook.event(), event.id);
        assert!(is_signed(&hook, endpoint["secret"].as_str().unwrap()));
        sqs.delete_queue().queue_url(&url).send().await.unwrap();
    }
    own.world.remove_events().await;
}

#[tokio::test]
async fn a_bus_gets_events_with_their_ids() {
    let own = Own::new().await;
    let destination = json!({
        "type": "eventbridge", "busArn": format!("arn:aws:events:{}:{OWNER}:event-bus/default", region()),
        "roleArn": role(&own.external_id(), "events:PutEvents").await,
    });
    let endpoint = own.hooks.endpoint_with(&own.account, json!({"destination": destination})).await;
    let (_, delivery) = own.send(&endpoint).await;
    assert_eq!(delivery["status"], "delivered", "{delivery}");
    own.world.remove_events().await;
}

#[tokio::test]
async fn a_role_that_trusts_the_service_for_another_account_is_not_assumed() {
    let own = Own::new().await;
    let of_another = docmill_domain::webhook::destination::external_id("another account");
    let sqs = patient_aws().sqs();
    let url = sqs
        .create_queue()
        .queue_name(format!("q-{}", Uuid::now_v7().simple()))
        .send()
        .await
        .unwrap()
        .queue_url
        .unwrap();
    let destination =
        json!({"type": "sqs", "queueArn": queue_arn(&url), "roleArn": role(&of_another, "sqs:SendMessage").await});
    let endpoint = own.hooks.endpoint_with(&own.account, json!({"destination": destination})).await;
    let (_, delivery) = own.send(&endpoint).await;
    let error = delivery["attempts"][0]["error"].as_str().unwrap();
    assert!(error.contains("AccessDenied") && error.contains("sts:AssumeRole"), "it says what is missing: {error}");
    assert_eq!(delivery["status"], "pending", "and is repeated, once the role trusts the service");
    sqs.delete_queue().queue_url(&url).send().await.unwrap();
    own.world.remove_events().await;
}

#[tokio::test]
async fn a_queue_that_does_not_exist_fails_with_what_aws_says() {
    let own = Own::new().await;
    let destination = json!({
        "type": "sqs", "queueArn": format!("arn:aws:sqs:{}:{OWNER}:no-such-queue", region()),
        "roleArn": role(&own.external_id(), "sqs:SendMessage").await,
    });
    let endpoint = own.hooks.endpoint_with(&own.account, json!({"destination": destination})).await;
    let (_, delivery) = own.send(&endpoint).await;
    assert!(delivery["attempts"][0]["error"].as_str().unwrap().contains("NonExistentQueue"), "{delivery}");
    own.world.remove_events().await;
}
