use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(Context::of_function()?, list_batches::handle).await
}
