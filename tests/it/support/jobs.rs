//! Jobs as a worker has them, without a worker.

use std::time::Duration;

use docmill::clock;
use docmill::domain::job::{EngineInfo, Job, JobId, Output, Timings};
use docmill::domain::time::Timestamp;
use docmill::store::jobs::{Claim, Completion, Jobs};

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
        finished_at: at,
        expires_at: at.plus(Duration::from_secs(3600)),
    }
}
