//! Jobs in a worker's hands, without a worker.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodb::types::{PutRequest, WriteRequest};
use docmill_app::context::Context;
use docmill_config::clock;
use docmill_domain::job::Completion;
use docmill_domain::job::{EngineInfo, Job, JobId, Output, Timings, Traces};
use docmill_domain::time::Timestamp;
use docmill_store::item::{Item, job_item};
use docmill_store::jobs::{Claim, Jobs};
use futures_util::{StreamExt, TryStreamExt, stream};

/// Most items in a `BatchWriteItem`, and how many are sent in parallel.
const BATCH: usize = 25;
const AT_ONCE: usize = 4;

pub async fn claim(jobs: &Jobs, id: JobId) -> Job {
    let Claim::Taken(job) = jobs.claim(id, clock::now(), Duration::from_secs(60)).await.unwrap() else {
        panic!("the job is free")
    };
    *job
}

pub fn completion(at: Timestamp) -> Completion {
    Completion {
        output: Output {
            format: "pdf".into(),
            content_type: "application/pdf".into(),
            bytes: 1,
            pages: Some(1),
            width: None,
            height: None,
            sha256: String::new(),
            filename: "a.pdf".into(),
        },
        output_key: "outputs/x".into(),
        results: None,
        steps: Vec::new(),
        engine: EngineInfo { name: "stub".into(), version: "1".into() },
        timings: Timings::default(),
        warnings: Vec::new(),
        traces: Traces::default(),
        finished_at: at,
        expires_at: at.plus(Duration::from_secs(3600)),
    }
}

/// Stores jobs directly, without the transactions that create them.
pub async fn put_all(context: &Context, jobs: impl Iterator<Item = Job>) {
    let items: Vec<Item> = jobs.map(|job| job_item(&job).unwrap()).collect();
    let put = |item: &Item| {
        WriteRequest::builder().put_request(PutRequest::builder().set_item(Some(item.clone())).build().unwrap()).build()
    };
    let batches = items.chunks(BATCH).map(|batch| batch.iter().map(put).collect::<Vec<_>>());
    stream::iter(batches.collect::<Vec<_>>())
        .map(async |batch| {
            let writes = HashMap::from([(context.config.tables.jobs.clone(), batch)]);
            let written = context.dynamodb.batch_write_item().set_request_items(Some(writes)).send().await?;
            assert!(written.unprocessed_items.is_none_or(|left| left.is_empty()));
            Ok::<_, aws_sdk_dynamodb::Error>(())
        })
        .buffer_unordered(AT_ONCE)
        .try_collect::<()>()
        .await
        .unwrap();
}
