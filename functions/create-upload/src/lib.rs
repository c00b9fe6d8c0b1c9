//! `POST /v1/uploads`: returns a signed link for uploading a document, and the id to use it in a job.

use std::sync::Arc;

use docmill_app::uploads::UploadService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::UploadBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<UploadService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Create, async |caller| {
        let body = request.json_object()?;
        Ok(Reply::ok(UploadBody { upload: service.issue(&body, &caller).await? }))
    })
    .await
}
