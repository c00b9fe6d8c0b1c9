//! The dashboard's pages of batches.

use docmill_config::clock;
use docmill_domain::batch::{BatchId, State};
use docmill_domain::job::{JobError, JobErrorCode};
use docmill_domain::upload::UploadId;
use docmill_store::jobs::Written;
use serde_json::json;

use crate::batches::{SHORT, Scene};
use crate::support::jobs::claim;
use crate::support::visitor::Visitor;

#[tokio::test(flavor = "multi_thread")]
async fn the_failed_items_of_a_batch_become_a_new_one() {
    let scene = Scene::new().await;
    let (owner, stranger) = (scene.world.account(100).await, scene.world.account(100).await);
    let (visitor, other) = (Visitor::of(&scene.world, &owner).await, Visitor::of(&scene.world, &stranger).await);
    assert!(visitor.get("/app/batches").await.text.contains("No batches yet"));
    // Five pages, and an upload that does not exist.
    let row = |row: usize| json!({"html": format!("<p>{row}"), "metadata": {"row": row.to_string()}});
    let mut items: Vec<_> = (0..5).map(row).collect();
    items.push(json!({"input": {"uploadId": UploadId::new().to_string()}, "metadata": {"row": "gone"}}));
    let body = json!({"toolSlug": "html-to-pdf", "items": items, "options": {"landscape": true}});
    let created = scene.post(&owner, &body, None).await;
    let id =
        BatchId::parse(created.body["batch"]["id"].as_str().unwrap_or_else(|| panic!("{}", created.body))).unwrap();
    let runner = scene.runner();
    runner.run(&owner.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&owner, id).await;
    let path = format!("/app/batches/{id}");
    let page = visitor.get(&format!("{path}/progress")).await;
    assert!(page.text.contains("every 2s") && page.header("hx-refresh").is_empty(), "{}", page.text);

    for index in [1, 3] {
        let job = claim(&scene.world.context.jobs, batch.job(index)).await;
        let error = JobError::new(JobErrorCode::RenderFailed, "told to");
        let jobs = &scene.world.context.jobs;
        assert_eq!(jobs.fail(&job, &error, None, clock::now()).await.unwrap(), Written::Yes);
    }
    scene.complete_jobs(&scene.batch(&owner, id).await).await;
    runner.run(&owner.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&owner, id).await;
    assert_eq!((batch.state, batch.tally.failed), (State::Completed, 3));

    let list = visitor.get("/app/batches").await;
    assert!(list.text.contains(&path) && list.text.contains("completed"), "{}", list.text);
    assert_eq!(visitor.get(&format!("{path}/progress")).await.header("hx-refresh"), "true");
    let page = visitor.get(&path).await.text;
    for expected in [
        "render_failed",
        "validation_failed",
        "Retry failed",
        "completed, 3 failed",
        &format!("/app/jobs/{}", batch.job(3)),
        &format!("/app/jobs/{}/download", batch.job(0)),
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    assert!(!page.contains(&format!("/app/jobs/{}/download", batch.job(3))), "a failed item has no result: {page}");
    assert!(!visitor.get(&format!("{path}?from=4")).await.text.contains(&batch.job(0).to_string()));
    assert_eq!(visitor.get(&format!("{path}?from=4000000000")).await.status, 200);
    let csv = visitor.get(&format!("{path}/results?first=0")).await.text;
    assert_eq!(csv.lines().count(), 7, "{csv}");
    let results = visitor.get(&format!("{path}/results?first=0&json=true")).await.text;
    assert!(results.contains("\"errorCode\": \"render_failed\""), "{results}");
    for path in [path.clone(), format!("{path}/progress"), format!("{path}/results"), format!("{path}/delete")] {
        assert_eq!(other.get(&path).await.status, 404, "{path}");
    }
    assert_eq!(other.post(&format!("{path}/retry"), &[]).await.status, 404);

    let retried = visitor.post(&format!("{path}/retry"), &[]).await;
    let new = retried.header("location").rsplit('/').next().unwrap().to_owned();
    let new = BatchId::parse(&new).unwrap_or_else(|| panic!("{}", retried.header("location")));
    assert_ne!(new, id);
    runner.run(&owner.id, new, SHORT).await.unwrap();
    let retry = scene.batch(&owner, new).await;
    assert_eq!((retry.total, retry.tally.failed), (3, 1), "the third is refused again");
    let mut jobs = scene.jobs(&retry).await;
    jobs.sort_by_key(|job| job.batch.unwrap().index);
    let rows: Vec<_> = jobs.iter().map(|job| job.request.metadata["row"].clone()).collect();
    assert_eq!(rows, ["1", "3"]);
    assert!(jobs.iter().all(|job| job.request.options["landscape"] == true));

    let canceled = visitor.post(&format!("/app/batches/{new}/cancel"), &[]).await;
    assert_eq!(canceled.status, 303);
    runner.run(&owner.id, new, SHORT).await.unwrap();
    assert_eq!(scene.batch(&owner, new).await.state, State::Canceled);
    visitor.post(&format!("/app/batches/{new}/delete"), &[]).await;
    runner.run(&owner.id, new, SHORT).await.unwrap();
    assert!(scene.world.context.batches.get(&owner.id, new).await.unwrap().is_none());

    // The items are not kept for good.
    let mut late = scene.batch(&owner, id).await;
    late.kept_until = Some(clock::now());
    scene.world.context.batches.write(&mut late, None).await.unwrap();
    assert!(!visitor.get(&path).await.text.contains("Retry failed"));
    let refused = visitor.post(&format!("{path}/retry"), &[]).await;
    assert!(refused.header("location").ends_with(&path));
    runner.run(&owner.id, id, SHORT).await.unwrap();
    let folder = format!("batches/{}/{id}/", owner.id);
    assert_eq!(scene.world.context.files.list(&folder).await.unwrap(), Vec::<String>::new());
    scene.end().await;
}
