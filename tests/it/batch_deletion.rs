//! Batches in lists, and their deletion: runs are killed, and others sleep.

use std::sync::Arc;
use std::time::Duration;

use docmill_app::batches::BatchControl;
use docmill_config::clock;
use docmill_domain::batch::{Batch, BatchId, Refusal, State};
use docmill_domain::job::JobStatus;
use docmill_domain::upload::UploadId;
use docmill_store::jobs::Written;
use functions::{delete_batch, list_batches};
use lambda_http::http::Method;
use serde_json::json;

use crate::batches::{SHORT, Scene, completed_batch};
use crate::support::http::{Answer, RequestBuilder, get};
use crate::support::jobs::{claim, completion};
use crate::support::world::Account;

async fn delete(scene: &Scene, account: &Account, id: BatchId) -> Answer {
    let request = RequestBuilder::new(Method::DELETE, "/v1/batches/x")
        .key(&account.key)
        .parameter("batch_id", &id.to_string())
        .build();
    Answer::of(delete_batch::handle(Arc::new(BatchControl::new(scene.context())), request).await)
}

async fn list(scene: &Scene, account: &Account, query: &[(&str, &str)]) -> Answer {
    let request = get("/v1/batches").key(&account.key);
    let request = query.iter().fold(request, |request, (name, value)| request.query(name, value));
    Answer::of(list_batches::handle(Arc::new(scene.context()), request.build()).await)
}

fn ids(answer: &Answer) -> Vec<String> {
    let batches = answer.body["batches"].as_array().unwrap();
    batches.iter().map(|batch| batch["id"].as_str().unwrap().to_owned()).collect()
}

async fn found(scene: &Scene, account: &Account, id: BatchId) -> Option<Batch> {
    scene.world.context.batches.get(&account.id, id).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_are_listed_newest_first_by_page_and_state() {
    let scene = Scene::new().await;
    let (account, stranger) = (scene.world.account(10).await, scene.world.account(10).await);
    let mut made = Vec::new();
    for number in 0..5 {
        let state = if number % 2 == 0 { State::Completed } else { State::Paused };
        let batch = Batch { state, ..completed_batch(&account) };
        scene.world.context.batches.create(&batch, None).await.unwrap();
        made.insert(0, batch.id.to_string());
    }
    let past = Batch { ttl: clock::now().as_ttl_seconds() - 1, ..completed_batch(&account) };
    scene.world.context.batches.create(&past, None).await.unwrap();
    let all = list(&scene, &account, &[]).await;
    assert_eq!((all.status, ids(&all), all.body.get("nextCursor")), (200, made.clone(), None), "{}", all.body);
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let mut query = vec![("limit", "2")];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let page = list(&scene, &account, &query).await;
        assert!(ids(&page).len() <= 2);
        seen.extend(ids(&page));
        cursor = page.body["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, made, "each once");
    let paused = list(&scene, &account, &[("status", "paused")]).await;
    assert_eq!(ids(&paused), [made[1].clone(), made[3].clone()]);
    assert_eq!(ids(&list(&scene, &stranger, &[]).await), Vec::<String>::new());
    assert_eq!(list(&scene, &account, &[("status", "done")]).await.refusal(), (422, "validation_failed"));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_batch_leaves_nothing_although_runs_are_killed() {
    let scene = Scene::new().await;
    let account = scene.world.account(1000).await;
    let (jobs, files) = (&scene.world.context.jobs, &scene.world.context.files);
    let missing = UploadId::new().to_string();
    let mut items: Vec<_> =
        (0..230).map(|row| json!({"html": format!("<p>{row}"), "metadata": {"row": "r"}})).collect();
    items.insert(1, json!({"uploadId": missing}));
    let answer = scene.post(&account, &json!({"toolSlug": "html-to-pdf", "items": items}), None).await;
    let id = BatchId::parse(answer.body["batch"]["id"].as_str().unwrap()).unwrap();
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    // One completed, one is being processed, the others wait, and some have no job yet.
    let done = claim(jobs, batch.job(0)).await;
    jobs.complete(&done, &completion(clock::now())).await.unwrap();
    claim(jobs, batch.job(2)).await;
    let spent = scene.world.spent(&account).await.0;

    let deleting = delete(&scene, &account, id).await;
    assert_eq!((deleting.status, &deleting.body["batch"]["status"]), (202, &json!("deleting")), "{}", deleting.body);
    assert_eq!(delete(&scene, &account, id).await.status, 202, "a repetition changes nothing");
    for verb in ["cancel", "resume"] {
        assert_eq!(scene.control(&account, id, verb).await.refusal(), (409, "batch_ended"));
    }
    for kill_after in [40, 90, 150, 220, 300, 390, 490] {
        let run = scene.runner();
        drop(tokio::time::timeout(Duration::from_millis(kill_after), run.run(&account.id, id, SHORT)).await);
        if found(&scene, &account, id).await.is_some() {
            scene.end_lease(&account, id).await;
        }
    }
    while found(&scene, &account, id).await.is_some() {
        scene.end_lease(&account, id).await;
        scene.runner().run(&account.id, id, SHORT).await.unwrap();
    }
    let left = scene.jobs(&batch).await;
    assert_eq!(left.len(), batch.next as usize - 1, "no job was created in the meantime");
    for job in &left {
        assert_eq!(
            (job.status, job.request.metadata.len(), job.result.output_key.as_deref()),
            (JobStatus::Deleted, 0, None)
        );
    }
    assert!(scene.world.context.batches.refused(&batch, 0, batch.total).await.unwrap().is_empty());
    for folder in ["batches", "inputs"] {
        let stored = files.list(&format!("{folder}/{}/", account.id)).await.unwrap();
        assert_eq!(stored, Vec::<String>::new(), "{folder}");
    }
    // All but the completed one are refunded.
    assert_eq!((spent, scene.world.spent(&account).await.0), (left.len() as u64, 1));
    let events = &scene.world.context.events;
    let ends = events.page(&account.id, Some("batch.canceled"), None, 100, clock::now()).await.unwrap();
    assert_eq!(ends.events.len(), 1, "told once");
    assert_eq!(delete(&scene, &account, id).await.refusal(), (404, "batch_not_found"));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_has_ended_is_deleted() {
    let scene = Scene::new().await;
    let (account, stranger) = (scene.world.account(10).await, scene.world.account(10).await);
    let id = scene.create(&account, 3, json!({})).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    scene.complete_jobs(&scene.batch(&account, id).await).await;
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!(batch.state, State::Completed);
    assert_eq!(delete(&scene, &stranger, id).await.refusal(), (404, "batch_not_found"));
    assert_eq!(delete(&scene, &account, id).await.status, 202);
    // If its message is lost, the sweeper finds it.
    let due = scene.world.context.batches.due(clock::now()).await.unwrap();
    assert!(due.contains(&(account.id.clone(), id)), "{due:?}");
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    assert_eq!(found(&scene, &account, id).await, None);
    assert!(scene.jobs(&batch).await.iter().all(|job| job.status == JobStatus::Deleted));
    assert_eq!(scene.world.spent(&account).await.0, 3, "what completed is not refunded");
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_slept_leaves_nothing_of_a_deleted_batch() {
    let scene = Scene::new().await;
    let account = scene.world.account(10).await;
    let id = scene.create(&account, 2, json!({})).await;
    let batches = &scene.world.context.batches;
    // It is about to note a refused item.
    let sleeping = batches.claim(&account.id, id, clock::now()).await.unwrap().unwrap();
    assert_eq!(delete(&scene, &account, id).await.status, 202);
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    assert_eq!(found(&scene, &account, id).await, None);
    let refusal = Refusal { code: "validation_failed".into(), message: "late".into(), details: Vec::new() };
    assert_eq!(batches.refuse(&sleeping, 0, &refusal).await.unwrap(), Written::Superseded);
    assert!(batches.refused(&sleeping, 0, 1).await.unwrap().is_empty());
    // Nor does it write the record again, or remove one that it has not read.
    assert_eq!(batches.write(&mut sleeping.clone(), None).await.unwrap(), Written::Superseded);
    assert_eq!(batches.remove(&sleeping).await.unwrap(), Written::Superseded);
    assert_eq!(found(&scene, &account, id).await, None);
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_run_that_wrote_last_removes_the_record() {
    let scene = Scene::new().await;
    let account = scene.world.account(10).await;
    let batches = &scene.world.context.batches;
    let mut batch = completed_batch(&account);
    batches.create(&batch, None).await.unwrap();
    let sleeping = batch.clone();
    assert!(batch.delete(clock::now()));
    assert_eq!(batches.write(&mut batch, None).await.unwrap(), Written::Yes);
    assert_eq!(batches.remove(&sleeping).await.unwrap(), Written::Superseded);
    assert_eq!(found(&scene, &account, batch.id).await, Some(batch.clone()));
    assert_eq!(batches.remove(&batch).await.unwrap(), Written::Yes);
    assert_eq!(found(&scene, &account, batch.id).await.map(|batch| batch.id), None);
    scene.end().await;
}
