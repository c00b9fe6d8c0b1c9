//! What is read of a batch: its jobs, its results, and the items of uploads.

use std::sync::Arc;

use docmill_aws::files::ObjectKey;
use docmill_config::clock;
use docmill_domain::batch::{BatchId, MOST_OPEN};
use docmill_domain::job::Completion;
use docmill_domain::job::Output;
use docmill_domain::upload::UploadId;
use functions::{get_batch_download, list_batch_jobs};
use serde_json::{Value, json};

use crate::batches::{SHORT, Scene};
use crate::support::http::{Answer, get};
use crate::support::jobs::{claim, completion};
use crate::support::world::Account;

fn id_of(answer: &Answer) -> BatchId {
    BatchId::parse(answer.body["batch"]["id"].as_str().unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_listed_in_the_order_of_the_items() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let missing = UploadId::new().to_string();
    let mut items: Vec<_> = (0..7).map(|row| json!({"html": format!("<p>{row}")})).collect();
    items.insert(2, json!({"uploadId": missing}));
    let answer = scene.post(&account, &json!({"toolSlug": "html-to-pdf", "items": items}), None).await;
    let id = id_of(&answer);
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    claim(&scene.world.context.jobs, batch.job(5)).await;
    let list = async |query: &[(&str, &str)]| {
        let mut request = get("/v1/batches/x/jobs").key(&account.key).parameter("batch_id", &id.to_string());
        for (name, value) in query {
            request = request.query(name, value);
        }
        Answer::of(list_batch_jobs::handle(Arc::new(scene.context()), request.build()).await)
    };
    let indexes = |answer: &Answer| -> Vec<u64> {
        answer.body["jobs"].as_array().unwrap().iter().map(|job| job["index"].as_u64().unwrap()).collect()
    };
    let first = list(&[("limit", "4")]).await;
    assert_eq!(indexes(&first), [0, 1, 3, 4]);
    assert_eq!(first.body["refused"][0]["index"], 2);
    assert_eq!(first.body["refused"][0]["error"]["code"], "validation_failed");
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let second = list(&[("limit", "4"), ("cursor", cursor)]).await;
    assert_eq!((indexes(&second), second.body.get("nextCursor")), (vec![5, 6, 7], None));
    assert_eq!(second.body["refused"], json!([]));
    assert_eq!(indexes(&list(&[("status", "processing")]).await), [5]);
    assert_eq!(list(&[("status", "queued")]).await.body["refused"], json!([]));
    assert_eq!(list(&[("status", "failed")]).await.body["refused"][0]["index"], 2);
    for query in [[("cursor", "x"), ("limit", "4")], [("cursor", cursor), ("status", "failed")]] {
        assert_eq!(list(&query).await.refusal(), (422, "validation_failed"), "{query:?}");
    }
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn items_may_be_uploaded() {
    let scene = Scene::new().await;
    let (account, stranger) = (scene.world.account(2000).await, scene.world.account(10).await);
    let upload = UploadId::new();
    let lines: String = (0..1500).map(|row| format!("{{\"html\": \"<p>{row}\"}}\n")).collect();
    let key = ObjectKey::Upload { account: &account.id, upload };
    let files = &scene.world.context.files;
    files.put_bytes(&key, lines.into_bytes(), "application/jsonl").await.unwrap();
    let body = json!({"toolSlug": "html-to-pdf", "itemsUploadId": upload.to_string()});
    let created = scene.post(&account, &body, Some("key")).await;
    assert_eq!((created.status, &created.body["batch"]["counts"]["total"]), (202, &json!(1500)), "{}", created.body);
    let id = id_of(&created);
    // No more jobs are open than a record holds.
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    assert_eq!((batch.open.len(), batch.next), (MOST_OPEN, MOST_OPEN as u32));
    assert_eq!(scene.post(&stranger, &body, None).await.refusal(), (422, "validation_failed"));
    // The response to a repeated request is the same when the upload is gone.
    files.delete(&key.to_string()).await.unwrap();
    let again = scene.post(&account, &body, Some("key")).await;
    assert_eq!((again.status, &again.body["batch"]["id"]), (202, &json!(id)), "{}", again.body);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    let refused = scene.post(&account, &body, Some("other key")).await;
    assert_eq!((refused.status, &refused.body["error"]["details"][0]["path"]), (422, &json!("/itemsUploadId")));
    scene.end().await;
}

async fn download(
    scene: &Scene,
    account: &Account,
    id: BatchId,
    query: &[(&str, &str)],
    accept: &'static str,
) -> Answer {
    let request = get("/v1/batches/x/download").key(&account.key).parameter("batch_id", &id.to_string());
    let request =
        query.iter().fold(request.header("accept", accept), |request, (name, value)| request.query(name, value));
    Answer::of(get_batch_download::handle(Arc::new(scene.context()), request.build()).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn results_are_downloaded_as_json_or_as_a_table() {
    let scene = Scene::new().await;
    let account = scene.world.account(100).await;
    let missing = UploadId::new().to_string();
    let items = json!([{"html": "<p>0"}, {"uploadId": missing}, {"html": "<p>2"}, {"html": "<p>3"}]);
    let id = id_of(&scene.post(&account, &json!({"toolSlug": "html-to-pdf", "items": items}), None).await);
    scene.runner().run(&account.id, id, SHORT).await.unwrap();
    let batch = scene.batch(&account, id).await;
    let job = claim(&scene.world.context.jobs, batch.job(0)).await;
    let named = completion(clock::now());
    let named = Completion { output: Output { filename: "=1+1.pdf".into(), ..named.output.clone() }, ..named };
    scene.world.context.jobs.complete(&job, &named).await.unwrap();

    let first = download(&scene, &account, id, &[("limit", "3")], "application/json").await;
    let results = first.body["results"].as_array().unwrap();
    let told: Vec<_> = results.iter().map(|result| (&result["index"], &result["status"])).collect();
    let (done, failed, queued) = (json!("completed"), json!("failed"), json!("queued"));
    assert_eq!(told, [(&json!(0), &done), (&json!(1), &failed), (&json!(2), &queued)]);
    assert_eq!((&results[0]["jobId"], &results[0]["filename"]), (&json!(batch.job(0)), &json!("=1+1.pdf")));
    assert!(results[0]["url"].as_str().unwrap().contains("outputs/x"), "{}", results[0]);
    assert_eq!((&results[1]["errorCode"], results[1].get("jobId")), (&json!("validation_failed"), None));
    let cursor = first.body["nextCursor"].as_str().unwrap();
    let rest = download(&scene, &account, id, &[("cursor", cursor)], "application/json").await;
    assert_eq!((rest.body["results"].as_array().unwrap().len(), rest.body.get("nextCursor")), (1, None));

    let table = download(&scene, &account, id, &[("limit", "2")], "text/csv").await;
    let next = download(&scene, &account, id, &[("limit", "2")], "application/json").await.body["nextCursor"].clone();
    let next = format!("</v1/batches/{id}/download?limit=2&cursor={}>; rel=\"next\"", next.as_str().unwrap());
    assert_eq!((table.status, table.header("link")), (200, Some(next.as_str())));
    let Value::String(text) = &table.body else { panic!("{:?}", table.body) };
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("index,jobId,status,filename"), "{}", lines[0]);
    assert!(
        lines[1].starts_with(&format!("0,{},completed,'=1+1.pdf,application/pdf,1,", batch.job(0))),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with("1,,failed,") && lines[2].contains("validation_failed"), "{}", lines[2]);
    assert_eq!(lines.len(), 3);
    let wrong = download(&scene, &account, id, &[("limit", "1001")], "application/json").await;
    assert_eq!(wrong.refusal(), (422, "validation_failed"));
    scene.end().await;
}
