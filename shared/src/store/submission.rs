//! The one transaction that creates a job: idempotency record, job and debit, all or nothing.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{BuildError, ProvideErrorMetadata, SdkError};
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    CancellationReason, Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use rand::RngExt;
use tokio::time::Instant;

use super::item::{UsageItem, from_item, number, string, time, to_item};
use super::jobs::Jobs;
use super::usage::{TOOL_CREDITS, TOOL_JOBS, count, day_counter};
use super::{StoreError, store_error};
use crate::config::Tables;
use crate::domain::api_key::Mode;
use crate::domain::idempotency::IdempotencyRecord;
use crate::domain::job::{Job, JobId};
use crate::domain::quota::Charge;
use crate::domain::time::{Period, Timestamp};

/// A test key may create this many jobs a UTC day.
pub const TEST_JOBS_PER_DAY: u64 = 100;
const MAX_REMEMBERED: usize = 10_000;
/// A refund may have refilled included credits since; they lapse, so they are not left unspent for longer than this.
const REMEMBERED_MS: u64 = 60_000;
const FIRST_BACKOFF_MS: u64 = 10;
const LONGEST_BACKOFF_MS: u64 = 400;

#[derive(Debug)]
pub struct Submissions {
    client: Client,
    jobs_table: String,
    usage_table: String,
    jobs: Jobs,
    /// When the included credits of an account's month were found spent, so that its creates stay one transaction.
    spent: Mutex<HashMap<(String, Period), Timestamp>>,
}

/// What is to be written, the same for every attempt.
#[derive(Debug)]
pub struct Submission {
    pub job: Job,
    pub idempotency: Option<IdempotencyRecord>,
    /// Credits, for a live key.
    pub cost: u64,
    /// What the account's plan includes each month.
    pub included: u64,
    pub now: Timestamp,
}

#[derive(Debug)]
pub enum Created {
    Fresh(Box<Job>),
    /// The same request was accepted before; this is its job.
    Replay(Box<Job>),
    /// The idempotency key was used for another request.
    Mismatch,
    InsufficientCredits {
        available: u64,
    },
    TestQuotaExhausted,
}

/// Where a debit takes its credits from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Debit {
    /// A test job: nothing, but it counts against the day.
    TestDay,
    /// The month's included credits, whatever is left of them beyond the cost.
    Included,
    /// What is left of the included credits (exactly `included`), the rest from granted ones.
    Split { included: u64, granted: u64 },
}

/// What an attempt's cancelled transaction says.
enum Verdict {
    Done(Created),
    /// The included credits do not suffice: this much is left.
    IncludedLeft(u64),
    GrantedLeft(u64),
    /// The record that stands in the way, and names this job.
    Recorded(IdempotencyRecord),
    JobExists,
    Contended,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Record,
    Job,
    Balance,
    Profile,
}

impl Submissions {
    pub fn new(client: Client, tables: &Tables) -> Self {
        let jobs = Jobs::new(client.clone(), tables);
        let (jobs_table, usage_table) = (tables.jobs.clone(), tables.usage.clone());
        Self { client, jobs_table, usage_table, jobs, spent: Mutex::default() }
    }

    /// Writes the submission once, however often it has to be tried before `deadline`.
    pub async fn create(&self, submission: Submission, deadline: Instant) -> Result<Created, StoreError> {
        Attempts { store: self, submission, deadline, variant: 0, forgotten: None, backoff_ms: FIRST_BACKOFF_MS }
            .run()
            .await
    }

    /// The job that an earlier request made under the same key, if that request was the same.
    pub async fn earlier(&self, id: &str, fingerprint: &str, now: Timestamp) -> Result<Option<Job>, StoreError> {
        let output = self
            .client
            .get_item()
            .table_name(&self.jobs_table)
            .key("id", string(id))
            .consistent_read(true)
            .send()
            .await
            .map_err(|error| store_error(&error))?;
        let record: Option<IdempotencyRecord> = output.item.map(from_item).transpose()?;
        match record.filter(|record| record.kept_until > now && record.fingerprint == fingerprint) {
            Some(record) => self.jobs.get(record.job_id).await,
            None => Ok(None),
        }
    }

    fn is_spent(&self, account: &str, period: Period, now: Timestamp) -> bool {
        let Ok(spent) = self.spent.lock() else { return false };
        spent.get(&(account.to_owned(), period)).is_some_and(|seen| now.millis_since(*seen) < REMEMBERED_MS)
    }

    fn note_spent(&self, account: &str, period: Period, since: Option<Timestamp>) {
        let Ok(mut spent) = self.spent.lock() else { return };
        if spent.len() >= MAX_REMEMBERED {
            spent.clear();
        }
        let entry = (account.to_owned(), period);
        match since {
            Some(now) => drop(spent.insert(entry, now)),
            None => drop(spent.remove(&entry)),
        }
    }
}

/// One submission on its way through as many transactions as it takes.
struct Attempts<'a> {
    store: &'a Submissions,
    submission: Submission,
    deadline: Instant,
    /// Counts the different transactions tried: a token must not be used for two of them.
    variant: u32,
    /// A job that the idempotency record still names although it is gone.
    forgotten: Option<JobId>,
    backoff_ms: u64,
}

impl Attempts<'_> {
    async fn run(mut self) -> Result<Created, StoreError> {
        let (mut debit, mut guessed) = self.first_debit();
        while Instant::now() < self.deadline {
            let verdict = match self.write(debit).await {
                Ok(()) => return Ok(self.fresh(debit)),
                Err(error) => self.judge(error, debit).await?,
            };
            match verdict {
                Verdict::Done(created) => return Ok(created),
                Verdict::JobExists => return self.won_earlier().await,
                Verdict::Contended => self.back_off().await?,
                Verdict::Recorded(record) => match self.store.jobs.get(record.job_id).await? {
                    Some(job) => return Ok(Created::Replay(Box::new(job))),
                    None => self.change(|this| this.forgotten = Some(record.job_id)),
                },
                Verdict::IncludedLeft(left) => {
                    guessed = false;
                    debit = self.debit_with(left);
                    self.change(|_| {});
                }
                // What we remembered of the included credits may be wrong by now (a refund): look before refusing.
                Verdict::GrantedLeft(_) if guessed => {
                    guessed = false;
                    self.store.note_spent(&self.submission.job.account, self.submission.job.period, None);
                    debit = self.untouched_debit();
                    self.change(|_| {});
                }
                Verdict::GrantedLeft(granted) => {
                    let included = match debit {
                        Debit::Split { included, .. } => included,
                        Debit::Included | Debit::TestDay => 0,
                    };
                    return Ok(Created::InsufficientCredits { available: included + granted });
                }
            }
        }
        Err(StoreError::Unavailable("the job could not be written in time".into()))
    }

    /// The debit to try first, and whether it rests on memory alone.
    fn first_debit(&self) -> (Debit, bool) {
        let Submission { job, cost, now, .. } = &self.submission;
        if job.mode == Mode::Test {
            (Debit::TestDay, false)
        } else if self.store.is_spent(&job.account, job.period, *now) {
            (Debit::Split { included: 0, granted: *cost }, true)
        } else {
            (self.untouched_debit(), false)
        }
    }

    /// The debit for an account whose month has not begun. If it has, the condition fails and says how much is left.
    fn untouched_debit(&self) -> Debit {
        let Submission { cost, included, .. } = &self.submission;
        match cost.checked_sub(*included) {
            Some(granted) if granted > 0 => Debit::Split { included: *included, granted },
            Some(_) | None => Debit::Included,
        }
    }

    /// The debit for an account of whose included credits `left` are left.
    fn debit_with(&self, left: u64) -> Debit {
        let Submission { job, cost, now, .. } = &self.submission;
        self.store.note_spent(&job.account, job.period, (left < *cost).then_some(*now));
        match cost.checked_sub(left) {
            Some(granted) if granted > 0 => Debit::Split { included: left, granted },
            Some(_) | None => Debit::Included,
        }
    }

    fn change(&mut self, change: impl FnOnce(&mut Self)) {
        self.variant += 1;
        change(self);
    }

    fn fresh(&self, debit: Debit) -> Created {
        Created::Fresh(Box::new(self.job(debit)))
    }

    fn job(&self, debit: Debit) -> Job {
        let charge = match debit {
            Debit::TestDay => Charge::NOTHING,
            Debit::Included => Charge { included: self.submission.cost, granted: 0 },
            Debit::Split { included, granted } => Charge { included, granted },
        };
        Job { charge, included_credits: self.submission.included, ..self.submission.job.clone() }
    }

    async fn write(&self, debit: Debit) -> Result<(), SdkOrStoreError> {
        let writes = self.parts(debit).into_iter().map(|part| self.part(part, debit)).collect::<Result<_, _>>()?;
        // One token for all attempts at one transaction: a repetition after a lost answer changes nothing.
        let token = format!("{}{:02}", self.submission.job.id.simple(), self.variant % 100);
        self.store
            .client
            .transact_write_items()
            .client_request_token(token)
            .set_transact_items(Some(writes))
            .send()
            .await
            .map_err(|error| SdkOrStoreError::Sdk(Box::new(error)))?;
        Ok(())
    }

    /// The parts of the transaction in their order, by which cancellation reasons are read.
    fn parts(&self, debit: Debit) -> Vec<Part> {
        let mut parts = Vec::with_capacity(4);
        if self.submission.idempotency.is_some() {
            parts.push(Part::Record);
        }
        parts.extend([Part::Job, Part::Balance]);
        if matches!(debit, Debit::Split { granted: 1.., .. }) {
            parts.push(Part::Profile);
        }
        parts
    }

    fn part(&self, part: Part, debit: Debit) -> Result<TransactWriteItem, SdkOrStoreError> {
        Ok(match (part, &self.submission.idempotency) {
            (Part::Record, Some(record)) => put(self.put_record(record)?),
            (Part::Record | Part::Job, _) => put(self.put_job(debit)?),
            (Part::Balance, _) => update(self.update_balance(debit)?),
            (Part::Profile, _) => update(self.update_profile(debit)?),
        })
    }

    fn put_record(&self, record: &IdempotencyRecord) -> Result<Put, SdkOrStoreError> {
        // Timeline: A and B carry the same key at once. A's transaction commits record, job and debit; B's fails here,
        // reads A's record and answers with A's job. A record past its time, or one whose job is gone, is overwritten.
        let mut put = Put::builder()
            .table_name(&self.store.jobs_table)
            .set_item(Some(to_item(record)?))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .expression_attribute_values(":now", time(self.submission.now));
        let condition = "attribute_not_exists(id) OR kept_until <= :now";
        put = match self.forgotten {
            Some(job) => put
                .condition_expression(format!("{condition} OR job_id = :forgotten"))
                .expression_attribute_values(":forgotten", string(job.to_string())),
            None => put.condition_expression(condition),
        };
        Ok(put.build()?)
    }

    fn put_job(&self, debit: Debit) -> Result<Put, SdkOrStoreError> {
        // Timeline: our first try commits, its answer is lost, and a changed second try comes: it must not charge again.
        Ok(Put::builder()
            .table_name(&self.store.jobs_table)
            .set_item(Some(to_item(&self.job(debit))?))
            .condition_expression("attribute_not_exists(id)")
            .build()?)
    }

    fn update_balance(&self, debit: Debit) -> Result<Update, SdkOrStoreError> {
        let Submission { job, cost, included, now, .. } = &self.submission;
        let counters = "ADD #created :one, #used :cost, #tool_jobs :one, #tool_credits :cost, #day :one";
        let counting = Update::builder()
            .table_name(&self.store.usage_table)
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .expression_attribute_values(":one", number(1));
        let charging = |update: aws_sdk_dynamodb::types::builders::UpdateBuilder| {
            update
                .set_key(Some(UsageItem::Balance(job.period).key(&job.account)))
                .expression_attribute_names("#created", "created")
                .expression_attribute_names("#used", "used")
                .expression_attribute_names("#tool_jobs", format!("{TOOL_JOBS}{}", job.tool))
                .expression_attribute_names("#tool_credits", format!("{TOOL_CREDITS}{}", job.tool))
                .expression_attribute_names("#day", day_counter(job.created_at, &job.tool))
                .expression_attribute_values(":cost", number(cost))
        };
        let update = match debit {
            // Timeline: a hundred requests race for the day's last test job; the condition lets one of them pass.
            Debit::TestDay => counting
                .set_key(Some(UsageItem::TestDay(*now).key(&job.account)))
                .condition_expression("attribute_not_exists(jobs) OR jobs < :limit")
                .update_expression("ADD jobs :one SET #ttl = :ttl")
                .expression_attribute_names("#ttl", "ttl")
                .expression_attribute_values(":limit", number(TEST_JOBS_PER_DAY))
                .expression_attribute_values(
                    ":ttl",
                    number(now.next_day().plus(Duration::from_secs(86_400)).as_ttl_seconds()),
                ),
            // Timeline: A and B race for the last credit. Both read nothing; the condition is judged at the write, so
            // one of them finds `remaining` below the cost. The month's first debit creates the item at its full value.
            Debit::Included => charging(counting)
                .condition_expression("attribute_not_exists(remaining) OR remaining >= :cost")
                .update_expression(format!("SET remaining = if_not_exists(remaining, :included) - :cost {counters}"))
                .expression_attribute_values(":included", number(included)),
            Debit::Split { included: 0, .. } => charging(counting).update_expression(counters),
            // Timeline: A takes the last included credits while B computes its split from them: B's `remaining = :left`
            // fails, and B computes anew. A month that has not begun has all of its included credits left.
            Debit::Split { included: left, .. } => charging(counting)
                .condition_expression("attribute_not_exists(remaining) OR remaining = :left")
                .update_expression(format!("SET remaining = if_not_exists(remaining, :left) - :left {counters}"))
                .expression_attribute_values(":left", number(left)),
        };
        Ok(update.build()?)
    }

    fn update_profile(&self, debit: Debit) -> Result<Update, SdkOrStoreError> {
        let granted = match debit {
            Debit::Split { granted, .. } => granted,
            Debit::Included | Debit::TestDay => 0,
        };
        Ok(Update::builder()
            .table_name(&self.store.usage_table)
            .set_key(Some(UsageItem::Profile.key(&self.submission.job.account)))
            // Timeline: as for the balance; an account without a profile has nothing granted, and none is created here.
            .condition_expression("granted >= :granted")
            .update_expression("SET granted = granted - :granted")
            .expression_attribute_values(":granted", number(granted))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .build()?)
    }

    /// Turns a failed attempt into what it means for the submission.
    async fn judge(&self, error: SdkOrStoreError, debit: Debit) -> Result<Verdict, StoreError> {
        let error = match error {
            SdkOrStoreError::Sdk(error) => error,
            SdkOrStoreError::Store(error) => return Err(error),
        };
        match error.as_service_error() {
            Some(TransactWriteItemsError::TransactionCanceledException(canceled)) => {
                self.read_reasons(canceled.cancellation_reasons(), debit)
            }
            Some(TransactWriteItemsError::TransactionInProgressException(_)) => Ok(Verdict::Contended),
            _ => self.after_unknown_outcome(&error).await,
        }
    }

    fn read_reasons(&self, reasons: &[CancellationReason], debit: Debit) -> Result<Verdict, StoreError> {
        let of = |part: Part| {
            let position = self.parts(debit).into_iter().position(|candidate| candidate == part)?;
            reasons.get(position).filter(|reason| reason.code() == Some("ConditionalCheckFailed"))
        };
        // The record comes first: a replay is a replay even where credits have run out since.
        if let (Some(reason), Some(ours)) = (of(Part::Record), &self.submission.idempotency) {
            let Some(item) = reason.item().cloned() else { return Ok(Verdict::Contended) };
            let record: IdempotencyRecord = from_item(item)?;
            let same = record.fingerprint == ours.fingerprint;
            return Ok(if same { Verdict::Recorded(record) } else { Verdict::Done(Created::Mismatch) });
        }
        if of(Part::Job).is_some() {
            return Ok(Verdict::JobExists);
        }
        if let Some(reason) = of(Part::Balance) {
            return Ok(match debit {
                Debit::TestDay => Verdict::Done(Created::TestQuotaExhausted),
                Debit::Included | Debit::Split { .. } => {
                    Verdict::IncludedLeft(reason.item().map_or(0, |item| count(item, "remaining")))
                }
            });
        }
        if let Some(reason) = of(Part::Profile) {
            return Ok(Verdict::GrantedLeft(reason.item().map_or(0, |item| count(item, "granted"))));
        }
        let refused = reasons.iter().find(|reason| reason.code() == Some("ValidationError"));
        match refused {
            Some(reason) => Err(StoreError::Refused(reason.message().unwrap_or("ValidationError").to_owned())),
            None => Ok(Verdict::Contended),
        }
    }

    /// No answer, a timeout or a 5xx: the transaction may have been committed. The job itself tells.
    async fn after_unknown_outcome(&self, error: &SdkError<TransactWriteItemsError>) -> Result<Verdict, StoreError> {
        if let refused @ StoreError::Refused(_) = store_error(error) {
            return Err(refused);
        }
        tracing::warn!(code = error.code(), "a submission's outcome is unknown; reading the job");
        if self.store.jobs.get(self.submission.job.id).await?.is_some() {
            return Ok(Verdict::JobExists);
        }
        Ok(Verdict::Contended)
    }

    async fn won_earlier(&self) -> Result<Created, StoreError> {
        let job = self.store.jobs.get(self.submission.job.id).await?;
        job.map(|job| Created::Fresh(Box::new(job)))
            .ok_or_else(|| StoreError::Unavailable("the job that stood in the way is gone".into()))
    }

    /// Waits with jitter before the next try, or gives up when that would overrun the deadline.
    async fn back_off(&mut self) -> Result<(), StoreError> {
        let wait = Duration::from_millis(rand::rng().random_range(self.backoff_ms / 2..=self.backoff_ms));
        if Instant::now() + wait >= self.deadline {
            return Err(StoreError::Unavailable("the job could not be written in time".into()));
        }
        tokio::time::sleep(wait).await;
        self.backoff_ms = (self.backoff_ms * 2).min(LONGEST_BACKOFF_MS);
        Ok(())
    }
}

fn put(put: Put) -> TransactWriteItem {
    TransactWriteItem::builder().put(put).build()
}

fn update(update: Update) -> TransactWriteItem {
    TransactWriteItem::builder().update(update).build()
}

enum SdkOrStoreError {
    Sdk(Box<SdkError<TransactWriteItemsError>>),
    Store(StoreError),
}

impl From<StoreError> for SdkOrStoreError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<BuildError> for SdkOrStoreError {
    fn from(error: BuildError) -> Self {
        Self::Store(StoreError::Malformed(error.to_string()))
    }
}
