//! System calls that children may make, by seccomp filters: these need no privilege, and hold for all that descends.
//!
//! There are three filters, of which the strictest answer counts: one that allows the calls that engines are known to make
//! ([`allowed`]); one that judges what some of these are given; and one that keeps libraries from a call that can't be judged.

mod allowed;

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{Network, Processes};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, BackendError>;

/// The filters for one kind of program, for the process that made them.
#[derive(Debug)]
pub(super) struct Filters([BpfProgram; 3]);

impl Filters {
    /// Another architecture's calls end the process; what is not on the list, as all calls of the x32 ABI are not, does not exist
    /// for it: libraries then fall back on what does.
    pub(super) fn build(network: Network, processes: Processes) -> io::Result<Self> {
        let allowed = allowed::calls(network, processes).map(|call| (call, Vec::new())).collect();
        let build = || {
            let mut judged = Rules::new();
            add_network(&mut judged, network)?;
            add_processes(&mut judged, processes)?;
            Ok([
                filter(allowed, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow)?,
                // A filter can't look into this call's arguments. Without it, libraries fall back on `clone`.
                deny(always([libc::SYS_clone3]), libc::ENOSYS)?,
                deny(judged, libc::EPERM)?,
            ])
        };
        build().map(Self).map_err(|error: BackendError| io::Error::other(error))
    }

    /// Leaves this thread and all that descends from it the calls that such a program makes. Fails where the kernel takes no
    /// filters.
    pub(super) fn apply(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(io::Error::other))
    }
}

/// Both at once.
pub(super) fn narrow(network: Network, processes: Processes) -> io::Result<()> {
    Filters::build(network, processes)?.apply()
}

fn add_network(rules: &mut Rules, network: Network) -> Built<()> {
    // A socket pair only connects the process to itself, except datagram pairs, which can send to other addresses.
    let pairs = vec![rule([not(0, libc::AF_UNIX)])?, rule([masked(1, 0xf, libc::SOCK_DGRAM)])?];
    rules.insert(libc::SYS_socketpair, pairs);
    match network {
        Network::Denied => rules.extend(always([libc::SYS_connect, libc::SYS_socket])),
        Network::Unconnected => {
            rules.extend(always([libc::SYS_connect]));
            let other = vec![rule([not(0, libc::AF_UNIX)])?, rule([masked(1, 0xf, libc::SOCK_DGRAM)])?];
            rules.insert(libc::SYS_socket, other);
        }
        Network::Proxied => {
            let mut denied = vec![rule([not(0, libc::AF_INET), not(0, libc::AF_INET6)])?];
            for family in [libc::AF_INET, libc::AF_INET6] {
                for kind in [libc::SOCK_DGRAM, libc::SOCK_RAW] {
                    denied.push(rule([is(0, family), masked(1, 0xf, kind)])?);
                }
            }
            rules.insert(libc::SYS_socket, denied);
        }
    }
    Ok(())
}

fn add_processes(rules: &mut Rules, processes: Processes) -> Built<()> {
    // A user namespace of its own would give a process all capabilities in it.
    // Only the caller's own limits.
    rules.insert(libc::SYS_prlimit64, vec![rule([not(0, 0)])?]);
    let mut clone = vec![rule([masked(0, libc::CLONE_NEWUSER, libc::CLONE_NEWUSER)])?];
    match processes {
        Processes::Forked => {}
        // Processes that can't leave the group are all killed with it.
        Processes::InGroup => rules.extend(always([libc::SYS_setpgid, libc::SYS_setsid])),
        Processes::None => {
            rules.extend(always([libc::SYS_setpgid, libc::SYS_setsid]));
            #[cfg(target_arch = "x86_64")]
            rules.extend(always([libc::SYS_fork, libc::SYS_vfork]));
            clone.push(rule([masked(0, libc::CLONE_THREAD, 0)])?);
            // It may signal itself only.
            let own = std::process::id() as libc::c_int;
            for call in [libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo] {
                rules.insert(call, vec![rule([not(0, own)])?]);
            }
        }
    }
    rules.insert(libc::SYS_clone, clone);
    Ok(())
}

fn always<const N: usize>(calls: [libc::c_long; N]) -> Rules {
    calls.into_iter().map(|call| (call, Vec::new())).collect()
}

fn rule<const N: usize>(conditions: [Built<SeccompCondition>; N]) -> Built<SeccompRule> {
    SeccompRule::new(conditions.into_iter().collect::<Built<_>>()?)
}

fn is(argument: u8, value: libc::c_int) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value as u64)
}

fn not(argument: u8, value: libc::c_int) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value as u64)
}

fn masked(argument: u8, mask: libc::c_int, value: libc::c_int) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(mask as u64), value as u64)
}

fn deny(rules: Rules, error: libc::c_int) -> Built<BpfProgram> {
    filter(rules, SeccompAction::Allow, SeccompAction::Errno(error as u32))
}

fn filter(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Built<BpfProgram> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, matched, architecture)?.try_into()
}
