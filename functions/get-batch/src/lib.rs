//! `GET /v1/batches/{batch_id}`: a batch with its counts, which a runner brings up to date every few seconds.

use std::sync::Arc;

use docmill::context::Context;
use docmill::domain::quota::RatePolicy;
use docmill::http::batches::own_batch;
use docmill::http::envelope::Reply;
use docmill::http::guard::authenticated;
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let batch = own_batch(&context, &caller, request.path_parameter("batch_id")).await?;
        Ok(Reply::ok("batch", batch.view()))
    })
    .await
}
