//! Which files a child sees and writes: Landlock, where the kernel has it. Besides, it keeps a child from looking into
//! the memory and environment of any process outside, and from sending signals to one.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};

use super::Network;

/// What programs consist of, and where the kernel answers questions. Not /tmp, and nobody's home.
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

/// Leaves this thread and all that descends from it `reads` besides the system's files, and `writes` to write into. What
/// is not there is left out. Says whether the kernel enforces it: an older one knows a part of this, or nothing.
pub(super) fn restrict(reads: &[PathBuf], writes: &[PathBuf], network: Network) -> io::Result<bool> {
    const NEWEST: ABI = ABI::V6;
    let (read, all) = (AccessFs::from_read(NEWEST), AccessFs::from_all(NEWEST));
    let sockets = match network {
        Network::Unconnected => SOCKETS.as_slice(),
        Network::Denied | Network::Proxied => &[],
    };
    let build = || {
        Ruleset::default()
            .handle_access(all)?
            .scope(Scope::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM, read))?
            .add_rules(path_beneath_rules(reads, read))?
            .add_rules(path_beneath_rules(WRITABLE_DEVICES, AccessFs::from_file(NEWEST)))?
            .add_rules(path_beneath_rules(writes, all))?
            .add_rules(path_beneath_rules(sockets, AccessFs::MakeSock))?
            .restrict_self()
    };
    let status = build().map_err(|error: landlock::RulesetError| io::Error::other(error))?;
    Ok(status.ruleset != RulesetStatus::NotEnforced)
}
