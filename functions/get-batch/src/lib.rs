//! `GET /v1/batches/{batch_id}`: a batch with its counts, which a runner brings up to date every few seconds.

use std::sync::Arc;

use docmill_app::batches::own_batch;
use docmill_app::context::Context;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::BatchBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(context: Arc<Context>, request: ApiRequest) -> Response<Body> {
    authenticated(&context, &request, RatePolicy::Read, async |caller| {
        let batch = own_batch(&context, &caller, request.path_parameter("batch_id")).await?;
        Ok(Reply::ok(BatchBody { batch: batch.view() }))
    })
    .await
}
