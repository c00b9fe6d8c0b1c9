use docmill_app::context::Context;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;
use docmill_webhooks::WebhookService;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(WebhookService::of_function(Context::of_function()?)?, create_webhook::handle).await
}
