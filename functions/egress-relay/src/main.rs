use std::sync::Arc;

use aws_lambda_events::sqs::SqsEvent;
use docmill_app::context::Context;
use docmill_telemetry as telemetry;
use docmill_telemetry::start::Part;
use egress_relay::EgressRelay;
use futures_util::future::join_all;
use lambda_runtime::{Error, LambdaEvent, service_fn};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::EgressRelay);
    let relay = Arc::new(EgressRelay::of_function(Context::of_function()?)?);
    lambda_runtime::run(service_fn(|event: LambdaEvent<SqsEvent>| {
        let relay = relay.clone();
        async move {
            // Together: a slow host must not hold up others. What comes back because of one that failed is done already.
            let bodies = event.payload.records.into_iter().filter_map(|record| record.body);
            let relay = &relay;
            let handled = join_all(bodies.map(|body| async move { relay.handle(&body).await })).await;
            handled.into_iter().collect::<Result<(), _>>().map_err(Error::from)
        }
    }))
    .await
}
