//! A job as stored, and as shown to its owner.

mod batch;
mod cut;
mod failure;
mod findings;
mod mistake;
pub mod outcome;
mod progress;
pub mod queue;
mod record;
mod refund;
mod result;
pub mod source;
pub mod statistics;
mod status;
mod webhook;

pub use batch::{BatchId, BatchPlace};
pub use failure::{INTERNAL_MESSAGE, JobError, JobErrorCode, MAX_DETAILS, MAX_WARNINGS, Warning};
pub use findings::findings_of;
pub use mistake::{Mistake, Place, Reason};
pub use progress::{NotedProgress, Progress};
pub use record::{Deletion, IndexPlaces, JobResult, Payment, RequestRecord, ResultDelivery, Times, Waits, Work};
pub use refund::Refund;
pub use result::{Completion, EngineInfo, MAX_INLINE_RESULTS_BYTES, Output, Results, StepRun, StoredResults};
pub use status::JobStatus;
pub use webhook::{JobWebhook, WebhookRequest};

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::account::api_key::Mode;
use crate::job::queue::QueueName;
use crate::time::Timestamp;

/// Most attempts if the service is at fault. Faults of the document are not tried again.
pub const MAX_ATTEMPTS: u32 = 3;

/// Most jobs that may wait for one job, so that its item stays small.
pub const MAX_WAITERS: usize = 1000;

/// Partitions of each index of unfinished jobs that new work is written to, unless the deployment sets another number.
pub const DEFAULT_OPEN_SHARDS: u8 = 4;

/// Partitions that are swept, and the most that can be used. Older jobs may be in any of them: never lower it.
pub const SWEPT_SHARDS: u8 = 8;

/// How many partitions of each index of unfinished jobs new work is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenShards(u8);

impl OpenShards {
    /// So many, if there is one and all are swept.
    pub fn new(count: u64) -> Option<Self> {
        u8::try_from(count).ok().filter(|count| (1..=SWEPT_SHARDS).contains(count)).map(Self)
    }

    pub fn count(self) -> u8 {
        self.0
    }

    /// The partition of this job.
    pub fn of(self, id: JobId) -> u8 {
        id.shard(self.0)
    }
}

impl Default for OpenShards {
    fn default() -> Self {
        Self(DEFAULT_OPEN_SHARDS)
    }
}

/// The sweeper looks at a job that is still queued after this time.
pub const QUEUED_GRACE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(Uuid);

impl JobId {
    /// An id that no job has: reading it costs as much as reading a real one.
    pub const NONE: Self = Self(Uuid::nil());

    /// A new id (UUIDv7: sorted by time, 74 random bits).
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }

    /// When the id was made; `None` if it does not say so.
    pub fn made_at(self) -> Option<Timestamp> {
        let (seconds, nanos) = self.0.get_timestamp()?.to_unix();
        Some(Timestamp(i64::try_from(seconds * 1000 + u64::from(nanos / 1_000_000)).ok()?))
    }

    /// This job's partition of the open-jobs index, out of `shards`.
    pub fn shard(self, shards: u8) -> u8 {
        self.0.as_bytes()[15] % shards
    }
}

impl From<Uuid> for JobId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl Default for JobId {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl fmt::Debug for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Durations in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    pub queued_ms: u64,
    pub fetch_ms: u64,
    pub convert_ms: u64,
    pub store_ms: u64,
}

/// For the worker only: the request with its secrets. The terminal write removes it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// The canonical request as JSON text, in the job item itself.
    Inline(String),
    /// JSON text stored at this key of the files bucket, because it is too large for an item or contains credentials.
    Stored(String),
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inline(_) => f.write_str("Payload::Inline(..)"),
            Self::Stored(_) => f.write_str("Payload::Stored(..)"),
        }
    }
}

/// A job as stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub account: String,
    pub mode: Mode,
    /// Its place in the batch that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub batch: Option<BatchPlace>,
    pub tool: String,
    /// The queue of its message.
    #[serde(default)]
    pub queue: QueueName,
    pub status: JobStatus,
    /// Raised by each transition, so that the newer of two views can be told. Jobs of the earlier form begin at 0.
    #[serde(default)]
    pub version: u64,
    pub attempts: u32,
    #[serde(flatten)]
    pub request: RequestRecord,
    #[serde(flatten)]
    pub times: Times,
    #[serde(flatten)]
    pub work: Work,
    #[serde(flatten)]
    pub delivery: ResultDelivery,
    #[serde(flatten)]
    pub payment: Payment,
    #[serde(flatten)]
    pub result: JobResult,
    #[serde(flatten)]
    pub waits: Waits,
    #[serde(flatten)]
    pub deletion: Deletion,
    #[serde(flatten)]
    pub index: IndexPlaces,
    /// Seconds since the epoch. DynamoDB deletes the item some time later.
    pub ttl: i64,
}

impl Job {
    /// Whether this account may see it. The time of its deletion is compared here because DynamoDB deletes late.
    pub fn is_of(&self, account: &str, now: Timestamp) -> bool {
        self.account == account && self.ttl > now.as_ttl_seconds()
    }

    /// The state at `now`, which may be ahead of the stored one.
    pub fn status_at(&self, now: Timestamp) -> JobStatus {
        self.status.at(self.times.expires_at, now)
    }

    /// The version at `now`. An expiry counts from its time on, even before the sweeper has written it.
    pub fn version_at(&self, now: Timestamp) -> u64 {
        if self.status_at(now) == self.status { self.version } else { self.version + 1 }
    }

    /// The job as its owner reads it.
    pub fn view(&self, now: Timestamp) -> Value {
        let status = self.status_at(now);
        let mut view = Map::new();
        view.insert("id".into(), json!(self.id));
        view.insert("status".into(), json!(status));
        view.insert("version".into(), json!(self.version_at(now)));
        view.insert("toolSlug".into(), json!(self.tool));
        view.insert("mode".into(), json!(self.mode));
        view.insert("testMode".into(), json!(self.mode == Mode::Test));
        if let Some(batch) = self.batch {
            view.insert("batchId".into(), json!(batch.id));
            view.insert("index".into(), json!(batch.index));
        }
        view.insert("createdAt".into(), json!(self.times.created_at.to_string()));
        let times = [
            ("startedAt", self.times.started_at),
            ("finishedAt", self.times.finished_at),
            ("expiresAt", self.times.expires_at),
            ("deletedAt", self.deletion.deleted_at),
        ];
        for (name, time) in times {
            if let Some(time) = time {
                view.insert(name.into(), json!(time.to_string()));
            }
        }
        if let Some(waiting_for) = &self.waits.waiting_for {
            view.insert("waitingFor".into(), json!(waiting_for));
        }
        view.insert("attempts".into(), json!(self.attempts));
        let current = |noted: &NotedProgress| status == JobStatus::Processing && noted.attempt == self.attempts;
        if let Some(noted) = self.work.progress.filter(current) {
            view.insert("progress".into(), json!(noted.progress));
        }
        view.insert("input".into(), self.request.input.clone());
        view.insert("options".into(), self.request.options.clone());
        if !self.request.then.is_empty() {
            view.insert("then".into(), json!(self.request.then));
        }
        view.insert("metadata".into(), json!(self.request.metadata));
        if let Some(webhook) = &self.request.webhook {
            view.insert("webhook".into(), webhook.view());
        }
        view.insert(
            "credits".into(),
            json!({"charged": self.payment.charge.total(), "refunded": self.payment.refunded}),
        );
        if let Some(output) = &self.result.output {
            view.insert("output".into(), json!(output));
        }
        if let Some(StoredResults::Inline(Results { outputs, report })) = &self.result.results {
            view.insert("outputs".into(), numbered(outputs));
            if let Some(report) = report {
                view.insert("report".into(), report.clone());
            }
        }
        if !self.result.steps.is_empty() {
            view.insert("steps".into(), json!(self.result.steps));
        }
        if let Some(engine) = &self.result.engine {
            view.insert("engine".into(), json!(engine));
        }
        if let Some(timings) = &self.result.timings {
            view.insert("timings".into(), json!(timings));
        }
        if !self.result.warnings.is_empty() {
            view.insert("warnings".into(), json!(self.result.warnings));
        }
        if let Some(error) = &self.result.error {
            view.insert("error".into(), json!(error));
        }
        Value::Object(view)
    }
}

/// Each file with its index, by which it is downloaded.
fn numbered(outputs: &[Output]) -> Value {
    let numbered = outputs.iter().enumerate().map(|(index, output)| {
        let mut view = json!({"index": index});
        if let (Some(view), Value::Object(output)) = (view.as_object_mut(), json!(output)) {
            view.extend(output);
        }
        view
    });
    numbered.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The form of jobs before they could have several results.
    #[test]
    fn jobs_of_the_earlier_form_are_still_read() {
        let stored = json!({
            "id": "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90", "account": "acc_1", "key_id": "key_1", "mode": "live",
            "tool": "office-to-pdf", "status": "completed", "created_at": 1, "finished_at": 2, "expires_at": 3,
            "attempts": 1, "period": "2026-11", "charge": {"included": 1, "granted": 0}, "refunded": 0,
            "input": {"sourceUrl": "https://a.example/x.docx"}, "options": {}, "ttl": 4,
            "output": {"format": "pdf", "contentType": "application/pdf", "bytes": 5, "pages": 6, "sha256": "00",
                "filename": "x.pdf"},
            "output_key": "outputs/acc_1/01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90/1",
        });
        let job: Job = serde_json::from_value(stored).unwrap();
        let view = job.view(Timestamp(2));
        assert_eq!(view["output"]["pages"], 6);
        for absent in ["outputs", "steps", "then", "report"] {
            assert!(view.get(absent).is_none(), "{absent}");
        }
    }

    /// A property that nothing sends would be a promise of the description that nobody keeps.
    #[test]
    fn every_property_that_the_description_promises_is_sent() {
        let output = json!({"format": "zip", "contentType": "application/zip", "bytes": 5, "pages": 6, "width": 1,
            "height": 1, "sha256": "00", "filename": "x.zip"});
        let stored = json!({
            "id": "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90", "account": "acc_1", "key_id": "key_1", "mode": "live",
            "batch": {"id": "bat_01935f6b8d4a7c3e9b5d2f1a6c7e8d90", "index": 3},
            "tool": "split-pdf", "status": "processing", "created_at": 1, "started_at": 2, "finished_at": 3,
            "expires_at": 900_000, "deleted_at": 5, "attempts": 1, "period": "2026-11",
            "progress": {"attempt": 1, "progress": {"step": 1, "done": 2, "total": 3}},
            "charge": {"included": 1, "granted": 0}, "refunded": 0, "input": {}, "options": {}, "ttl": 9,
            "then": [{"toolSlug": "compress-pdf", "options": {}}], "output": output,
            "webhook": {"id": "wh_01935f6b8d4a7c3e9b5d2f1a6c7e8d90", "shown_url": "https://a.example/", "sealed_url": "x"},
            "results": {"inline": {"outputs": [output], "report": {}}},
            "steps": [{"toolSlug": "split-pdf", "engine": {"name": "x", "version": "1"}, "durationMs": 1}],
            "engine": {"name": "x", "version": "1"}, "warnings": [{"code": "x", "message": "x"}],
            "timings": {"queuedMs": 1, "fetchMs": 1, "convertMs": 1, "storeMs": 1},
            "error": {"code": "internal", "message": "x", "retryable": true},
        });
        let mut job: Job = serde_json::from_value(stored).unwrap();
        job.waits.waiting_for = Some(BTreeSet::from([JobId::new()]));
        let view = job.view(Timestamp(4));
        let schemas = include_str!("../../../../functions/api-docs/description/schemas.json");
        let schemas: Value = serde_json::from_str(schemas).unwrap();
        let promised: BTreeSet<_> = schemas["Job"]["properties"].as_object().unwrap().keys().collect();
        assert_eq!(promised, view.as_object().unwrap().keys().collect());
        for (schema, sent) in [("Output", &view["output"]), ("OutputFile", &view["outputs"][0])] {
            let promised: BTreeSet<_> = schemas[schema]["properties"].as_object().unwrap().keys().collect();
            assert_eq!(promised, sent.as_object().unwrap().keys().collect(), "{schema}");
        }
    }

    #[test]
    fn a_payload_never_shows_itself() {
        assert_eq!(format!("{:?}", Payload::Inline("password".into())), "Payload::Inline(..)");
    }
}
