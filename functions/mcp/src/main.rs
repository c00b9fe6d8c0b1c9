use docmill_app::context::Context;
use docmill_http::serve::serve;
use docmill_telemetry as telemetry;
use mcp::McpService;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(McpService::new(Context::of_function()?), mcp::handle).await
}
