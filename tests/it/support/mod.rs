//! What the tests share: a world to act in, and eyes on what is said to AWS.

pub mod aws_watch;
pub mod http;
pub mod jobs;
pub mod lines;
pub mod pdf;
pub mod stage;
pub mod stub_engine;
pub mod tables;
pub mod visitor;
pub mod world;

use std::time::Duration;

/// Waits until `condition` holds, and says what was waited for if it never does.
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

/// Where the whole stack is deployed. `None` where only storage is, at an endpoint of the user's own. `make test` brings a
/// stack, and says so: there a test that is left out is one that is missing.
pub fn deployed_url() -> Option<String> {
    let url = std::env::var("DOCMILL_URL").ok();
    let required = std::env::var("DOCMILL_REQUIRE_STACK").is_ok_and(|required| !required.is_empty());
    assert!(url.is_some() || !required, "DOCMILL_URL is not set, and `make test` sets it");
    url
}
