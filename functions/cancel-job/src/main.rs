use docmill_app::context::Context;
use docmill_app::jobs::control::ControlService;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(ControlService::new(Context::of_function()?), cancel_job::handle).await
}
