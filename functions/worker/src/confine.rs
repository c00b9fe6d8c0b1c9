//! Children that touch documents: what they may use, how they start, how they end.
//!
//! Nothing between `fork` and `exec` can be done safely in a process with threads, so the worker's own binary is the
//! first thing a child runs: `worker confine … -- PROGRAM ARGS` takes the limits upon itself and becomes the program.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};
use wait4::Wait4;

/// Exit code of a child that could not be confined; the program did not run then.
pub const NOT_CONFINED: u8 = 125;

/// How much of what a child writes to its standard error is kept: the end of it.
const STDERR_TAIL_BYTES: u64 = 4 * 1024;

/// What a child may use.
#[derive(Clone, Debug)]
pub struct Confinement {
    /// Bytes; Chromium reserves so much that it runs without this limit.
    pub address_space: Option<u64>,
    pub cpu_seconds: Option<u64>,
    /// The largest file it may write, in bytes.
    pub file_bytes: u64,
    pub open_files: u64,
    pub network: Network,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// No sockets but those of the family AF_UNIX, and no connecting of these.
    Denied,
    /// For a browser, which reaches the guarding proxy and nothing else.
    Allowed,
}

/// Starts children through the worker's own binary.
#[derive(Clone, Debug)]
pub struct Launcher {
    worker: PathBuf,
}

impl Launcher {
    /// `worker` is the path of the worker's binary; a test gives the one it was built with.
    pub fn new(worker: impl Into<PathBuf>) -> Self {
        Self { worker: worker.into() }
    }

    /// The binary that is running now.
    pub fn current() -> io::Result<Self> {
        std::env::current_exe().map(Self::new)
    }

    pub fn worker(&self) -> &Path {
        &self.worker
    }

    /// `program` confined: its environment is empty but for TMPDIR, its directory is `scratch`, its process group its own.
    /// The caller adds arguments, variables and, where it needs them, standard streams.
    ///
    /// The child dies with the *thread* that spawns it: spawn where the thread outlives the child, as [`run`] does.
    pub fn command(&self, confinement: &Confinement, program: &Path, scratch: &Path) -> Command {
        let mut command = Command::new(&self.worker);
        command.arg("confine");
        if let Some(bytes) = confinement.address_space {
            command.args(["--as", &bytes.to_string()]);
        }
        if let Some(seconds) = confinement.cpu_seconds {
            command.args(["--cpu", &seconds.to_string()]);
        }
        command.args(["--fsize", &confinement.file_bytes.to_string()]);
        command.args(["--nofile", &confinement.open_files.to_string()]);
        match confinement.network {
            Network::Denied => {
                command.arg("--no-network");
            }
            Network::Allowed => {}
        }
        command.arg("--").arg(program);
        command.env_clear().env("TMPDIR", scratch).current_dir(scratch);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.process_group(0);
        command
    }
}

/// How a child ended, and what it took.
#[derive(Debug)]
pub struct Outcome {
    pub end: End,
    pub wall: Duration,
    /// User and system time of the child and of those of its children that it waited for.
    pub cpu: Duration,
    pub peak_rss_bytes: u64,
    /// The last 4 KiB of its standard error: for the log, since a document may have shaped it.
    pub stderr: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Exited(i32),
    /// Killed by this signal; that does not establish whose fault it was.
    Signaled(i32),
    /// Killed because its deadline, or its share of CPU time, was used up.
    TimedOut,
}

/// Runs a confined command to its end, and kills its whole process group at `deadline`, or when it leaves stragglers.
pub async fn run(command: Command, deadline: Instant) -> io::Result<Outcome> {
    tokio::task::spawn_blocking(move || run_blocking(command, deadline)).await.map_err(io::Error::other)?
}

fn run_blocking(mut command: Command, deadline: Instant) -> io::Result<Outcome> {
    let stderr = tempfile::tempfile()?;
    command.stderr(stderr.try_clone()?);
    let started = Instant::now();
    let child = command.spawn()?;
    let group = Pid::from_child(&child);
    let in_time = wait_until(group, deadline);
    // The child is not reaped yet, so its group's number can't belong to anybody else.
    kill_group(group)?;
    let used = child.wait4()?;
    let end = if in_time? { End::of(used.status) } else { End::TimedOut };
    Ok(Outcome {
        end,
        wall: started.elapsed(),
        cpu: used.rusage.utime + used.rusage.stime,
        peak_rss_bytes: used.rusage.maxrss,
        stderr: tail(stderr)?,
    })
}

/// Whether the process ended before the deadline.
fn wait_until(process: Pid, deadline: Instant) -> io::Result<bool> {
    let fd = rustix::process::pidfd_open(process, PidfdFlags::empty())?;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
        match rustix::event::poll(&mut [PollFd::new(&fd, PollFlags::IN)], Some(&timeout)) {
            Ok(0) if left.is_zero() => return Ok(false),
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(error) => return Err(error.into()),
        }
    }
}

/// Kills every process of a group; that none is left is not an error.
pub fn kill_group(group: Pid) -> io::Result<()> {
    match rustix::process::kill_process_group(group, Signal::KILL) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

impl End {
    fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, Some(libc::SIGXCPU)) => Self::TimedOut,
            (None, Some(signal)) => Self::Signaled(signal),
            (None, None) => Self::Signaled(0),
        }
    }
}

fn tail(mut file: File) -> io::Result<String> {
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(STDERR_TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(STDERR_TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// No other process of this user may read our memory or environment, where the role's credentials are.
pub fn hide_own_memory() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

/// The arguments of `worker confine`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bytes of address space.
    #[arg(long = "as")]
    address_space: Option<u64>,
    /// Seconds of CPU time.
    #[arg(long)]
    cpu: Option<u64>,
    /// Bytes of the largest file.
    #[arg(long)]
    fsize: u64,
    /// Open files.
    #[arg(long)]
    nofile: u64,
    /// Deny every socket that could reach beyond this process.
    #[arg(long)]
    no_network: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Takes the limits upon this process and becomes the program. Returns only if that failed: the program never runs
/// with less confinement than was asked for.
pub fn exec(args: Args) -> io::Error {
    let Some((program, rest)) = args.command.split_first() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "no program given");
    };
    match confine_self(&args) {
        Ok(()) => Command::new(program).args(rest).exec(),
        Err(error) => error,
    }
}

fn confine_self(args: &Args) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    rustix::thread::set_no_new_privs(true)?;
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Fsize, args.fsize, args.fsize)?;
    limit(Resource::Nofile, args.nofile, args.nofile)?;
    if let Some(bytes) = args.address_space {
        limit(Resource::As, bytes, bytes)?;
    }
    if let Some(seconds) = args.cpu {
        // SIGXCPU at the soft limit tells this end from others; a program that ignores it is killed a second later.
        limit(Resource::Cpu, seconds, seconds.saturating_add(1))?;
    }
    deny_calls(if args.no_network { Network::Denied } else { Network::Allowed })?;
    Ok(())
}

/// Sets a limit of this process.
pub(crate) fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    Ok(rustix::process::setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) })?)
}

/// Installs a seccomp filter for this thread and all that descends from it. It needs no privilege, and so works where
/// network namespaces don't (in Lambda).
pub fn deny_network() -> io::Result<()> {
    deny_calls(Network::Denied)
}

fn deny_calls(network: Network) -> io::Result<()> {
    let filter = call_filter(network).map_err(io::Error::other)?;
    seccompiler::apply_filter(&filter).map_err(io::Error::other)
}

/// System calls without which no converter lives worse, and with which a hostile document could reach another process or
/// the kernel's riskier corners.
const DENIED: [libc::c_long; 16] = [
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

fn call_filter(network: Network) -> Result<BpfProgram, seccompiler::BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = DENIED.iter().map(|call| (*call, Vec::new())).collect();
    match network {
        Network::Allowed => {}
        Network::Denied => {
            rules.insert(libc::SYS_connect, Vec::new());
            for call in [libc::SYS_socket, libc::SYS_socketpair] {
                let not_local =
                    SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?;
                rules.insert(call, vec![SeccompRule::new(vec![not_local])?]);
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    add_x32_calls(&mut rules);
    let denied = SeccompAction::Errno(libc::EPERM as u32);
    SeccompFilter::new(rules, SeccompAction::Allow, denied, TargetArch::try_from(std::env::consts::ARCH)?)?.try_into()
}

/// The same calls under the numbers of the x32 ABI, which some kernels still take from a 64-bit process.
#[cfg(target_arch = "x86_64")]
fn add_x32_calls(rules: &mut BTreeMap<i64, Vec<SeccompRule>>) {
    const X32_BIT: i64 = 0x4000_0000;
    let twins: Vec<_> = rules.iter().map(|(call, rule)| (call | X32_BIT, rule.clone())).collect();
    rules.extend(twins);
}
