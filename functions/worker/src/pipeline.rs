//! Runs a job from its message to its end: claim, fetch, check, convert, store, complete.

use std::path::Path;
use std::time::{Duration, Instant};

use docmill_app::lanes::{LaneError, Lanes};
use docmill_app::notices::Notices;
use docmill_aws::files::{Files, FilesError, ObjectKey, OutputPart};
use docmill_aws::queue::{Message, Queue};
use docmill_config::Config;
use docmill_config::clock::Clock;
use docmill_confine::scratch::{self, Scratch};
use docmill_domain::api_key::Mode;
use docmill_domain::job::{
    Completion, Job, JobError, JobErrorCode, JobId, JobStatus, MAX_ATTEMPTS, MAX_INLINE_RESULTS_BYTES, MAX_WARNINGS,
    Payload, QUEUED_GRACE, Refund, Results, StoredResults, Timings, Traces,
};
use docmill_domain::request::JobRequest;
use docmill_domain::source::Origin;
use docmill_domain::time::{Timestamp, millis};
use docmill_domain::tool::QueueName;
use docmill_domain::upload::UploadId;
use docmill_engine::Failure;
use docmill_sources::Budget;
use docmill_store::StoreError;
use docmill_store::budgets::Budgets;
use docmill_store::fonts::Fonts;
use docmill_store::jobs::{Claim, Jobs, Lane, Written};
use docmill_store::templates::Templates;
use docmill_telemetry as telemetry;
use futures_util::{StreamExt, TryStreamExt, stream};
use uuid::Uuid;

use crate::account_files::AccountFiles;
use crate::attempt_error::AttemptError;
use crate::cancellation::unless_canceled;
use crate::converter::{Converted, Converter, Workspace};
use crate::delivery::{Delivered, deliver};
use crate::fonts::{AccountFonts, FontCache, FontSource};
use crate::progress::Tracker;
use crate::sources::{self, Given};
use crate::stored_keys::StoredKeys;

/// A lease must end after the function that holds it.
const LEASE_MARGIN: Duration = Duration::from_secs(15);
/// Time reserved for storing and completing after the conversion's deadline.
const STORE_TIME: Duration = Duration::from_secs(30);
/// Time for an engine to end its children after the deadline.
const DEADLINE_GRACE: Duration = Duration::from_secs(10);
/// How much of the time for storing a delivery may use.
const DELIVERY_TIME: Duration = Duration::from_secs(20);
const FIRST_RETRY_SECONDS: u32 = 5;
/// Most files of a result that are stored at the same time.
const STORED_AT_ONCE: usize = 4;

#[derive(Debug)]
pub struct Pipeline {
    pub config: Config,
    pub jobs: Jobs,
    pub budgets: Budgets,
    pub files: Files,
    pub queue: Queue,
    pub converter: Converter,
    pub fonts: Fonts,
    pub templates: Templates,
    pub font_cache: FontCache,
    /// The worker's queue.
    pub queue_name: QueueName,
    pub clock: Clock,
    /// How often to check whether a running job was canceled.
    pub look_every: Duration,
}

/// A delivery of a message.
#[derive(Clone, Copy, Debug)]
pub struct Delivery<'a> {
    pub body: &'a str,
    pub receipt: &'a str,
    /// When the platform stops this invocation.
    pub ends_at: Instant,
}

/// What to do with the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handled {
    /// Nothing is left to do.
    Acknowledge,
    /// The message must come back.
    Return,
}

impl Pipeline {
    pub async fn handle(&self, delivery: Delivery<'_>) -> Handled {
        let job_id = match serde_json::from_str(delivery.body) {
            Ok(Message::Convert { job_id }) => job_id,
            Err(error) => {
                // A message of a newer version, or not ours. It becomes a dead letter, which raises an alarm. This is done soon:
                // six receives with the full visibility time would take over two hours.
                tracing::error!(%error, "a message could not be read");
                self.return_in(FIRST_RETRY_SECONDS, delivery.receipt).await;
                return Handled::Return;
            }
        };
        // Boxed: futures of attempts and of SDK calls are large and deeply nested.
        match Box::pin(self.work(job_id, delivery)).await {
            Ok(handled) => handled,
            Err(error) => {
                tracing::error!(%job_id, %error, "a job could not be claimed");
                Handled::Return
            }
        }
    }

    /// Processes the job while it holds one of its account's slots.
    async fn work(&self, id: JobId, delivery: Delivery<'_>) -> Result<Handled, LaneError> {
        let Some(job) = self.jobs.get(id).await? else {
            tracing::warn!(job_id = %id, "a message names a job that does not exist");
            return Ok(Handled::Acknowledge);
        };
        if job.status.is_terminal() {
            return Ok(Handled::Acknowledge);
        }
        let most = self.config.limits.clone().narrowed_by(&job.request.limits).running_jobs;
        let (lane, holder) = (Lane::of(&job), Uuid::now_v7().simple().to_string());
        let lease = delivery.ends_at.saturating_duration_since(Instant::now()) + LEASE_MARGIN;
        let now = self.clock.now();
        if !Box::pin(self.lanes().enter(&job, &holder, most, (now, now.plus(lease)))).await? {
            tracing::info!(job_id = %id, "the job is held back: its account has as many running jobs as it may");
            return Ok(Handled::Acknowledge);
        }
        let handled = match self.claim(id, now, lease).await {
            Ok(Some(job)) => Ok(Box::pin(self.run(&job, delivery)).await),
            Ok(None) => Ok(Handled::Acknowledge),
            Err(error) => Err(error.into()),
        };
        if let Err(error) = Box::pin(self.lanes().leave(&lane, &holder, most, self.clock.now())).await {
            tracing::warn!(job_id = %id, %error, "a slot could not be given back, or held jobs not let go; the sweeper will do it");
        }
        handled
    }

    /// An attempt at a claimed job, and what follows from it.
    async fn run(&self, job: &Job, delivery: Delivery<'_>) -> Handled {
        let (started, stored, progress) = (Instant::now(), StoredKeys::default(), Tracker::default());
        let attempt = Box::pin(self.attempt(job, &stored, &progress, delivery.ends_at));
        let handled = match unless_canceled(&self.jobs, job, self.look_every, &progress, attempt).await {
            None => {
                tracing::info!(job_id = %job.id, "the attempt was stopped: its job was canceled, or another attempt has taken over");
                Handled::Acknowledge
            }
            Some(Ok(())) => return Handled::Acknowledge,
            Some(Err(error)) => Box::pin(self.recover(job, error, started.elapsed(), delivery.receipt)).await,
        };
        stored.discard(&self.jobs, &self.files, job).await;
        handled
    }

    /// Claims the job for an attempt. `None` if this delivery needs no work.
    async fn claim(&self, id: JobId, now: Timestamp, lease: Duration) -> Result<Option<Job>, StoreError> {
        match self.jobs.claim(id, now, lease).await? {
            Claim::Taken(job) => Ok(Some(*job)),
            Claim::NotNeeded | Claim::Unknown => Ok(None),
            Claim::Exhausted(job) => {
                let (error, ended_at) = (public_error(&Failure::internal("attempts used up")), self.clock.now());
                if self.jobs.fail(&job, &error, None, ended_at).await? == Written::Yes {
                    self.close(&job, JobStatus::Failed, ended_at).await;
                    telemetry::job::failed(&job, Refund::Full, error.code, "attempts used up");
                }
                Ok(None)
            }
        }
    }

    /// An attempt at a claimed job, up to its completion.
    async fn attempt(
        &self,
        job: &Job,
        kept: &StoredKeys,
        progress: &Tracker,
        ends_at: Instant,
    ) -> Result<(), AttemptError> {
        if let Some(delivered) = &job.delivery.delivered {
            return self.complete(job, self.again(job, delivered)).await;
        }
        let request = self.request(job).await?;
        // The directory is deleted when it goes out of scope, even after errors.
        let scratch = Scratch::new().map_err(|error| AttemptError::fault(format!("no scratch directory: {error}")))?;
        let deadline = ends_at.checked_sub(STORE_TIME).unwrap_or(ends_at);
        // Engines enforce the deadline themselves. It also applies to everything around them.
        let started = Instant::now();
        let limits = &self.config.limits.clone().narrowed_by(&job.request.limits);
        let given = self.stored_sources(job, &request, scratch.path(), &Budget::of(limits)).await?;
        let reading = started.elapsed();
        let (files, cache, account) = (&self.files, &self.font_cache, job.account.as_str());
        let fonts = FontSource::Account(AccountFonts { fonts: &self.fonts, files, cache, account });
        let at = Workspace { scratch: scratch.path(), deadline, mode: job.mode, limits, fonts, progress };
        let run = self.converter.run(&request, given, at);
        let converted =
            tokio::time::timeout_at((deadline + DEADLINE_GRACE).into(), run).await.map_err(|_| overdue())??;
        let converted = Converted { fetch: converted.fetch + reading, ..converted };

        let stored = Instant::now();
        let results = self.store(job, &converted, kept).await?;
        let deliver_until = (deadline + DELIVERY_TIME).into();
        let primary = converted.files.primary();
        if request.output.put_url.is_some() {
            match self.jobs.note_delivery(job).await? {
                Written::Yes => {}
                Written::Superseded => return Err(AttemptError::Superseded),
            }
        }
        let key = primary_key(job, &converted).to_string();
        let delivered = deliver(&self.converter.fetcher, &request.output, primary, &key, deliver_until).await?;
        let completion = self.completion(job, converted, results, stored.elapsed())?;
        if delivered == Delivered::Yes {
            self.note_delivered(job, &completion).await?;
        }
        self.complete(job, completion).await
    }

    /// Stores all files under keys of this attempt. Many files are described in a manifest, to keep the item small.
    async fn store(&self, job: &Job, converted: &Converted, kept: &StoredKeys) -> Result<StoredResults, AttemptError> {
        let key = |part| ObjectKey::of_result(job, part);
        let each = converted.files.each.iter().enumerate().map(|(index, made)| (OutputPart::File(index), made));
        let all: Vec<_> = each.chain(converted.files.archive.iter().map(|made| (OutputPart::Archive, made))).collect();
        kept.note(all.iter().map(|(part, _)| key(*part).to_string()));
        let stored = all.into_iter().map(|(part, made)| async move {
            let file = scratch::open_written(&made.path).map_err(|error| FilesError::Local(error.to_string()))?;
            self.files.put_file(&key(part), &file, &made.output.content_type).await
        });
        stream::iter(stored.collect::<Vec<_>>()).buffer_unordered(STORED_AT_ONCE).try_collect::<()>().await?;
        let outputs = converted.files.each.iter().map(|made| made.output.clone()).collect();
        let results = Results { outputs, report: converted.report.clone() };
        let text = serde_json::to_string(&results).map_err(|error| AttemptError::fault(error.to_string()))?;
        if text.len() <= MAX_INLINE_RESULTS_BYTES {
            return Ok(StoredResults::Inline(results));
        }
        kept.note([key(OutputPart::Manifest).to_string()]);
        self.files.put_text(&key(OutputPart::Manifest), text).await?;
        Ok(StoredResults::Manifest { files: results.outputs.len() })
    }

    /// If this can't be noted, another attempt may deliver the result again.
    async fn note_delivered(&self, job: &Job, completion: &Completion) -> Result<(), AttemptError> {
        match self.jobs.note_delivered(job, completion).await {
            Ok(Written::Yes) => {}
            Ok(Written::Superseded) => return Err(AttemptError::Superseded),
            Err(error) => tracing::warn!(job_id = %job.id, %error, "a delivery could not be noted"),
        }
        Ok(())
    }

    /// The canonical request with its secrets, from the job or the bucket.
    async fn request(&self, job: &Job) -> Result<JobRequest, AttemptError> {
        let payload = match &job.request.secret {
            Some(Payload::Inline(text)) => text.clone(),
            Some(Payload::Stored(key)) => self.files.get_text(key).await?,
            None => return Err(AttemptError::fault("the job carries no request")),
        };
        serde_json::from_str(&payload).map_err(|_| AttemptError::fault("the stored request is not readable"))
    }

    /// The sources in the bucket. Only those of the job's account can be found.
    async fn stored_sources(
        &self,
        job: &Job,
        request: &JobRequest,
        scratch: &Path,
        budget: &Budget,
    ) -> Result<Given, AttemptError> {
        let mut given = Given::new();
        let stored = AccountFiles {
            files: &self.files,
            jobs: &self.jobs,
            templates: &self.templates,
            clock: &self.clock,
            account: &job.account,
        };
        for (index, source) in request.sources().into_iter().enumerate() {
            let read = match source.origin {
                Origin::Upload(id) => {
                    let id =
                        UploadId::parse(&id).ok_or_else(|| AttemptError::fault("a stored upload id is invalid"))?;
                    stored.upload(id, &sources::place(scratch, index).await?, budget).await?
                }
                Origin::Job { id, output } => {
                    stored.result(id, output, &sources::place(scratch, index).await?, budget).await?
                }
                Origin::Template { name, version } => {
                    let version = version.ok_or_else(|| AttemptError::fault("a stored template without a version"))?;
                    stored.template(&name, version, &sources::place(scratch, index).await?, budget).await?
                }
                Origin::File(_) | Origin::Page(_) | Origin::Html(_) | Origin::Markdown(_) | Origin::Text(_) => continue,
            };
            given.insert(index, read);
        }
        Ok(given)
    }

    fn completion(
        &self,
        job: &Job,
        converted: Converted,
        results: StoredResults,
        store: Duration,
    ) -> Result<Completion, AttemptError> {
        let primary = converted.files.primary().ok_or_else(|| AttemptError::fault("a conversion without a result"))?;
        let output = primary.output.clone();
        let key = primary_key(job, &converted);
        let finished_at = self.clock.now();
        let timings = Timings {
            queued_ms: job.times.started_at.map_or(0, |started| started.millis_since(job.times.created_at)),
            fetch_ms: millis(converted.fetch),
            convert_ms: millis(converted.convert),
            store_ms: millis(store),
        };
        let files = converted.files.each.iter().map(|made| &made.output);
        let archive = converted.files.archive.as_ref().map(|made| &made.output);
        let traces = Traces::of(converted.sources, &converted.steps, files, archive);
        let mut warnings = job.result.warnings.clone();
        warnings.extend(converted.warnings);
        warnings.truncate(MAX_WARNINGS);
        Ok(Completion {
            output,
            output_key: key.to_string(),
            results: Some(results),
            steps: converted.steps,
            engine: converted.engine,
            timings,
            warnings,
            traces,
            finished_at,
            expires_at: finished_at.plus(self.retention(job)),
        })
    }

    /// What an earlier attempt has stored and delivered, but could not complete.
    fn again(&self, job: &Job, delivered: &Completion) -> Completion {
        let finished_at = self.clock.now();
        Completion { finished_at, expires_at: finished_at.plus(self.retention(job)), ..delivered.clone() }
    }

    fn retention(&self, job: &Job) -> Duration {
        job.request.retention_seconds.map_or(self.config.output_retention, Duration::from_secs)
    }

    async fn complete(&self, job: &Job, completion: Completion) -> Result<(), AttemptError> {
        match self.jobs.complete(job, &completion).await? {
            Written::Yes => {
                self.close(job, JobStatus::Completed, completion.finished_at).await;
                telemetry::job::completed(job, &completion);
                Ok(())
            }
            Written::Superseded => Err(AttemptError::Superseded),
        }
    }

    /// Fails the job or returns it for another attempt.
    async fn recover(&self, job: &Job, error: AttemptError, worked: Duration, receipt: &str) -> Handled {
        let (failure, last) = match error {
            AttemptError::Superseded => return Handled::Acknowledge,
            AttemptError::Elsewhere(queue) => return self.hand_over(job, queue).await,
            AttemptError::Failure(failure) => (failure, true),
            AttemptError::Fault { cause, engine } => {
                (Failure { engine, ..Failure::internal(cause) }, job.attempts >= MAX_ATTEMPTS)
            }
        };
        if last { self.fail(job, &failure, worked).await } else { self.give_back(job, &failure, receipt).await }
    }

    async fn fail(&self, job: &Job, failure: &Failure, worked: Duration) -> Handled {
        let charged = self.charge_of(job, failure, worked).await;
        let error = match charged {
            Charged::ForFailures => beyond_budget(failure),
            Charged::Nothing | Charged::ForResult => public_error(failure),
        };
        let refund = if charged == Charged::Nothing { Refund::Full } else { Refund::Nothing };
        let ended_at = self.clock.now();
        match self.jobs.fail_with(job, &error, failure.engine, refund, ended_at).await {
            Ok(Written::Yes) => {
                self.close(job, JobStatus::Failed, ended_at).await;
                telemetry::job::failed(job, refund, failure.code, &failure.cause);
                Handled::Acknowledge
            }
            // Timeline: A hangs until its lease has ended, the sweeper releases the job, A fails late, and B claims after that. B
            // still needs the stored request.
            Ok(Written::Superseded) => Handled::Acknowledge,
            Err(error) => {
                tracing::error!(job_id = %job.id, %error, "a failed job could not be marked; its lease will end");
                Handled::Return
            }
        }
    }

    /// What a failed job stays charged for. Failures that only its owner can mend are refunded while the account's budget for them
    /// lasts, so that nobody has work done for nothing all day.
    async fn charge_of(&self, job: &Job, failure: &Failure, worked: Duration) -> Charged {
        if failure.sent {
            return Charged::ForResult;
        }
        if job.mode == Mode::Test || !failure.code.is_owners_to_mend() {
            return Charged::Nothing;
        }
        let budget = self.config.limits.clone().narrowed_by(&job.request.limits).daily_refunded;
        match self.budgets.add_failure(&job.account, worked, self.clock.now()).await {
            Ok(used) if used > budget => Charged::ForFailures,
            Ok(_) => Charged::Nothing,
            Err(error) => {
                tracing::warn!(job_id = %job.id, %error, "a failed job's time could not be counted; it is refunded");
                Charged::Nothing
            }
        }
    }

    /// The message comes back soon rather than after its full visibility time. If the job can't be released, its lease ends, and
    /// the sweeper releases it.
    async fn give_back(&self, job: &Job, failure: &Failure, receipt: &str) -> Handled {
        telemetry::job::attempt_failed(job, self.queue_name, &failure.cause);
        let seconds = FIRST_RETRY_SECONDS << job.attempts.min(5);
        let due = self.clock.now().plus(Duration::from_secs(u64::from(seconds)) + QUEUED_GRACE);
        if let Err(error) = self.jobs.release(job, due).await {
            tracing::error!(job_id = %job.id, %error, "a job could not be released; its lease will end");
        }
        self.return_in(seconds, receipt).await;
        Handled::Return
    }

    /// Passes the job on to the worker of another queue. If its message is lost, the sweeper sends one to the job's own queue.
    async fn hand_over(&self, job: &Job, queue: QueueName) -> Handled {
        tracing::info!(job_id = %job.id, queue = queue.as_str(), "a job is passed on: its pages can't be loaded here");
        if let Err(error) = self.jobs.release(job, self.clock.now().plus(QUEUED_GRACE)).await {
            tracing::error!(job_id = %job.id, %error, "a job could not be released; its lease will end");
            return Handled::Return;
        }
        if let Err(error) = self.queue.send(queue, &job.account, &Message::Convert { job_id: job.id }).await {
            tracing::warn!(job_id = %job.id, %error, "a job could not be passed on; the sweeper will send it again");
        }
        Handled::Acknowledge
    }

    async fn return_in(&self, seconds: u32, receipt: &str) {
        let visible_in = i32::try_from(seconds).unwrap_or(i32::MAX);
        if let Err(error) = self.queue.retry_in(self.queue_name, receipt, visible_in).await {
            tracing::warn!(%error, "a message could not be returned early; the sweeper or its visibility timeout will release it");
        }
    }

    fn lanes(&self) -> Lanes<'_> {
        Lanes { jobs: &self.jobs, queue: &self.queue }
    }

    async fn close(&self, job: &Job, status: JobStatus, at: Timestamp) {
        Notices { jobs: &self.jobs, files: &self.files, queue: &self.queue }.close(job, status, at).await;
    }
}

/// Where the file is stored that a download of the result gets.
fn primary_key<'a>(job: &'a Job, converted: &Converted) -> ObjectKey<'a> {
    let part = if converted.files.archive.is_some() { OutputPart::Archive } else { OutputPart::File(0) };
    ObjectKey::of_result(job, part)
}

/// What a failed job stays charged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Charged {
    Nothing,
    ForResult,
    ForFailures,
}

/// The failure of a job that is beyond its account's budget.
fn beyond_budget(failure: &Failure) -> JobError {
    let message = format!(
        "{} Failed jobs of your account took more than its daily budget, so this one stays charged.",
        failure.message
    );
    JobError::new(failure.code, message).with_details(failure.details.iter().cloned())
}

fn public_error(failure: &Failure) -> JobError {
    JobError::new(failure.code, failure.message.clone()).with_details(failure.details.iter().cloned())
}

fn overdue() -> Failure {
    let message = "The conversion did not end in time. Make the document smaller, or split it.";
    Failure::new(JobErrorCode::ConversionTimeout, message, "the conversion outlasted its deadline")
}
