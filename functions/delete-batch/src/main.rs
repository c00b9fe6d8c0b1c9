use docmill::context::Context;
use docmill::http::batches::BatchControl;
use docmill::http::serve::serve;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(BatchControl::new(Context::of_function()?), delete_batch::handle).await
}
