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
    /// Open files.
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

fn confine_self(args: &Args) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    rustix::thread::set_no_new_privs(true)?;
    limit(Resource::Core, 0, 0)?;
    limit(Resource::Fsize, args.fsize, args.fsize)?;
    limit(Resource::Nofile, args.nofile, args.nofile)?;
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
        Means::Namespace | Means::None => Ok(()),
    }
}

/// The additional confinement of a forked child: no other processes, no sockets, and no files except the system's and those that
/// it reads or writes for its document.
#[derive(Debug)]
pub struct Narrowing {
    seen: Seen,
    filters: Filters,
}

impl Narrowing {
    /// The slow part, which does not depend on the document. Must run in the child itself.
    pub fn prepare(reads: &[PathBuf]) -> io::Result<Self> {
        Ok(Self {
            seen: Seen::prepare(reads, Network::Denied)?,
            filters: Filters::build(Network::Denied, Processes::None)?,
        })
    }

    /// Must run before the child sees its document.
    /// `reads` and `writes` are only for this document.
    pub fn apply(self, reads: &[PathBuf], writes: &[PathBuf]) -> io::Result<()> {
        self.seen.enforce(reads, writes)?;
        self.filters.apply()
    }
}

/// Sets a limit of this process.
pub(crate) fn limit(resource: Resource, soft: u64, hard: u64) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    /// Filters and rules apply to this thread, so other tests are not affected.
    #[test]
    fn a_narrowed_child_has_its_own_directory_and_nobody_to_talk_to() {
        let [own, given, other] = [(); 3].map(|()| tempfile::tempdir().unwrap());
        std::fs::write(given.path().join("font"), "a font").unwrap();
        std::fs::write(other.path().join("secret"), "of another job").unwrap();
        let narrowed = || {
            Narrowing::prepare(&[]).unwrap().apply(&[given.path().to_owned()], &[own.path().to_owned()]).unwrap();
            File::create(own.path().join("mine")).unwrap();
            assert_eq!(std::fs::read_to_string("/dev/null").unwrap(), "");
            assert_eq!(std::fs::read_to_string(given.path().join("font")).unwrap(), "a font");
            assert!(File::create(given.path().join("font")).is_err(), "writes what it may read");
            assert!(File::open(other.path().join("secret")).is_err(), "reads another's file");
            assert!(File::create(other.path().join("new")).is_err(), "writes elsewhere");
            assert!(std::net::TcpListener::bind("127.0.0.1:0").is_err(), "has TCP");
            assert!(std::net::UdpSocket::bind("127.0.0.1:0").is_err(), "has UDP");
            assert!(std::os::unix::net::UnixDatagram::unbound().is_err(), "has datagrams");
            assert!(Command::new("/bin/true").status().is_err(), "starts processes");
            assert!(rustix::process::setsid().is_err() && rustix::process::setpgid(None, None).is_err());
            // Threads are still allowed.
            assert_eq!(std::thread::spawn(|| 7).join().unwrap(), 7);
        };
        std::thread::scope(|scope| scope.spawn(narrowed).join()).unwrap();
    }
}
