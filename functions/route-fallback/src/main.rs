use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve((), route_fallback::handle).await
}
