//! `GET /v1/events/{event_id}`: an event of the caller's account.

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::EventBody;
use docmill_http::envelope::Reply;
use docmill_http::error::ErrorCode;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let id = request.path_parameter("event_id");
        let event = context.events.get(caller.account(), id, caller.now).await?.ok_or(ErrorCode::EventNotFound)?;
        Ok(Reply::ok(EventBody { event: event.view() }))
    })
    .await
}
