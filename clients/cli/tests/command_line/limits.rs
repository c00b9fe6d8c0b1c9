//! Requests follow the published rate limit.

use crate::User;
use crate::service::Manners;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_rate_limit_is_used_and_not_exceeded() {
    // So slow that the burst does not come back while it is used, however busy the machine is.
    let (burst, rate) = (10.0, 5.0);
    let user = User::new(Manners { creates: (burst, rate), ..Manners::default() }).await;
    // An upload and a job for each file.
    let files = 10;
    for number in 0..files {
        user.write(&format!("{number}.docx"), &format!("document {number}"));
    }
    let summary = user.run(&["convert", ".", "--to", "pdf", "-o", "out/", "--json"]).await.ends_with(0).summary();
    assert_eq!(summary["completed"].as_u64(), Some(files));
    let (most_spent, refused) = (user.service.world().most_spent, user.service.world().refused_for_rate);
    assert!(most_spent > burst - 2.0, "only {most_spent} of {burst} requests at once");
    assert!(refused <= 3, "{refused} requests were over the limit");
}
