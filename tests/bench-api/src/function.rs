//! A function's process, started like on Lambda, invoked with one event at a time, and measured.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::process::{Child, Command};
use uuid::Uuid;

use crate::Problem;
use crate::runtime_api::{Event, RuntimeApi, Signal};

/// Far longer than anything here takes: something hangs.
const PATIENCE: Duration = Duration::from_secs(30);

pub type Environment = BTreeMap<String, String>;

#[derive(Debug)]
pub struct Function {
    child: Child,
    api: RuntimeApi,
    pid: u32,
    log: NamedTempFile,
    /// From the start of the process to its request for the first event.
    pub init: Duration,
}

/// An event and its result.
#[derive(Clone, Debug)]
pub struct Invocation {
    pub wall: Duration,
    /// The process's time from the event to its request for the next one.
    pub cpu: Duration,
    pub answer: Value,
}

impl Function {
    pub async fn start(binary: &Path, environment: &Environment) -> Result<Self, Problem> {
        let mut api = RuntimeApi::start().await?;
        let log = NamedTempFile::new()?;
        let mut command = Command::new(binary);
        command
            .env_clear()
            .envs(environment)
            .envs(of_lambda())
            .env("AWS_LAMBDA_RUNTIME_API", api.address.to_string())
            .stdin(Stdio::null())
            .stdout(log.reopen()?)
            .stderr(log.reopen()?)
            .kill_on_drop(true);
        let started = Instant::now();
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", binary.display()))?;
        let ready = tokio::select! {
            ready = ready(&mut api) => ready,
            status = child.wait() => Err(format!("the function ended before it was ready: {}", status?).into()),
        };
        let ready = ready.map_err(|problem| explain(&problem, &log))?;
        let pid = child.id().ok_or("the function ended as it became ready")?;
        Ok(Self { child, api, pid, log, init: ready - started })
    }

    /// Sends an event and waits until the function asks for the next.
    pub async fn invoke(&mut self, event: &Value) -> Result<Invocation, Problem> {
        let event = Event { id: Uuid::now_v7().to_string(), body: Bytes::from(event.to_string()) };
        let id = event.id.clone();
        let cpu_before = self.cpu()?;
        let sent = Instant::now();
        self.api.events.send(event).map_err(|_| "the runtime API has ended")?;
        let (answered, body) = self.answer(&id).await.map_err(|problem| explain(&problem, &self.log))?;
        ready(&mut self.api).await.map_err(|problem| explain(&problem, &self.log))?;
        let cpu = self.cpu()?.saturating_sub(cpu_before);
        Ok(Invocation { wall: answered - sent, cpu, answer: serde_json::from_slice(&body)? })
    }

    async fn answer(&mut self, expected: &str) -> Result<(Instant, Bytes), Problem> {
        match signal(&mut self.api).await? {
            Signal::Answered { id, at, body } if id == expected => Ok((at, body)),
            other @ (Signal::Ready { .. } | Signal::Answered { .. } | Signal::Failed { .. }) => {
                Err(format!("instead of an answer came {other:?}").into())
            }
        }
    }

    /// The processor time of all threads of the process. `stat` only has a resolution of 10 ms.
    pub fn cpu(&self) -> Result<Duration, Problem> {
        let mut nanoseconds = 0;
        for thread in std::fs::read_dir(format!("/proc/{}/task", self.pid))? {
            let schedstat = std::fs::read_to_string(thread?.path().join("schedstat"))?;
            nanoseconds += schedstat.split(' ').next().unwrap_or_default().parse::<u64>()?;
        }
        Ok(Duration::from_nanos(nanoseconds))
    }

    /// The peak memory of the process in bytes.
    pub fn peak_memory(&self) -> Result<u64, Problem> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM in /proc")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }

    /// The function's log.
    pub fn log(&self) -> Result<String, Problem> {
        Ok(std::fs::read_to_string(self.log.path())?)
    }

    pub async fn stop(mut self) -> Result<(), Problem> {
        Ok(self.child.kill().await?)
    }
}

/// Variables that Lambda sets for every function.
fn of_lambda() -> [(&'static str, &'static str); 9] {
    [
        ("AWS_LAMBDA_FUNCTION_NAME", "bench"),
        ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "512"),
        ("AWS_LAMBDA_FUNCTION_VERSION", "$LATEST"),
        ("AWS_LAMBDA_LOG_GROUP_NAME", "bench"),
        ("AWS_LAMBDA_LOG_STREAM_NAME", "bench"),
        ("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand"),
        ("LANG", "en_US.UTF-8"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("TZ", ":UTC"),
    ]
}

async fn signal(api: &mut RuntimeApi) -> Result<Signal, Problem> {
    let signal = tokio::time::timeout(PATIENCE, api.signals.recv()).await;
    signal.map_err(|_| format!("the function said nothing for {PATIENCE:?}"))?.ok_or("the runtime API has ended".into())
}

async fn ready(api: &mut RuntimeApi) -> Result<Instant, Problem> {
    match signal(api).await? {
        Signal::Ready { at } => Ok(at),
        other @ (Signal::Answered { .. } | Signal::Failed { .. }) => {
            Err(format!("the function did not ask for an event, but said {other:?}").into())
        }
    }
}

fn explain(problem: &Problem, log: &NamedTempFile) -> Problem {
    let log = std::fs::read_to_string(log.path()).unwrap_or_default();
    let end = log.lines().rev().take(5).collect::<Vec<_>>().join("\n");
    format!("{problem}; the last lines of its log:\n{end}").into()
}
