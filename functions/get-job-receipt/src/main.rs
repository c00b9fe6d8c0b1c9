use docmill_app::context::Context;
use docmill_app::jobs::receipts::Receipts;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(Receipts::of_function(Context::of_function()?)?, get_job_receipt::handle).await
}
