//! `GET /v1/tools/{tool_slug}/schema`: the input and options of a tool's jobs. The same schema validates requests.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::catalogue::Published;
use docmill_domain::quota::RatePolicy;
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::error::ErrorCode;
use docmill_http::guard::{Caller, authenticated};
use docmill_http::request::ApiRequest;
use docmill_http::suggest::tool_not_found;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| answer(&context, &caller, &request)).await
}

/// The same for an admitted caller.
pub fn answer(context: &Context, caller: &Caller, request: &ApiRequest) -> Outcome {
    let slug = request.path_parameter("tool_slug");
    let tool = context.catalogue.find(slug).ok_or_else(|| tool_not_found(&context.catalogue, slug))?;
    if !caller.settings.tool(tool).admits(slug, &caller.plan(), &caller.key) {
        return Err(ErrorCode::ToolNotAllowed.into());
    }
    let published = Published {
        limits: &caller.limits(&context.config.limits),
        create: caller.key.limiter.limit(RatePolicy::Create),
        read: caller.key.limiter.limit(RatePolicy::Read),
        output_retention_hours: context.config.output_retention_hours(),
    };
    Ok(Reply::ok("tool", tool.schema_view(published)))
}
