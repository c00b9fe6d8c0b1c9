//! Requests follow the published rate limit.

use std::time::Duration;

use crate::User;
use crate::service::Manners;

async fn convert(files: usize, manners: Manners) -> User {
    let user = User::new(manners).await;
    for number in 0..files {
        user.write(&format!("{number}.docx"), &format!("document {number}"));
    }
    let summary = user.run(&["convert", ".", "--to", "pdf", "-o", "out/", "--json"]).await.ends_with(0).summary();
    assert_eq!(summary["completed"].as_u64(), Some(files as u64));
    user
}

/// The service answers only when all jobs are asked for, and a client that paces itself would take hours to do so: the limit
/// allows 40 requests at once, and then one every quarter of an hour.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_requests_that_the_limit_allows_are_sent_at_once() {
    let jobs = 16;
    let manners = Manners { creates: (40.0, 0.001), answer_together: jobs, ..Manners::default() };
    let converting = tokio::time::timeout(Duration::from_secs(120), convert(jobs, manners));
    converting.await.expect("all jobs are asked for without waiting for answers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_stay_within_the_limit() {
    let user = convert(60, Manners { creates: (10.0, 50.0), ..Manners::default() }).await;
    let refused = user.service.world().refused_for_rate;
    assert!(refused <= 3, "{refused} requests were over the limit");
}
