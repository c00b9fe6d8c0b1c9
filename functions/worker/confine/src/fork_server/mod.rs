//! A helper process that forks a child for each document. It is started when needed and replaced when it fails.
//!
//! Requests are sent one at a time, as a JSON line on the helper's standard input, and replies come as a JSON line on its
//! standard output. It also writes `"Ready"` when it has started and when it has prepared for the next request.

mod backoff;
pub mod helper;
pub(crate) mod memory;
mod room;
pub mod system;

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::Pid;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::timeout_at;

use crate::environment::{self, Started};
use crate::{NOT_CONFINED, kill_group};
use backoff::Backoff;

/// How long a document waits for a helper's first message, and how long a helper may take for its `settle` after its first
/// document. A slower one continues, but urgent requests are served without it.
const START: Duration = Duration::from_secs(20);

/// A helper that has not replied for this long is broken.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a document waits for a helper that is already late.
const MOMENT: Duration = Duration::from_millis(50);

/// How long a helper may take to prepare for the next request.
const PREPARATION: Duration = Duration::from_secs(5);

const READY: &str = "\"Ready\"";

/// Extra time for a helper that enforces a deadline itself.
const GRACE: Duration = Duration::from_secs(2);

/// A helper that has closed its output is about to exit.
const END: Duration = Duration::from_secs(1);

/// Starts a confined helper in its own process group.
pub type Start = Box<dyn Fn(Startup) -> io::Result<std::process::Command> + Send + Sync>;

/// How many optional parts a helper uses at its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Startup {
    /// Everything that saves time.
    #[default]
    Full,
    /// The last one ended before its first reply: leave out everything optional.
    Minimal,
}

/// A helper and its replacements, for one engine.
pub struct ForkServer {
    start: Start,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    helper: Option<Helper>,
    backoff: Backoff,
    startup: Startup,
}

struct Helper {
    process: Child,
    group: Pid,
    /// Until it is dropped, processes that it starts are the worker's.
    _noted: Started,
    requests: ChildStdin,
    replies: Lines<BufReader<ChildStdout>>,
    started: bool,
    /// How long it has been waited for since its last reply.
    awaited: Duration,
    /// Whether it has reported ready since its last reply.
    ready: bool,
    /// Whether it had a request, and whether it was ready after that.
    asked: bool,
    settled: bool,
}

/// Why a helper failed.
#[derive(Debug, thiserror::Error)]
enum HelperError {
    /// It may still reply.
    #[error("the helper has not replied for {} ms", .0.as_millis())]
    Slow(Duration),
    #[error(transparent)]
    Broken(#[from] io::Error),
}

impl std::fmt::Debug for ForkServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ForkServer").finish_non_exhaustive()
    }
}

impl ForkServer {
    /// The first helper is started when it is needed.
    pub fn new(start: Start) -> Self {
        Self { start, state: Mutex::default() }
    }

    /// Waits until the helper is ready for the next request. Starts one if needed, unless it has just failed several times.
    ///
    /// # Errors
    /// If the helper does not start or report ready in time.
    pub async fn get_ready(&self) -> io::Result<()> {
        self.get_ready_within(START).await
    }

    /// `time`: how long it may take to start, and to settle after its first document.
    async fn get_ready_within(&self, time: Duration) -> io::Result<()> {
        let mut state = self.state.lock().await;
        if state.helper.is_none() && state.backoff.pause(Instant::now()).is_some() {
            return Ok(());
        }
        let mut helper = state.take_helper(&self.start)?;
        let ready = helper.get_ready(time).await;
        state.note(helper, &ready);
        ready.map_err(io::Error::other)
    }

    /// Asks the helper, which must answer by `deadline` or shortly after. On any error except a slow start, the helper is killed,
    /// and the next request starts another.
    ///
    /// # Errors
    /// If there is no helper, or it has not answered in time. What it did is unknown.
    pub async fn ask<Q: Serialize, R: DeserializeOwned>(&self, request: &Q, deadline: Instant) -> io::Result<R> {
        let mut state = self.state.lock().await;
        if state.helper.is_none()
            && let Some(cause) = state.backoff.pause(Instant::now())
        {
            return Err(io::Error::other(format!("the helper failed several times, the last time: {cause}")));
        }
        // If a request is dropped while it waits, its helper is dropped too: its reply would be taken for the next one's.
        let mut helper = state.take_helper(&self.start)?;
        let reply = helper.ask(request, deadline).await;
        state.note(helper, &reply);
        reply.map_err(io::Error::other)
    }
}

impl State {
    fn take_helper(&mut self, start: &Start) -> io::Result<Helper> {
        self.helper.take().map_or_else(|| Helper::start(start(self.startup)?), Ok)
    }

    /// Keeps a helper that works or is slow. Drops, and so kills, one that failed.
    fn note<T>(&mut self, helper: Helper, outcome: &Result<T, HelperError>) {
        match outcome {
            Ok(_) => (self.helper, self.backoff) = (Some(helper), Backoff::default()),
            Err(HelperError::Slow(_)) => self.helper = Some(helper),
            Err(HelperError::Broken(error)) => {
                environment::suspect("a helper failed");
                self.backoff.fail(Instant::now(), error.to_string());
                self.startup = match self.startup {
                    Startup::Full if !helper.started => Startup::Minimal,
                    // Either it did start, or a minimal startup did not help.
                    Startup::Full | Startup::Minimal => Startup::Full,
                };
            }
        }
    }
}

impl Helper {
    fn start(mut command: std::process::Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = Command::from(command).kill_on_drop(true).spawn()?;
        let missing = || io::Error::other("a helper without pipes");
        let id = process.id().and_then(|id| i32::try_from(id).ok());
        let group = id.and_then(Pid::from_raw).ok_or_else(missing)?;
        let requests = process.stdin.take().ok_or_else(missing)?;
        let replies = BufReader::new(process.stdout.take().ok_or_else(missing)?).lines();
        let (started, awaited, ready, asked, settled) = (false, Duration::ZERO, false, false, false);
        let _noted = Started::note(group);
        Ok(Self { process, group, _noted, requests, replies, started, awaited, ready, asked, settled })
    }

    /// Waits for the message that it has started.
    async fn started(&mut self, time: Duration) -> Result<(), HelperError> {
        if !self.started {
            self.ready_within(time).await?;
            self.started = true;
        }
        Ok(())
    }

    async fn get_ready(&mut self, time: Duration) -> Result<(), HelperError> {
        self.started(time).await?;
        if !self.ready {
            self.ready_within(if self.settled { PREPARATION } else { time }).await?;
            self.ready = true;
            self.settled = self.asked;
        }
        Ok(())
    }

    /// Waits for its `Ready`.
    async fn ready_within(&mut self, time: Duration) -> Result<(), HelperError> {
        let began = Instant::now();
        let line = match self.line(began + time).await {
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                // At most this time, because the environment may have been frozen in between.
                self.awaited += began.elapsed().min(time);
                return Err(if self.awaited < PATIENCE {
                    HelperError::Slow(self.awaited)
                } else {
                    HelperError::Broken(error)
                });
            }
            line => line?,
        };
        self.awaited = Duration::ZERO;
        Ok(expect_ready(&line)?)
    }

    async fn ask<Q: Serialize, R: DeserializeOwned>(
        &mut self,
        request: &Q,
        deadline: Instant,
    ) -> Result<R, HelperError> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.started(left.min(START.saturating_sub(self.awaited).max(MOMENT))).await?;
        let mut line = serde_json::to_vec(request).map_err(io::Error::from)?;
        line.push(b'\n');
        self.requests.write_all(&line).await?;
        self.ready = false;
        self.asked = true;
        loop {
            let line = self.line(deadline + GRACE).await?;
            if line == READY {
                continue;
            }
            let answer = why_it_failed(&line).map_or_else(|| Ok(serde_json::from_str(&line)?), Err);
            return answer.map_err(HelperError::Broken);
        }
    }

    async fn line(&mut self, deadline: Instant) -> io::Result<String> {
        let line = timeout_at(deadline.into(), self.replies.next_line())
            .await
            .map_err(|_elapsed| io::Error::new(io::ErrorKind::TimedOut, "the helper does not answer"))??;
        match line {
            Some(line) => Ok(line),
            None => Err(self.how_it_ended().await),
        }
    }

    async fn how_it_ended(&mut self) -> io::Error {
        let how = match tokio::time::timeout(END, self.process.wait()).await {
            Ok(Ok(status)) if status.code() == Some(NOT_CONFINED.into()) => {
                "the helper could not be confined".to_owned()
            }
            Ok(Ok(status)) => format!("the helper ended: {status}"),
            Ok(Err(error)) => format!("the helper ended: {error}"),
            Err(_elapsed) => "the helper stopped answering".to_owned(),
        };
        io::Error::new(io::ErrorKind::UnexpectedEof, how)
    }
}

/// A helper's message when it gives up.
#[derive(Deserialize)]
enum FailureMessage {
    Failed(String),
}

fn why_it_failed(line: &str) -> Option<io::Error> {
    let FailureMessage::Failed(cause) = serde_json::from_str(line).ok()?;
    Some(io::Error::other(format!("the helper failed: {cause}")))
}

fn expect_ready(line: &str) -> io::Result<()> {
    if line == READY {
        return Ok(());
    }
    Err(why_it_failed(line).unwrap_or_else(|| io::Error::other("the helper sent an unknown reply")))
}

impl Drop for Helper {
    /// Its children die with it, although each has its own group.
    fn drop(&mut self) {
        if self.process.id().is_some()
            && let Err(error) = kill_group(self.group)
        {
            tracing::warn!(%error, "a helper could not be killed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;

    /// A helper that only starts with the minimal startup, and then echoes requests.
    fn fragile(startup: Startup) -> io::Result<std::process::Command> {
        let mut command = std::process::Command::new("sh");
        let (crash, serve) = ("kill -SEGV $$", "echo '\"Ready\"'; exec cat");
        command.arg("-c").arg(if startup == Startup::Minimal { serve } else { crash }).process_group(0);
        Ok(command)
    }

    #[tokio::test]
    async fn after_a_failed_start_the_next_helper_starts_minimally() {
        let server = ForkServer::new(Box::new(fragile));
        let error = server.get_ready().await.unwrap_err();
        assert!(error.to_string().contains("signal: 11"), "{error}");
        let deadline = Instant::now() + Duration::from_secs(20);
        assert_eq!(server.ask::<_, String>(&"hello", deadline).await.unwrap(), "hello");
        assert_eq!(server.ask::<_, String>(&"again", deadline).await.unwrap(), "again");
    }

    /// A helper that takes a moment to start, then echoes requests with its process id.
    fn slow(_care: Startup) -> io::Result<std::process::Command> {
        let mut command = std::process::Command::new("sh");
        let script = "sleep 1; echo '\"Ready\"'; while read line; do echo \"[$line,$$]\"; done";
        command.arg("-c").arg(script).process_group(0);
        Ok(command)
    }

    #[tokio::test]
    async fn a_slow_helper_continues_and_serves_later_requests() {
        let server = ForkServer::new(Box::new(slow));
        let soon = || Instant::now() + Duration::from_millis(1);
        for _ in 0..2 * backoff::FREE_FAILURES {
            let error = server.ask::<_, (u32, u32)>(&1, soon()).await.unwrap_err();
            assert!(error.to_string().starts_with("the helper has not replied"), "{error}");
        }
        let started = server.state.lock().await.helper.as_ref().unwrap().process.id().unwrap();
        let late = Instant::now() + START;
        assert_eq!(server.ask::<_, (u32, u32)>(&1, late).await.unwrap(), (1, started));
    }

    #[tokio::test]
    async fn a_helper_that_is_silent_for_too_long_is_broken() {
        let silent = |_care| {
            let mut command = std::process::Command::new("sleep");
            command.arg("600").process_group(0);
            Ok(command)
        };
        let server = ForkServer::new(Box::new(silent));
        let soon = || Instant::now() + Duration::from_millis(1);
        assert!(server.ask::<_, u32>(&1, soon()).await.is_err());
        server.state.lock().await.helper.as_mut().unwrap().awaited = PATIENCE;
        let error = server.ask::<_, u32>(&1, soon()).await.unwrap_err();
        assert_eq!(error.to_string(), "the helper does not answer");
        assert!(server.state.lock().await.helper.is_none());
    }

    /// The first helpers are silent; the next one echoes requests.
    fn silent_at_first() -> Start {
        let starts = std::sync::atomic::AtomicU32::new(0);
        Box::new(move |_startup| {
            let mut command = std::process::Command::new("sh");
            let is_silent = starts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < backoff::FREE_FAILURES;
            let script = if is_silent { "exec sleep 600" } else { "echo '\"Ready\"'; exec cat" };
            command.arg("-c").arg(script).process_group(0);
            Ok(command)
        })
    }

    #[tokio::test]
    async fn a_helper_that_is_not_ready_in_time_is_given_up_and_replaced_after_a_pause() {
        let server = ForkServer::new(silent_at_first());
        let soon = Duration::from_millis(1);
        for _ in 0..backoff::FREE_FAILURES {
            let error = server.get_ready_within(soon).await.unwrap_err();
            assert!(error.to_string().starts_with("the helper has not replied"), "{error}");
            server.state.lock().await.helper.as_mut().unwrap().awaited = PATIENCE;
            let error = server.get_ready_within(soon).await.unwrap_err();
            assert_eq!(error.to_string(), "the helper does not answer");
            assert!(server.state.lock().await.helper.is_none());
        }
        // During the pause no helper is started, and a document gets the reason.
        assert!(server.get_ready_within(soon).await.is_ok());
        let deadline = Instant::now() + Duration::from_secs(20);
        let error = server.ask::<_, String>(&"hello", deadline).await.unwrap_err();
        assert!(error.to_string().ends_with("the last time: the helper does not answer"), "{error}");
        assert!(server.state.lock().await.helper.is_none());
        // The same failures, but longer ago than the first pause.
        let long_ago = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        let mut backoff = Backoff::default();
        (0..backoff::FREE_FAILURES).for_each(|_| backoff.fail(long_ago, "silence".to_owned()));
        server.state.lock().await.backoff = backoff;
        assert_eq!(server.ask::<_, String>(&"hello", deadline).await.unwrap(), "hello");
    }

    /// A helper that gives up with a message.
    fn hopeless(_care: Startup) -> io::Result<std::process::Command> {
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg(r#"echo '{"Failed":"no fonts"}'; exit 1"#).process_group(0);
        Ok(command)
    }

    #[tokio::test]
    async fn a_helper_that_fails_says_why_and_pauses_after_some_failures() {
        let server = ForkServer::new(Box::new(hopeless));
        for _ in 0..backoff::FREE_FAILURES {
            let error = server.get_ready().await.unwrap_err();
            assert_eq!(error.to_string(), "the helper failed: no fonts");
        }
        assert!(server.get_ready().await.is_ok(), "a pause must not delay anything");
        let deadline = Instant::now() + Duration::from_secs(20);
        let error = server.ask::<_, String>(&"hello", deadline).await.unwrap_err();
        assert!(error.to_string().ends_with("the last time: the helper failed: no fonts"), "{error}");
    }
}
