//! Requests follow the published rate limit.

use std::time::Instant;

use crate::User;
use crate::service::Manners;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rate_limit_is_used_and_not_exceeded() {
    let (burst, rate) = (10.0, 50.0);
    let user = User::new(Manners { creates: (burst, rate), ..Manners::default() }).await;
    let files = 60;
    for number in 0..files {
        user.write(&format!("{number}.docx"), &format!("document {number}"));
    }
    let started = Instant::now();
    let summary = user.run(&["convert", ".", "--to", "pdf", "-o", "out/", "--json"]).await.ends_with(0).summary();
    assert_eq!(summary["completed"].as_u64(), Some(files));
    // An upload and a job for each file.
    let least = (files as f64 * 2.0 - burst) / rate;
    let took = started.elapsed().as_secs_f64();
    assert!(took < 1.2 * least + 0.5, "{took} s, where the limit allows {least} s");
    let refused = user.service.world().refused_for_rate;
    assert!(refused <= 3, "{refused} requests were over the limit");
}
