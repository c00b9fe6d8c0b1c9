//! Children that open documents: what they may use, how they start and end.
//!
//! A process with threads can do little safely between `fork` and `exec`. So a child first runs the worker's own binary: `worker
//! confine … -- PROGRAM ARGS` applies the limits to itself and then becomes the program.

#![warn(missing_docs, clippy::missing_errors_doc)]
#![cfg_attr(
    not(test),
    warn(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::indexing_slicing
    )
)]

mod attempts;
mod calls;
mod child;
pub mod environment;
mod files;
pub mod fork_server;
mod platform;
pub mod scratch;
mod seal;
pub mod usage;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, PidfdFlags, Signal, WaitId, WaitIdOptions};
use wait4::Wait4;

pub use attempts::{Attempt, AttemptArgs, attempt_all};
pub use child::limit;
pub(crate) use child::showing_own_memory;
pub use child::{Args, Narrowing, end_with_parent, exec, hide_own_memory};
pub use platform::{Isolation, Platform, TooWeak};
use usage::{Allowance, Excess, Usage, Watch, Watched};

/// Exit code of a child that could not be confined. The program did not run.
pub const NOT_CONFINED: u8 = 125;

/// How much of a child's standard error is kept, counted from its end.
const STDERR_TAIL_BYTES: u64 = 4 * 1024;

/// What a child may use.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// Bytes. Chromium reserves so much address space that it runs without this limit. A child with this limit also can't use up
    /// the environment's memory.
    pub address_space: Option<u64>,
    /// `None`: only its deadline counts.
    pub cpu_seconds: Option<u64>,
    /// The largest file it may write, in bytes.
    pub file_bytes: u64,
    /// At the same time.
    pub open_files: u64,
    /// What sockets it may have.
    pub network: Network,
    /// What processes it may have.
    pub processes: Processes,
    /// Paths that it can read, besides the system's files and its own directory.
    pub reads: Vec<PathBuf>,
    /// Paths that it can write to, besides its own directory.
    pub writes: Vec<PathBuf>,
}

/// What sockets a child may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Network {
    /// No sockets except socket pairs.
    Denied,
    /// For a LibreOffice process of its own, which listens on a socket: local sockets, but no connections.
    Unconnected,
    /// For a browser, which can only reach the guarding proxy: only TCP.
    Proxied,
}

/// What processes a child may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Processes {
    /// Only threads. It can't send signals to others either.
    None,
    /// Other processes in its own process group, which none of them can leave.
    InGroup,
    /// For a helper: each forked child gets its own group and applies a [`Narrowing`] to itself.
    Forked,
}

/// How to deny the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Means {
    /// By system call filters, which deny more than the network.
    Calls,
    /// By an empty network namespace.
    Namespace,
    /// Not at all: see [`Platform`].
    None,
}

impl Means {
    /// As `worker confine` takes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Calls => "seccomp",
            Self::Namespace => "namespace",
            Self::None => "none",
        }
    }
}

/// How a helper confines the children that it forks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct ForkedBy {
    /// The means of the worker's own children.
    #[arg(long)]
    means: Means,
    /// Whether documents could leave something behind, so that the helper looks for it.
    #[arg(long)]
    watched: bool,
}

impl ForkedBy {
    /// How to deny the network to them.
    pub fn means(self) -> Means {
        self.means
    }

    /// Whether the helper must look for what a document leaves behind.
    pub fn is_watched(self) -> bool {
        self.watched
    }
}

/// Starts children through the worker's own binary.
#[derive(Clone, Debug)]
pub struct Launcher {
    worker: PathBuf,
    means: Means,
    /// Whether a document that takes a child over could leave something behind: see [`environment`].
    watched: bool,
    /// Most memory for all children of one job, in bytes.
    memory: u64,
}

/// Assumed memory if nothing says how much there is.
const USUAL_MEMORY: u64 = 3 << 30;

impl Launcher {
    /// `worker` is the path of the worker's binary; tests use the one they were built with. Children are confined by system call
    /// filters where this process can apply any: [`Platform::probe`] looks further.
    pub fn new(worker: impl Into<PathBuf>) -> Self {
        let filters = calls::are_available();
        let means = if filters { Means::Calls } else { Means::None };
        Self { worker: worker.into(), means, watched: !filters, memory: memory_of_children() }
    }

    /// Whether documents could leave something behind for the next ones.
    pub fn is_watched(&self) -> bool {
        self.watched
    }

    /// Adds the arguments of a helper that forks children: see [`ForkedBy`].
    pub fn tell_helper(&self, command: &mut Command) {
        command.arg("--means").arg(name(self.means));
        if self.watched {
            command.arg("--watched");
        }
    }

    /// The binary that is running now.
    ///
    /// # Errors
    /// If the path of the running binary can't be read.
    pub fn current() -> io::Result<Self> {
        std::env::current_exe().map(Self::new)
    }

    /// The path of the worker's binary.
    pub fn worker(&self) -> &Path {
        &self.worker
    }

    /// Sets the memory limit for the children of one job, in bytes.
    #[must_use]
    pub fn within(self, memory: u64) -> Self {
        Self { memory, ..self }
    }

    /// Limits for the children of one job, which use these directories.
    pub fn allowance(&self, directories: impl IntoIterator<Item = PathBuf>) -> Allowance {
        Allowance::new(directories, self.memory)
    }

    /// `program` as a confined command: an empty environment except for TMPDIR, `scratch` as its directory, and its own process
    /// group. The caller adds arguments, variables and standard streams.
    ///
    /// The child dies with the *thread* that spawns it, so that thread must outlive the child, as in [`run`].
    pub fn command(&self, confinement: &Confinement, program: &Path, scratch: &Path) -> Command {
        let mut command = Command::new(&self.worker);
        command.arg("confine");
        if let Some(bytes) = confinement.address_space {
            command.args(["--as", &bytes.to_string(), "--data", &bytes.min(self.memory).to_string()]);
        }
        if let Some(seconds) = confinement.cpu_seconds {
            command.args(["--cpu", &seconds.to_string()]);
        }
        command.args(["--fsize", &confinement.file_bytes.to_string()]);
        command.args(["--nofile", &confinement.open_files.to_string()]);
        command.arg("--network").arg(name(confinement.network));
        command.arg("--processes").arg(name(confinement.processes));
        command.arg("--means").arg(name(self.means));
        command.arg("--read").arg(child::directory_of(program));
        for directory in &confinement.reads {
            command.arg("--read").arg(directory);
        }
        command.arg("--write").arg(scratch);
        for directory in &confinement.writes {
            command.arg("--write").arg(directory);
        }
        command.arg("--").arg(program);
        command.env_clear().env("TMPDIR", scratch).current_dir(scratch);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0);
        command
    }
}

/// Three quarters of the environment's memory. The worker keeps the rest, so that a document can't kill it.
fn memory_of_children() -> u64 {
    let megabytes = std::env::var("AWS_LAMBDA_FUNCTION_MEMORY_SIZE").ok().and_then(|size| size.parse::<u64>().ok());
    megabytes.map_or(USUAL_MEMORY, |megabytes| (megabytes << 20) / 4 * 3)
}

/// The value's name on the command line.
fn name(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// How a child ended, and what it used.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// From its start to its end.
    pub wall: Duration,
    /// User and system time of the child and of its own children that it waited for.
    pub cpu: Duration,
    /// Of the largest process, shared pages included.
    pub peak_rss_bytes: u64,
    /// The last 4 KiB of its standard error. Only for the log, since a document may have influenced it.
    pub stderr: String,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// Killed by this signal, which does not tell whose fault it was.
    Signaled(i32),
    /// Killed at its deadline or CPU time limit.
    TimedOut,
    /// Killed for exceeding its limits.
    Exceeded(Excess),
}

/// Runs a confined command. Kills its whole process group at `deadline`, when it exceeds its limits, or when it leaves processes
/// behind.
///
/// # Errors
/// If the child can't be started, watched or waited for.
pub async fn run(command: Command, deadline: Instant, allowance: Allowance) -> io::Result<Outcome> {
    tokio::task::spawn_blocking(move || run_blocking(command, deadline, &allowance)).await.map_err(io::Error::other)?
}

fn run_blocking(mut command: Command, deadline: Instant, allowance: &Allowance) -> io::Result<Outcome> {
    let stderr = tempfile::tempfile()?;
    command.stderr(stderr.try_clone()?);
    let started = Instant::now();
    let child = command.spawn()?;
    let group = Pid::from_child(&child);
    let waited = wait(group, Some(deadline), allowance, |_| {});
    // The child is not reaped yet, so its group id can't be reused.
    kill_group(group)?;
    let used = child.wait4()?;
    let stderr = tail(stderr)?;
    let end = match waited? {
        Waited::Ended => End::of(used.status)
            .or_of_memory(allowance.was_nearly_used_up(used.rusage.maxrss) || tells_of_memory(&stderr)),
        Waited::TimeUp => End::TimedOut,
        Waited::Exceeded(excess) => End::Exceeded(excess),
    };
    end.note();
    Ok(Outcome {
        end,
        wall: started.elapsed(),
        cpu: used.rusage.utime + used.rusage.stime,
        peak_rss_bytes: used.rusage.maxrss,
        stderr,
    })
}

enum Waited {
    Ended,
    TimeUp,
    Exceeded(Excess),
}

/// Waits for a process to end, samples its group's usage, and reports it to `note`.
fn wait(
    process: Pid,
    deadline: Option<Instant>,
    allowance: &Allowance,
    mut note: impl FnMut(Usage),
) -> io::Result<Waited> {
    let fd = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
    let mut watch = Watch::new(allowance, Watched::Group(process));
    loop {
        let left = deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        let timeout = Timespec::try_from(left.min(watch.interval())).map_err(io::Error::other)?;
        match rustix::event::poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)) {
            Ok(0) if left.is_zero() => return Ok(Waited::TimeUp),
            Ok(0) => {
                let excess = watch.excess()?;
                note(watch.last());
                if let Some(excess) = excess {
                    return Ok(Waited::Exceeded(excess));
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(Waited::Ended),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until a process has ended, without reaping it, or until its group exceeds its limits.
///
/// # Errors
/// If the process can't be watched.
pub fn wait_within(process: Pid, allowance: &Allowance, note: impl FnMut(Usage)) -> io::Result<Option<Excess>> {
    Ok(match wait(process, None, allowance, note)? {
        Waited::Exceeded(excess) => Some(excess),
        Waited::Ended | Waited::TimeUp => None,
    })
}

/// Kills all processes of a group, which may be empty.
///
/// # Errors
/// If a process can't be signaled.
pub fn kill_group(group: Pid) -> io::Result<()> {
    signal_group(group, Signal::KILL)
}

/// Kills a forked child and its group. It may not have run yet, and so have no group of its own.
pub(crate) fn kill_child(child: Pid) -> io::Result<()> {
    kill_group(child)?;
    ended_is_fine(rustix::process::kill_process(child, Signal::KILL))
}

/// Stops all threads of a child and its group for good: a stopped thread runs neither its own code nor a system call, and once
/// killed, it never continues. The child must still be reaped. Its end takes longer, since the kernel frees its memory first: 6 to
/// 10 ms for LibreOffice (measured on 2026-11-23).
pub(crate) fn halt(child: Pid) -> io::Result<()> {
    signal_group(child, Signal::STOP)?;
    let stopped_or_ended = WaitIdOptions::STOPPED | WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(error) = rustix::process::waitid(WaitId::Pid(child), stopped_or_ended) {
        if error != rustix::io::Errno::INTR {
            return Err(error.into());
        }
    }
    kill_group(child)
}

fn signal_group(group: Pid, signal: Signal) -> io::Result<()> {
    ended_is_fine(rustix::process::kill_process_group(group, signal))
}

/// A signal to what has ended is no error.
fn ended_is_fine(signaled: rustix::io::Result<()>) -> io::Result<()> {
    match signaled {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl End {
    /// Of a process that has been waited for.
    pub fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, Some(libc::SIGXCPU)) => Self::TimedOut,
            (None, Some(signal)) => Self::Signaled(signal),
            (None, None) => Self::Signaled(0),
        }
    }

    /// Notes in the environment that a child did not end by itself.
    pub fn note(self) {
        match self {
            Self::Exited(_) => {}
            Self::Signaled(_) => environment::suspect("a child crashed"),
            Self::TimedOut => environment::suspect("a child was killed at its deadline"),
            Self::Exceeded(_) => environment::suspect("a child exceeded its limits"),
        }
    }

    /// The same, unless a process crashed for lack of memory: it had used nearly all, or an allocation failed.
    pub(crate) fn or_of_memory(self, lacked: bool) -> Self {
        match self {
            Self::Exited(1..)
            | Self::Signaled(libc::SIGKILL | libc::SIGABRT | libc::SIGSEGV | libc::SIGBUS | libc::SIGTRAP)
                if lacked =>
            {
                Self::Exceeded(Excess::Memory)
            }
            Self::Exited(_) | Self::Signaled(_) | Self::TimedOut | Self::Exceeded(_) => self,
        }
    }
}

/// Whether a crashed process reports that an allocation failed, as Rust and the C++ runtime do. The kernel's limit can deny a
/// large allocation while little memory is in use.
pub fn tells_of_memory(stderr: &str) -> bool {
    stderr.contains("memory allocation of ") || stderr.contains("std::bad_alloc")
}

/// The end of a file that a child wrote.
///
/// # Errors
/// If the file can't be read.
pub fn tail(mut file: File) -> io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(STDERR_TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(STDERR_TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_halted_child_writes_nothing_more() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let written = || file.as_file().metadata().unwrap().len();
        let mut writing = Command::new("sh");
        writing.args(["-c", "while :; do echo more >>\"$0\"; done"]).arg(file.path()).process_group(0);
        let mut child = writing.spawn().unwrap();
        while written() < 1000 {
            std::thread::yield_now();
        }
        halt(Pid::from_child(&child)).unwrap();
        let halted = written();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(written(), halted);
    }

    #[test]
    fn a_child_without_a_group_of_its_own_is_killed() {
        let mut child = Command::new("sleep").arg("1000").spawn().unwrap();
        kill_child(Pid::from_child(&child)).unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    }

    #[test]
    fn a_child_that_has_ended_is_halted() {
        let mut child = Command::new("true").process_group(0).spawn().unwrap();
        halt(Pid::from_child(&child)).unwrap();
        child.wait().unwrap();
    }
}
