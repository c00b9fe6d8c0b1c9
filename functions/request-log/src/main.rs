use std::sync::Arc;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_aws::Aws;
use docmill_config::{Config, clock};
use docmill_telemetry as telemetry;
use docmill_telemetry::start::Part;
use lambda_runtime::{Error, LambdaEvent, service_fn};
use request_log::Collector;
use serde_json::Value;

/// Nobody waits for these calls, and a search through a busy minute takes longer than a read of a table.
const PATIENCE: Duration = Duration::from_secs(10);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    telemetry::start::started(Part::RequestLog);
    let context = Context::new(Config::from_env()?, Aws::of_function()?.with_patience(PATIENCE))?;
    let collector = Arc::new(Collector::new(context)?);
    lambda_runtime::run(service_fn(|_event: LambdaEvent<Value>| {
        let collector = collector.clone();
        async move { collector.run(clock::now()).await.map_err(Error::from) }
    }))
    .await
}
