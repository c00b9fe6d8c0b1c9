//! Requests follow the published rate limit.

use crate::User;
use crate::service::Manners;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rate_limit_is_used_and_not_exceeded() {
    let (burst, rate) = (10.0, 50.0);
    let user = User::new(Manners { creates: (burst, rate), ..Manners::default() }).await;
    // An upload and a job for each file.
    let files = 60;
    for number in 0..files {
        user.write(&format!("{number}.docx"), &format!("document {number}"));
    }
    let summary = user.run(&["convert", ".", "--to", "pdf", "-o", "out/", "--json"]).await.ends_with(0).summary();
    assert_eq!(summary["completed"].as_u64(), Some(files));
    let most_spent = user.service.world().most_spent;
    let refused = user.service.world().refused_for_rate;
    // Not all of it: some comes back while it is used, more so on a busy machine.
    assert!(most_spent >= burst / 2.0, "only {most_spent} of {burst} requests at once");
    assert!(refused <= 3, "{refused} requests were over the limit");
}
