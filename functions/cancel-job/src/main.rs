use docmill::context::Context;
use docmill::http::control::ControlDesk;
use docmill::http::serve::serve;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(ControlDesk::new(Context::of_function()?), cancel_job::handle).await
}
