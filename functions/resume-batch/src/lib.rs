//! `POST /v1/batches/{batch_id}/resume`: goes on with a paused batch, with the key of this request.

use std::sync::Arc;

use docmill::domain::quota::RatePolicy;
use docmill::http::batches::BatchControl;
use docmill::http::envelope::Reply;
use docmill::http::guard::authenticated;
use docmill::http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<BatchControl>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        let batch = service.resume(&caller, request.path_parameter("batch_id")).await?;
        Ok(Reply::ok("batch", batch.view()))
    })
    .await
}
