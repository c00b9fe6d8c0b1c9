use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::http::templates::TemplateService;
use docmill::telemetry;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(TemplateService::new(Context::of_function()?), get_template::handle).await
}
