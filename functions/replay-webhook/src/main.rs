use docmill_app::context::Context;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;
use docmill_webhooks::Replays;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    let context = Context::of_function()?;
    serve(Replays { queue: context.queue(), context: context.into() }, replay_webhook::handle).await
}
