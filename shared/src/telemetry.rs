//! Structured logs: one JSON line per event on standard output, where Lambda collects them.
//!
//! Never logged: keys, headers, bodies, query strings, presigned links, document content.

use tracing_subscriber::EnvFilter;

/// Starts logging. `LOG_LEVEL` sets our own crates' level only: the SDK's and the HTTP stack's debug output would show
/// headers and bodies, so theirs stays at warnings, whatever is asked for.
pub fn init() {
    let level = std::env::var("LOG_LEVEL").unwrap_or_default().to_lowercase();
    let level =
        if ["trace", "debug", "info", "warn", "error"].contains(&level.as_str()) { level } else { "info".into() };
    let ours = ["docmill", "sweeper", "worker"].map(|target| format!("{target}={level}")).join(",");
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_current_span(true)
        .with_span_list(false)
        .with_env_filter(EnvFilter::new(format!("warn,{ours}")))
        .finish();
    // A panic's message may hold what a user sent: its place alone is logged.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        tracing::error!(place, "panicked");
    }));
    // A second start in one process (tests) keeps the first subscriber.
    drop(tracing::subscriber::set_global_default(subscriber));
}
