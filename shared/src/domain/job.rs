//! A job: its states, what may follow what, and what it tells its owner.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::api_key::Mode;
use super::queue::QueueName;
use super::quota::Charge;
use super::time::{Period, Timestamp};

/// How often a job is tried before a fault of ours fails it. A document's own fault is never tried again.
pub const MAX_ATTEMPTS: u32 = 3;

/// A job still queued after this long is looked at by the sweeper.
pub const QUEUED_GRACE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JobId(Uuid);

impl JobId {
    /// An id that no job has: reading it costs what reading a real one costs.
    pub const NONE: Self = Self(Uuid::nil());

    /// A new id (UUIDv7: sorted by time, 74 random bits).
    pub fn new() -> Self {
        Self(Uuid::now_v7())
    }

    pub fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }

    /// The id without hyphens: 32 characters.
    pub fn simple(self) -> String {
        self.0.simple().to_string()
    }

    /// Which of the `shards` partitions of the open-jobs index this job lies in.
    pub fn shard(self, shards: u8) -> u8 {
        self.0.as_bytes()[15] % shards
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

/// `queued → processing → completed | failed`, `completed → expired`; `processing → queued` when an attempt is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    Queued,
    Processing,
    Completed,
    Failed,
    Expired,
    /// Reserved: nothing cancels a job yet.
    Canceled,
}

impl JobStatus {
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Processing, Self::Completed, Self::Failed, Self::Expired, Self::Canceled];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Processing => "processing",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Expired => "expired",
            Self::Canceled => "canceled",
        }
    }

    /// Whether nothing but the expiry of its output can still happen to a job in this state.
    pub const fn is_terminal(self) -> bool {
        match self {
            Self::Queued | Self::Processing => false,
            Self::Completed | Self::Failed | Self::Expired | Self::Canceled => true,
        }
    }

    /// The state machine; every conditional write of the store implements one of these arrows.
    pub const fn may_become(self, next: Self) -> bool {
        matches!(
            (self, next),
            (Self::Queued, Self::Processing | Self::Failed)
                | (Self::Processing, Self::Queued | Self::Processing | Self::Completed | Self::Failed)
                | (Self::Completed, Self::Expired)
        )
    }
}

/// Why a job failed: the bounded list that responses, logs and metrics share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobErrorCode {
    SourceUnreachable,
    SourceForbidden,
    SourceTooLarge,
    SourceTimeout,
    UnsupportedFormat,
    CorruptDocument,
    PasswordRequired,
    WrongPassword,
    PageLimitExceeded,
    RenderFailed,
    ConversionTimeout,
    EngineCrashed,
    Internal,
}

impl JobErrorCode {
    pub const ALL: [Self; 13] = [
        Self::SourceUnreachable,
        Self::SourceForbidden,
        Self::SourceTooLarge,
        Self::SourceTimeout,
        Self::UnsupportedFormat,
        Self::CorruptDocument,
        Self::PasswordRequired,
        Self::WrongPassword,
        Self::PageLimitExceeded,
        Self::RenderFailed,
        Self::ConversionTimeout,
        Self::EngineCrashed,
        Self::Internal,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SourceUnreachable => "source_unreachable",
            Self::SourceForbidden => "source_forbidden",
            Self::SourceTooLarge => "source_too_large",
            Self::SourceTimeout => "source_timeout",
            Self::UnsupportedFormat => "unsupported_format",
            Self::CorruptDocument => "corrupt_document",
            Self::PasswordRequired => "password_required",
            Self::WrongPassword => "wrong_password",
            Self::PageLimitExceeded => "page_limit_exceeded",
            Self::RenderFailed => "render_failed",
            Self::ConversionTimeout => "conversion_timeout",
            Self::EngineCrashed => "engine_crashed",
            Self::Internal => "internal",
        }
    }

    /// What it means, in the words of the documented table.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::SourceUnreachable => {
                "the address could not be reached: unknown name, no connection, HTTP status 400 or above, a redirect loop, \
                 or a missing upload"
            }
            Self::SourceForbidden => "the service does not fetch from this address",
            Self::SourceTooLarge => "the source is over the size limit",
            Self::SourceTimeout => "the source took too long to download",
            Self::UnsupportedFormat => "this file format is not supported",
            Self::CorruptDocument => "the file is damaged, or not of the type it claims to be",
            Self::PasswordRequired => "the document is encrypted: send `options.password`",
            Self::WrongPassword => "the password does not open the document",
            Self::PageLimitExceeded => "the result would have too many pages",
            Self::RenderFailed => "the document could not be rendered with these options",
            Self::ConversionTimeout => "the conversion took too long",
            Self::EngineCrashed => "the engine crashed twice on this document",
            Self::Internal => "an error on our side",
        }
    }

    /// Whether the same request may succeed when the client sends it again later.
    pub const fn is_retryable(self) -> bool {
        match self {
            Self::SourceUnreachable
            | Self::SourceTimeout
            | Self::ConversionTimeout
            | Self::EngineCrashed
            | Self::Internal => true,
            Self::SourceForbidden
            | Self::SourceTooLarge
            | Self::UnsupportedFormat
            | Self::CorruptDocument
            | Self::PasswordRequired
            | Self::WrongPassword
            | Self::PageLimitExceeded
            | Self::RenderFailed => false,
        }
    }
}

/// Longer texts are cut: whatever a page or a source puts into them, a job's item stays small.
const MAX_TEXT_CHARACTERS: usize = 300;
/// More warnings than this are not kept.
pub const MAX_WARNINGS: usize = 50;

fn cut(text: impl Into<String>) -> String {
    let mut text = text.into();
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// What a failed job tells its owner. `message` says what to do and never carries a secret or an internal name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobError {
    pub code: JobErrorCode,
    pub message: String,
    pub retryable: bool,
}

impl JobError {
    pub fn new(code: JobErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: cut(message), retryable: code.is_retryable() }
    }
}

/// Something that the result does not show as the source meant it, or a request's option that had no effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warning {
    /// Stable and machine-readable, e.g. `font_substituted`, `resource_blocked`, `unsupported_css`, `unknown_option`.
    pub code: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub detail: Option<String>,
}

impl Warning {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: cut(message), detail: None }
    }

    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(cut(detail));
        self
    }
}

/// One stored file of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    pub format: String,
    pub content_type: String,
    pub bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pages: Option<u32>,
    /// In pixels.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub width: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub height: Option<u32>,
    /// Lower-case hexadecimal.
    pub sha256: String,
    pub filename: String,
}

/// What a job yields beside its primary result. Where it is too large for the job's item, it lies in the bucket.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// Every file, in order. With one file, it is the primary result itself.
    #[serde(default)]
    pub outputs: Vec<Output>,
    /// What the last tool tells about its work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub report: Option<Value>,
}

/// Larger results go to the bucket: no item grows with what users send.
pub const MAX_INLINE_RESULTS_BYTES: usize = 4 << 10;

/// Where a job's results are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StoredResults {
    /// In the job's item.
    Inline(Results),
    /// As JSON beside the files themselves. `files`: how many there are.
    Manifest { files: usize },
}

impl StoredResults {
    /// How many files there are besides the primary result.
    pub fn files(&self) -> usize {
        match self {
            Self::Inline(results) => results.outputs.len(),
            Self::Manifest { files } => *files,
        }
    }
}

/// One step of a job that has run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRun {
    pub tool_slug: String,
    pub engine: EngineInfo,
    pub duration_ms: u64,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineInfo {
    pub name: String,
    pub version: String,
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

/// What the worker must know and nobody else: the request with its secrets. Removed by the terminal write.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payload {
    /// The canonical request as JSON text, in the job item itself.
    Inline(String),
    /// The same, at this key of the files bucket, because it was too large for an item.
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

/// A job as it is stored. `input` and `options` are the redacted forms that its owner may read back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub account: String,
    pub key_id: String,
    pub mode: Mode,
    pub tool: String,
    /// The queue that its message waits in.
    #[serde(default)]
    pub queue: QueueName,
    pub status: JobStatus,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub finished_at: Option<Timestamp>,
    /// From this moment on the output is gone, whatever the bucket still holds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expires_at: Option<Timestamp>,
    pub attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub lease_until: Option<Timestamp>,
    /// Tells a worker whose claim's answer was lost that the claim is its own.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub claim_id: Option<String>,
    /// The period that was charged, and that a refund goes back to.
    pub period: Period,
    pub charge: Charge,
    /// The till that it was charged to, and that a refund goes back to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub till: Option<u8>,
    /// What the account's plan included in that period: the measure of `quota.warning`.
    #[serde(default)]
    pub included_credits: u64,
    pub refunded: u64,
    pub input: Value,
    pub options: Value,
    /// The further steps as their owner may read them back: tool and options of each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub then: Vec<Value>,
    /// What the request says of its output, redacted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_request: Option<Value>,
    /// How long the output is kept after completion, where the request says so.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub retention_seconds: Option<u64>,
    #[serde(default)]
    pub metadata: BTreeMap<String, String>,
    /// The primary result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<Output>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub results: Option<StoredResults>,
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<StepRun>,
    /// Where in the files bucket the output lies.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<EngineInfo>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timings: Option<Timings>,
    #[serde(default)]
    pub warnings: Vec<Warning>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<JobError>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub secret: Option<Payload>,
    /// Partition of the sparse index of jobs that still need something done; absent once nothing does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub open: Option<String>,
    /// When the sweeper should look at an open job.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub due: Option<Timestamp>,
    /// Partition of the sparse index of jobs that are yet to be counted: from their creation, and again from their end.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub uncounted: Option<String>,
    /// Whether its creation was counted.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub creation_counted: bool,
    /// Seconds since the epoch; DynamoDB deletes the item some time after.
    pub ttl: i64,
}

impl Job {
    /// The state at `now`: an output past its time is expired even before the sweeper has written so.
    pub fn status_at(&self, now: Timestamp) -> JobStatus {
        match (self.status, self.expires_at) {
            (JobStatus::Completed, Some(expires)) if now >= expires => JobStatus::Expired,
            (status, _) => status,
        }
    }

    /// The job as its owner reads it.
    pub fn view(&self, now: Timestamp) -> Value {
        let status = self.status_at(now);
        let mut view = Map::new();
        view.insert("id".into(), json!(self.id));
        view.insert("status".into(), json!(status));
        view.insert("toolSlug".into(), json!(self.tool));
        view.insert("mode".into(), json!(self.mode));
        view.insert("testMode".into(), json!(self.mode == Mode::Test));
        view.insert("createdAt".into(), json!(self.created_at.to_string()));
        let times = [("startedAt", self.started_at), ("finishedAt", self.finished_at), ("expiresAt", self.expires_at)];
        for (name, time) in times {
            if let Some(time) = time {
                view.insert(name.into(), json!(time.to_string()));
            }
        }
        view.insert("attempts".into(), json!(self.attempts));
        view.insert("input".into(), self.input.clone());
        view.insert("options".into(), self.options.clone());
        if !self.then.is_empty() {
            view.insert("then".into(), json!(self.then));
        }
        view.insert("metadata".into(), json!(self.metadata));
        view.insert("credits".into(), json!({"charged": self.charge.total(), "refunded": self.refunded}));
        if let Some(output) = &self.output {
            view.insert("output".into(), json!(output));
        }
        if let Some(StoredResults::Inline(Results { outputs, report })) = &self.results {
            view.insert("outputs".into(), numbered(outputs));
            if let Some(report) = report {
                view.insert("report".into(), report.clone());
            }
        }
        if !self.steps.is_empty() {
            view.insert("steps".into(), json!(self.steps));
        }
        if let Some(engine) = &self.engine {
            view.insert("engine".into(), json!(engine));
        }
        if let Some(timings) = &self.timings {
            view.insert("timings".into(), json!(timings));
        }
        if !self.warnings.is_empty() {
            view.insert("warnings".into(), json!(self.warnings));
        }
        if let Some(error) = &self.error {
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
    use super::*;

    /// As jobs were stored before they had several results.
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

    #[test]
    fn codes_and_states_are_written_as_they_serialise() {
        for code in JobErrorCode::ALL {
            assert_eq!(json!(code), json!(code.as_str()));
        }
        for status in JobStatus::ALL {
            assert_eq!(json!(status), json!(status.as_str()));
        }
    }

    #[test]
    fn a_terminal_state_never_changes_but_for_expiry() {
        for from in JobStatus::ALL.into_iter().filter(|status| status.is_terminal()) {
            for to in JobStatus::ALL {
                let allowed = from == JobStatus::Completed && to == JobStatus::Expired;
                assert_eq!(from.may_become(to), allowed, "{from:?} → {to:?}");
            }
        }
    }

    #[test]
    fn texts_of_a_source_stay_short() {
        let long = "ä".repeat(100_000);
        let warning = Warning::new("resource_blocked", long.clone()).with_detail(long.clone());
        assert_eq!(warning.message.chars().count(), MAX_TEXT_CHARACTERS + 1);
        assert!(warning.detail.is_some_and(|detail| detail.ends_with("ä…")));
        assert!(JobError::new(JobErrorCode::UnsupportedFormat, long).message.len() < 1000);
        assert_eq!(JobError::new(JobErrorCode::Internal, "short").message, "short");
    }

    #[test]
    fn a_payload_never_shows_itself() {
        assert_eq!(format!("{:?}", Payload::Inline("password".into())), "Payload::Inline(..)");
    }
}
