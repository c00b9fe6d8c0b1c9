use std::sync::Arc;

use docmill_app::context::Context;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;
use docmill_webhooks::sender;
use test_webhook::TestService;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    let context = Arc::new(Context::of_function()?);
    let sender = sender(context.config.local_mode)?;
    serve(TestService { context, sender }, test_webhook::handle).await
}
