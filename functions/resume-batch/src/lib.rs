//! `POST /v1/batches/{batch_id}/resume`: goes on with a paused batch, with the key of this request.

use std::sync::Arc;

use docmill_app::batches::BatchControl;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::BatchBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<BatchControl>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        let batch = service.resume(&caller, request.path_parameter("batch_id")).await?;
        Ok(Reply::ok(BatchBody { batch: batch.view() }))
    })
    .await
}
