//! Structured logs and metrics: one JSON line per event on standard output, which Lambda collects.
//!
//! Each request, end of a job, sweep and start of an environment has one line that also carries metrics (`line`). `field` has the
//! names of fields, and `metric` those that are metrics.
//!
//! Never logged: keys, headers, bodies, query strings, presigned links, document content.

#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod chain;
pub mod engine;
pub mod field;
pub mod job;
pub mod line;
pub mod metric;
pub mod start;
pub mod webhook;

use tracing::{Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;

/// The message of the line about a request. The collector of request logs finds the lines by it.
pub const REQUEST_HANDLED: &str = "request handled";

/// Starts logging. `LOG_LEVEL` only affects our own crates: debug output of the SDK and HTTP stack would contain headers and
/// bodies, so they stay at warnings.
pub fn init() {
    let level = std::env::var("LOG_LEVEL").unwrap_or_default().to_lowercase();
    // A panic's message may contain a user's data, so only its place is logged.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        tracing::error!(place, "panicked");
    }));
    // A second start in one process, as in tests, keeps the first subscriber.
    drop(tracing::subscriber::set_global_default(subscriber(&level, std::io::stdout)));
}

/// For command-line programs: only warnings, on standard error.
pub fn init_for_people() {
    drop(tracing::subscriber::set_global_default(subscriber("warn", std::io::stderr)));
}

/// The subscriber of `init`, with its output to `writer`.
pub fn subscriber<W>(level: &str, writer: W) -> impl Subscriber + Send + Sync
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let level = level.parse().unwrap_or(Level::INFO);
    let ours = ["dashboard", "docmill", "sweeper", "worker"].map(|target| (target, level));
    // Metrics do not depend on the log level.
    let filter = Targets::new()
        .with_default(LevelFilter::WARN)
        .with_targets(ours)
        .with_target(line::TARGET, LevelFilter::INFO)
        // Its warnings repeat what a client sent.
        .with_target("rmcp", LevelFilter::ERROR);
    let lines = tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .map_event_format(line::WithLines)
        .with_writer(writer);
    tracing_subscriber::registry().with(filter).with(lines)
}

#[cfg(test)]
mod tests;
