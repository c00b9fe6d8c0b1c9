//! The keys of the bucket's objects.

use std::time::Duration;

use docmill_domain::batch::{Batch, BatchId};
use docmill_domain::job::{Job, JobId};
use docmill_domain::template::{TemplateName, Version};
use docmill_domain::upload::UploadId;

pub(super) const INPUTS: &str = "inputs/";
pub(super) const TEMPLATES: &str = "templates/";
/// What the key of what a version expects ends with.
pub(super) const EXPECTED: &str = ".json";
const DAY: Duration = Duration::from_secs(86_400);

/// Objects in the bucket. Lifecycle rules delete each kind by its prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "a field is the part of the key that its name says")]
pub enum ObjectKey<'a> {
    /// A request too large for a job item.
    Input { account: &'a str, job: JobId },
    /// A result. Each attempt has its own key, so that a late worker overwrites nothing.
    Output { account: &'a str, job: JobId, attempt: u32, part: OutputPart, kept_for: KeptFor },
    /// A client's uploaded document. The account comes first, so that no account can name another one's upload.
    Upload { account: &'a str, upload: UploadId },
    /// An account's font, by its upload. No lifecycle rule deletes it.
    Font { account: &'a str, upload: &'a str },
    /// A version of a stored template, or what it expects. No lifecycle rule deletes it.
    Template { account: &'a str, name: &'a TemplateName, file: &'a str, part: TemplatePart },
    /// What a batch's jobs are made of, until it has ended.
    Batch { account: &'a str, batch: BatchId, part: BatchPart },
    /// A file of a batch's archive. Each run has its own key, so that a late one overwrites nothing.
    Archive { account: &'a str, batch: BatchId, run: u64, part: ArchivePart, kept_for: KeptFor },
    /// A request to the relay, or what belongs to it.
    Relay { id: &'a str, part: RelayPart },
}

/// How long the bucket's lifecycle keeps results. Usually, the sweeper deletes each one earlier, when it expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptFor {
    /// Results that expire within a day.
    Day,
    /// Results that a request wants to be kept for longer, up to a week.
    Week,
}

/// One of a job's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputPart {
    /// The file with this index.
    File(usize),
    /// All files together, as a ZIP.
    Archive,
    /// The description of many files: see [`docmill_domain::job::StoredResults`].
    Manifest,
}

/// What is stored of a template's version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TemplatePart {
    /// The template itself.
    File,
    /// The schema of the data that it expects, and an example, as JSON.
    Expected,
}

/// What is stored of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchPart {
    /// The items as JSON lines.
    Items,
    /// What the batch says for all of them, as JSON.
    Defaults,
}

/// What is stored of a file of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchivePart {
    /// The ZIP itself.
    File,
    /// The names of the results in it, as JSON, for the files after it.
    Names,
}

/// What is stored of a request to the relay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelayPart {
    /// Its creation calls the relay.
    Request,
    /// Who creates it works on the request.
    Claim,
    /// What the worker waits for.
    Reply,
    /// A fetched source.
    Body,
}

impl RelayPart {
    /// What is deleted when the request is done.
    pub const ALL: [Self; 4] = [Self::Request, Self::Claim, Self::Reply, Self::Body];

    const fn folder(self) -> &'static str {
        match self {
            Self::Request => "relay/requests",
            Self::Claim => "relay/claims",
            Self::Reply => "relay/replies",
            Self::Body => "relay/bodies",
        }
    }
}

/// What the keys of a batch's archive begin with.
pub fn archive_folder(batch: &Batch) -> String {
    format!("{}/{}/{}/", KeptFor::seconds(batch.retention_seconds).folder(), batch.account, batch.id)
}

/// What the keys of all versions of a template begin with.
pub fn template_folder(account: &str, name: &TemplateName) -> String {
    format!("{TEMPLATES}{account}/{name}/")
}

impl<'a> ObjectKey<'a> {
    /// Where the current attempt stores a result.
    pub fn of_result(job: &'a Job, part: OutputPart) -> Self {
        let kept_for = KeptFor::of(job);
        Self::Output { account: &job.account, job: job.id, attempt: job.attempts, part, kept_for }
    }

    /// Where a version of a stored template lies, or what it expects.
    pub fn of_template(account: &'a str, name: &'a TemplateName, version: &'a Version, part: TemplatePart) -> Self {
        Self::Template { account, name, file: &version.file, part }
    }

    /// Where a run stores a file of a batch's archive.
    pub fn of_archive(batch: &'a Batch, run: u64, part: ArchivePart) -> Self {
        let kept_for = KeptFor::seconds(batch.retention_seconds);
        Self::Archive { account: &batch.account, batch: batch.id, run, part, kept_for }
    }

    /// Where the job's request lies if it is not in the job's item.
    pub fn of_request(job: &'a Job) -> Self {
        Self::Input { account: &job.account, job: job.id }
    }
}

impl KeptFor {
    pub(super) fn of(job: &Job) -> Self {
        Self::seconds(job.request.retention_seconds)
    }

    fn seconds(wanted: Option<u64>) -> Self {
        let is_long = wanted.is_some_and(|seconds| Duration::from_secs(seconds) > DAY);
        if is_long { Self::Week } else { Self::Day }
    }

    pub(super) const fn folder(self) -> &'static str {
        match self {
            Self::Day => "outputs/day",
            Self::Week => "outputs/week",
        }
    }
}

impl std::fmt::Display for OutputPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::File(index) => write!(f, "{index}"),
            Self::Archive => f.write_str("all"),
            Self::Manifest => f.write_str("manifest"),
        }
    }
}

impl std::fmt::Display for ObjectKey<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Input { account, job } => write!(f, "{INPUTS}{account}/{job}"),
            Self::Output { account, job, attempt, part, kept_for } => {
                write!(f, "{}/{account}/{job}/{attempt}/{part}", kept_for.folder())
            }
            Self::Upload { account, upload } => write!(f, "uploads/{account}/{upload}"),
            Self::Font { account, upload } => write!(f, "fonts/{account}/{upload}"),
            Self::Template { account, name, file, part } => {
                let end = match part {
                    TemplatePart::File => "",
                    TemplatePart::Expected => EXPECTED,
                };
                write!(f, "{}{file}{end}", template_folder(account, name))
            }
            Self::Batch { account, batch, part } => {
                let part = match part {
                    BatchPart::Items => "items",
                    BatchPart::Defaults => "defaults",
                };
                write!(f, "batches/{account}/{batch}/{part}")
            }
            Self::Archive { account, batch, run, part, kept_for } => {
                let end = match part {
                    ArchivePart::File => "",
                    ArchivePart::Names => "-names",
                };
                write!(f, "{}/{account}/{batch}/{run}{end}", kept_for.folder())
            }
            Self::Relay { id, part } => write!(f, "{}/{id}", part.folder()),
        }
    }
}
