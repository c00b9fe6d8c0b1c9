use docmill::context::Context;
use docmill::http::batches::NewBatches;
use docmill::http::serve::serve;
use docmill::http::submit::JobService;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(NewBatches::new(JobService::of_function(Context::of_function()?)?), create_batch::handle).await
}
