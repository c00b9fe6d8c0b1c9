//! `GET /v1/jobs`: the jobs of the caller's account, newest first, filtered by status, tool, time and metadata.

pub mod cursor;
mod page;
mod query;

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;
use serde_json::Value;

use cursor::CursorKey;
use page::Shown;
use query::ListRequest;

#[derive(Debug)]
pub struct JobList {
    pub context: Arc<Context>,
    pub cursors: CursorKey,
}

pub async fn handle(list: Arc<JobList>, request: ApiRequest) -> Response<Body> {
    authenticated(&list.context, &request, RatePolicy::Read, async |caller| {
        let account = caller.account();
        let ListRequest { filter, limit, after } =
            ListRequest::parse(&request.query, account, &list.cursors).map_err(ApiError::validation)?;
        let page = list.context.jobs.of_account(account, &filter, after, limit, caller.now).await?;
        list.context.keys.charge(&caller.key, RatePolicy::Read, page.further_requests()).await?;
        let shown = Shown::of(page, &list.context.files, caller.now).await;
        let reply = Reply::ok("jobs", Value::Array(shown.jobs));
        Ok(match shown.next {
            Some(mark) => reply.with("nextCursor", list.cursors.sign(mark, account, &filter)),
            None => reply,
        })
    })
    .await
}
