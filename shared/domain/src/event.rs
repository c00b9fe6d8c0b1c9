//! Events in the form of Standard Webhooks (standardwebhooks.com).

use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};

use crate::account::StoredKey;
use crate::job::{Job, JobId};
use crate::time::{Period, SentTime, Timestamp};

/// What an event is about. Endpoints choose the kinds that they get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A job has a result.
    JobCompleted,
    /// A job failed for good.
    JobFailed,
    /// A job was canceled by its owner.
    JobCanceled,
    /// All items of a batch have ended.
    BatchCompleted,
    /// A batch needs its owner before it can go on.
    BatchPaused,
    /// A batch was canceled, and its jobs have ended.
    BatchCanceled,
    /// Most of the month's included credits are used.
    QuotaWarning,
    /// A job was refused because the account has too few credits.
    QuotaExhausted,
    /// A key no longer works.
    ApiKeyRevoked,
    /// An endpoint gets no more events.
    WebhookDisabled,
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for EventKind {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "EventType".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "More may be added: ignore types that you don't know.",
            "enum": Self::ALL.map(Self::as_str),
        })
    }
}

impl EventKind {
    /// In the order of the documentation.
    pub const ALL: [Self; 10] = [
        Self::JobCompleted,
        Self::JobFailed,
        Self::JobCanceled,
        Self::BatchCompleted,
        Self::BatchPaused,
        Self::BatchCanceled,
        Self::QuotaWarning,
        Self::QuotaExhausted,
        Self::ApiKeyRevoked,
        Self::WebhookDisabled,
    ];

    /// As the member `type` of an event has it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JobCompleted => "job.completed",
            Self::JobFailed => "job.failed",
            Self::JobCanceled => "job.canceled",
            Self::BatchCompleted => "batch.completed",
            Self::BatchPaused => "batch.paused",
            Self::BatchCanceled => "batch.canceled",
            Self::QuotaWarning => "quota.warning",
            Self::QuotaExhausted => "quota.exhausted",
            Self::ApiKeyRevoked => "api_key.revoked",
            Self::WebhookDisabled => "webhook.disabled",
        }
    }
}

/// An event as a receiver of webhooks gets it, in the form of Standard Webhooks.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Event", description = ""))]
pub struct EventBody<'a> {
    /// The name of an [`EventKind`].
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "EventKind"))]
    pub kind: &'a str,
    /// When the event happened.
    pub timestamp: SentTime,
    /// What the event is about, for example `job`.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    pub data: &'a Value,
}

/// An event as it is listed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(description = ""))]
pub struct ListedEvent {
    /// The same as the `webhook-id`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^evt_[0-9a-f]{32}$")))]
    pub id: String,
    /// The name of an [`EventKind`].
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(with = "EventKind"))]
    pub kind: String,
    /// When the event happened.
    pub timestamp: SentTime,
    /// What the event is about, for example `job`.
    #[cfg_attr(feature = "schema", schemars(with = "serde_json::Map<String, Value>"))]
    pub data: Value,
}

/// The part of an event's id that is its time: `evt_` and twelve hexadecimal digits.
const EVENT_ID_TIME: usize = 16;

/// How long an event can be listed.
pub const EVENT_RETENTION: Duration = Duration::from_secs(30 * 86_400);

/// Marks a job whose labels are not complete.
const LABELS_LEFT_OUT: &str = "metadataTruncated";

/// The members of a job in events. The request is left out, so that no URL or option is copied.
pub const JOB_MEMBERS: [&str; 17] = [
    "id",
    "status",
    "version",
    "toolSlug",
    "mode",
    "testMode",
    "batchId",
    "index",
    "createdAt",
    "startedAt",
    "finishedAt",
    "expiresAt",
    "attempts",
    "metadata",
    "credits",
    "output",
    "error",
];

/// Most bytes of an event's data as JSON text. The whole body has at most 20,000.
const MAX_DATA_BYTES: usize = 20_000 - 200;

/// An event's id and its `webhook-id`. Ids are sorted by time.
pub fn new_event_id(at: Timestamp) -> String {
    let seconds = u64::try_from(at.as_millis().div_euclid(1000)).unwrap_or(0);
    let nanos = u32::try_from(at.as_millis().rem_euclid(1000)).unwrap_or(0) * 1_000_000;
    let time = uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos);
    format!("evt_{}", Uuid::new_v7(time).simple())
}

/// The id of the event about a job's end at this time. It follows from both, so that whoever ends a job knows it.
pub fn job_event_id(job: JobId, at: Timestamp) -> String {
    let digest = Sha256::digest(format!("{job} {}", at.as_millis()));
    let mut random = [0; 10];
    random.iter_mut().zip(digest).for_each(|(byte, digest)| *byte = digest);
    let millis = u64::try_from(at.as_millis()).unwrap_or(0);
    format!("evt_{}", Builder::from_unix_timestamp_millis(millis, &random).into_uuid().simple())
}

/// When an event with this id was recorded; `None` if no event has an id like this.
pub fn event_time(id: &str) -> Option<Timestamp> {
    let uuid = id.strip_prefix("evt_").filter(|uuid| uuid.len() == 32 && !uuid.contains(char::is_uppercase))?;
    let (seconds, nanos) = Uuid::try_parse(uuid).ok()?.get_timestamp()?.to_unix();
    Some(Timestamp(i64::try_from(seconds * 1000 + u64::from(nanos / 1_000_000)).ok()?))
}

/// The lowest and highest id that an event of this time can have.
pub fn event_ids_at(at: Timestamp) -> (String, String) {
    let id = new_event_id(at);
    // The first 48 bits of a UUIDv7 are its time in milliseconds (RFC 9562).
    let time = &id[..EVENT_ID_TIME];
    (time.to_owned(), format!("{time}~"))
}

/// The job that an event is about.
pub fn job_of(data: &Value) -> Option<JobId> {
    JobId::parse(data["job"]["id"].as_str()?)
}

/// A job event's data without anything that describes the document.
pub fn without_document(mut data: Value) -> Value {
    if let Some(job) = data.get_mut("job").and_then(Value::as_object_mut) {
        job.retain(|name, _| !["metadata", LABELS_LEFT_OUT, "output", "error"].contains(&name.as_str()));
    }
    data
}

/// Data of `job.completed`, `job.failed` and `job.canceled`: the job as it ended.
pub fn job_ended(job: &Job, at: Timestamp) -> Value {
    let Value::Object(mut view) = json!(job.brief_view(at)) else { return json!({}) };
    view.retain(|name, _| JOB_MEMBERS.contains(&name.as_str()));
    let mut data = json!({ "job": view });
    leave_out_labels(&mut data);
    data
}

/// Leaves out a job's longest labels until the data fits, and marks that.
fn leave_out_labels(data: &mut Value) {
    let mut left = true;
    while left && data.to_string().len() > MAX_DATA_BYTES {
        left = leave_out_longest_label(data);
    }
}

/// Returns false if the job has no label left.
fn leave_out_longest_label(data: &mut Value) -> bool {
    let Some(job) = data.get_mut("job").and_then(Value::as_object_mut) else { return false };
    let Some(labels) = job.get_mut("metadata").and_then(Value::as_object_mut) else { return false };
    let bytes = |(name, value): &(&String, &Value)| name.len() + value.to_string().len();
    let Some(longest) = labels.iter().max_by_key(bytes).map(|(name, _)| name.clone()) else { return false };
    labels.shift_remove(&longest);
    job.insert(LABELS_LEFT_OUT.to_owned(), json!(true));
    true
}

/// Data of `quota.warning`.
pub fn quota_warning(period: Period, included: u64, threshold: u64) -> Value {
    json!({"period": period_view(period), "credits": {"included": included, "threshold": threshold}})
}

/// Data of `quota.exhausted`: the cost of the first refused job, and the credits left.
pub fn quota_exhausted(period: Period, required: u64, available: u64) -> Value {
    json!({"period": period_view(period), "credits": {"required": required, "available": available}})
}

/// Data of `api_key.revoked`.
pub fn key_revoked(key: &StoredKey, at: Timestamp) -> Value {
    json!({"apiKey": {
        "id": key.key_id, "name": key.name, "mode": key.mode, "last4": key.last4, "revokedAt": at.to_string(),
    }})
}

fn period_view(period: Period) -> Value {
    json!({"start": period.start().to_string(), "end": period.end().to_string()})
}

/// A completed job with all fields of an event.
pub fn sample_job(now: Timestamp) -> Value {
    json!({
        "id": Uuid::now_v7(),
        "status": "completed",
        "version": 3,
        "toolSlug": "office-to-pdf",
        "mode": "live",
        "testMode": false,
        "createdAt": now.to_string(),
        "startedAt": now.to_string(),
        "finishedAt": now.to_string(),
        "expiresAt": now.plus(Duration::from_secs(86_400)).to_string(),
        "attempts": 1,
        "metadata": {"order": "4711"},
        "credits": {"charged": 1, "refunded": 0},
        "output": {
            "format": "pdf",
            "contentType": "application/pdf",
            "bytes": 48_213,
            "pages": 3,
            "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "filename": "report.pdf",
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_events_id_tells_its_time() {
        let at = Timestamp(1_795_176_000_007);
        let id = new_event_id(at);
        assert_eq!(event_time(&id), Some(at));
        for wrong in ["", "evt_", "page#000000000001", &id[4..], &id[..35], &format!("{id}0"), &id.to_uppercase()] {
            assert_eq!(event_time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_event_of_a_jobs_end_has_one_id() {
        let (at, job) = (Timestamp(1_795_176_000_007), JobId::new());
        let id = job_event_id(job, at);
        assert_eq!((job_event_id(job, at), event_time(&id)), (id.clone(), Some(at)));
        assert_ne!(job_event_id(JobId::new(), at), id);
        assert_ne!(job_event_id(job, Timestamp(at.as_millis() + 1)), id);
        let (first, last) = event_ids_at(at);
        assert!(first < id && id < last);
    }

    #[test]
    fn the_longest_labels_are_left_out_of_large_data() {
        let sample = sample_job(Timestamp(1_795_176_000_007));
        let labels = |long: usize| {
            let mut job = sample.clone();
            (0..20).for_each(|each| job["metadata"][format!("long{each}")] = json!("\u{1}".repeat(long)));
            json!({ "job": job })
        };
        let mut small = labels(100);
        leave_out_labels(&mut small);
        assert_eq!(small, labels(100), "data that fits is whole");

        let mut large = labels(500);
        leave_out_labels(&mut large);
        assert!(large.to_string().len() <= MAX_DATA_BYTES);
        assert_eq!(
            (&large["job"]["metadataTruncated"], &large["job"]["metadata"]["order"]),
            (&json!(true), &json!("4711"))
        );
        let kept = large["job"]["metadata"].as_object().unwrap().len();
        assert!(kept > 1, "no more is left out than necessary: {kept}");
        let members = large["job"].as_object().unwrap().keys().filter(|name| *name != "metadataTruncated");
        assert!(members.eq(labels(1)["job"].as_object().unwrap().keys()), "everything else is still there, in order");
        assert_eq!(without_document(large)["job"].get("metadataTruncated"), None);
    }
}
