//! `GET /v1/webhooks/{webhook_id}/deliveries`: what was sent to a webhook endpoint, newest event first.

mod query;

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_app::webhooks::endpoint_of;
use docmill_domain::quota::RatePolicy;
use docmill_domain::webhook::{Delivery, EndpointId};
use docmill_http::body::DeliveriesBody;
use docmill_http::cursor::Cursors;
use docmill_http::envelope::Reply;
use docmill_http::error::{ApiError, ErrorCode};
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

use query::ListRequest;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let mut wanted = ListRequest::parse(&request.query).map_err(ApiError::validation)?;
        let id = EndpointId::parse(request.path_parameter("webhook_id")).ok_or(ErrorCode::WebhookNotFound)?;
        let list = format!("/v1/webhooks/{}/deliveries", id.as_str());
        let cursors = Cursors::of(&list, caller.account(), &wanted.filter);
        wanted.filter.before = cursors.start(wanted.cursor.as_deref(), |event| Some(event.to_owned()))?;
        let (found, next) = context.webhooks.deliveries(caller.account(), &id, &wanted.filter, wanted.limit).await?;
        if found.is_empty() {
            // A URL that jobs name has deliveries, but no endpoint.
            endpoint_of(&context, &caller, id.as_str()).await?;
        }
        Ok(Reply::ok(DeliveriesBody {
            deliveries: found.iter().map(Delivery::view).collect(),
            has_more: next.is_some(),
            next_cursor: next.map(|next| cursors.write(next)),
        }))
    })
    .await
}
