use docmill::context::Context;
use docmill::http::serve::serve;
use docmill::telemetry;
use mcp::McpService;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), lambda_http::Error> {
    telemetry::init();
    serve(McpService::new(Context::of_function()?), mcp::handle).await
}
