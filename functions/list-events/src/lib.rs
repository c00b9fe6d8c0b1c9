//! `GET /v1/events`: the events of the caller's account in their order, now or once there is one.

mod query;

use std::sync::Arc;

use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::breach::Breach;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::EventsBody;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_http::wait::{PREFERENCE_APPLIED, wait_of};
use docmill_store::events::{Bound, EventFilter, Listed, Place};
use lambda_http::Body;
use lambda_http::http::Response;

use query::ListRequest;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let wanted = ListRequest::parse(&request.query).map_err(ApiError::validation)?;
        let wait = wait_of(&request).map_err(|breach| ApiError::validation(vec![breach]))?;
        let filter = filter(&context, &caller, &wanted).await?;
        let account = caller.account();
        let listed = context.events.list(account, &filter, wanted.limit, caller.now).await?;
        let Some(wait) = wait else { return Ok(reply(listed, &wanted)) };
        let is_over = |listed: &Listed| !listed.events.is_empty() || listed.more;
        let (events, filter, limit) = (&context.events, &filter, wanted.limit);
        let read = move |_| async move { events.list(account, filter, limit, clock::now()).await.map(Some) };
        let most = caller.limits(&context.config.limits).waits;
        let (listed, waited) = wait.until(&context.jobs, (account, most), listed, is_over, read).await;
        let reply = reply(listed, &wanted);
        Ok(if waited { reply.header(PREFERENCE_APPLIED, "wait") } else { reply })
    })
    .await
}

/// The filter with the places of the events that the request names.
async fn filter(context: &Context, caller: &Caller, wanted: &ListRequest) -> Result<EventFilter, ApiError> {
    let mut breaches = Vec::new();
    let mut bounds = [None, None];
    for (bound, (name, id)) in bounds.iter_mut().zip([("?after", &wanted.after), ("?before", &wanted.before)]) {
        let Some(id) = id else { continue };
        match context.events.place_of(caller.account(), id, caller.now).await? {
            Bound::At(place) => *bound = Some(place),
            // All events are after it.
            Bound::Expired => *bound = Some(Place::START),
            Bound::Unknown => breaches.push(Breach::new(name, "must be the id of an event of your account")),
        }
    }
    let [after, before] = bounds;
    let filter = EventFilter { after, before, kind: wanted.kind, job: wanted.job };
    if breaches.is_empty() { Ok(filter) } else { Err(ApiError::validation(breaches)) }
}

fn reply(listed: Listed, wanted: &ListRequest) -> Reply {
    let events = listed.events.iter().map(|event| event.view()).collect();
    let next_cursor = listed.last.or_else(|| wanted.after.clone());
    Reply::ok(EventsBody { events, has_more: listed.more, next_cursor })
}
