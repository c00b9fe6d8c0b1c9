//! `GET /v1/account/usage`.

use docmill_config::clock;
use docmill_domain::job::JobId;
use functions::{create_job, get_account_usage};
use serde_json::json;

use crate::support::aws_watch::Fault;
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
        let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
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

#[tokio::test]
async fn usage_of_a_range_of_days_is_grouped_as_json_and_csv() {
    let world = World::new();
    let account = world.account(20).await;
    let mut ids = Vec::new();
    for (tool, input) in [
        ("html-to-pdf", json!({"html": "x"})),
        ("html-to-pdf", json!({"html": "y"})),
        ("office-to-pdf", json!({"sourceUrl": "https://a.example/"})),
    ] {
        world.watch.inject((0..3).map(|_| Fault::down("SendMessage")));
        let request = post("/", &json!({"toolSlug": tool, "input": input})).key(&account.key).build();
        let answer = Answer::of(create_job::handle(world.service.clone(), request).await);
        ids.push(JobId::parse(&answer.job_id()).unwrap());
    }
    let job = world.context.jobs.get(ids[0]).await.unwrap().unwrap();
    world.context.jobs.cancel(&job, clock::now()).await.unwrap().unwrap();
    world.count(ids).await;

    let usage = async |group_by: &str, accept: &str| {
        let request = get("/v1/account/usage").key(&account.key).query("groupBy", group_by).header("accept", accept);
        Answer::of(get_account_usage::handle(world.context.clone(), request.build()).await)
    };
    let today = clock::now().day();
    let by_tool = usage("tool", "application/json").await.body["usage"].clone();
    let counts = |created: u64, canceled: u64, used: u64| {
        json!({"jobs": {"created": created, "completed": 0, "failed": 0, "canceled": canceled},
            "credits": {"charged": created, "refunded": canceled, "used": used}})
    };
    let mut rows = [counts(2, 1, 1), counts(1, 0, 1)];
    rows[0]["toolSlug"] = json!("html-to-pdf");
    rows[1]["toolSlug"] = json!("office-to-pdf");
    assert_eq!((&by_tool["rows"], &by_tool["total"]), (&json!(rows), &counts(3, 1, 2)));
    assert_eq!((&by_tool["to"], &by_tool["groupBy"]), (&json!(today), &json!("tool")));
    assert_eq!(usage("day", "application/json").await.body["usage"]["rows"][0]["day"], json!(today));
    assert!(usage("key", "*/*").await.body["usage"]["rows"][0]["keyId"].as_str().unwrap().starts_with("key_"));

    let csv = usage("tool", "text/csv").await;
    assert_eq!((csv.status, csv.header("content-type")), (200, Some("text/csv; charset=utf-8")));
    assert_eq!(
        csv.body,
        "toolSlug,created,completed,failed,canceled,charged,refunded,credits\r\n\
         html-to-pdf,2,0,0,1,2,1,1\r\noffice-to-pdf,1,0,0,0,1,0,1\r\n"
    );
    assert_eq!(usage("week", "*/*").await.refusal(), (422, "validation_failed"));
}
