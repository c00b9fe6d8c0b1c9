//! Batches through the deployed stack: rows become PDFs, and the end is told.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::journeys::Traveller;
use crate::support::eventually;

/// Above the schedule of the sweeper, if a message is lost.
const BATCH_TIME: Duration = Duration::from_secs(180);

async fn create(traveller: &Traveller, body: &Value) -> String {
    let created = traveller.ask(Method::POST, "/v1/batches", Some(body)).await;
    assert_eq!(created.status, 202, "{}", created.body);
    created.body["batch"]["id"].as_str().unwrap().to_owned()
}

async fn end_of(traveller: &Traveller, id: &str) -> Value {
    eventually(&format!("batch {id} ends"), BATCH_TIME, async || {
        let batch = traveller.ask(Method::GET, &format!("/v1/batches/{id}"), None).await.body["batch"].clone();
        batch.get("finishedAt").is_some().then_some(batch)
    })
    .await
}

#[tokio::test]
async fn rows_become_documents() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let rows: Vec<_> = (1..=5)
        .map(|row| json!({"html": format!("<h1>Letter {row}</h1>"), "filename": format!("letter-{row}.pdf"), "metadata": {"row": row.to_string()}}))
        .collect();
    let body =
        json!({"toolSlug": "html-to-pdf", "items": rows, "options": {"landscape": true}, "output": {"archive": true}});
    let id = create(&traveller, &body).await;
    let batch = end_of(&traveller, &id).await;
    assert_eq!((&batch["status"], &batch["counts"]["completed"]), (&json!("completed"), &json!(5)), "{batch}");
    assert_eq!(batch["credits"], json!({"charged": 5, "refunded": 0}));
    let download = traveller.ask(Method::GET, &format!("/v1/batches/{id}/download"), None).await.body;
    let link = download["archive"]["files"][0]["url"].as_str().unwrap_or_else(|| panic!("{download}"));
    let zip = reqwest::get(link).await.unwrap().bytes().await.unwrap();
    let zip = zip::ZipArchive::new(std::io::Cursor::new(zip)).unwrap();
    let mut names: Vec<_> = zip.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    assert_eq!(names, (1..=5).map(|row| format!("letter-{row}.pdf")).collect::<Vec<_>>());
    let listed = traveller.ask(Method::GET, &format!("/v1/batches/{id}/jobs?status=completed"), None).await.body;
    let jobs = listed["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 5, "{listed}");
    for (index, job) in jobs.iter().enumerate() {
        assert_eq!((&job["batchId"], &job["index"]), (&json!(id), &json!(index)));
        assert_eq!(job["output"]["filename"], format!("letter-{}.pdf", index + 1));
    }
    let events = traveller.ask(Method::GET, "/v1/events?type=batch.completed&limit=100", None).await.body;
    let ends = events["events"].as_array().unwrap().iter().filter(|event| event["data"]["batch"]["id"] == id);
    assert_eq!(ends.count(), 1, "{events}");
    let job = jobs[0]["id"].as_str().unwrap();
    let batches = traveller.ask(Method::GET, "/v1/batches?status=completed&limit=100", None).await.body;
    assert!(batches["batches"].as_array().unwrap().iter().any(|batch| batch["id"] == id), "{batches}");
    is_deleted(&traveller, &id).await;
    let job = traveller.ask(Method::GET, &format!("/v1/jobs/{job}"), None).await.body;
    assert_eq!((&job["job"]["status"], &job["job"]["metadata"]), (&json!("deleted"), &json!({})), "{job}");
}

/// Deletes the batch, and waits until nothing is left of it.
async fn is_deleted(traveller: &Traveller, id: &str) {
    let path = format!("/v1/batches/{id}");
    let deleting = traveller.ask(Method::DELETE, &path, None).await;
    assert_eq!((deleting.status, &deleting.body["batch"]["status"]), (202, &json!("deleting")), "{}", deleting.body);
    eventually(&format!("batch {id} is deleted"), BATCH_TIME, async || {
        (traveller.ask(Method::GET, &path, None).await.status == 404).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_canceled() {
    let Some(traveller) = Traveller::with_key("DOCMILL_LIVE_KEY") else { return };
    let rows = vec![json!({"html": "<p>x", "options": {"waitFor": {"delayMs": 2000}}}); 40];
    let id = create(&traveller, &json!({"toolSlug": "html-to-pdf", "items": rows})).await;
    let canceled = traveller.ask(Method::POST, &format!("/v1/batches/{id}/cancel"), None).await;
    assert_eq!(canceled.status, 200, "{}", canceled.body);
    let batch = end_of(&traveller, &id).await;
    let counts = &batch["counts"];
    assert_eq!((&batch["status"], &batch["reason"]), (&json!("canceled"), &json!("requested")));
    let canceled = counts["canceled"].as_u64().unwrap();
    assert_eq!(canceled + counts["completed"].as_u64().unwrap(), 40, "{batch}");
    assert!(canceled > 20, "{batch}");
    let (charged, refunded) = (&batch["credits"]["charged"], &batch["credits"]["refunded"]);
    assert_eq!(charged.as_u64().unwrap() - refunded.as_u64().unwrap(), 40 - canceled, "{batch}");
}
