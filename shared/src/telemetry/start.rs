//! The line of an environment's start: Lambda reports no metric of cold starts itself.

use tracing::Level;

use super::line::Line;
use super::{field, metric};
use crate::domain::tool::QueueName;

/// What starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Api,
    Dashboard,
    Worker(QueueName),
    Sweeper,
}

impl Part {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Dashboard => "dashboard",
            Self::Worker(QueueName::Office) => "office-worker",
            Self::Worker(QueueName::Html) => "html-worker",
            Self::Worker(QueueName::Pdf) => "pdf-worker",
            Self::Sweeper => "sweeper",
        }
    }
}

/// An environment was started.
pub fn started(part: Part) {
    line(part).write();
}

/// A worker's environment was started. `network_denial`: what keeps its children from the network, one of a few words.
/// `files_confined`: whether they write into their own directories alone.
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
