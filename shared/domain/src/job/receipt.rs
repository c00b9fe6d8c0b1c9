//! Receipts: what a job took and made, by its digests, and what became of it. A receipt consists of texts, whole numbers, lists and
//! objects with ASCII names: of these, canonical JSON (RFC 8785) is easily made in any language.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{EngineInfo, Job, JobCredits, JobId, JobStatus, Output, StepRun};
use crate::account::api_key::Mode;
use crate::hex;
use crate::job::source::SourceKind;
use crate::time::{SentTime, Timestamp};

/// Most files of a result that a job's item lists. The digest of their ZIP, which holds them as they are, covers any number.
pub const MOST_DIGESTS: usize = 100;

/// What every receipt begins with, so that the same key can't be made to sign anything that reads as one.
const KIND: &str = "docmill.receipt.v1";

/// The SHA-256 of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// From 64 hexadecimal digits in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |byte: u8| char::from(byte).to_digit(16).filter(|_| !byte.is_ascii_uppercase());
        let (pairs, rest) = text.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|[high, low]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()).collect();
        bytes.filter(|_| rest.is_empty())?.try_into().ok().map(Self)
    }

    /// As the bucket compares it.
    pub const fn bytes(self) -> [u8; 32] {
        self.0
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| de::Error::custom("not a SHA-256"))
    }
}

/// A file by its content. It has no name here: names tell about documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileDigest {
    /// Size of the file.
    pub bytes: u64,
    /// Digest of the file.
    pub sha256: Digest,
}

impl FileDigest {
    /// Of a file of a result. `None` once the job is deleted.
    pub fn of(output: &Output) -> Option<Self> {
        Some(Self { bytes: output.bytes, sha256: Digest::parse(&output.sha256)? })
    }
}

/// A source that a job took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceDigest {
    /// How the request named it.
    pub kind: SourceKind,
    /// Pages have none: a browser loads them, in parts. Texts in the request have none because a short one can be guessed from it.
    #[serde(flatten)]
    pub file: Option<FileDigest>,
}

/// A tool that ran. The engine of a job that did not complete may be unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolRun {
    /// The tool's slug.
    pub tool_slug: String,
    /// The program that did the work.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub engine: Option<EngineInfo>,
}

/// What a completed job leaves for its receipt. Unlike all that describes its documents, it is there until the job's item ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traces {
    /// All tools, if there were several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tools: Vec<ToolRun>,
    /// In the order of the request.
    #[serde(default)]
    pub sources: Vec<SourceDigest>,
    /// The files of the result, unless there are more than [`MOST_DIGESTS`].
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub files: Vec<FileDigest>,
    /// The ZIP of several files.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub archive: Option<FileDigest>,
}

impl Traces {
    /// `files`: all files of the result; `archive`: the ZIP of them, if there are several.
    pub fn of<'a>(
        sources: Vec<SourceDigest>,
        steps: &[StepRun],
        files: impl Iterator<Item = &'a Output>,
        archive: Option<&Output>,
    ) -> Self {
        let tool = |step: &StepRun| ToolRun { tool_slug: step.tool_slug.clone(), engine: Some(step.engine.clone()) };
        let mut files: Vec<_> = files.filter_map(FileDigest::of).collect();
        if files.len() > MOST_DIGESTS {
            files.clear();
        }
        Self { tools: steps.iter().map(tool).collect(), sources, files, archive: archive.and_then(FileDigest::of) }
    }
}

/// Who had a result removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
enum Remover {
    /// The account, which deleted the job.
    Account,
    /// The end of the time for which results are kept.
    Expiry,
}

/// What is known about the removal of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "camelCase")]
enum Removal {
    /// It is stored, for so long at most.
    Stored { until: SentTime },
    /// Nobody has got it since then. When it was removed is not recorded, or not yet.
    Expired { at: SentTime },
    /// It was removed by then.
    Removed { at: SentTime, by: Remover },
}

/// The result in a receipt.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ReceiptResult {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<FileDigest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<FileDigest>,
    removal: Removal,
}

/// What a receipt states about an ended job. What is not known is left out.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    #[serde(rename = "type")]
    kind: &'static str,
    job_id: JobId,
    mode: Mode,
    status: JobStatus,
    tools: Vec<ToolRun>,
    created_at: SentTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<SentTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished_at: Option<SentTime>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<SentTime>,
    issued_at: SentTime,
    credits: JobCredits,
    #[serde(skip_serializing_if = "Option::is_none")]
    sources: Option<Vec<SourceDigest>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<ReceiptResult>,
}

impl Job {
    /// What its receipt states at `now`. `None` if it has not ended.
    pub fn statement(&self, now: Timestamp) -> Option<Statement> {
        let status = self.status_at(now);
        let traces = self.result.traces.as_ref();
        let only = || vec![ToolRun { tool_slug: self.tool.clone(), engine: self.result.engine.clone() }];
        let tools = traces.map(|traces| traces.tools.clone()).filter(|tools| !tools.is_empty());
        status.is_terminal().then(|| Statement {
            kind: KIND,
            job_id: self.id,
            mode: self.mode,
            status,
            tools: tools.unwrap_or_else(only),
            created_at: self.times.created_at.into(),
            started_at: self.times.started_at.map(SentTime),
            finished_at: self.times.finished_at.map(SentTime),
            deleted_at: self.deletion.deleted_at.map(SentTime),
            issued_at: now.into(),
            credits: JobCredits { charged: self.payment.charge.total(), refunded: self.payment.refunded },
            sources: traces.map(|traces| traces.sources.clone()),
            result: self.removal(now).map(|removal| ReceiptResult {
                files: traces.map(|traces| traces.files.clone()).unwrap_or_default(),
                archive: traces.and_then(|traces| traces.archive),
                removal,
            }),
        })
    }

    /// `None` if it has made no result.
    fn removal(&self, now: Timestamp) -> Option<Removal> {
        let until = self.times.expires_at.filter(|_| self.result.output.is_some())?;
        Some(match self.result.removed_at {
            Some(at) if self.deletion.deleted_at == Some(at) => {
                Removal::Removed { at: at.into(), by: Remover::Account }
            }
            Some(at) => Removal::Removed { at: at.into(), by: Remover::Expiry },
            None if now < until => Removal::Stored { until: until.into() },
            None => Removal::Expired { at: until.into() },
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const JOB: &str = "01935f6b-8d4a-7c3e-9b5d-2f1a6c7e8d90";

    fn sha(pair: &str) -> String {
        pair.repeat(32)
    }

    fn output(pair: &str) -> Output {
        let (format, content_type, filename) = ("pdf".into(), "application/pdf".into(), "secret.pdf".into());
        Output { format, content_type, bytes: 5, pages: None, width: None, height: None, sha256: sha(pair), filename }
    }

    fn engine() -> EngineInfo {
        EngineInfo { name: "stub".into(), version: "1".into() }
    }

    /// A job that ended at 2, with its result until 100.
    fn completed(traces: Option<Traces>) -> Job {
        let stored = json!({
            "id": JOB, "account": "acc_1", "key_id": "key_1", "mode": "live", "tool": "office-to-pdf", "status": "completed",
            "created_at": 1, "started_at": 1, "finished_at": 2, "expires_at": 100, "attempts": 1, "period": "2026-11",
            "charge": {"included": 3, "granted": 0}, "refunded": 0, "input": {"html": "secret"}, "ttl": 999,
            "output": output("aa"), "engine": engine(), "traces": traces,
        });
        serde_json::from_value(stored).unwrap()
    }

    fn traces() -> Traces {
        let upload = FileDigest { bytes: 7, sha256: Digest([0x0b; 32]) };
        let sources = vec![
            SourceDigest { kind: SourceKind::UploadId, file: Some(upload) },
            SourceDigest { kind: SourceKind::Html, file: None },
        ];
        Traces::of(sources, &[], [output("aa")].iter(), None)
    }

    fn stated(job: &Job, now: i64) -> Value {
        json!(job.statement(Timestamp(now)).unwrap())
    }

    #[test]
    fn a_digest_is_64_digits_in_lower_case() {
        let text = format!("0{}9", "af".repeat(31));
        assert_eq!(Digest::parse(&text).unwrap().to_string(), text);
        for wrong in ["", "0", &sha("aa")[1..], &sha("AA"), &sha("zz"), &format!("{}00", sha("aa"))] {
            assert_eq!(Digest::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_receipt_has_digests_and_no_names() {
        let stated = stated(&completed(Some(traces())), 3);
        let at = |millis: i64| Timestamp(millis).to_string();
        let expected = json!({
            "type": "docmill.receipt.v1", "jobId": JOB, "mode": "live", "status": "completed",
            "tools": [{"toolSlug": "office-to-pdf", "engine": {"name": "stub", "version": "1"}}],
            "createdAt": at(1), "startedAt": at(1), "finishedAt": at(2), "issuedAt": at(3),
            "credits": {"charged": 3, "refunded": 0},
            "sources": [{"kind": "uploadId", "bytes": 7, "sha256": sha("0b")}, {"kind": "html"}],
            "result": {"files": [{"bytes": 5, "sha256": sha("aa")}], "removal": {"state": "stored", "until": at(100)}},
        });
        assert_eq!(stated, expected);
    }

    #[test]
    fn only_what_is_recorded_about_a_removal_is_stated() {
        let removal = |job: &Job, now| stated(job, now)["result"]["removal"].clone();
        let at = |millis: i64| Timestamp(millis).to_string();
        let mut job = completed(Some(traces()));
        assert_eq!(removal(&job, 100), json!({"state": "expired", "at": at(100)}));
        job.result.removed_at = Some(Timestamp(160));
        assert_eq!(removal(&job, 200), json!({"state": "removed", "at": at(160), "by": "expiry"}));
        job.deletion.deleted_at = Some(Timestamp(170));
        assert_eq!(removal(&job, 200), json!({"state": "removed", "at": at(160), "by": "expiry"}));
        job.deletion.deleted_at = job.result.removed_at;
        assert_eq!(removal(&job, 200), json!({"state": "removed", "at": at(160), "by": "account"}));
        job.result.output = None;
        assert_eq!(stated(&job, 200).get("result"), None, "a failed job has made nothing");
    }

    #[test]
    fn an_unfinished_job_has_no_receipt_and_an_older_one_states_less() {
        let mut job = completed(None);
        let older = stated(&job, 3);
        assert!(older.get("sources").is_none() && older["result"].get("files").is_none(), "{older}");
        job.status = JobStatus::Processing;
        assert_eq!(job.statement(Timestamp(3)), None);
    }

    #[test]
    fn many_files_are_covered_by_their_archive() {
        let files = vec![output("aa"); MOST_DIGESTS + 1];
        let steps = ["split-pdf", "pdf-to-image"].map(|tool| StepRun {
            tool_slug: tool.into(),
            engine: engine(),
            duration_ms: 1,
            warnings: Vec::new(),
            report: None,
        });
        let few = Traces::of(Vec::new(), &steps, files[1..].iter(), Some(&output("bb")));
        assert_eq!((few.files.len(), few.tools.len()), (MOST_DIGESTS, 2));
        let many = Traces::of(Vec::new(), &steps, files.iter(), Some(&output("bb")));
        assert_eq!((many.files.len(), many.archive.map(|file| file.sha256.to_string())), (0, Some(sha("bb"))));
        assert_eq!(stated(&completed(Some(many)), 3)["tools"][1]["toolSlug"], "pdf-to-image");
    }

    #[test]
    fn traces_are_read_as_they_were_written() {
        let stored = json!(traces());
        assert_eq!(serde_json::from_value::<Traces>(stored).unwrap(), traces());
    }
}
