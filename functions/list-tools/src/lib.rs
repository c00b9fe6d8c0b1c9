//! `GET /v1/tools`: the tools that this key may use.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_app::tools;
use docmill_domain::quota::RatePolicy;
use docmill_domain::sha256_hex;
use docmill_http::body::ToolsBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode, header};
use serde_json::json;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let tools = tools::visible(&context, &caller);
        let etag = format!("\"{}\"", sha256_hex(json!(tools).to_string().as_bytes()));
        let is_current = request.has_current(&etag);
        let reply = if is_current { Reply::empty(StatusCode::NOT_MODIFIED) } else { Reply::ok(ToolsBody { tools }) };
        // The list depends on the key, and may be cached if it is revalidated each time.
        let reply = reply.header(header::CACHE_CONTROL, "private, no-cache").header(header::VARY, "Authorization");
        Ok(reply.header(header::ETAG, etag))
    })
    .await
}
