use docmill::context::Context;
use docmill::http::fonts::FontService;
use docmill::http::serve::serve;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(FontService::new(Context::of_function()?), create_font::handle).await
}
