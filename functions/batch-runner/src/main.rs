use std::sync::Arc;

use aws_lambda_events::sqs::SqsEvent;
use batch_runner::Runner;
use docmill::context::Context;
use docmill::telemetry;
use docmill::telemetry::start::Part;
use lambda_runtime::{Error, LambdaEvent, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::BatchRunner);
    let runner = Arc::new(Runner::new(Context::of_function()?));
    lambda_runtime::run(service_fn(|event: LambdaEvent<SqsEvent>| {
        let runner = runner.clone();
        async move {
            for body in event.payload.records.into_iter().filter_map(|record| record.body) {
                runner.handle(&body).await;
            }
            Ok::<_, Error>(())
        }
    }))
    .await
}
