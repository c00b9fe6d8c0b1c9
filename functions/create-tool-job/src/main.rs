use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::http::submit::JobDesk;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(JobDesk::new(Context::of_function()?), create_tool_job::handle).await
}
