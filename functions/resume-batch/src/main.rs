use docmill_app::batches::BatchControl;
use docmill_app::context::Context;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(BatchControl::new(Context::of_function()?), resume_batch::handle).await
}
