//! `POST /v1/batches`: creates many jobs of one tool with one request.

use std::sync::Arc;

use docmill_app::batches::NewBatches;
use docmill_domain::quota::RatePolicy;
use docmill_http::batches::accepted;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<NewBatches>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.jobs.context, &request, RatePolicy::Create, async |caller| {
        let body = request.json_object()?;
        let key = request.idempotency_key()?;
        Ok(accepted(&service.create(&caller, &body, key.as_ref(), request.unknown_names()?).await?))
    })
    .await
}
