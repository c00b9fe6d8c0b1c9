//! `POST /v1/webhooks/{webhook_id}/replay`: sends events to a webhook endpoint again.

use std::sync::Arc;

use docmill_domain::quota::RatePolicy;
use docmill_http::body::ReplayBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_webhooks::Replays;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(replays: Arc<Replays>, request: ApiRequest) -> Response<Body> {
    authenticated(&replays.context, &request, RatePolicy::Create, async |caller| {
        let id = request.path_parameter("webhook_id");
        let replayed = replays.replay(&caller, id, &request.json_object()?).await?;
        let has_more = replayed.next.is_some();
        let body = ReplayBody { replayed: replayed.events, has_more, next_cursor: replayed.next };
        Ok(Reply::new(StatusCode::ACCEPTED, body))
    })
    .await
}
