//! A child for each page: forked by the helper, or started directly if that is not possible.

use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use docmill_confine::fork_server::ForkServer;
use docmill_confine::fork_server::helper::{Bounds, Reply, Request};
use docmill_confine::{Confinement, End, Launcher, Network, Processes, scratch};
use docmill_domain::time::millis;
use docmill_domain::tool::EngineKind;
use docmill_telemetry as telemetry;
use tempfile::TempDir;

use super::render::Outcome;
use super::zygote::{Answer, Page, SAID};
use super::{Task, fonts};

/// The limit for a child. A page with 10,000 table rows used 161 MB.
const ADDRESS_SPACE_BYTES: u64 = 3 << 30;
const OPEN_FILES: u64 = 256;
/// 32 MiB: larger than the allocations of most pages.
const HEAP_BYTES: &str = "33554432";

#[derive(Debug)]
pub(super) struct Children {
    server: ForkServer,
    launcher: Launcher,
}

/// How a child ended, and the end of its standard error.
pub(super) struct Ended {
    pub(super) how: Result<Result<(), Outcome>, End>,
    pub(super) said: String,
}

impl Children {
    pub(super) fn new(launcher: Launcher) -> Self {
        // Each start has its own directory, and the previous one is removed.
        let home = std::sync::Mutex::new(None);
        let starter = launcher.clone();
        let start = move |_care| {
            let fresh = TempDir::with_prefix("html-")?;
            let command = helper(&starter, fresh.path().to_owned());
            *home.lock().map_err(|_poisoned| io::Error::other("an earlier start panicked"))? = Some(fresh);
            Ok(command)
        };
        Self { server: ForkServer::new(Box::new(start)), launcher }
    }

    pub(super) async fn get_ready(&self) -> io::Result<()> {
        self.server.get_ready().await
    }

    /// The memory limit of a child.
    pub(super) fn memory_bytes(&self) -> u64 {
        self.launcher.allowance([]).memory_bytes
    }

    /// Prints a page and its order from the job's directory.
    pub(super) async fn print(&self, task: &Task<'_>) -> io::Result<Ended> {
        match self.print_forked(task).await {
            Ok(ended) => Ok(ended),
            Err(error) => {
                telemetry::engine::fell_back(EngineKind::Sghtmltopdf, &error);
                self.print_afresh(task).await
            }
        }
    }

    async fn print_forked(&self, task: &Task<'_>) -> io::Result<Ended> {
        let left = task.deadline.saturating_duration_since(Instant::now());
        let bounds = Bounds {
            directory: task.scratch.to_owned(),
            reads: task.fonts.reads(),
            timeout_ms: millis(left),
            address_space: ADDRESS_SPACE_BYTES,
            cpu_seconds: cpu_seconds(left),
            file_bytes: task.limits.output_bytes,
            memory_bytes: self.memory_bytes(),
        };
        let request = Request { bounds, document: Page { scratch: task.scratch.to_owned() } };
        let how = match self.server.ask::<_, Reply<Answer>>(&request, task.deadline).await?.noted() {
            Reply::Ready | Reply::Failed(_) => {
                return Err(io::Error::other("the helper sent a reply of the wrong kind"));
            }
            Reply::Answered(word) => Ok(word),
            Reply::Exited(code) => Err(End::Exited(code)),
            Reply::Signaled(signal) => Err(End::Signaled(signal)),
            Reply::TimedOut => Err(End::TimedOut),
            Reply::Exceeded(excess) => Err(End::Exceeded(excess)),
        };
        // The child may have ended before writing it, or may have put anything in its place.
        let said = scratch::open_written(&task.scratch.join(SAID)).and_then(docmill_confine::tail).unwrap_or_default();
        Ok(Ended { how, said })
    }

    async fn print_afresh(&self, task: &Task<'_>) -> io::Result<Ended> {
        let left = task.deadline.saturating_duration_since(Instant::now());
        let confinement = Confinement {
            cpu_seconds: Some(cpu_seconds(left)),
            file_bytes: task.limits.output_bytes,
            processes: Processes::None,
            reads: task.fonts.reads(),
            ..confinement()
        };
        let mut command = self.launcher.command(&confinement, self.launcher.worker(), task.scratch);
        command.arg("render-html").arg(task.scratch);
        if task.fonts.directory().is_some() {
            fonts::configure(task.scratch, None, task.fonts.directory())?;
            command.env("FONTCONFIG_FILE", fonts::CONFIGURATION);
        }
        let allowance = self.launcher.allowance([task.scratch.to_owned()]);
        let outcome = docmill_confine::run(command, task.deadline, allowance).await?;
        let how = match outcome.end {
            End::Exited(0) => Ok(Ok(())),
            End::Exited(code) => Outcome::of_exit_code(code).map(Err).ok_or(outcome.end),
            End::Signaled(_) | End::TimedOut | End::Exceeded(_) => Err(outcome.end),
        };
        Ok(Ended { how, said: outcome.stderr })
    }
}

fn cpu_seconds(left: Duration) -> u64 {
    left.as_secs() + 1
}

fn confinement() -> Confinement {
    Confinement {
        address_space: Some(ADDRESS_SPACE_BYTES),
        cpu_seconds: None,
        file_bytes: u64::MAX,
        open_files: OPEN_FILES,
        network: Network::Denied,
        processes: Processes::Forked,
        reads: Vec::new(),
        writes: Vec::new(),
    }
}

/// The command that starts the helper. Its children get narrower limits for each page.
fn helper(launcher: &Launcher, home: PathBuf) -> Command {
    // The parent of all jobs' directories. Each child is restricted to its own.
    let confinement = Confinement { writes: vec![std::env::temp_dir()], ..confinement() };
    let mut command = launcher.command(&confinement, launcher.worker(), &home);
    // The helper's errors are logged if it does not start. Its children's are not.
    command.stderr(Stdio::inherit());
    command.arg("html-zygote").arg("--home").arg(home);
    launcher.tell_helper(&mut command);
    // A relative name, since each child runs in its own directory.
    command.env("FONTCONFIG_FILE", fonts::CONFIGURATION);
    // Freed memory is kept for reuse in the one heap that the helper's children inherit.
    command.env("MALLOC_MMAP_THRESHOLD_", HEAP_BYTES).env("MALLOC_TRIM_THRESHOLD_", HEAP_BYTES);
    command
}
