//! `POST /v1/jobs/{job_id}/cancel`: cancels a job and refunds its credits.

use std::sync::Arc;

use docmill_app::jobs::control::ControlService;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::JobBody;
use docmill_http::envelope::Reply;
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use lambda_http::Body;
use lambda_http::http::Response;

pub async fn handle(service: Arc<ControlService>, request: ApiRequest) -> Response<Body> {
    authenticated(&service.context, &request, RatePolicy::Read, async |caller| {
        let job = service.cancel(&caller, request.path_parameter("job_id")).await?;
        Ok(Reply::ok(JobBody { job: job.view(caller.now) }))
    })
    .await
}
