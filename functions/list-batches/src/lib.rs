//! `GET /v1/batches`: the batches of the caller's account, newest first.

mod query;

use std::sync::Arc;

use docmill_app::batches::further_requests;
use docmill_app::context::Context;
use docmill_domain::batch::{Batch, BatchId, State};
use docmill_domain::quota::RatePolicy;
use docmill_http::body::BatchesBody;
use docmill_http::cursor::Cursors;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

use query::ListRequest;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let ListRequest { state, limit, cursor } = ListRequest::parse(&request.query).map_err(ApiError::validation)?;
        let cursors = Cursors::of("/v1/batches", caller.account(), state.map(State::as_str));
        let before = cursors.start(cursor.as_deref(), BatchId::parse)?;
        let page = context.batches.of_account(caller.account(), state, before, limit, caller.now).await?;
        context.keys.charge(&caller.key, RatePolicy::Read, further_requests(page.read)).await?;
        let batches = page.batches.iter().map(Batch::view).collect();
        Ok(Reply::ok(BatchesBody { batches, next_cursor: page.next.map(|next| cursors.write(next)) }))
    })
    .await
}
