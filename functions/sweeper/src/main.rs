use std::sync::Arc;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_aws::Aws;
use docmill_config::Config;
use docmill_telemetry as telemetry;
use docmill_telemetry::start::Part;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::Value;
use sweeper::Sweeper;

/// No client waits for the sweeper's calls, so a slow response is better than a retry.
const PATIENCE: Duration = Duration::from_secs(8);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::Sweeper);
    let sweeper =
        Arc::new(Sweeper::new(Context::new(Config::from_env()?, Aws::of_function()?.with_patience(PATIENCE))?));
    lambda_runtime::run(service_fn(|_event: LambdaEvent<Value>| {
        let sweeper = sweeper.clone();
        async move { sweeper.run().await.map(drop).map_err(Error::from) }
    }))
    .await
}
