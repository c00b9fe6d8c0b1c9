//! JSON Schemas of all that is sent, for the description of the API.

use docmill_domain::event;
use docmill_domain::webhook::WebhookKeysView;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

use crate::body::{
    BatchBody, BatchJobsBody, BatchResultsBody, BatchesBody, DeliveriesBody, DownloadBody, EventBody, EventsBody,
    FontBody, FontsBody, JobBody, JobsBody, ReplayBody, TemplateBody, TemplatesBody, ToolSchemaBody, ToolsBody,
    UploadBody, UsageBody, WaitBody, WebhookBody, WebhookTestBody, WebhooksBody,
};
use crate::envelope::{Envelope, ErrorEnvelope};

/// The schemas of all responses and of what is sent to webhooks, and of what they are made of, by their names in the description.
pub fn schemas() -> Map<String, Value> {
    let mut generator = docmill_domain::sent::generator();
    add_body::<JobBody>(&mut generator);
    add_body::<JobsBody>(&mut generator);
    add_body::<WaitBody>(&mut generator);
    add_body::<DownloadBody>(&mut generator);
    add_body::<ToolsBody>(&mut generator);
    add_body::<ToolSchemaBody>(&mut generator);
    add_body::<UsageBody>(&mut generator);
    add_body::<BatchBody>(&mut generator);
    add_body::<BatchesBody>(&mut generator);
    add_body::<BatchJobsBody>(&mut generator);
    add_body::<BatchResultsBody>(&mut generator);
    add_body::<UploadBody>(&mut generator);
    add_body::<TemplateBody>(&mut generator);
    add_body::<TemplatesBody>(&mut generator);
    add_body::<FontBody>(&mut generator);
    add_body::<FontsBody>(&mut generator);
    add_body::<WebhookBody>(&mut generator);
    add_body::<WebhooksBody>(&mut generator);
    add_body::<WebhookTestBody>(&mut generator);
    add_body::<ReplayBody>(&mut generator);
    add_body::<DeliveriesBody>(&mut generator);
    add_body::<EventBody>(&mut generator);
    add_body::<EventsBody>(&mut generator);
    add::<ErrorEnvelope<'_>>(&mut generator);
    // Without an envelope.
    add::<WebhookKeysView>(&mut generator);
    add::<event::EventBody<'_>>(&mut generator);
    generator.take_definitions(true)
}

/// A body in its envelope.
fn add_body<B: JsonSchema>(generator: &mut SchemaGenerator) {
    add::<Envelope<'_, B>>(generator);
}

fn add<T: JsonSchema>(generator: &mut SchemaGenerator) {
    generator.subschema_for::<T>();
}
