use docmill_app::context::Context;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;
use list_jobs::cursor::CursorKey;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    let cursors = CursorKey::of_environment()?;
    serve(list_jobs::JobList { context: Context::of_function()?.into(), cursors }, list_jobs::handle).await
}
