//! `GET /v1/jobs/{job_id}/receipt`: a signed statement about an ended job. `GET /.well-known/docmill-receipts.json`: the public keys
//! that check it, for which nobody needs a key. Both are here so that no other endpoint has the key that signs.

use std::sync::Arc;

use docmill_app::jobs::receipts::Receipts;
use docmill_domain::quota::RatePolicy;
use docmill_http::body::ReceiptBody;
use docmill_http::envelope::{Reply, respond};
use docmill_http::guard::authenticated;
use docmill_http::request::ApiRequest;
use docmill_http::routes::RECEIPT_KEYS;
use lambda_http::Body;
use lambda_http::http::{Response, header};

/// Whoever does not find a receipt's key in an older copy reads the document again.
const CACHE_CONTROL: &str = "public, max-age=3600";

pub async fn handle(receipts: Arc<Receipts>, request: ApiRequest) -> Response<Body> {
    if request.path.ends_with(RECEIPT_KEYS) {
        let reply = Reply::text("application/json", receipts.keys.document().to_string());
        return respond(&request.id, Ok(reply.header(header::CACHE_CONTROL, CACHE_CONTROL)), &[]);
    }
    authenticated(&receipts.context, &request, RatePolicy::Read, async |caller| {
        let receipt = receipts.receipt(&caller, request.path_parameter("job_id")).await?;
        Ok(Reply::ok(ReceiptBody { receipt }))
    })
    .await
}
