use std::sync::Arc;

use docmill::context::Context;
use docmill::telemetry;
use docmill::telemetry::start::Part;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;
use sweeper::Sweeper;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::Sweeper);
    let sweeper = Arc::new(Sweeper::new(Context::of_function()?));
    lambda_runtime::run(service_fn(|_event: LambdaEvent<Value>| {
        let sweeper = sweeper.clone();
        async move { sweeper.run().await.map(drop).map_err(Error::from) }
    }))
    .await
}
