//! `GET /v1/account/usage`.

use docmill::clock;
use docmill::domain::job::JobId;
use serde_json::json;

use crate::support::http::{Answer, get, post};
use crate::support::world::World;

#[tokio::test]
async fn usage_sums_up_the_month() {
    let world = World::new();
    let plan = world.plan(50).await;
    let account = world.account_on(&plan.id, 7).await;
    let usage = async || {
        let request = get("/v1/account/usage").key(&account.key).build();
        Answer::of(get_account_usage::handle(world.context.clone(), request).await).body["usage"].clone()
    };
    let before = usage().await;
    assert_eq!(before["credits"]["remaining"], 57);
    assert_eq!(before["byTool"], json!([]));

    let mut ids = Vec::new();
    for (tool, input) in
        [("html-to-pdf", json!({"html": "x"})), ("office-to-pdf", json!({"sourceUrl": "https://a.example/"}))]
    {
        let request = post("/", &json!({"toolSlug": tool, "input": input})).key(&account.key).build();
        let answer = Answer::of(create_job::handle(world.desk.clone(), request).await);
        ids.push(JobId::parse(&answer.job_id()).unwrap());
    }
    assert_eq!(usage().await["jobs"]["created"], 2, "before the jobs were counted");
    world.count(ids).await;
    let after = usage().await;
    let period = clock::now().period();
    assert_eq!(after["period"], json!({"start": period.start().to_string(), "end": period.end().to_string()}));
    assert_eq!(after["plan"], plan.id);
    assert_eq!(
        after["credits"],
        json!({"included": 50, "used": 2, "remaining": 55, "resetsAt": period.end().to_string()})
    );
    assert_eq!(after["jobs"], json!({"created": 2, "completed": 0, "failed": 0, "canceled": 0}));
    assert_eq!(
        after["byTool"],
        json!([
            {"toolSlug": "html-to-pdf", "jobs": 1, "credits": 1},
            {"toolSlug": "office-to-pdf", "jobs": 1, "credits": 1},
        ])
    );
    assert_eq!(after["rateLimit"]["create"]["windowSeconds"], 60);
    assert_eq!(after["testMode"], false);
}
