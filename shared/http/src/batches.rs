//! Batches over HTTP.

use docmill_app::batches::Accepted;
use lambda_http::http::{StatusCode, header};

use super::body::BatchBody;
use super::envelope::{IDEMPOTENCY_REPLAYED, Reply};

/// The reply to a request that creates a batch.
pub fn accepted(Accepted { batch, replayed }: &Accepted) -> Reply {
    let reply = Reply::new(StatusCode::ACCEPTED, BatchBody { batch: batch.view() });
    let reply = reply.header(header::LOCATION, format!("/v1/batches/{}", batch.id));
    if *replayed { reply.header(IDEMPOTENCY_REPLAYED, true) } else { reply }
}
