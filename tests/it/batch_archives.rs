//! Archives of batches: what is in them, and runs that are killed while they make one.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::time::Duration;

use docmill_aws::files::{ArchivePart, ObjectKey, OutputPart, archive_folder};
use docmill_config::clock;
use docmill_domain::batch::{Batch, BatchId, State};
use docmill_domain::job::JobStatus;
use docmill_store::batches::LEASE;
use docmill_store::jobs::Written;
use functions::batch_runner::{ArchiveLimits, Runner};
use functions::{delete_batch, get_batch_download};
use lambda_http::http::Method;
use serde_json::{Value, json};

use crate::batches::{SHORT, Scene};
use crate::support::http::{Answer, RequestBuilder};
use crate::support::jobs::{claim, completion};
use crate::support::world::Account;

/// Completes the batch's jobs, the results being these.
async fn complete(scene: &Scene, batch: &Batch, results: &[(u32, &str, Vec<u8>)]) {
    let context = &scene.world.context;
    for (index, filename, content) in results {
        let job = claim(&context.jobs, batch.job(*index)).await;
        let key = ObjectKey::of_result(&job, OutputPart::File(0));
        context.files.put_bytes(&key, content.clone(), "application/pdf").await.unwrap();
        let mut completion = completion(clock::now());
        completion.output.filename = (*filename).to_owned();
        completion.output.bytes = content.len() as u64;
        completion.output_key = key.to_string();
        assert_eq!(context.jobs.complete(&job, &completion).await.unwrap(), Written::Yes);
    }
}

/// A batch whose jobs are created.
struct Begun {
    account: Account,
    id: BatchId,
    runner: Runner,
    batch: Batch,
}

impl Begun {
    async fn new(scene: &Scene, items: usize, output: Value) -> Self {
        let account = scene.world.account(100).await;
        let id = scene.create(&account, items, json!({"output": output})).await;
        let runner = scene.runner();
        run(&runner, &account, id).await;
        let batch = scene.batch(&account, id).await;
        Self { account, id, runner, batch }
    }
}

async fn run(runner: &Runner, account: &Account, id: BatchId) {
    runner.run(&account.id, id, SHORT).await.unwrap();
}

async fn download(scene: &Scene, account: &Account, id: BatchId) -> Answer {
    let request = RequestBuilder::new(Method::GET, &format!("/v1/batches/{id}/download"))
        .key(&account.key)
        .parameter("batch_id", &id.to_string())
        .build();
    Answer::of(get_batch_download::handle(scene.context().into(), request).await)
}

/// The entries of all files of the archive.
async fn entries(scene: &Scene, batch: &Batch) -> Vec<BTreeMap<String, Vec<u8>>> {
    let mut all = Vec::new();
    for file in &batch.archive.as_ref().unwrap().files {
        let key = ObjectKey::of_archive(batch, file.run, ArchivePart::File).to_string();
        let bytes = scene.world.context.files.get_bytes(&key, 1 << 28).await.unwrap().unwrap();
        assert_eq!(bytes.len() as u64, file.bytes);
        let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        assert_eq!(zip.len(), file.results as usize);
        let mut entries = BTreeMap::new();
        for index in 0..zip.len() {
            let (mut entry, mut content) = (zip.by_index(index).unwrap(), Vec::new());
            entry.read_to_end(&mut content).unwrap();
            assert!(entries.insert(entry.name().unwrap().into_owned(), content).is_none());
        }
        all.push(entries);
    }
    all
}

async fn unfinished(scene: &Scene, batch: &Batch) -> Vec<String> {
    scene.world.context.files.unfinished_pieces(&archive_folder(batch)).await.unwrap()
}

fn noise(bytes: usize, seed: u32) -> Vec<u8> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.to_le_bytes()[1]
    };
    (0..bytes).map(next).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_has_every_result_under_a_name_of_its_own() {
    let scene = Scene::new().await;
    let Begun { account, id, runner, batch } =
        Begun::new(&scene, 6, json!({"archive": true, "retentionSeconds": 600})).await;
    let (long, empty) = (noise(20 << 20, 1), Vec::new());
    let results = [
        (0, "letter.pdf", noise(10, 2)),
        (1, "Letter.pdf", long.clone()),
        (2, "letter.pdf", empty),
        (3, "../evil.pdf", noise(1 << 20, 3)),
        (4, "gone.pdf", noise(30, 4)),
        (5, "deleted.pdf", noise(40, 5)),
    ];
    complete(&scene, &batch, &results).await;
    // One result is lost, and one job is deleted.
    let jobs = scene.jobs(&batch).await;
    let key_of = |index: u32| {
        jobs.iter().find(|job| job.batch.unwrap().index == index).and_then(|job| job.result.output_key.clone()).unwrap()
    };
    scene.world.context.files.delete(&key_of(4)).await.unwrap();
    let deleted = jobs.into_iter().find(|job| job.batch.unwrap().index == 5).unwrap();
    docmill_app::jobs::control::ControlService::new(scene.context()).erase(deleted).await.unwrap();

    run(&runner, &account, id).await;
    let batch = scene.batch(&account, id).await;
    assert_eq!(batch.state, State::Completed);
    let entries = entries(&scene, &batch).await;
    let names: Vec<_> = entries[0].keys().map(String::as_str).collect();
    assert_eq!(names, [".._evil.pdf", "Letter (1).pdf", "letter (2).pdf", "letter.pdf"]);
    assert!(entries[0]["Letter (1).pdf"] == long, "a result that is read in several parts");
    assert!(entries[0]["letter (2).pdf"].is_empty());
    let view = json!(batch.view());
    assert_eq!((&view["archive"]["results"], &view["archive"]["leftOut"]), (&json!(4), &json!(2)));

    let answer = download(&scene, &account, id).await;
    let archive = &answer.body["archive"];
    assert_eq!(archive["files"][0]["filename"], format!("{id}.zip"));
    assert_eq!((&archive["files"][0]["results"], &archive["leftOut"]), (&json!(4), &json!(2)));
    let link = archive["files"][0]["url"].as_str().unwrap();
    let bytes = reqwest::get(link).await.unwrap().bytes().await.unwrap();
    assert_eq!(bytes.len() as u64, archive["files"][0]["bytes"].as_u64().unwrap());
    assert_eq!(answer.body["results"].as_array().unwrap().len(), 6, "the items are listed beside it");
    assert_eq!(answer.body["results"][5]["status"], "deleted");

    // Its time is over, and the sweeper calls a run.
    let mut late = scene.batch(&account, id).await;
    assert_eq!(late.due, late.kept_until);
    late.kept_until = Some(clock::now());
    scene.world.context.batches.write(&mut late, None).await.unwrap();
    assert!(download(&scene, &account, id).await.body.get("archive").is_none());
    run(&runner, &account, id).await;
    assert_eq!(scene.world.context.files.list(&archive_folder(&batch)).await.unwrap(), Vec::<String>::new());
    let batch = scene.batch(&account, id).await;
    assert_eq!((batch.state, batch.due, batch.due_shard), (State::Completed, None, None));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_archive_has_several_files() {
    let scene = Scene::new().await;
    let Begun { account, id, mut runner, batch } = Begun::new(&scene, 7, json!({"archive": true})).await;
    runner.archive = ArchiveLimits { bytes: 7000, ..runner.archive };
    let results: Vec<_> = (0..7).map(|index| (index, "same.pdf", noise(3000, index))).collect();
    complete(&scene, &batch, &results).await;
    for archives in 1..=4 {
        run(&runner, &account, id).await;
        let batch = scene.batch(&account, id).await;
        assert_eq!(batch.archive.as_ref().unwrap().files.len(), archives);
        let state = if archives == 4 { State::Completed } else { State::Archiving };
        assert_eq!(batch.state, state);
        assert_eq!(batch.lease_until, None, "the next run begins at once");
    }
    let batch = scene.batch(&account, id).await;
    let entries = entries(&scene, &batch).await;
    assert!(entries.iter().zip(&batch.archive.as_ref().unwrap().files).all(|(_, file)| file.bytes <= 7000));
    let mut all: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (name, content) in entries.into_iter().flatten() {
        assert!(all.insert(name, content).is_none(), "names differ in all files");
    }
    let expected = (1..7).map(|index| (format!("same ({index}).pdf"), noise(3000, index)));
    assert_eq!(all, expected.chain([("same.pdf".to_owned(), noise(3000, 0))]).collect());
    let answer = download(&scene, &account, id).await;
    let names: Vec<_> =
        answer.body["archive"]["files"].as_array().unwrap().iter().map(|file| &file["filename"]).collect();
    assert_eq!(names, [1, 2, 3, 4].map(|number| Value::from(format!("{id}-{number}.zip"))).iter().collect::<Vec<_>>());
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_runs_leave_one_archive_and_no_pieces() {
    let scene = Scene::new().await;
    let Begun { account, id, mut runner, batch } = Begun::new(&scene, 4, json!({"archive": true})).await;
    runner.archive = ArchiveLimits { bytes: 30 << 20, ..runner.archive };
    let results: Vec<_> = (0..4).map(|index| (index, "a.pdf", noise(14 << 20, index))).collect();
    complete(&scene, &batch, &results).await;
    let (mut kills, mut had_pieces) = (0_u64, false);
    while !scene.batch(&account, id).await.state.is_ended() {
        // A dropped run stops where it waits, as a killed one does.
        let _ = tokio::time::timeout(Duration::from_millis(60 + 90 * kills), runner.run(&account.id, id, SHORT)).await;
        had_pieces |= !unfinished(&scene, &batch).await.is_empty();
        scene.end_lease(&account, id).await;
        kills += 1;
        assert!(kills < 60, "no progress");
    }
    assert!(had_pieces, "a run was killed while pieces were stored");
    let batch = scene.batch(&account, id).await;
    let entries = entries(&scene, &batch).await;
    let contents: Vec<_> = entries.into_iter().flatten().collect();
    assert_eq!(contents.len(), 4, "each result once");
    for index in 0..4 {
        assert!(contents.iter().any(|(_, content)| *content == noise(14 << 20, index)));
    }
    assert_eq!(unfinished(&scene, &batch).await, Vec::<String>::new());
    scene.end().await;
}

/// Run A sleeps while it stores pieces, its lease ends, and run B makes the archive.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_slept_changes_no_archive() {
    let scene = Scene::new().await;
    let Begun { account, id, runner, batch } = Begun::new(&scene, 1, json!({"archive": true})).await;
    complete(&scene, &batch, &[(0, "a.pdf", noise(100, 1))]).await;
    let (context, files) = (&scene.world.context, &scene.world.context.files);
    // A has claimed the batch, and stored a piece.
    let mut slept = context.batches.claim(&account.id, id, clock::now()).await.unwrap().unwrap();
    let key = ObjectKey::of_archive(&slept, slept.run, ArchivePart::File);
    let mut pieces = files.begin_pieces(&key, "application/zip").await.unwrap();
    files.add_piece(&mut pieces, noise(100, 2)).await.unwrap();
    // B takes over after the lease: it sees the end of the job, and then makes the archive.
    scene.end_lease(&account, id).await;
    run(&runner, &account, id).await;
    let made = scene.batch(&account, id).await;
    assert_eq!(made.state, State::Completed);
    // A wakes up.
    assert!(files.complete_pieces(pieces).await.is_err(), "B has deleted its pieces");
    slept.archive.as_mut().unwrap().next = 1;
    slept.lease_until = Some(clock::now().plus(LEASE));
    assert_eq!(context.batches.write(&mut slept, None).await.unwrap(), Written::Superseded);
    assert_eq!(scene.batch(&account, id).await, made);
    assert_eq!(entries(&scene, &made).await[0]["a.pdf"], noise(100, 1));
    scene.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_batch_leaves_no_archive() {
    let scene = Scene::new().await;
    let Begun { account, id, runner, batch } = Begun::new(&scene, 1, json!({"archive": true})).await;
    complete(&scene, &batch, &[(0, "a.pdf", noise(100, 1))]).await;
    run(&runner, &account, id).await;
    let files = &scene.world.context.files;
    assert_eq!(files.list(&archive_folder(&batch)).await.unwrap().len(), 2, "the ZIP and its names");
    let service = std::sync::Arc::new(docmill_app::batches::BatchControl::new(scene.context()));
    let request = RequestBuilder::new(Method::DELETE, &format!("/v1/batches/{id}"))
        .key(&account.key)
        .parameter("batch_id", &id.to_string())
        .build();
    assert_eq!(Answer::of(delete_batch::handle(service, request).await).status, 202);
    run(&runner, &account, id).await;
    assert!(scene.world.context.batches.get(&account.id, id).await.unwrap().is_none());
    assert_eq!(files.list(&archive_folder(&batch)).await.unwrap(), Vec::<String>::new());
    let jobs = scene.jobs(&batch).await;
    assert!(jobs.iter().all(|job| job.status == JobStatus::Deleted));
    scene.end().await;
}
