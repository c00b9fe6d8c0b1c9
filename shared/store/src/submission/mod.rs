//! The transaction that creates a job: idempotency record, job and debit, all or nothing.

mod places;

use std::time::Duration;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{Put, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update};
use tokio::time::Instant;
use uuid::Uuid;

use self::places::Places;
use super::batches::Gate;
use super::dynamo::{Retries, Transacted, get, put, transact_as, update};
use super::item::{Item, UsageItem, from_item, job_item, number, string, time, to_item};
use super::jobs::Jobs;
use super::{StoreError, credits};
use docmill_config::Tables;
use docmill_domain::api_key::Mode;
use docmill_domain::credits::{Debit, Insufficient, Order};
use docmill_domain::idempotency::IdempotencyRecord;
use docmill_domain::job::{self, Job, JobId};
use docmill_domain::quota::Charge;
use docmill_domain::time::Timestamp;

/// Most writes in a transaction of DynamoDB.
const MOST_WRITES: usize = 100;
/// Most jobs that a test key may create per UTC day.
pub const TEST_JOBS_PER_DAY: u64 = 100;
const FIRST_BACKOFF_MS: u64 = 10;
const LONGEST_BACKOFF_MS: u64 = 400;

/// Creates jobs.
#[derive(Debug)]
pub struct Submissions {
    client: Client,
    jobs_table: String,
    usage_table: String,
    events_table: String,
    jobs: Jobs,
    places: Places,
}

/// The content of the transaction, which is the same in every attempt.
#[derive(Debug)]
pub struct Submission {
    /// The job as it will be stored, except what it is charged.
    pub job: Job,
    /// Of a request with an idempotency key.
    pub idempotency: Option<IdempotencyRecord>,
    /// Unfinished jobs whose results the job takes.
    pub awaited: Vec<JobId>,
    /// The run that creates it, for a job of a batch.
    pub gate: Option<Gate>,
    /// Credits, for a live key.
    pub cost: u64,
    /// Credits that the account's plan includes each month.
    pub included: u64,
    /// The time of the request.
    pub now: Timestamp,
}

/// The outcome of a submission.
#[derive(Debug)]
pub enum Created {
    /// The job is written, with its charge.
    Fresh(Box<Job>),
    /// The same request was accepted before, and created this job.
    Replay(Box<Job>),
    /// The idempotency key was used for another request.
    Mismatch,
    /// An awaited job has just ended, or no more jobs may wait for it.
    AwaitedMoved,
    /// The run no longer creates jobs of its batch.
    GateClosed,
    /// The account has too few credits. Nothing was written.
    InsufficientCredits {
        /// Credits that are left.
        available: u64,
    },
    /// The account has created [`TEST_JOBS_PER_DAY`]. Nothing was written.
    TestQuotaExhausted,
}

/// How a job is paid for.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Payment {
    /// A test job: free, but counted towards the day's limit.
    TestDay,
    Debit(Debit),
}

/// The outcome of one attempt.
enum Verdict {
    Written,
    Done(Created),
    /// The conflicting record, which names this job.
    Recorded(IdempotencyRecord),
    JobExists,
    /// The credits are not where the attempt expected them.
    CreditsMoved,
    /// Another transaction was in progress, on the credits or on another item.
    Contended {
        for_credits: bool,
    },
}

impl Submissions {
    /// Over the tables Jobs, Usage and Events. Each value remembers where accounts had credits: have one per environment.
    pub fn new(client: Client, tables: &Tables) -> Self {
        let jobs = Jobs::new(client.clone(), tables);
        let Tables { jobs: jobs_table, usage: usage_table, events: events_table, .. } = tables.clone();
        Self { client, jobs_table, usage_table, events_table, jobs, places: Places::default() }
    }

    /// Writes the submission once, with retries until `deadline`.
    ///
    /// # Errors
    /// If it can't be written until `deadline`. It may have been all the same.
    pub async fn create(&self, submission: Submission, deadline: Instant) -> Result<Created, StoreError> {
        let attempts = Attempts {
            store: self,
            submission,
            token: Uuid::now_v7().simple().to_string(),
            retries: Retries::until(deadline, FIRST_BACKOFF_MS, LONGEST_BACKOFF_MS),
            payment: None,
            look: false,
            conflicts: 0,
            variant: 0,
            forgotten: None,
        };
        attempts.run().await
    }

    /// The job of an earlier request with the same key, if that request was the same.
    ///
    /// # Errors
    /// If the table can't be read now.
    pub async fn earlier(&self, id: &str, fingerprint: &str, now: Timestamp) -> Result<Option<Job>, StoreError> {
        match self.record(id, now).await?.filter(|record| record.fingerprint == fingerprint) {
            Some(record) => self.jobs.get(record.job_id).await,
            None => Ok(None),
        }
    }

    async fn record(&self, id: &str, now: Timestamp) -> Result<Option<IdempotencyRecord>, StoreError> {
        let key = Item::from([("id".to_owned(), string(id))]);
        let record: Option<IdempotencyRecord> = get(&self.client, &self.jobs_table, key).await?;
        Ok(record.filter(|record| record.kept_until > now))
    }
}

/// A submission, and the state of its attempts.
struct Attempts<'a> {
    store: &'a Submissions,
    submission: Submission,
    /// Begins the tokens of its transactions. The job's id does not do: two runs of a batch may create the same job, with other
    /// content, and DynamoDB refuses a token that it knows with other content.
    token: String,
    retries: Retries,
    /// The payment of the last attempt.
    payment: Option<Payment>,
    /// Whether to read the balance before the next attempt.
    look: bool,
    /// How often others used the same credits.
    conflicts: u32,
    /// Counts the different transactions: each needs its own token.
    variant: u32,
    /// A deleted job that the idempotency record still names.
    forgotten: Option<JobId>,
}

impl Attempts<'_> {
    async fn run(mut self) -> Result<Created, StoreError> {
        while self.retries.have_time() {
            let payment = match self.next_payment().await? {
                Ok(payment) => payment,
                Err(Insufficient { available }) => return self.refuse(available).await,
            };
            if self.payment.as_ref() != Some(&payment) {
                self.variant += 1;
                self.payment = Some(payment.clone());
            }
            match self.write(&payment).await? {
                Verdict::Written => return Ok(Created::Fresh(Box::new(self.job(&payment)))),
                Verdict::Done(created) => return Ok(created),
                Verdict::JobExists => return self.won_earlier().await,
                Verdict::Recorded(record) => match self.replay(&record).await? {
                    Some(created) => return Ok(created),
                    None => {
                        self.variant += 1;
                        self.forgotten = Some(record.job_id);
                    }
                },
                // The read was fresh, so others have changed the credits since.
                Verdict::CreditsMoved if self.look => self.back_off().await?,
                Verdict::CreditsMoved => self.look = true,
                Verdict::Contended { for_credits } => self.step_aside(for_credits).await?,
            }
        }
        Err(too_late())
    }

    /// Where the credits come from: the same place as the last time, or the result of a read.
    async fn next_payment(&mut self) -> Result<Result<Payment, Insufficient>, StoreError> {
        let Submission { job, cost, included, now, .. } = &self.submission;
        if job.mode == Mode::Test {
            return Ok(Ok(Payment::TestDay));
        }
        let (account, period, places) = (job.account.clone(), job.payment.period, &self.store.places);
        let (account, included, now) = (account.as_str(), *included, *now);
        let order = Order { cost: *cost, included, till: places.till(account, now) };
        if !self.look {
            if places.is_spent(account, period, included, now) {
                return Ok(Ok(Payment::Debit(Debit::of_granted_at_once(order))));
            }
            if let Some(debit) = Debit::at_once(order) {
                return Ok(Ok(Payment::Debit(debit)));
            }
            self.look = true;
        }
        let debit = self.planned(order).await?;
        let is_spent = debit.as_ref().is_ok_and(|debit| debit.charge.granted > 0);
        places.note_spent(account, period, included, is_spent.then_some(now));
        Ok(debit.map(Payment::Debit))
    }

    /// A debit from the credits that a read finds. If it touches too many tills for the transaction, they are emptied first.
    async fn planned(&mut self, order: Order) -> Result<Result<Debit, Insufficient>, StoreError> {
        let (client, table) = (&self.store.client, &self.store.usage_table);
        loop {
            let Submission { job, awaited, .. } = &self.submission;
            let pots = credits::read(client, table, &job.account, job.payment.period).await?.pots;
            let debit = Debit::planned(order, &pots);
            // Besides the credits: the idempotency record or the batch, the job, and the jobs that it waits for.
            let fits = |debit: &Debit| 2 + awaited.len() + debit.writes.len() <= MOST_WRITES;
            if debit.as_ref().map_or(true, fits) {
                return Ok(debit);
            }
            match credits::gather(client, table, &job.account, job.payment.period, &pots).await? {
                Transacted::Committed => {}
                Transacted::Failed(_) | Transacted::Contended(_) => self.back_off().await?,
            }
        }
    }

    /// A replay is accepted even if credits have run out since.
    ///
    /// Timeline: our first transaction commits late, after the job was looked for, and takes the last credit. There are no credits
    /// for another one, and the job exists. The same if an earlier run of a batch created the item's job and died.
    async fn refuse(&self, available: u64) -> Result<Created, StoreError> {
        if (self.payment.is_some() || self.submission.gate.is_some())
            && let Some(job) = self.store.jobs.get(self.submission.job.id).await?
        {
            return Ok(Created::Fresh(Box::new(job)));
        }
        if let Some(ours) = &self.submission.idempotency
            && let Some(record) = self.store.record(&ours.id, self.submission.now).await?
        {
            if record.fingerprint != ours.fingerprint {
                return Ok(Created::Mismatch);
            }
            if let Some(created) = self.replay(&record).await? {
                return Ok(created);
            }
        }
        Ok(Created::InsufficientCredits { available })
    }

    async fn replay(&self, record: &IdempotencyRecord) -> Result<Option<Created>, StoreError> {
        Ok(self.store.jobs.get(record.job_id).await?.map(|job| Created::Replay(Box::new(job))))
    }

    /// Others use the same item. After one conflict, the environment tries again. If conflicts go on, it moves to its own till,
    /// and then to another one.
    async fn step_aside(&mut self, for_credits: bool) -> Result<(), StoreError> {
        let Submission { job, now, .. } = &self.submission;
        self.conflicts += u32::from(for_credits);
        if for_credits && !self.look && self.store.places.leave(&job.account, self.conflicts > 1, *now) {
            return Ok(());
        }
        self.back_off().await
    }

    fn job(&self, payment: &Payment) -> Job {
        let (charge, till) = match payment {
            Payment::TestDay => (Charge::NOTHING, None),
            Payment::Debit(debit) => (debit.charge, debit.till),
        };
        let mut job = self.submission.job.clone();
        job.payment = job::Payment { charge, till, included_credits: self.submission.included, ..job.payment };
        job
    }

    /// One attempt. The parts are in the order in which their failures are checked: record, job, awaited jobs, gate, credits.
    async fn write(&self, payment: &Payment) -> Result<Verdict, StoreError> {
        let Submission { job, idempotency, awaited, gate, .. } = &self.submission;
        let mut writes = Vec::with_capacity(5 + awaited.len());
        if let Some(record) = idempotency {
            writes.push(self.put_record(record)?);
        }
        let job_position = writes.len();
        writes.push(self.put_job(payment)?);
        for awaited in awaited {
            writes.push(self.store.jobs.register_waiter(*awaited, job)?);
        }
        let before_credits = self.before_credits(job_position);
        if let Some(gate) = gate {
            writes.push(gate.check(&self.store.events_table)?);
        }
        match payment {
            Payment::TestDay => writes.push(self.count_test_job()?),
            Payment::Debit(debit) => {
                writes.extend(credits::debit(&self.store.usage_table, &job.account, job.payment.period, debit)?);
            }
        }
        // One token per transaction, so that a repetition after a lost response changes nothing.
        let token = format!("{}{:04}", self.token, self.variant % 10_000);
        match transact_as(&self.store.client, Some(token), writes).await {
            Ok(Transacted::Committed) => Ok(Verdict::Written),
            Ok(Transacted::Contended(positions)) => {
                let for_credits = positions.iter().any(|position| *position > before_credits);
                Ok(Verdict::Contended { for_credits })
            }
            Ok(Transacted::Failed(failed)) => self.judge(failed, job_position, payment),
            Err(StoreError::Unavailable(cause)) => self.after_unknown_outcome(&cause).await,
            Err(error @ (StoreError::Refused(_) | StoreError::Malformed(_))) => Err(error),
        }
    }

    /// The position of the last part before the credits.
    fn before_credits(&self, job_position: usize) -> usize {
        let Submission { awaited, gate, .. } = &self.submission;
        job_position + awaited.len() + usize::from(gate.is_some())
    }

    fn put_record(&self, record: &IdempotencyRecord) -> Result<TransactWriteItem, StoreError> {
        // Timeline: A and B use the same key at once. A's transaction commits record, job and debit; B's fails here, reads A's
        // record and answers with A's job. A record that is expired, or whose job is deleted, is overwritten.
        let mut record = Put::builder()
            .table_name(&self.store.jobs_table)
            .set_item(Some(to_item(record)?))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
            .expression_attribute_values(":now", time(self.submission.now));
        let condition = "attribute_not_exists(id) OR kept_until <= :now";
        record = match self.forgotten {
            Some(job) => record
                .condition_expression(format!("{condition} OR job_id = :forgotten"))
                .expression_attribute_values(":forgotten", string(job.to_string())),
            None => record.condition_expression(condition),
        };
        put(record.build())
    }

    fn put_job(&self, payment: &Payment) -> Result<TransactWriteItem, StoreError> {
        // Timeline: our first try commits and its response is lost. A second try with another payment must not charge again.
        let job = Put::builder()
            .table_name(&self.store.jobs_table)
            .set_item(Some(job_item(&self.job(payment))?))
            .condition_expression("attribute_not_exists(id)");
        put(job.build())
    }

    fn count_test_job(&self) -> Result<TransactWriteItem, StoreError> {
        let Submission { job, now, .. } = &self.submission;
        let ttl = now.next_day().plus(Duration::from_secs(86_400)).as_ttl_seconds();
        let day = Update::builder()
            .table_name(&self.store.usage_table)
            .set_key(Some(UsageItem::TestDay(*now).key(&job.account)))
            // Timeline: a hundred requests compete for the day's last test job. The condition admits one of them.
            .condition_expression("attribute_not_exists(jobs) OR jobs < :limit")
            .update_expression("ADD jobs :one SET #ttl = :ttl")
            .expression_attribute_names("#ttl", "ttl")
            .expression_attribute_values(":one", number(1))
            .expression_attribute_values(":limit", number(TEST_JOBS_PER_DAY))
            .expression_attribute_values(":ttl", number(ttl));
        update(day.build())
    }

    /// Maps failed conditions to their meaning for the submission.
    fn judge(
        &self,
        failed: Vec<(usize, Option<Item>)>,
        job_position: usize,
        payment: &Payment,
    ) -> Result<Verdict, StoreError> {
        // The record comes first: a replay is accepted even if credits have run out since.
        if let (Some(ours), Some((_, item))) =
            (&self.submission.idempotency, failed.iter().find(|(position, _)| *position < job_position))
        {
            let Some(item) = item.clone() else { return Ok(Verdict::Contended { for_credits: false }) };
            let record: IdempotencyRecord = from_item(item)?;
            // Timeline: our first transaction commits and its response is lost. The next one has another payment, and fails on
            // our own record.
            if record.job_id == self.submission.job.id {
                return Ok(Verdict::JobExists);
            }
            let same = record.fingerprint == ours.fingerprint;
            return Ok(if same { Verdict::Recorded(record) } else { Verdict::Done(Created::Mismatch) });
        }
        if failed.iter().any(|(position, _)| *position == job_position) {
            return Ok(Verdict::JobExists);
        }
        let awaited = job_position + 1..=job_position + self.submission.awaited.len();
        if failed.iter().any(|(position, _)| awaited.contains(position)) {
            return Ok(Verdict::Done(Created::AwaitedMoved));
        }
        let gate = awaited.end() + 1;
        if self.submission.gate.is_some() && failed.iter().any(|(position, _)| *position == gate) {
            return Ok(Verdict::Done(Created::GateClosed));
        }
        Ok(match payment {
            Payment::TestDay => Verdict::Done(Created::TestQuotaExhausted),
            Payment::Debit(_) => Verdict::CreditsMoved,
        })
    }

    /// No response, a timeout or a 5xx: the transaction may have been committed. Reading the job tells.
    async fn after_unknown_outcome(&self, cause: &str) -> Result<Verdict, StoreError> {
        tracing::warn!(cause, "a submission's outcome is unknown; reading the job");
        if self.store.jobs.get(self.submission.job.id).await?.is_some() {
            return Ok(Verdict::JobExists);
        }
        Ok(Verdict::Contended { for_credits: false })
    }

    async fn won_earlier(&self) -> Result<Created, StoreError> {
        let job = self.store.jobs.get(self.submission.job.id).await?;
        job.map(|job| Created::Fresh(Box::new(job)))
            .ok_or_else(|| StoreError::Unavailable("the conflicting job no longer exists".into()))
    }

    /// Waits with jitter before the next try, or gives up if that would exceed the deadline.
    async fn back_off(&mut self) -> Result<(), StoreError> {
        self.retries.pause(too_late()).await
    }
}

fn too_late() -> StoreError {
    StoreError::Unavailable("the job could not be written in time".into())
}
