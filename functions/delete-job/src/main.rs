use docmill::context::Context;
use docmill::http::control::ControlService;
use docmill::http::serve::serve;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(ControlService::new(Context::of_function()?), delete_job::handle).await
}
