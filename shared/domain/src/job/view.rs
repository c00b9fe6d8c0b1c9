//! A job as its owner reads it.

use std::collections::BTreeMap;

use serde::Serialize;
#[cfg(feature = "schema")]
use serde_json::Map;
use serde_json::Value;

use super::{
    BatchId, EngineInfo, Job, JobError, JobId, JobStatus, NotedProgress, Output, Progress, Results, ShownWebhook,
    StepRun, StoredResults, Timings, Warning,
};
use crate::account::api_key::Mode;
use crate::time::{SentTime, Timestamp};

/// A job as its owner reads it.
// The documentation of the members is that of the API.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Job", description = ""))]
pub struct JobView {
    /// The job's id.
    pub id: JobId,
    /// The state at the time of reading: an expiry counts at once.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub status: JobStatus,
    /// Grows with each change of `status` or `attempts`. Of two responses or events about a job, the one with the higher version is
    /// newer.
    pub version: u64,
    /// The tool that runs the job.
    pub tool_slug: String,
    /// The mode of the key that created the job.
    pub mode: Mode,
    /// Whether the job was free and its result is marked TEST.
    pub test_mode: bool,
    /// The batch that the job belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<BatchId>,
    /// The place of its item in the batch, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// When the request was accepted.
    pub created_at: SentTime,
    /// When a worker first started the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<SentTime>,
    /// When the job ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<SentTime>,
    /// When the result is deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<SentTime>,
    /// When you deleted the job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<SentTime>,
    /// The unfinished jobs whose results this job needs. It starts when all of them have completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<Vec<JobId>>,
    /// How often a worker started the job.
    pub attempts: u32,
    /// Only while a job with many files is processed.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// The input of the request without secrets: the query of a URL is replaced by `[redacted]`, inline HTML by its size and digest.
    /// Of a request above 16 KB, long texts and lists are shown in part, with `[shortened]` at their end; the job itself uses all
    /// of it.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub input: Value,
    /// The options of the request without secrets, shortened like `input`. Passwords and free texts, such as what is redacted,
    /// filled in or stamped, are `[redacted]`.
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub options: Value,
    /// The further steps of the request without secrets, shortened like `input`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<RequestedStep>"))]
    pub then: Vec<Value>,
    /// Your own labels.
    pub metadata: BTreeMap<String, String>,
    /// `None` unless the request names one.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub webhook: Option<ShownWebhook>,
    /// What the job has cost.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub credits: JobCredits,
    /// The primary result.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Output>,
    /// Every file of the result. If there are several, `output` is a ZIP of them. If there are very many, only the download lists
    /// them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<OutputFile>>,
    /// What the last tool reports about its work. Each tool describes its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Map<String, Value>"))]
    pub report: Option<Value>,
    /// The tools that ran, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRun>,
    /// The program that ran the first tool.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<EngineInfo>,
    /// Of the last attempt.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timings: Option<Timings>,
    /// How the result differs from its sources.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Only of a failed job.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
}

/// What a job has cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline, description = ""))]
pub struct JobCredits {
    /// Taken when the job was created.
    #[cfg_attr(feature = "schema", schemars(description = ""))]
    pub charged: u64,
    /// All credits of a failed or canceled job, unless its whole result was sent to `output.putUrl` or the account used up its
    /// daily budget for failures.
    pub refunded: u64,
}

/// One file of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OutputFile {
    /// The file's number, for `?output=` of the download.
    pub index: usize,
    /// The file itself.
    #[serde(flatten)]
    pub output: Output,
}

/// An entry of `then` as it is stored: its options are redacted already.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(inline, rename_all = "camelCase", description = "")]
#[expect(dead_code, reason = "its schema is used alone")]
struct RequestedStep {
    tool_slug: String,
    options: Map<String, Value>,
}

impl Job {
    /// The job as its owner reads it.
    pub fn view(&self, now: Timestamp) -> JobView {
        let status = self.status_at(now);
        let is_current = |noted: &NotedProgress| status == JobStatus::Processing && noted.attempt == self.attempts;
        let (outputs, report) = match &self.result.results {
            Some(StoredResults::Inline(Results { outputs, report })) => (Some(numbered(outputs)), report.clone()),
            Some(StoredResults::Manifest { .. }) | None => (None, None),
        };
        JobView {
            id: self.id,
            status,
            version: self.version_at(now),
            tool_slug: self.tool.clone(),
            mode: self.mode,
            test_mode: self.mode == Mode::Test,
            batch_id: self.batch.map(|batch| batch.id),
            index: self.batch.map(|batch| batch.index),
            created_at: self.times.created_at.into(),
            started_at: self.times.started_at.map(SentTime),
            finished_at: self.times.finished_at.map(SentTime),
            expires_at: self.times.expires_at.map(SentTime),
            deleted_at: self.deletion.deleted_at.map(SentTime),
            waiting_for: self.waits.waiting_for.as_ref().map(|jobs| jobs.iter().copied().collect()),
            attempts: self.attempts,
            progress: self.work.progress.filter(is_current).map(|noted| noted.progress),
            input: self.request.input.clone(),
            options: self.request.options.clone(),
            then: self.request.then.clone(),
            metadata: self.request.metadata.clone(),
            webhook: self.request.webhook.as_ref().map(super::JobWebhook::view),
            credits: JobCredits { charged: self.payment.charge.total(), refunded: self.payment.refunded },
            output: self.result.output.clone(),
            outputs,
            report,
            steps: self.result.steps.clone(),
            engine: self.result.engine.clone(),
            timings: self.result.timings,
            warnings: self.result.warnings.clone(),
            error: self.result.error.clone(),
        }
    }

    /// As lists, events and webhooks show it: they reach more people than the job itself, so mistakes in a template come
    /// without the text around them.
    pub fn brief_view(&self, now: Timestamp) -> JobView {
        let mut view = self.view(now);
        for mistake in view.error.iter_mut().flat_map(|error| &mut error.details) {
            mistake.place.text.clear();
        }
        view
    }
}

/// Each file with its index, by which it is downloaded.
fn numbered(outputs: &[Output]) -> Vec<OutputFile> {
    outputs.iter().enumerate().map(|(index, output)| OutputFile { index, output: output.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

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
        let view = json!(job.view(Timestamp(2)));
        assert_eq!(view["output"]["pages"], 6);
        for absent in ["outputs", "steps", "then", "report"] {
            assert!(view.get(absent).is_none(), "{absent}");
        }
    }

    #[test]
    fn lists_and_events_leave_out_the_text_around_a_mistake() {
        let mistake = json!({"reason": "unknown_name", "message": "Unknown", "tag": "{amout}",
            "place": {"line": 3, "text": "Salary of Jane: {amout}"}});
        let stored = json!({
            "id": "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90", "account": "acc_1", "key_id": "key_1", "mode": "live",
            "tool": "render-template", "status": "failed", "created_at": 1, "finished_at": 2, "attempts": 1,
            "period": "2026-11", "charge": {"included": 1, "granted": 0}, "refunded": 1, "input": {}, "options": {}, "ttl": 4,
            "error": {"code": "template_error", "message": "x", "retryable": false, "details": [mistake]},
        });
        let job: Job = serde_json::from_value(stored).unwrap();
        let place = |view: JobView| json!(view)["error"]["details"][0]["place"].clone();
        assert_eq!(place(job.view(Timestamp(3)))["text"], "Salary of Jane: {amout}");
        assert_eq!(place(job.brief_view(Timestamp(3))), json!({"line": 3}));
        let event = crate::event::job_ended(&job, Timestamp(3)).to_string();
        assert!(event.contains("{amout}") && !event.contains("Jane"), "{event}");
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
        let view = json!(job.view(Timestamp(4)));
        let schemas = include_str!("../../../../functions/api-docs/description/sent.json");
        let schemas: Value = serde_json::from_str(schemas).unwrap();
        let promised: BTreeSet<_> = schemas["Job"]["properties"].as_object().unwrap().keys().collect();
        assert_eq!(promised, view.as_object().unwrap().keys().collect());
        for (schema, sent) in [("Output", &view["output"]), ("OutputFile", &view["outputs"][0])] {
            let promised: BTreeSet<_> = schemas[schema]["properties"].as_object().unwrap().keys().collect();
            assert_eq!(promised, sent.as_object().unwrap().keys().collect(), "{schema}");
        }
    }
}
