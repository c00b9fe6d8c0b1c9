//! The one path by which all jobs are created.

mod error;
mod sent_files;
mod stored_sources;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use docmill_aws::files::ObjectKey;
use docmill_aws::queue::{Message, Queue};
use docmill_domain::batch::BatchPlace;
use docmill_domain::breach::Breach;
use docmill_domain::catalogue::Tool;
use docmill_domain::event::{self, EventKind};
use docmill_domain::idempotency::{IdempotencyKey, IdempotencyRecord};
use docmill_domain::job::{
    Deletion, IndexPlaces, Job, JobId, JobResult, JobStatus, Payload, Payment, QUEUED_GRACE, RequestRecord,
    ResultDelivery, Times, Waits, Warning, Work,
};
use docmill_domain::request::echo::Echo;
use docmill_domain::request::form::FormFile;
use docmill_domain::request::{CanonicalText, JobRequest, MAX_INLINE_PAYLOAD_BYTES, UnknownNames};
use docmill_domain::tool::{ToolSettings, ToolState};
use docmill_domain::webhook::request::{MAX_URL_BYTES, receiver};
use docmill_domain::webhook::{JobWebhook, WebhookRequest};
use docmill_signing::keys::KeyRing;
use docmill_signing::seal::{BadSetting, SealingKey, Secret};
use docmill_store::StoreError;
use docmill_store::batches::Gate;
use docmill_store::events::StoredEvent;
use docmill_store::item::Shard;
use docmill_store::jobs::{WAITING_GRACE, open_until, uncounted};
use docmill_store::submission::{Created, Submission, Submissions};
use serde_json::{Map, Value};
use tokio::time::Instant;

pub use self::error::SubmitError;
use self::sent_files::{Sent, came_to_nothing};
use crate::caller::Caller;
use crate::context::Context;
use crate::fault::Fault;
use crate::tools;

/// Most tries if the jobs that a request names keep changing in the meantime.
const TRIES: u32 = 4;

/// Time for the transaction and its retries: the function must answer before the gateway gives up.
const WRITE_TIME: Duration = Duration::from_secs(4);

const SECRET_RULE: &str = "must be `whsec_` and the base64 of 24 to 64 bytes";

/// Time for the job's message.
const ANNOUNCE_TIME: Duration = Duration::from_secs(2);

/// Time for records that don't affect the answer.
const NOTE_TIME: Duration = Duration::from_secs(1);

/// What the creating functions need besides the common context.
#[derive(Debug)]
pub struct JobService {
    /// What every API function has.
    pub context: Arc<Context>,
    /// The transaction that creates jobs.
    pub submissions: Submissions,
    /// Sends jobs to workers.
    pub queue: Queue,
    /// Seals the webhooks of jobs. Without it, a job can't have one.
    pub sealing: Option<KeyRing<SealingKey>>,
}

/// A request that may become a job.
#[derive(Clone)]
struct Order<'a> {
    tool: &'a Tool,
    /// Credits for all steps together.
    cost: u64,
    wanted: &'a JobRequest,
    /// The same with the uploads that its files have become, and with the version of the stored template that it names. A repeated
    /// request has other uploads and may find a newer version, and is still the same request.
    exact: &'a JobRequest,
    warnings: &'a [Warning],
    /// Unfinished jobs whose results it takes.
    awaited: BTreeSet<JobId>,
    webhook: Option<JobWebhook>,
    /// The item that it is made of, in a batch.
    item: Option<&'a BatchItem>,
}

/// An item of a batch that becomes a job.
#[derive(Debug)]
pub struct BatchItem {
    /// Which item of which batch.
    pub place: BatchPlace,
    /// The job's id, which follows from its place.
    pub job: JobId,
    /// What else must hold when the job is created.
    pub gate: Gate,
}

/// A request for a job before its checks.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The request as its sender wrote it.
    pub body: &'a Map<String, Value>,
    /// Files that came with it. The body names them by their stand-ins.
    pub files: &'a [FormFile],
    /// Where the tool is named.
    pub choice: ToolChoice<'a>,
    /// Makes a repeated request the same.
    pub key: Option<&'a IdempotencyKey>,
    /// What becomes of names that no schema defines.
    pub unknown_names: UnknownNames,
    /// An error outside the body.
    pub breach: Option<Breach>,
}

/// The job of a request.
#[derive(Debug)]
pub struct Taken {
    /// As it was created.
    pub job: Job,
    /// The job is that of an earlier request with the same idempotency key.
    pub replayed: bool,
}

/// The tool that an endpoint creates jobs for.
#[derive(Clone, Copy, Debug)]
pub enum ToolChoice<'a> {
    /// Named by the path.
    Named(&'a str),
    /// Named by `toolSlug` in the body.
    InBody,
}

impl JobService {
    /// With the keys of the function's environment.
    ///
    /// # Errors
    /// If a key is missing or too short.
    pub fn of_function(context: impl Into<Arc<Context>>) -> Result<Self, BadSetting> {
        Ok(Self::new(context, Some(KeyRing::of_function()?)))
    }

    /// With these keys.
    pub fn new(context: impl Into<Arc<Context>>, sealing: Option<KeyRing<SealingKey>>) -> Self {
        let context = context.into();
        let submissions = Submissions::new(context.dynamodb.clone(), &context.config.tables);
        Self { submissions, queue: context.queue(), context, sealing }
    }

    /// Creates a job for an admitted caller.
    ///
    /// # Errors
    /// Why no job is created. The checks of the body are in the documented order.
    pub async fn create(&self, caller: &Caller, asked: Asked<'_>) -> Result<Taken, SubmitError> {
        self.admit_and_submit(asked, None, caller).await
    }

    /// The job of an item, with the same checks as any other. It is created once, however often this is called.
    ///
    /// # Errors
    /// Why no job is created.
    pub async fn create_item(
        &self,
        caller: &Caller,
        tool: &str,
        body: &Map<String, Value>,
        item: &BatchItem,
    ) -> Result<Job, SubmitError> {
        // They were judged when the batch was created.
        let unknown_names = UnknownNames::Ignored;
        let choice = ToolChoice::Named(tool);
        let asked = Asked { body, files: &[], choice, key: None, unknown_names, breach: None };
        Ok(self.admit_and_submit(asked, Some(item), caller).await?.job)
    }

    /// The checks of the body in the documented order.
    async fn admit_and_submit(
        &self,
        asked: Asked<'_>,
        item: Option<&BatchItem>,
        caller: &Caller,
    ) -> Result<Taken, SubmitError> {
        let Asked { body, files, choice, key, unknown_names, breach } = asked;
        let tool = self.choose_tool(choice, body)?;
        let cost = admit_tool(tool, caller)?.credit_cost;
        let parsed = JobRequest::parse_for(
            &self.context.catalogue,
            tool,
            body,
            if breach.is_none() { unknown_names } else { UnknownNames::Ignored },
        );
        let (wanted, warnings) = match (parsed, breach) {
            (Ok(parsed), None) => parsed,
            (Ok(_), Some(breach)) => return Err(SubmitError::Invalid(vec![breach])),
            (Err(breaches), breach) => return Err(SubmitError::Invalid(breaches.into_iter().chain(breach).collect())),
        };
        let webhook = self.webhook(wanted.webhook.as_ref(), caller.account())?;
        stored_sources::admit_count(&wanted, body, caller.limits(&self.context.config.limits).sources)?;
        let cost = cost + self.admit_steps(&wanted, caller)?;
        let sent = match files {
            [] => Sent::new(),
            // The files of a request that was answered before are not stored again.
            files => match self.replay(key, &wanted, caller).await? {
                Some(taken) => return Ok(taken),
                None => self.store_files(files, caller).await?,
            },
        };
        let (exact, warnings, awaited) = (&wanted.with_uploads(&sent), &warnings[..], BTreeSet::new());
        let order = Order { tool, cost, wanted: &wanted, exact, warnings, awaited, webhook, item };
        let outcome = self.place(order, body, caller, key).await;
        if came_to_nothing(&outcome) {
            self.delete_files(&sent, caller).await;
        }
        outcome
    }

    /// Creates the job of an admitted order.
    async fn place(
        &self,
        order: Order<'_>,
        body: &Map<String, Value>,
        caller: &Caller,
        key: Option<&IdempotencyKey>,
    ) -> Result<Taken, SubmitError> {
        for _ in 0..TRIES {
            let stored = stored_sources::find(&self.context, order.exact, body, caller).await?;
            if !stored.breaches.is_empty() {
                let replay = self.replay(key, order.wanted, caller).await?;
                return replay.ok_or(SubmitError::Invalid(stored.breaches));
            }
            let exact = stored.template.map(|template| order.exact.with_version(&template));
            let exact = exact.as_ref().unwrap_or(order.exact);
            let order = Order { exact, awaited: stored.awaited, ..order.clone() };
            if let Some(taken) = self.submit(order, caller, key).await? {
                return Ok(taken);
            }
        }
        Err(Fault::unavailable("the jobs that the request names changed during every attempt").into())
    }

    /// The webhook of a job or a batch as it is stored.
    pub(crate) fn webhook(
        &self,
        wanted: Option<&WebhookRequest>,
        account: &str,
    ) -> Result<Option<JobWebhook>, SubmitError> {
        let Some(wanted) = wanted else { return Ok(None) };
        let wrong = |member, rule| SubmitError::Invalid(vec![Breach::new(format!("/webhook/{member}"), rule)]);
        receiver(&wanted.url, MAX_URL_BYTES, self.context.config.local_mode).map_err(|rule| wrong("url", rule))?;
        if wanted.secret.as_deref().is_some_and(|secret| Secret::parse(secret).is_none()) {
            return Err(wrong("secret", SECRET_RULE));
        }
        let keys = self.sealing.as_ref().ok_or_else(|| Fault::internal("no key seals the job's webhook"))?;
        let webhook = JobWebhook::new(account, wanted, |text, id| keys.seal_text(text, account, id));
        Ok(Some(webhook.map_err(Fault::internal)?))
    }

    /// Checks that the caller may use all further tools, and returns their total cost.
    pub(crate) fn admit_steps(&self, wanted: &JobRequest, caller: &Caller) -> Result<u64, SubmitError> {
        let mut cost = 0;
        for step in &wanted.then {
            let tool = self.context.catalogue.find(&step.tool).ok_or(SubmitError::UnknownTool(None))?;
            cost += admit_tool(tool, caller)?.credit_cost;
        }
        Ok(cost)
    }

    pub(crate) fn choose_tool(&self, choice: ToolChoice<'_>, body: &Map<String, Value>) -> Result<&Tool, SubmitError> {
        let slug = match choice {
            ToolChoice::Named(slug) => slug,
            ToolChoice::InBody => match body.get("toolSlug") {
                Some(Value::String(slug)) if !slug.is_empty() => slug,
                Some(_) => return Err(SubmitError::Invalid(vec![Breach::new("/toolSlug", "must be a tool's slug")])),
                None => {
                    return Err(SubmitError::Invalid(vec![Breach::new("/toolSlug", "is required on this endpoint")]));
                }
            },
        };
        Ok(tools::find(&self.context.catalogue, slug)?)
    }

    /// The response to a repeated request with the same key.
    ///
    /// Timeline: a job is created, the response is lost, and the client repeats the request after the upload has expired. The
    /// response is still the first job.
    async fn replay(
        &self,
        key: Option<&IdempotencyKey>,
        wanted: &JobRequest,
        caller: &Caller,
    ) -> Result<Option<Taken>, SubmitError> {
        let Some(key) = key else { return Ok(None) };
        let id = key.record_id(caller.account(), caller.key.mode);
        let job = self.submissions.earlier(&id, &wanted.canonical().fingerprint(), caller.now).await?;
        Ok(job.map(|job| Taken { job, replayed: true }))
    }

    /// `None` if an awaited job has changed since it was read.
    async fn submit(
        &self,
        order: Order<'_>,
        caller: &Caller,
        idempotency_key: Option<&IdempotencyKey>,
    ) -> Result<Option<Taken>, SubmitError> {
        let job = self.new_job(&order, caller);
        let canonical = order.wanted.canonical();
        let idempotency = idempotency_key.map(|key| self.record(key, &job, &canonical, caller));
        let apart = order.wanted.carries_credentials(&self.context.catalogue);
        let job = self.with_payload(job, order.exact.for_worker().reveal(), apart).await?;
        let cost = order.cost;
        let submission = Submission {
            job,
            idempotency,
            awaited: order.awaited.into_iter().collect(),
            gate: order.item.map(|item| item.gate.clone()),
            cost,
            included: caller.plan().included_credits,
            now: caller.now,
        };
        let payload = submission.job.request.secret.clone();
        let created = self.submissions.create(submission, Instant::now() + WRITE_TIME).await?;
        match &created {
            // A waiting job is announced once it no longer waits.
            Created::Fresh(job) if job.waits.waiting_for.is_some() => {}
            Created::Fresh(job) => self.announce(job).await,
            Created::Replay(_)
            | Created::Mismatch
            | Created::AwaitedMoved
            | Created::GateClosed
            | Created::InsufficientCredits { .. }
            | Created::TestQuotaExhausted => {
                // Timeline: a run sleeps before this, and the next run creates the job of the same item. Its request has the same
                // key, so the sweeper decides whether a job needs it.
                if order.item.is_none() {
                    self.discard(payload).await;
                }
            }
        }
        match created {
            Created::Fresh(job) => Ok(Some(Taken { job: *job, replayed: false })),
            Created::Replay(job) => Ok(Some(Taken { job: *job, replayed: true })),
            Created::AwaitedMoved => Ok(None),
            Created::GateClosed => Err(SubmitError::BatchEnded),
            Created::Mismatch => Err(SubmitError::KeyReused),
            Created::InsufficientCredits { available } => {
                self.note_exhaustion(caller, cost, available).await;
                let contact = caller.settings.service.credits_contact.clone();
                Err(SubmitError::InsufficientCredits { required: cost, available, contact })
            }
            Created::TestQuotaExhausted => {
                let seconds = caller.now.next_day().millis_since(caller.now).div_ceil(1000);
                Err(SubmitError::TestJobsUsedUp { seconds })
            }
        }
    }

    /// Records `quota.exhausted` once a month. The response does not depend on it and does not wait long; the next refusal tries
    /// again.
    async fn note_exhaustion(&self, caller: &Caller, required: u64, available: u64) {
        let data = event::quota_exhausted(caller.now.period(), required, available);
        let event = StoredEvent::new(caller.account(), EventKind::QuotaExhausted, caller.now, data);
        let recorded = self.context.events.record_exhaustion(&event, caller.now.period());
        let outcome = tokio::time::timeout(NOTE_TIME, recorded).await.unwrap_or_else(|_| Err(overlong()));
        if let Err(error) = outcome {
            tracing::warn!(%error, "quota.exhausted could not be recorded; the next refusal will try again");
        }
    }

    fn new_job(&self, order: &Order<'_>, caller: &Caller) -> Job {
        let Order { tool, wanted, exact, warnings, awaited, webhook, item, cost: _ } = order;
        let id = item.map_or_else(JobId::new, |item| item.job);
        let shown = Echo::of(exact, &tool.definition, &self.context.catalogue);
        let (queue, shards) = (tool.definition.queue, self.context.config.tables.open_shards);
        let (open, due) = if awaited.is_empty() {
            open_until(Shard::queued(queue, id, shards), caller.now.plus(QUEUED_GRACE))
        } else {
            open_until(Shard::waiting(id, shards), caller.now.plus(WAITING_GRACE))
        };
        Job {
            id,
            account: caller.key.account.clone(),
            mode: caller.key.mode,
            batch: item.map(|item| item.place),
            tool: wanted.tool.clone(),
            queue,
            status: JobStatus::Queued,
            version: 1,
            attempts: 0,
            request: RequestRecord {
                key_id: caller.key.key_id.clone(),
                request_id: caller.request_id.clone(),
                input: shown.input,
                options: shown.options,
                then: shown.then,
                output_request: shown.output,
                retention_seconds: wanted.output.retention_seconds,
                webhook: webhook.clone(),
                metadata: wanted.metadata.clone(),
                limits: caller.settings.ceilings(&caller.key),
                secret: None,
            },
            times: Times::of_new(caller.now),
            work: Work::default(),
            delivery: ResultDelivery::default(),
            payment: Payment::none(caller.now.period()),
            result: JobResult { warnings: warnings.to_vec(), ..JobResult::default() },
            waits: Waits { waiting_for: (!awaited.is_empty()).then(|| awaited.clone()), waiters: None },
            deletion: Deletion::default(),
            index: IndexPlaces {
                open,
                due,
                uncounted: uncounted(id, caller.key.mode, shards),
                creation_counted: false,
            },
            ttl: caller.now.plus(self.context.config.job_retention).as_ttl_seconds(),
        }
    }

    /// Items must stay small: a large payload is stored in the bucket before the job is written. So is one with credentials
    /// (`apart`), because table backups keep deleted data for 35 days and the bucket has no backups.
    async fn with_payload(&self, mut job: Job, payload: String, apart: bool) -> Result<Job, Fault> {
        job.request.secret = Some(if payload.len() <= MAX_INLINE_PAYLOAD_BYTES && !apart {
            Payload::Inline(payload)
        } else {
            let key = ObjectKey::Input { account: &job.account, job: job.id };
            self.context.files.put_text(&key, payload).await?;
            Payload::Stored(key.to_string())
        });
        Ok(job)
    }

    /// Deletes the payload of a job that was not created. If that is uncertain, the sweeper looks whether there is a job.
    async fn discard(&self, payload: Option<Payload>) {
        if let Some(Payload::Stored(key)) = payload
            && let Err(error) = self.context.files.delete(&key).await
        {
            tracing::warn!(%error, "a refused request's payload could not be deleted; the sweeper will delete it");
        }
    }

    fn record(&self, key: &IdempotencyKey, job: &Job, request: &CanonicalText, caller: &Caller) -> IdempotencyRecord {
        let kept_until = caller.now.plus(self.context.config.idempotency_retention);
        IdempotencyRecord {
            id: key.record_id(caller.account(), caller.key.mode),
            job_id: job.id,
            fingerprint: request.fingerprint(),
            kept_until,
            ttl: kept_until.as_ttl_seconds(),
        }
    }

    /// The job is stored already: if the queue is down, the sweeper sends the message.
    ///
    /// Timeline: the transaction takes four seconds and SQS does not answer. Without its own time limit, this call would use up
    /// the handler's time, and the client would get a 503 for a job that exists and is charged.
    async fn announce(&self, job: &Job) {
        let message = Message::Convert { job_id: job.id };
        let sent = tokio::time::timeout(ANNOUNCE_TIME, self.queue.send(job.queue, &job.account, &message)).await;
        match sent {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::warn!(job_id = %job.id, %error, "the job's message was not sent; the sweeper will send it");
            }
            Err(_elapsed) => {
                tracing::warn!(job_id = %job.id, "SQS did not answer in time; the sweeper will send the job's message if it is missing");
            }
        }
    }
}

fn overlong() -> StoreError {
    StoreError::Unavailable(format!("no answer for {NOTE_TIME:?}"))
}

pub(crate) fn admit_tool<'a>(tool: &'a Tool, caller: &'a Caller) -> Result<&'a ToolSettings, SubmitError> {
    let settings = caller.settings.tool(tool);
    if !settings.admits(&tool.definition.slug, &caller.plan(), &caller.key) {
        return Err(SubmitError::ToolNotAllowed);
    }
    match settings.state {
        ToolState::Live | ToolState::Beta => Ok(settings),
        ToolState::Maintenance | ToolState::Disabled => Err(SubmitError::ToolInMaintenance),
    }
}
