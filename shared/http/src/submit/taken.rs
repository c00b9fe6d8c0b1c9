//! The job of a request, and what its response says about it.

use lambda_http::http::{StatusCode, header};

use crate::envelope::{IDEMPOTENCY_REPLAYED, Reply};
use docmill_domain::job::{Job, JobId};
use docmill_domain::time::Timestamp;

/// The job of a request: new, or from an earlier request with the same idempotency key.
pub(super) struct Taken {
    pub(super) job: Job,
    pub(super) receipt: Receipt,
}

/// What the response says about the request.
#[derive(Clone, Copy)]
pub(super) struct Receipt {
    id: JobId,
    charged: u64,
    replayed: bool,
}

impl Taken {
    pub(super) fn new(job: Job, replayed: bool) -> Self {
        let receipt = Receipt { id: job.id, charged: job.charge.total(), replayed };
        Self { job, receipt }
    }

    pub(super) fn accepted(&self, now: Timestamp) -> Reply {
        self.receipt.on(Reply::new(StatusCode::ACCEPTED, "job", self.job.view(now)))
    }
}

impl Receipt {
    /// The job that this request created, and its charge.
    pub(super) fn created(self) -> Option<(JobId, u64)> {
        (!self.replayed).then_some((self.id, self.charged))
    }

    /// Adds the job's location to the reply, unless it has one.
    pub(super) fn on(self, reply: Reply) -> Reply {
        let reply = reply.noting_created(self.created());
        let reply = if reply.status.is_redirection() {
            reply
        } else {
            reply.header(header::LOCATION, format!("/v1/jobs/{}", self.id))
        };
        if self.replayed { reply.header(IDEMPOTENCY_REPLAYED, true) } else { reply }
    }
}
