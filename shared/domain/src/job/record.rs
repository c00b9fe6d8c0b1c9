//! The parts of a stored job. Each is flat in the job's item: the attributes have the names of these fields.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Completion, EngineInfo, JobError, JobId, JobStatus, JobWebhook, NotedProgress, Output, Payload, StepRun,
    StoredResults, Timings, Traces, Warning,
};
use crate::account::limits::Ceilings;
use crate::account::quota::Charge;
use crate::time::{Period, Timestamp};

/// What was asked for, and by whom. `input` and `options` are redacted: their owner may read them back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RequestRecord {
    /// The id of the key that created the job.
    pub key_id: String,
    /// The id of the API request that created the job.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<String>,
    /// The sources, without their secrets.
    #[serde(default)]
    pub input: Value,
    /// The tool's options, without their secrets.
    #[serde(default)]
    pub options: Value,
    /// The further steps, redacted: the tool and options of each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub then: Vec<Value>,
    /// The request's `output`, redacted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_request: Option<Value>,
    /// How long the output is kept after completion, if the request says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retention_seconds: Option<u64>,
    /// Where the job's events are sent, besides the account's endpoints.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub webhook: Option<JobWebhook>,
    /// The owner's labels.
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// The limits of service, plan and key when the job was created.
    #[serde(default, skip_serializing_if = "Ceilings::is_empty")]
    pub limits: Ceilings,
    /// The whole request, for the worker only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub secret: Option<Payload>,
}

/// When the job changed its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Times {
    /// When the request was accepted.
    pub created_at: Timestamp,
    /// When a worker first claimed the job.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started_at: Option<Timestamp>,
    /// When the job completed, failed or was canceled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finished_at: Option<Timestamp>,
    /// The output is expired from this time on, even if the bucket still has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<Timestamp>,
}

impl Times {
    /// Of a job that was created just now.
    pub fn of_new(created_at: Timestamp) -> Self {
        Self { created_at, started_at: None, finished_at: None, expires_at: None }
    }
}

/// The work of the current attempt, or what holds it back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Work {
    /// Another worker may claim the job from then on.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lease_until: Option<Timestamp>,
    /// Lets a worker recognise its own claim if the response was lost.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim_id: Option<String>,
    /// The queued job is held back while its account has as many running jobs as it may: the account's partition of the index
    /// of such jobs.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub held: Option<String>,
    /// How far a job with many files is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub progress: Option<NotedProgress>,
}

/// How far the delivery of the result to `output.putUrl` is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ResultDelivery {
    /// The result is being sent. From then on, the end of the job by its owner refunds nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub delivering: bool,
    /// A result that was delivered, while the job is not completed yet.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub delivered: Option<Box<Completion>>,
}

/// What was paid for the job, and what was given back. Credits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Payment {
    /// The period that was charged and gets refunds.
    pub period: Period,
    /// Credits taken at creation.
    pub charge: Charge,
    /// The till that was charged and gets refunds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub till: Option<u8>,
    /// What the plan included in that period, as needed for `quota.warning`.
    #[serde(default)]
    pub included_credits: u64,
    /// Credits given back at the end.
    pub refunded: u64,
}

impl Payment {
    /// Nothing yet, in this period.
    pub fn none(period: Period) -> Self {
        Self { period, charge: Charge::NOTHING, till: None, included_credits: 0, refunded: 0 }
    }
}

/// What became of an ended job.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct JobResult {
    /// The primary result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<Output>,
    /// All files and the report; `None` until the job is completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub results: Option<StoredResults>,
    /// The tools that ran; empty if there was one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<StepRun>,
    /// The output's key in the files bucket.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_key: Option<String>,
    /// The program that ran the first tool.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<EngineInfo>,
    /// Of the last attempt.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timings: Option<Timings>,
    /// How the result differs from its sources.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Why the job failed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<JobError>,
    /// For the receipt. They outlive the documents.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    // In a box: jobs are held by many futures.
    pub traces: Option<Box<Traces>>,
    /// When the files of the result had been removed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub removed_at: Option<Timestamp>,
}

/// Jobs that wait for each other's results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waits {
    /// Unfinished jobs whose results this one takes. It is processed once they have completed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting_for: Option<BTreeSet<JobId>>,
    /// The jobs that wait for this one, [`super::MAX_WAITERS`] at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiters: Option<BTreeSet<JobId>>,
}

/// Of a deleted job: its final state, and when it was deleted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deletion {
    /// The state before: completed, failed, expired or canceled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended_as: Option<JobStatus>,
    /// When all that describes the document was removed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub deleted_at: Option<Timestamp>,
}

/// The job's places in the sparse indexes of its table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct IndexPlaces {
    /// Partition of the index of jobs that need further work; absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open: Option<String>,
    /// When the sweeper should look at an open job.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due: Option<Timestamp>,
    /// Partition of the index of jobs to be counted: set at creation, and again at the end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uncounted: Option<String>,
    /// Whether its creation is counted.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub creation_counted: bool,
}
