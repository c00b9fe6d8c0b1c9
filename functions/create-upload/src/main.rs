use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::http::uploads::UploadService;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(UploadService::new(Context::of_function()?), create_upload::handle).await
}
