//! `GET /v1/batches/{batch_id}/download`: what became of each item, with a link to its result, as JSON or CSV, and
//! links to the archive of all results, if there is one.

mod query;

use std::sync::Arc;

use docmill_app::batches::results;
use docmill_app::batches::{further_requests, own_batch};
use docmill_app::caller::Caller;
use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_http::accept::Accept;
use docmill_http::body::{ArchiveBody, BatchResultsBody};
use docmill_http::cursor::Cursors;
use docmill_http::envelope::{Outcome, Reply};
use docmill_http::error::ApiError;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, header};

use query::PageRequest;

const CSV: &str = "text/csv";

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| answer(&context, &caller, &request).await).await
}

async fn answer(context: &Context, caller: &Caller, request: &ApiRequest) -> Outcome {
    let wanted = PageRequest::parse(&request.query).map_err(ApiError::validation)?;
    let batch = own_batch(context, caller, request.path_parameter("batch_id")).await?;
    let list = format!("/v1/batches/{}/download", batch.id);
    let cursors = Cursors::of(&list, caller.account(), ());
    let first: u32 = cursors.start(wanted.cursor.as_deref(), |item| item.parse().ok())?.unwrap_or_default();
    let last = batch.next.min(first.saturating_add(wanted.limit));
    let rows = results::rows(context, &batch, (first, last), caller.now).await?;
    let read = last.saturating_sub(first);
    context.keys.charge(&caller.key, RatePolicy::Read, further_requests(read)).await?;
    let next = (last < batch.next).then(|| cursors.write(last));
    if Accept::of(&request.headers).prefers(CSV) {
        let reply = Reply::text("text/csv; charset=utf-8", results::csv(&rows).map_err(ApiError::internal)?);
        let reply = reply.header(header::CACHE_CONTROL, "no-store");
        return Ok(match next {
            // RFC 8288.
            Some(next) => {
                let page = format!("{list}?limit={}&cursor={next}", wanted.limit);
                reply.header(header::LINK, format!("<{page}>; rel=\"next\""))
            }
            None => reply,
        });
    }
    // It is the same for all pages.
    let archive = if first == 0 && batch.has_archive(caller.now) {
        let files = results::archive_files(&context.files, &batch, caller.now).await?;
        Some(ArchiveBody { files, left_out: batch.archive.as_ref().map_or(0, |archive| archive.left_out) })
    } else {
        None
    };
    Ok(Reply::ok(BatchResultsBody { results: rows, archive, next_cursor: next }))
}
