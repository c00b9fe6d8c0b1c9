//! Jobs as their owners see them and as they are stored. Secrets are never shown.

use std::time::Duration;

use clap::Subcommand;
use docmill_app::context::Context;
use docmill_aws::queue::Message;
use docmill_config::clock;
use docmill_domain::audit::{SubjectKind, View};
use docmill_domain::job::{Job, JobId, JobStatus};
use docmill_domain::time::Timestamp;
use docmill_store::StoreError;
use docmill_store::item::Shard;
use serde_json::{Value, json};

use super::{author, note};
use crate::output::{Failure, Output, refuse};

/// The sweeper checks every unfinished job within this time: leases and its own pauses are shorter.
const LOOKED_AT: Duration = Duration::from_secs(16 * 60);

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show a job, including what only operators see: account, lease, and when the sweeper checks it.
    Show { id: String },
    /// List unfinished jobs, oldest first.
    Open {
        /// Only jobs older than this many minutes.
        #[arg(long, default_value_t = 0)]
        older_than: u64,
        /// The maximum number of jobs.
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
    /// Send an open job's message again. Duplicates do no harm, because only one worker can claim the job.
    Resend { id: String },
}

pub(crate) async fn run(context: &Context, command: Command) -> Result<Output, Failure> {
    match command {
        Command::Show { id } => {
            let job = find(context, &id).await?;
            context.audit.note_view(&job.account, View::Job(job.id), &author(None)).await?;
            Ok(Output::new("job", show(&job)))
        }
        Command::Open { older_than, limit } => {
            let age = Duration::from_secs(older_than.saturating_mul(60));
            let open = open(context, clock::now(), age).await?;
            Ok(Output::new("open", json!({"count": open.len(), "jobs": open.iter().take(limit).collect::<Vec<_>>()})))
        }
        Command::Resend { id } => resend(context, &find(context, &id).await?).await,
    }
}

async fn find(context: &Context, id: &str) -> Result<Job, Failure> {
    let Some(parsed) = JobId::parse(id) else { return refuse(format!("{id} is not a job id")) };
    let Some(job) = context.jobs.get(parsed).await? else { return refuse(format!("there is no job {id}")) };
    Ok(job)
}

fn show(job: &Job) -> Value {
    let mut view = json!(job.view(clock::now()));
    view["operator"] = json!({
        "account": job.account,
        "keyId": job.request.key_id,
        "period": job.payment.period,
        "charge": job.payment.charge,
        "leaseUntil": job.work.lease_until.map(|time| time.to_string()),
        "sweeperDue": job.index.due.map(|time| time.to_string()),
        "outputKey": job.result.output_key,
    });
    view
}

/// Queued and processing jobs that were created `age` ago or earlier.
async fn open(context: &Context, now: Timestamp, age: Duration) -> Result<Vec<Value>, StoreError> {
    let mut jobs = Vec::new();
    for shard in Shard::unfinished() {
        let mut from = None;
        loop {
            let page = context.jobs.due(shard, now.plus(LOOKED_AT), from).await?;
            // The index is late: a job may have ended.
            let found = context.jobs.get_all(&page.ids).await?.into_iter();
            jobs.extend(found.filter(|job| !job.status.is_terminal() && job.times.created_at.plus(age) <= now));
            match page.next {
                Some(mark) => from = Some(mark),
                None => break,
            }
        }
    }
    jobs.sort_by_key(|job| job.times.created_at);
    Ok(jobs.iter().map(|job| line(job, now)).collect())
}

fn line(job: &Job, now: Timestamp) -> Value {
    let overdue = job.index.due.map_or(0, |due| now.millis_since(due) / 1000);
    json!({
        "id": job.id,
        "status": job.status,
        "tool": job.tool,
        "account": job.account,
        "attempts": job.attempts,
        "ageSeconds": now.millis_since(job.times.created_at) / 1000,
        // If this exceeds some minutes, the sweeper does not run or can't repair the job.
        "overdueSeconds": overdue,
    })
}

async fn resend(context: &Context, job: &Job) -> Result<Output, Failure> {
    match job.status {
        JobStatus::Queued | JobStatus::Processing => {}
        JobStatus::Completed | JobStatus::Failed | JobStatus::Expired | JobStatus::Canceled | JobStatus::Deleted => {
            return refuse(format!("job {} is already {}", job.id, job.status.as_str()));
        }
    }
    let queue = job.queue;
    note(context, (SubjectKind::Account, &job.account), "job sent again", &job.id.to_string()).await?;
    context.queue().send(queue, &job.account, &Message::Convert { job_id: job.id }).await?;
    Ok(Output::new("resent", json!({"id": job.id, "queue": queue.as_str()})))
}
