//! `GET /v1/batches/{batch_id}/jobs`: the jobs of a batch in the order of its items, and the items that could not become jobs.

mod page;
mod query;

use std::sync::Arc;

use docmill_app::batches::own_batch;
use docmill_app::context::Context;
use docmill_domain::job::JobStatus;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::BatchJobsBody;
use docmill_http::cursor::Cursors;
use docmill_http::envelope::Reply;
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

use page::Page;
use query::ListRequest;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let wanted = ListRequest::parse(&request.query).map_err(ApiError::validation)?;
        let batch = own_batch(&context, &caller, request.path_parameter("batch_id")).await?;
        let list = format!("/v1/batches/{}/jobs", batch.id);
        let cursors = Cursors::of(&list, caller.account(), wanted.status.map(JobStatus::as_str));
        let first = cursors.start(wanted.cursor.as_deref(), |item| item.parse().ok())?;
        let page = Page::read(&context, &batch, &wanted, first.unwrap_or_default(), caller.now).await?;
        context.keys.charge(&caller.key, RatePolicy::Read, page.further_requests()).await?;
        let Page { jobs, refused, next, .. } = page;
        Ok(Reply::ok(BatchJobsBody { jobs, refused, next_cursor: next.map(|next| cursors.write(next)) }))
    })
    .await
}
