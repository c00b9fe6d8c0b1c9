//! The child's side: a process confines itself before it runs the program or reads a document.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Resource, Rlimit, Signal};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};

use super::calls::{self, Filters};
use super::files::{self, Seen};
use super::{Means, Network, Processes};

/// The arguments of `worker confine`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Bytes of address space.
    #[arg(long = "as")]
    address_space: Option<u64>,
    /// Bytes of memory of its own.
    #[arg(long)]
    data: Option<u64>,
    /// Seconds of CPU time.
    #[arg(long)]
    cpu: Option<u64>,
    /// Bytes of the largest file.
    #[arg(long)]
    fsize: u64,
    /// Open files, if the platform allows so many: Lambda allows 1,024.
    #[arg(long)]
    nofile: u64,
    #[arg(long)]
    network: Network,
    #[arg(long)]
    processes: Processes,
    /// How to enforce that: by system call filters or an empty network namespace.
    #[arg(long)]
    means: Means,
    /// Directories to read, besides the system's.
    #[arg(long)]
    read: Vec<PathBuf>,
    /// Directories to write into.
    #[arg(long)]
    write: Vec<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

/// Applies the limits to this process and becomes the program. Only returns on failure: the program never runs with fewer limits
/// than requested.
pub fn exec(args: Args) -> io::Error {
    let Some((program, rest)) = args.command.split_first() else {
        return io::Error::new(io::ErrorKind::InvalidInput, "no program given");
    };
    match confine_self(&args) {
        Ok(()) => Command::new(program).args(rest).exec(),
        Err(error) => error,
    }
}

/// Processes and threads of this user, where no filter keeps a child from starting more: half of what Lambda allows. The worker
/// needs the rest.
const MOST_PROCESSES: u64 = 512;

/// Has the kernel kill this process when the thread that started it ends. Its own children are killed in turn.
///
/// # Errors
///
/// That of the system call.
pub fn end_with_parent() -> io::Result<()> {
    Ok(rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?)
}

fn confine_self(args: &Args) -> io::Result<()> {
    end_with_parent()?;
    rustix::thread::set_no_new_privs(true)?;
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Fsize, args.fsize, args.fsize)?;
    let files = rustix::process::getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX).min(args.nofile);
    limit(Resource::Nofile, files, files)?;
    if let Some(bytes) = args.address_space {
        limit(Resource::As, bytes, bytes)?;
    }
    if let Some(bytes) = args.data {
        limit(Resource::Data, bytes, bytes)?;
    }
    if let Some(seconds) = args.cpu {
        // SIGXCPU at the soft limit identifies the cause. A program that ignores it is killed a second later.
        limit(Resource::Cpu, seconds, seconds.saturating_add(1))?;
    }
    match (args.means, args.network) {
        (Means::Namespace, Network::Denied | Network::Unconnected) => leave_network()?,
        (Means::Namespace, Network::Proxied) | (Means::Calls | Means::None, _) => {}
    }
    drop_capabilities()?;
    files::restrict(&args.read, &args.write, args.network)?;
    match args.means {
        Means::Calls => calls::narrow(args.network, args.processes),
        Means::Namespace | Means::None => limit(Resource::Nproc, MOST_PROCESSES, MOST_PROCESSES),
    }
}

/// The additional confinement of a forked child: no other processes, no sockets, and no files except the system's and those that
/// it reads or writes for its document.
#[derive(Debug)]
pub struct Narrowing {
    seen: Seen,
    /// `None` where the platform has none.
    filters: Option<Filters>,
}

impl Narrowing {
    /// The slow part, which does not depend on the document. Must run in the child itself.
    ///
    /// # Errors
    /// If the kernel has filters or Landlock and refuses these.
    pub fn prepare(reads: &[PathBuf], means: Means) -> io::Result<Self> {
        let filters = match means {
            Means::Calls => Some(Filters::build(Network::Denied, Processes::None)?),
            // The helper has no network, and so neither have its children.
            Means::Namespace | Means::None => None,
        };
        Ok(Self { seen: Seen::prepare(reads, Network::Denied)?, filters })
    }

    /// Must run before the child sees its document.
    /// `reads` and `writes` are only for this document.
    ///
    /// # Errors
    /// If a confinement can't be applied: the child must end.
    pub fn apply(self, reads: &[PathBuf], writes: &[PathBuf]) -> io::Result<()> {
        self.seen.enforce(reads, writes)?;
        self.filters.as_ref().map_or(Ok(()), Filters::apply)
    }
}

/// Sets a limit of this process.
///
/// # Errors
/// If the kernel refuses it, such as one above the hard limit.
pub fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
    Ok(rustix::process::setrlimit(resource, Rlimit { current: Some(soft), maximum: Some(hard) })?)
}

/// Enters an empty network namespace, in which even loopback is down.
#[allow(deprecated, reason = "the form that is not can share file descriptors unsafely, which this one does not do")]
fn leave_network() -> io::Result<()> {
    let alone = rustix::thread::unshare(UnshareFlags::NEWNET);
    // Without privileges, this needs a user namespace, if the platform has them.
    Ok(alone.or_else(|_| rustix::thread::unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET))?)
}

/// Drops root's additional rights: to inspect other processes, read any file, or change the machine. Lambda has none of these,
/// but a container or a developer's machine may.
fn drop_capabilities() -> io::Result<()> {
    if rustix::thread::capabilities(None)?.permitted.is_empty() {
        return Ok(());
    }
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // Either this kernel does not know the capability, or we could not pass it on anyway.
            Ok(()) | Err(rustix::io::Errno::INVAL | rustix::io::Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Other processes of this user can't read our memory or environment, which contain the role's credentials.
///
/// # Errors
/// If the kernel refuses it.
pub fn hide_own_memory() -> io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?)
}

/// Runs code that reads this process's own memory map, which a process that hides its memory can't do unless it is root. Only for
/// processes without credentials, since others of the same user could read them in the meantime.
pub(crate) fn showing_own_memory<T>(look: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::Dumpable)?;
    let seen = look();
    hide_own_memory()?;
    seen
}

/// The program's directory, which the child must be able to read.
pub(super) fn directory_of(program: &Path) -> PathBuf {
    let resolved = program.canonicalize().unwrap_or_else(|_| program.to_owned());
    resolved.parent().map_or(resolved.clone(), Path::to_owned)
}
