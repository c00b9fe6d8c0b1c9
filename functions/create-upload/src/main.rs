use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::http::uploads::UploadDesk;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(UploadDesk::new(Context::of_function()?), create_upload::handle).await
}
