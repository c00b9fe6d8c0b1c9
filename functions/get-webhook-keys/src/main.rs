use docmill_http::serve::serve;
use docmill_telemetry as telemetry;
use docmill_webhooks::signing_keys;
use get_webhook_keys::KeysDocument;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(KeysDocument::of(&signing_keys()?, &std::env::var("DELIVERY_ROLE")?), get_webhook_keys::handle).await
}
