//! The log line for the start of an environment: Lambda itself has no metric for cold starts.

use tracing::Level;

use super::line::Line;
use super::{field, metric};
use docmill_domain::tool::QueueName;

/// The part of the service that starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// An endpoint of the API.
    Api,
    /// The pages.
    Dashboard,
    /// The worker of this queue.
    Worker(QueueName),
    /// Scheduled repair.
    Sweeper,
    /// Webhooks.
    Deliverer,
    /// Creates the jobs of batches.
    BatchRunner,
    /// Reaches the internet for workers.
    EgressRelay,
    /// Collects accounts' requests.
    RequestLog,
}

impl Part {
    /// The value of the field `part`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Dashboard => "dashboard",
            Self::Worker(QueueName::Office) => "office-worker",
            Self::Worker(QueueName::Html) => "html-worker",
            Self::Worker(QueueName::Pdf) => "pdf-worker",
            Self::Sweeper => "sweeper",
            Self::Deliverer => "deliverer",
            Self::BatchRunner => "batch-runner",
            Self::EgressRelay => "egress-relay",
            Self::RequestLog => "request-log",
        }
    }
}

/// Logs a started environment.
pub fn started(part: Part) {
    line(part).write();
}

/// Logs a started worker. `network_denial`: how its children are kept from the network, one of a few words. `files_confined`:
/// whether they can only write to their own directories.
pub fn worker_started(queue: QueueName, network_denial: &'static str, files_confined: bool) {
    line(Part::Worker(queue))
        .with(field::NETWORK_DENIAL, network_denial)
        .with(field::FILES_CONFINED, files_confined)
        .measure(&[(metric::WORKER_STARTS, 1)])
        .write();
}

fn line(part: Part) -> Line {
    Line::new(Level::INFO, "environment started").with(field::PART, part.as_str()).measure(&[(metric::COLD_STARTS, 1)])
}
