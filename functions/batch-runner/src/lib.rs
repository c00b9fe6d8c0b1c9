//! The runner of batches: creates their jobs, follows these to their ends, and cancels and deletes them when asked to.
//!
//! A message calls for a run. A run claims the batch with a lease, works for some seconds, and sends the next message, so that
//! batches take turns. Whenever a run dies, the sweeper calls the next one after the lease. An item becomes one job, because the
//! job's id follows from batch and item, and only the current run's transactions succeed (`store/batches.rs`).

mod archive;
mod deletion;
mod lines;
mod run;

use std::sync::Arc;
use std::time::Duration;

use docmill_app::context::Context;
use docmill_app::fault::Fault;
use docmill_app::jobs::control::{ControlError, ControlService};
use docmill_app::jobs::submit::JobService;
use docmill_aws::files::FilesError;
use docmill_aws::queue::{BatchMessage, QueueError, parse_batch_message};
use docmill_config::clock;
use docmill_domain::batch::BatchId;
use docmill_store::StoreError;
use tokio::time::Instant;

pub use archive::Limits as ArchiveLimits;
use run::{Run, Step};

/// How long a run works.
const RUN_TIME: Duration = Duration::from_secs(20);
/// Between two looks at jobs that have not moved.
const PAUSE: Duration = Duration::from_secs(1);
/// After so many, the run ends, and the next one begins after [`NEXT_SECONDS`].
const IDLE_LOOKS: u32 = 3;
const NEXT_SECONDS: u64 = 5;

#[derive(Debug)]
pub struct Runner {
    pub context: Arc<Context>,
    /// When a ZIP of an archive is full.
    pub archive: ArchiveLimits,
    jobs: JobService,
    control: ControlService,
}

/// Why a run ended early. The next one goes on.
#[derive(Debug, thiserror::Error)]
pub enum Obstacle {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Queue(#[from] QueueError),
    #[error(transparent)]
    Files(#[from] FilesError),
    #[error("the stored items can't be read: {0}")]
    Items(String),
    #[error("the archive could not be written: {0}")]
    Archive(String),
    #[error("the next job could not be created: {0}")]
    Job(String),
    #[error(transparent)]
    Control(#[from] ControlError),
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl Runner {
    pub fn new(context: Context) -> Self {
        let context = Arc::new(context);
        // Webhooks are those of batches, which are sealed when the batch is created.
        let jobs = JobService::new(context.clone(), None);
        Self { archive: ArchiveLimits::default(), jobs, control: ControlService::new(context.clone()), context }
    }

    /// Handles a message. It is acknowledged in any case: the table says what is still to be done.
    pub async fn handle(&self, body: &str) {
        let Ok(BatchMessage::Run { account, batch }) = parse_batch_message(body) else {
            tracing::error!("a message of an unknown form or version was dropped");
            return;
        };
        if let Err(error) = Box::pin(self.run(&account, batch, RUN_TIME)).await {
            tracing::error!(batch_id = %batch, %error, "a run of a batch ended early; the sweeper will call the next one");
        }
    }

    /// One run, for about this time.
    pub async fn run(&self, account: &str, id: BatchId, time: Duration) -> Result<(), Obstacle> {
        let Some(batch) = self.context.batches.claim(account, id, clock::now()).await? else { return Ok(()) };
        let (ends_at, mut idle) = (Instant::now() + time, 0);
        let mut run = Run::new(self, batch);
        loop {
            match run.step().await {
                Ok(Step::Moved) => idle = 0,
                Ok(Step::Still) => idle += 1,
                Ok(Step::Yielded) => return run.release(0).await,
                Ok(Step::Over) => return Ok(()),
                // The batch is free again, so that a short fault costs no whole lease.
                Err(error) => {
                    run.release(NEXT_SECONDS).await?;
                    return Err(error);
                }
            }
            if Instant::now() >= ends_at || idle >= IDLE_LOOKS {
                return run.release(if idle == 0 { 0 } else { NEXT_SECONDS }).await;
            }
            if idle > 0 {
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
