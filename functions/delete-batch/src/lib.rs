//! `DELETE /v1/batches/{batch_id}`: deletes a batch with its jobs. Unfinished jobs are canceled first.

use std::sync::Arc;

use docmill_app::batches::BatchControl;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::BatchBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::{Response, StatusCode};

pub async fn handle(service: Arc<BatchControl>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        let batch = service.delete(&caller, request.path_parameter("batch_id")).await?;
        // A runner deletes it, so it takes a while.
        Ok(Reply::new(StatusCode::ACCEPTED, BatchBody { batch: batch.view() }))
    })
    .await
}
