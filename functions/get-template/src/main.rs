use docmill_app::context::Context;
use docmill_app::templates::TemplateService;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(TemplateService::new(Context::of_function()?), get_template::handle).await
}
