//! `GET /v1/tools`: the tools that this key may use.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_domain::sha256_hex;
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::guard::{Caller, authenticated};
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode, header};
use serde_json::Value;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| answer(&context, &caller, &request)).await
}

/// The same for an admitted caller.
pub fn answer(context: &Context, caller: &Caller, request: &ApiRequest) -> Outcome {
    let plan = caller.plan();
    let visible = context.catalogue.tools().iter().filter_map(|tool| {
        let settings = caller.settings.tool(tool);
        settings.admits(&tool.definition.slug, &plan, &caller.key).then(|| tool.list_view(settings))
    });
    let tools = Value::Array(visible.collect());
    let etag = format!("\"{}\"", sha256_hex(tools.to_string().as_bytes()));
    let reply =
        if request.has_current(&etag) { Reply::empty(StatusCode::NOT_MODIFIED) } else { Reply::ok("tools", tools) };
    // The list depends on the key, and may be cached if it is revalidated each time.
    let reply = reply.header(header::CACHE_CONTROL, "private, no-cache").header(header::VARY, "Authorization");
    Ok(reply.header(header::ETAG, etag))
}
