//! Shared by the tests: a world with accounts and jobs, and records of AWS calls.

pub mod aws_watch;
pub mod hooks;
pub mod http;
pub mod jobs;
pub mod largest;
pub mod lines;
pub mod pdf;
pub mod receiver;
pub mod stage;
pub mod stub_engine;
pub mod tables;
pub mod visitor;
pub mod world;

use std::time::Duration;

/// Waits until `condition` is true, and panics with `what` if it never is.
pub async fn eventually<T>(what: &str, limit: Duration, mut condition: impl AsyncFnMut() -> Option<T>) -> T {
    let wait = async {
        loop {
            if let Some(value) = condition().await {
                return value;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(limit, wait).await.unwrap_or_else(|_| panic!("not within {limit:?}: {what}"))
}

/// The deployed stack's address. `None` if only storage is deployed, at an endpoint of the user's own. `make test` requires the
/// stack, so that no test is left out silently.
pub fn deployed_url() -> Option<String> {
    let url = std::env::var("DOCMILL_URL").ok();
    let required = std::env::var("DOCMILL_REQUIRE_STACK").is_ok_and(|required| !required.is_empty());
    assert!(url.is_some() || !required, "DOCMILL_URL is not set, and `make test` sets it");
    url
}
