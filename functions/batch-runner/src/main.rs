use std::sync::Arc;

use aws_lambda_events::sqs::SqsEvent;
use batch_runner::Runner;
use docmill_app::context::Context;
use docmill_aws::queue::chain::{Chain, HOPS, following};
use docmill_telemetry as telemetry;
use docmill_telemetry::start::Part;
use lambda_runtime::{Error, LambdaEvent, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::BatchRunner);
    let runner = Arc::new(Runner::new(Context::of_function()?));
    lambda_runtime::run(service_fn(|event: LambdaEvent<SqsEvent>| {
        let runner = runner.clone();
        async move {
            for record in event.payload.records {
                let hops = record.message_attributes.get(HOPS).and_then(|hops| hops.string_value.as_deref());
                following(Chain::Batches, hops, runner.handle(record.body.as_deref().unwrap_or_default())).await;
            }
            Ok::<_, Error>(())
        }
    }))
    .await
}
