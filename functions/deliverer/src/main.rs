use std::sync::Arc;

use aws_lambda_events::sqs::SqsEvent;
use deliverer::Deliverer;
use docmill_app::context::Context;
use docmill_aws::queue::chain::{Chain, HOPS, following};
use docmill_telemetry as telemetry;
use docmill_telemetry::start::Part;
use futures_util::future::join_all;
use lambda_runtime::{Error, LambdaEvent, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::Deliverer);
    let deliverer = Arc::new(Deliverer::of_function(Context::of_function()?)?);
    lambda_runtime::run(service_fn(|event: LambdaEvent<SqsEvent>| {
        let deliverer = deliverer.clone();
        async move {
            // At the same time: none of them waits for the others' endpoints.
            let handled = event.payload.records.iter().map(|record| {
                let hops = record.message_attributes.get(HOPS).and_then(|hops| hops.string_value.as_deref());
                let handling = deliverer.handle(record.body.as_deref().unwrap_or_default());
                following(Chain::Deliveries, hops, handling)
            });
            join_all(handled).await;
            Ok::<_, Error>(())
        }
    }))
    .await
}
