//! What the tests share: a world to act in, and eyes on what is said to AWS.

pub mod aws_watch;
pub mod http;
pub mod jobs;
pub mod lines;
pub mod pdf;
pub mod stage;
pub mod stub_engine;
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
