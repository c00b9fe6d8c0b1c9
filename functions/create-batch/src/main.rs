use docmill_app::batches::NewBatches;
use docmill_app::context::Context;
use docmill_app::jobs::submit::JobService;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(NewBatches::new(JobService::of_function(Context::of_function()?)?), create_batch::handle).await
}
