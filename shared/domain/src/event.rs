//! Webhook events in the form of Standard Webhooks (standardwebhooks.com). They are prepared, but not delivered yet.

use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use crate::account::StoredKey;
use crate::job::Job;
use crate::time::{Period, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    JobCompleted,
    JobFailed,
    JobCanceled,
    QuotaWarning,
    QuotaExhausted,
    ApiKeyRevoked,
}

impl EventKind {
    pub const ALL: [Self; 6] = [
        Self::JobCompleted,
        Self::JobFailed,
        Self::JobCanceled,
        Self::QuotaWarning,
        Self::QuotaExhausted,
        Self::ApiKeyRevoked,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::JobCompleted => "job.completed",
            Self::JobFailed => "job.failed",
            Self::JobCanceled => "job.canceled",
            Self::QuotaWarning => "quota.warning",
            Self::QuotaExhausted => "quota.exhausted",
            Self::ApiKeyRevoked => "api_key.revoked",
        }
    }
}

/// The part of an event's id that is its time: `evt_` and twelve hexadecimal digits.
const EVENT_ID_TIME: usize = 16;

/// How long an event can be listed.
pub const EVENT_RETENTION: Duration = Duration::from_secs(30 * 86_400);

/// The members of a job in events. The request is left out, so that no URL or option is copied.
pub const JOB_MEMBERS: [&str; 14] = [
    "id",
    "status",
    "toolSlug",
    "mode",
    "testMode",
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

/// An event's id and its `webhook-id`. Ids are sorted by time.
pub fn new_event_id(at: Timestamp) -> String {
    let seconds = u64::try_from(at.as_millis().div_euclid(1000)).unwrap_or(0);
    let nanos = u32::try_from(at.as_millis().rem_euclid(1000)).unwrap_or(0) * 1_000_000;
    let time = uuid::Timestamp::from_unix(uuid::NoContext, seconds, nanos);
    format!("evt_{}", Uuid::new_v7(time).simple())
}

/// The lowest and highest id that an event of this time can have.
pub fn event_ids_at(at: Timestamp) -> (String, String) {
    let id = new_event_id(at);
    // The first 48 bits of a UUIDv7 are its time in milliseconds (RFC 9562).
    let time = &id[..EVENT_ID_TIME];
    (time.to_owned(), format!("{time}~"))
}

/// Whether an event is about this job.
pub fn is_of(data: &Value, job: &Job) -> bool {
    data["job"]["id"] == json!(job.id)
}

/// A job event's data without anything that describes the document.
pub fn without_document(mut data: Value) -> Value {
    if let Some(job) = data.get_mut("job").and_then(Value::as_object_mut) {
        job.retain(|name, _| !["metadata", "output", "error"].contains(&name.as_str()));
    }
    data
}

/// Data of `job.completed`, `job.failed` and `job.canceled`: the job as it ended.
pub fn job_ended(job: &Job, at: Timestamp) -> Value {
    let Value::Object(mut view) = job.view(at) else { return json!({}) };
    view.retain(|name, _| JOB_MEMBERS.contains(&name.as_str()));
    json!({ "job": view })
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
