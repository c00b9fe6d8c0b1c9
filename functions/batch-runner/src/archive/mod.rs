//! Makes the archive of a batch's results. A run makes one ZIP of it, from the first result that no earlier one has, so that neither
//! memory nor time limits the whole. If the run is killed, the next one begins that ZIP anew.

mod names;
mod zip_stream;

use std::time::Duration;

use docmill_aws::files::{ArchivePart, Files, FilesError, ObjectKey, Pieces, archive_folder};
use docmill_config::clock;
use docmill_domain::batch::{Archive, ArchiveFile};
use docmill_domain::job::{Job, JobStatus, Output};
use docmill_domain::time::Timestamp;
use docmill_store::batches::LEASE;
use futures_util::{StreamExt, stream};
use serde_json::json;
use tokio::time::Instant;

use crate::Obstacle;
use crate::run::{Run, Step};
use names::Names;
use zip_stream::ZipStream;

/// Jobs that are read at the same time.
const PAGE: u32 = 100;
/// Results whose beginnings are read at the same time, and how much of each.
const AT_ONCE: usize = 16;
const BEGINNING: u64 = 1 << 20;
/// How much of a longer result is read at once.
const FURTHER: u64 = 8 << 20;
/// What is stored at once. S3 takes 5 MiB at least, and 10,000 pieces.
const PIECE: usize = 8 << 20;
/// How often the lease is renewed.
const RENEWAL: Duration = Duration::from_secs(20);
/// Most bytes that an entry needs beside its content and its name, which is there twice.
const ENTRY: u64 = 256;

/// When a ZIP is full. The next run begins another one.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// A single result may be longer.
    pub bytes: u64,
    /// More results need a form of ZIP that some old readers don't know.
    pub results: u32,
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        // What can't be compressed becomes longer by a thousandth at most.
        Self { bytes: 499 << 20, results: 50_000, time: Duration::from_secs(200) }
    }
}

/// A ZIP in the making.
struct Making {
    zip: ZipStream,
    names: Names,
    own_names: Vec<String>,
    /// Its first pieces, once there are any.
    pieces: Option<Pieces>,
    stored: u64,
    /// At least as many bytes as it will have.
    bytes: u64,
    results: u32,
    left_out: u32,
    /// The first item that was not looked at.
    next: u32,
    renewed: Instant,
}

/// Another run has the batch.
struct Superseded;

impl Run<'_> {
    /// Makes the next ZIP, and notes it.
    pub(crate) async fn archive_next(&mut self) -> Result<Step, Obstacle> {
        let Some(archive) = self.batch.archive.clone() else { return Ok(Step::Moved) };
        let files = self.runner.context.files.clone();
        // Timeline: run A stores pieces and is killed. Run B deletes them here. If A only sleeps, storing or completing fails from
        // now on. If A has completed its ZIP already, that lies under A's own key, which no record names: A's write fails,
        // because B's claim has changed the batch, and the file goes with the others of the batch.
        files.abort_pieces(&archive_folder(&self.batch)).await?;
        let mut making = Making {
            zip: ZipStream::new(),
            names: self.earlier_names(&archive).await?,
            own_names: Vec::new(),
            pieces: None,
            stored: 0,
            bytes: 0,
            results: 0,
            left_out: 0,
            next: archive.next,
            renewed: Instant::now(),
        };
        let filled = match self.fill(&mut making, &archive).await {
            Ok(Ok(())) => self.finish(making, archive).await,
            Ok(Err(Superseded)) => return Ok(Step::Over),
            Err(error) => Err(error),
        };
        match filled {
            Ok(archive) => {
                self.batch.archive = Some(archive);
                Ok(Step::Moved)
            }
            Err(error) => {
                files.abort_pieces(&archive_folder(&self.batch)).await?;
                Err(error)
            }
        }
    }

    /// The names in the ZIPs before this one.
    async fn earlier_names(&self, archive: &Archive) -> Result<Names, Obstacle> {
        let mut names = Names::default();
        for file in &archive.files {
            let key = ObjectKey::of_archive(&self.batch, file.run, ArchivePart::Names).to_string();
            let text = self.runner.context.files.get_text(&key).await?;
            let earlier: Vec<String> =
                serde_json::from_str(&text).map_err(|error| Obstacle::Items(error.to_string()))?;
            names.take_all(earlier);
        }
        Ok(names)
    }

    /// Adds results until the ZIP is full, or all are in it.
    async fn fill(&mut self, making: &mut Making, archive: &Archive) -> Result<Result<(), Superseded>, Obstacle> {
        let limits = self.runner.archive;
        let ends_at = Instant::now() + limits.time;
        while making.next < self.batch.total {
            let last = self.batch.total.min(making.next.saturating_add(PAGE));
            let items: Vec<_> = (making.next..last).collect();
            let found = self.jobs(&items).await?.into_iter().map(|(index, job)| (index, Found::of(job, clock::now())));
            let files = self.runner.context.files.clone();
            let mut begun = stream::iter(found)
                .map(async |(index, found)| (index, Begun::of(found, &files, archive.is_full()).await))
                .buffered(AT_ONCE);
            while let Some((index, begun)) = begun.next().await {
                making.next = index;
                if making.renewed.elapsed() >= RENEWAL && !self.renew(making).await? {
                    return Ok(Err(Superseded));
                }
                match begun? {
                    Begun::Nothing => {}
                    Begun::Gone => making.left_out += 1,
                    Begun::Result { output, key, beginning } => {
                        let is_late = Instant::now() >= ends_at || making.results >= limits.results;
                        if making.results > 0 && (is_late || making.bytes_with(&output) > limits.bytes) {
                            return Ok(Ok(()));
                        }
                        if !self.add(making, index, &output, &key, beginning).await? {
                            return Ok(Err(Superseded));
                        }
                    }
                }
                making.next = index + 1;
            }
            making.next = last;
        }
        Ok(Ok(()))
    }

    /// Adds a result, of which the beginning is known. False if another run has the batch.
    async fn add(
        &mut self,
        making: &mut Making,
        index: u32,
        output: &Output,
        key: &str,
        beginning: Vec<u8>,
    ) -> Result<bool, Obstacle> {
        let name = making.names.own(&output.filename, index);
        making.zip.begin(&name, output).map_err(unwritten)?;
        making.bytes = making.bytes_with(output);
        making.own_names.push(name.to_lowercase());
        making.results += 1;
        let mut from = beginning.len() as u64;
        self.write(making, &beginning).await?;
        while from < output.bytes {
            if making.renewed.elapsed() >= RENEWAL && !self.renew(making).await? {
                return Ok(false);
            }
            let part = self.runner.context.files.get_part(key, from, FURTHER).await?;
            from += part.len() as u64;
            self.write(making, &part).await?;
        }
        Ok(true)
    }

    async fn write(&self, making: &mut Making, bytes: &[u8]) -> Result<(), Obstacle> {
        making.zip.write(bytes).map_err(unwritten)?;
        match making.zip.take(PIECE).map_err(unwritten)? {
            Some(piece) => self.store(making, piece).await,
            None => Ok(()),
        }
    }

    async fn store(&self, making: &mut Making, piece: Vec<u8>) -> Result<(), Obstacle> {
        let files = &self.runner.context.files;
        if making.pieces.is_none() {
            let key = ObjectKey::of_archive(&self.batch, self.batch.run, ArchivePart::File);
            making.pieces = Some(files.begin_pieces(&key, "application/zip").await?);
        }
        making.stored += piece.len() as u64;
        match &mut making.pieces {
            Some(pieces) => Ok(files.add_piece(pieces, piece).await?),
            None => Ok(()),
        }
    }

    /// Keeps the batch for longer. False if another run has it.
    async fn renew(&mut self, making: &mut Making) -> Result<bool, Obstacle> {
        making.renewed = Instant::now();
        let lease = clock::now().plus(LEASE);
        self.batch.lease_until = Some(lease);
        self.batch.due = Some(lease);
        self.write_down(None).await
    }

    /// Stores the rest of the ZIP, and what the next run needs of it.
    async fn finish(&self, mut making: Making, mut archive: Archive) -> Result<Archive, Obstacle> {
        archive.next = making.next;
        archive.left_out += making.left_out;
        if making.results == 0 {
            return Ok(archive);
        }
        let zip = std::mem::replace(&mut making.zip, ZipStream::new());
        self.store(&mut making, zip.finish().map_err(unwritten)?).await?;
        let files = &self.runner.context.files;
        if let Some(pieces) = making.pieces {
            files.complete_pieces(pieces).await?;
        }
        let names = ObjectKey::of_archive(&self.batch, self.batch.run, ArchivePart::Names);
        files.put_text(&names, json!(making.own_names).to_string()).await?;
        archive.files.push(ArchiveFile { run: self.batch.run, bytes: making.stored, results: making.results });
        Ok(archive)
    }
}

impl Making {
    /// At most so many bytes with this result.
    fn bytes_with(&self, output: &Output) -> u64 {
        self.bytes + output.bytes + 2 * output.filename.len() as u64 + ENTRY
    }
}

/// What an item's job has for the archive.
enum Found {
    Nothing,
    /// Its result has expired or was deleted.
    Gone,
    Result {
        output: Output,
        key: String,
    },
}

impl Found {
    fn of(job: Job, now: Timestamp) -> Self {
        match (job.status_at(now), job.deletion.ended_as) {
            (JobStatus::Completed, _) => match (job.result.output, job.result.output_key) {
                (Some(output), Some(key)) => Self::Result { output, key },
                (None, _) | (_, None) => Self::Gone,
            },
            (JobStatus::Expired, _) | (JobStatus::Deleted, Some(JobStatus::Completed | JobStatus::Expired)) => {
                Self::Gone
            }
            (
                JobStatus::Queued
                | JobStatus::Processing
                | JobStatus::Failed
                | JobStatus::Canceled
                | JobStatus::Deleted,
                _,
            ) => Self::Nothing,
        }
    }
}

/// The same with the beginning of the result.
enum Begun {
    Nothing,
    Gone,
    Result { output: Output, key: String, beginning: Vec<u8> },
}

impl Begun {
    async fn of(found: Found, files: &Files, is_full: bool) -> Result<Self, FilesError> {
        Ok(match found {
            Found::Nothing => Self::Nothing,
            Found::Gone => Self::Gone,
            Found::Result { .. } if is_full => Self::Gone,
            Found::Result { output, key } if output.bytes == 0 => Self::Result { output, key, beginning: Vec::new() },
            Found::Result { output, key } => match files.find_part(&key, 0, BEGINNING).await? {
                Some(beginning) => Self::Result { output, key, beginning },
                // It was deleted after the job was read.
                None => Self::Gone,
            },
        })
    }
}

fn unwritten(error: impl std::fmt::Display) -> Obstacle {
    Obstacle::Archive(error.to_string())
}
