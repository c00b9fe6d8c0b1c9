//! Waiting for a job or an event within one request.

use std::time::Duration;

use docmill_config::clock;
use docmill_domain::job::Job;
use docmill_store::StoreError;
use docmill_store::jobs::{Jobs, Slot};
use tokio::time::{Instant, sleep_until, timeout};
use uuid::Uuid;

/// The longest wait. The gateway gives up after 30 seconds.
pub const LONGEST_WAIT_SECONDS: u64 = 25;
/// Time reserved for the last read and the response.
const ANSWER_TIME: Duration = Duration::from_secs(3);
const READ_TIME: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// A request to wait, and its deadline.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    until: Instant,
}

impl Wait {
    /// A wait of so many seconds, 25 at most, in a request whose answer must be ready at `ends_at`. `None` if it must be at once.
    pub fn new(seconds: u64, ends_at: std::time::Instant) -> Option<Self> {
        let latest = Instant::from_std(ends_at).checked_sub(ANSWER_TIME)?;
        let wanted = Instant::now() + Duration::from_secs(seconds.min(LONGEST_WAIT_SECONDS));
        Some(Self { until: wanted.min(latest) })
    }

    /// When the wait ends.
    pub fn ends_at(&self) -> Instant {
        self.until
    }

    /// The job once it has ended, or its current state when time is up; and whether the request was allowed to wait.
    ///
    /// A wait holds an environment, so an account has at most `most` at once. One more is answered at once: a preference may be
    /// ignored (RFC 7240). Slots count exactly across environments for two writes, which a wait of a second costs in reads anyway.
    pub async fn for_end(self, jobs: &Jobs, job: Job, most: u64) -> (Job, bool) {
        let (id, account) = (job.id, job.account.clone());
        let has_ended = |job: &Job| job.status_at(clock::now()).is_terminal();
        // An eventually consistent read may be late, but if it shows an end, the job has ended. Only the last read is strongly
        // consistent.
        let read = move |is_last| async move { if is_last { jobs.get(id).await } else { jobs.glimpse(id).await } };
        self.until(jobs, (&account, most), job, has_ended, read).await
    }

    /// The same for anything that `read` reads: the first that is `over`, or the last when time is up. `read` is told whether it is
    /// the last time, and may find nothing new.
    pub async fn until<T, F>(
        self,
        jobs: &Jobs,
        (account, most): (&str, u64),
        first: T,
        over: impl Fn(&T) -> bool,
        read: impl Fn(bool) -> F,
    ) -> (T, bool)
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        if over(&first) {
            return (first, true);
        }
        let (slot, holder, now) = (Slot::Waiting { account }, Uuid::now_v7().simple().to_string(), clock::now());
        let times = (now, now.plus(self.until.saturating_duration_since(Instant::now()) + ANSWER_TIME));
        match timeout(READ_TIME, jobs.take_slot(&slot, &holder, None, most, times)).await {
            Ok(Ok(true)) => {}
            Ok(Ok(false)) => return (first, false),
            Ok(Err(error)) => {
                tracing::warn!(account, %error, "waits could not be counted; the request does not wait");
                return (first, false);
            }
            Err(_elapsed) => {
                tracing::warn!(account, "waits were not counted in time; the request does not wait");
                return (first, false);
            }
        }
        let last = self.look(first, over, read).await;
        // A slot that is not given back ends by itself.
        if let Ok(Err(error)) = timeout(READ_TIME, jobs.return_slot(&slot, &holder)).await {
            tracing::warn!(account, %error, "a wait's slot could not be given back");
        }
        (last, true)
    }

    /// Failed reads are skipped: what is awaited is safe.
    async fn look<T, F>(self, mut last: T, over: impl Fn(&T) -> bool, read: impl Fn(bool) -> F) -> T
    where
        F: Future<Output = Result<Option<T>, StoreError>>,
    {
        let mut pause = FIRST_PAUSE;
        while !over(&last) && Instant::now() < self.until {
            let next = (Instant::now() + pause).min(self.until);
            sleep_until(next).await;
            let read = timeout(READ_TIME, read(next == self.until)).await;
            match read.unwrap_or_else(|_| Err(StoreError::Unavailable("too slow".into()))) {
                Ok(Some(found)) => last = found,
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "what is awaited could not be read"),
            }
            pause = (pause * 3 / 2).min(LONGEST_PAUSE);
        }
        last
    }
}
