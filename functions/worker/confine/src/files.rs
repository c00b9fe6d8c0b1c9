//! Limits the files that a child can read and write, by Landlock if the kernel has it. Landlock also keeps a child from other
//! processes' memory and environment, and from sending them signals.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus,
    Scope, path_beneath_rules,
};

use super::Network;

/// Program files and kernel interfaces, but not /tmp or home directories.
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
/// Where a LibreOffice process of its own must create a socket.
const SOCKETS: [&str; 1] = ["/tmp"];
const WRITABLE_DEVICES: [&str; 2] = ["/dev/null", "/dev/zero"];

const NEWEST: ABI = ABI::V6;

/// The paths that a thread can read. Writable ones are added later.
#[derive(Debug)]
pub(super) struct Seen(RulesetCreated);

impl Seen {
    /// `reads` is added to the system's files. Missing paths are left out.
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

    /// Restricts this thread and its descendants to these files, plus `reads` and the writable `writes`. Returns whether the
    /// kernel enforces it: older kernels do so in part or not at all.
    pub(super) fn enforce(self, reads: &[PathBuf], writes: &[PathBuf]) -> io::Result<bool> {
        let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
        let ruleset = self.0.add_rules(path_beneath_rules(reads, read));
        let ruleset = ruleset.and_then(|ruleset| ruleset.add_rules(path_beneath_rules(writes, all)));
        Ok(ruleset.and_then(RulesetCreated::restrict_self).map_err(io::Error::other)?.ruleset
            != RulesetStatus::NotEnforced)
    }
}

/// Builds and enforces the rules.
pub(super) fn restrict(reads: &[PathBuf], writes: &[PathBuf], network: Network) -> io::Result<bool> {
    Seen::prepare(reads, network)?.enforce(&[], writes)
}
