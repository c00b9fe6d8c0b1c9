//! `GET /v1/jobs`: the jobs of the caller's account, newest first, filtered by status, tool, time and metadata.

mod page;
mod query;

use std::sync::Arc;

use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::JobsBody;
use docmill_http::cursor::Cursors;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_store::jobs::JobMark;
use lambda_http::Body;
use lambda_http::http::Response;

use page::Shown;
use query::ListRequest;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let account = caller.account();
        let ListRequest { filter, limit, cursor } = ListRequest::parse(&request.query).map_err(ApiError::validation)?;
        let cursors = Cursors::of("/v1/jobs", account, &filter);
        let after = cursors.start(cursor.as_deref(), JobMark::parse)?;
        let page = context.jobs.of_account(account, &filter, after, limit, caller.now).await?;
        context.keys.charge(&caller.key, RatePolicy::Read, page.further_requests()).await?;
        let shown = Shown::of(page, &context.files, caller.now).await;
        Ok(Reply::ok(JobsBody { jobs: shown.jobs, next_cursor: shown.next.map(|mark| cursors.write(mark)) }))
    })
    .await
}
