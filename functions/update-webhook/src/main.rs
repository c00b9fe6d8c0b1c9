use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::telemetry;
use docmill_webhooks::WebhookService;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(WebhookService::of_function(Context::of_function()?)?, update_webhook::handle).await
}
