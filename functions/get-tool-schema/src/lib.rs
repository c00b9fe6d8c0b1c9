//! `GET /v1/tools/{tool_slug}/schema`: the input and options of a tool's jobs. The same schema validates requests.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_app::tools;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::ToolSchemaBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let tool = tools::schema(&context, &caller, request.path_parameter("tool_slug"))?;
        Ok(Reply::ok(ToolSchemaBody { tool }))
    })
    .await
}
