//! `GET /v1/batches/{batch_id}/download`: what became of each item, with a link to its result, as JSON or CSV, and
//! links to the archive of all results, if there is one.

mod archive;
mod query;
mod row;

use std::sync::Arc;

use docmill::context::Context;
use docmill::domain::batch::Batch;
use docmill::domain::quota::RatePolicy;
use docmill::http::accept::Accept;
use docmill::http::batches::{further_requests, jobs_of, own_batch};
use docmill::http::envelope::{Outcome, Reply};
use docmill::http::error::ApiError;
use docmill::http::guard::{Caller, authenticated};
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, header};
use serde_json::Value;

use query::PageRequest;
use row::Row;

const CSV: &str = "text/csv";

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| answer(&context, &caller, &request).await).await
}

async fn answer(context: &Context, caller: &Caller, request: &ApiRequest) -> Outcome {
    let wanted = PageRequest::parse(&request.query).map_err(ApiError::validation)?;
    let batch = own_batch(context, caller, request.path_parameter("batch_id")).await?;
    let last = batch.next.min(wanted.first.saturating_add(wanted.limit));
    let rows = rows(context, caller, &batch, wanted.first, last).await?;
    let read = last.saturating_sub(wanted.first);
    context.keys.charge(&caller.key, RatePolicy::Read, further_requests(read)).await?;
    let next = (last < batch.next).then_some(last);
    if Accept::of(&request.headers).prefers(CSV) {
        let reply = Reply::text("text/csv; charset=utf-8", row::csv(&rows).map_err(ApiError::internal)?);
        let reply = reply.header(header::CACHE_CONTROL, "no-store");
        return Ok(match next {
            // RFC 8288.
            Some(next) => {
                let page = format!("/v1/batches/{}/download?limit={}&cursor={next}", batch.id, wanted.limit);
                reply.header(header::LINK, format!("<{page}>; rel=\"next\""))
            }
            None => reply,
        });
    }
    let mut reply = Reply::ok("results", rows.iter().map(Row::view).collect::<Vec<Value>>().into());
    // It is the same for all pages.
    if wanted.first == 0 && batch.has_archive(caller.now) {
        reply = reply.with("archive", archive::view(&context.files, &batch, caller.now).await?);
    }
    Ok(match next {
        Some(next) => reply.with("nextCursor", next.to_string().into()),
        None => reply,
    })
}

/// The items from `first` on, before `last`.
async fn rows(context: &Context, caller: &Caller, batch: &Batch, first: u32, last: u32) -> Result<Vec<Row>, ApiError> {
    if first >= last {
        return Ok(Vec::new());
    }
    let mut rows = Vec::new();
    for (index, job) in jobs_of(context, batch, first, last).await? {
        if job.is_of(&batch.account, caller.now) {
            rows.push(Row::of_job(&context.files, index, &job, caller.now).await?);
        }
    }
    for item in context.batches.refused(batch, first, last - 1).await? {
        // A run may have noted a refusal, died, and the next one has created the job after all.
        if let Err(place) = rows.binary_search_by_key(&item.index, Row::index) {
            rows.insert(place, Row::of_refused(item));
        }
    }
    Ok(rows)
}
