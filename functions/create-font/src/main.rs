use docmill_app::context::Context;
use docmill_app::fonts::FontService;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(FontService::new(Context::of_function()?), create_font::handle).await
}
