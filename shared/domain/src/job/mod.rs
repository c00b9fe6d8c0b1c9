//! A job as stored, and as shown to its owner.

mod batch;
mod cut;
mod download;
mod failure;
mod mistake;
pub mod outcome;
mod progress;
pub mod queue;
mod receipt;
mod record;
mod refund;
mod result;
pub mod source;
pub mod statistics;
mod status;
mod view;
mod webhook;

pub use batch::{BatchId, BatchPlace};
pub use download::DownloadView;
pub use failure::{
    INTERNAL_MESSAGE, JobError, JobErrorCode, MAX_DETAILS, MAX_WARNINGS, SIGNATURE_INVALIDATED, Warning,
};
pub use mistake::{Mistake, Place, Reason};
pub use progress::{NotedProgress, Progress};
pub use receipt::{Digest, FileDigest, MOST_DIGESTS, SourceDigest, Statement, ToolRun, Traces};
pub use record::{Deletion, IndexPlaces, JobResult, Payment, RequestRecord, ResultDelivery, Times, Waits, Work};
pub use refund::Refund;
pub use result::{Completion, EngineInfo, MAX_INLINE_RESULTS_BYTES, Output, Results, StepRun, StoredResults};
pub use status::JobStatus;
pub use view::{JobCredits, JobView, OutputFile};
pub use webhook::{JobWebhook, ShownWebhook, WebhookRequest};

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
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

    /// From 1 to [`SWEPT_SHARDS`].
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

/// A job's id, a UUID. Ids are sorted by time of creation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, with = "String", description = "", extend("format" = "uuid")))]
pub struct JobId(Uuid);

impl JobId {
    /// An id that no job has: reading it costs as much as reading a real one.
    pub const NONE: Self = Self(Uuid::nil());

    /// A new id (UUIDv7: sorted by time, 74 random bits).
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    /// `None` unless the text is a UUID.
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Timings {
    /// From creation to the first start.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub queued_ms: u64,
    /// For fetching and checking all sources.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub fetch_ms: u64,
    /// For all steps together.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub convert_ms: u64,
    /// For storing the result, and sending it to `output.putUrl`.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
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
    /// The table's partition key.
    pub id: JobId,
    /// The account that created it.
    pub account: String,
    /// That of the key which created it.
    pub mode: Mode,
    /// Its place in the batch that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub batch: Option<BatchPlace>,
    /// The slug of the first tool.
    pub tool: String,
    /// The queue of its message.
    #[serde(default)]
    pub queue: QueueName,
    /// As stored. [`Self::status_at`] says what is shown.
    pub status: JobStatus,
    /// Raised by each transition, so that the newer of two views can be told. Jobs of the earlier form begin at 0.
    #[serde(default)]
    pub version: u64,
    /// How often a worker has claimed the job.
    pub attempts: u32,
    /// What was asked for, and by whom.
    #[serde(flatten)]
    pub request: RequestRecord,
    /// When it changed its state.
    #[serde(flatten)]
    pub times: Times,
    /// The current attempt.
    #[serde(flatten)]
    pub work: Work,
    /// How far the delivery to `output.putUrl` is.
    #[serde(flatten)]
    pub delivery: ResultDelivery,
    /// What was paid and given back.
    #[serde(flatten)]
    pub payment: Payment,
    /// What became of it.
    #[serde(flatten)]
    pub result: JobResult,
    /// The jobs that it waits for, and that wait for it.
    #[serde(flatten)]
    pub waits: Waits,
    /// Empty unless the owner deleted it.
    #[serde(flatten)]
    pub deletion: Deletion,
    /// Its places in the sparse indexes.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_never_shows_itself() {
        assert_eq!(format!("{:?}", Payload::Inline("password".into())), "Payload::Inline(..)");
    }
}
