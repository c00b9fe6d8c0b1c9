//! Which files a child sees and writes: Landlock, where the kernel has it. Besides, it keeps a child from looking into
//! the memory and environment of any process outside, and from sending signals to one.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};

use super::Network;

/// Program files and kernel interfaces. Not /tmp and no home directory.
const SYSTEM: [&str; 14] = [
    "/bin",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/proc",
    "/sbin",
    "/sys",
    "/usr",
    "/var/cache",
    "/var/lib",
    "/var/spool/libreoffice",
];
/// Where a LibreOffice that runs by itself insists on a socket.
const SOCKETS: [&str; 1] = ["/tmp"];
const WRITABLE_DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

const NEWEST: ABI = ABI::V6;

/// What a thread will see, but for where it writes.
#[derive(Debug)]
pub(super) struct Seen(RulesetCreated);

impl Seen {
    /// `reads`, besides the system's files. What is not there is left out.
    pub(super) fn prepare(reads: &[PathBuf], network: Network) -> io::Result<Self> {
        let read = AccessFs::from_read(NEWEST);
        let sockets = match network {
            Network::Unconnected => SOCKETS.as_slice(),
            Network::Denied | Network::Proxied => &[],
        };
        let build = || {
            Ruleset::default()
                .handle_access(AccessFs::from_all(NEWEST))?
                .scope(Scope::from_all(NEWEST))?
                .create()?
                .add_rules(path_beneath_rules(SYSTEM, read))?
                .add_rules(path_beneath_rules(reads, read))?
                .add_rules(path_beneath_rules(WRITABLE_DEVICES, AccessFs::from_file(NEWEST)))?
                .add_rules(path_beneath_rules(sockets, AccessFs::MakeSock))
        };
        build().map(Self).map_err(|error: RulesetError| io::Error::other(error))
    }

    /// Leaves this thread and all that descends from it nothing else, besides `reads` and, to write into, `writes`. Says whether the kernel
    /// enforces it: an older one knows a part of this, or nothing.
    pub(super) fn enforce(self, reads: &[PathBuf], writes: &[PathBuf]) -> io::Result<bool> {
        let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
        let ruleset = self.0.add_rules(path_beneath_rules(reads, read));
        let ruleset = ruleset.and_then(|ruleset| ruleset.add_rules(path_beneath_rules(writes, all)));
        Ok(ruleset.and_then(RulesetCreated::restrict_self).map_err(io::Error::other)?.ruleset
            != RulesetStatus::NotEnforced)
    }
}

/// Both at once.
pub(super) fn restrict(reads: &[PathBuf], writes: &[PathBuf], network: Network) -> io::Result<bool> {
    Seen::prepare(reads, network)?.enforce(&[], writes)
}
