use std::sync::Arc;

use aws_lambda_events::sqs::SqsEvent;
use deliverer::Deliverer;
use docmill::context::Context;
use docmill::telemetry;
use docmill::telemetry::start::Part;
use lambda_runtime::{Error, LambdaEvent, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::Deliverer);
    let deliverer = Arc::new(Deliverer::of_function(Context::of_function()?)?);
    lambda_runtime::run(service_fn(|event: LambdaEvent<SqsEvent>| {
        let deliverer = deliverer.clone();
        async move {
            let bodies = event.payload.records.into_iter().filter_map(|record| record.body).collect();
            deliverer.handle(bodies).await;
            Ok::<_, Error>(())
        }
    }))
    .await
}
