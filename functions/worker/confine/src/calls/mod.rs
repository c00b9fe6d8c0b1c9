//! Limits children's system calls by seccomp filters, which need no privileges and are inherited.
//!
//! There are three filters, and the strictest result applies: one allows the calls that engines are known to make ([`allowed`]),
//! one checks the arguments of some of these, and one hides a call whose arguments can't be checked.

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

/// The filters for one kind of program, built by the process that will use them.
#[derive(Debug)]
pub(super) struct Filters([BpfProgram; 3]);

impl Filters {
    /// Calls of another architecture kill the process. Calls that are not listed, including all x32 calls, fail as if they did
    /// not exist, so that libraries fall back on others.
    pub(super) fn build(network: Network, processes: Processes) -> io::Result<Self> {
        let allowed = allowed::calls(network, processes).map(|call| (call, Vec::new())).collect();
        let build = || {
            let mut judged = Rules::new();
            add_network(&mut judged, network)?;
            add_processes(&mut judged, processes)?;
            Ok([
                filter(allowed, SeccompAction::Errno(libc::ENOSYS.cast_unsigned()), SeccompAction::Allow)?,
                // Filters can't read this call's arguments. Without it, libraries fall back on `clone`.
                deny(always([libc::SYS_clone3]), libc::ENOSYS)?,
                deny(judged, libc::EPERM)?,
            ])
        };
        build().map(Self).map_err(|error: BackendError| io::Error::other(error))
    }

    /// Restricts this thread and its descendants to the program's calls. Fails if the kernel does not support filters.
    pub(super) fn apply(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(io::Error::other))
    }
}

/// Whether this process may apply filters. Tried on a thread of its own, with a filter that allows everything.
pub(super) fn are_available() -> bool {
    let apply = || {
        filter(Rules::new(), SeccompAction::Allow, SeccompAction::Errno(0)).map(|all| seccompiler::apply_filter(&all))
    };
    std::thread::spawn(apply).join().is_ok_and(|applied| matches!(applied, Ok(Ok(()))))
}

/// Builds and applies the filters.
pub(super) fn narrow(network: Network, processes: Processes) -> io::Result<()> {
    Filters::build(network, processes)?.apply()
}

fn add_network(rules: &mut Rules, network: Network) -> Built<()> {
    // Socket pairs only connect the process to itself, except datagram pairs, which can send to other addresses.
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
    // A new user namespace would give the process all capabilities in it.
    // Only the process's own limits.
    rules.insert(libc::SYS_prlimit64, vec![rule([not(0, 0)])?]);
    let mut clone = vec![rule([masked(0, libc::CLONE_NEWUSER, libc::CLONE_NEWUSER)])?];
    match processes {
        Processes::Forked => {}
        // Processes that can't leave the group are killed with it.
        Processes::InGroup => rules.extend(always([libc::SYS_setpgid, libc::SYS_setsid])),
        Processes::None => {
            rules.extend(always([libc::SYS_setpgid, libc::SYS_setsid]));
            #[cfg(target_arch = "x86_64")]
            rules.extend(always([libc::SYS_fork, libc::SYS_vfork]));
            clone.push(rule([masked(0, libc::CLONE_THREAD, 0)])?);
            // It can only signal itself.
            let own = std::process::id().cast_signed();
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
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, bits(value))
}

fn not(argument: u8, value: libc::c_int) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, bits(value))
}

fn masked(argument: u8, mask: libc::c_int, value: libc::c_int) -> Built<SeccompCondition> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(bits(mask)), bits(value))
}

fn deny(rules: Rules, error: libc::c_int) -> Built<BpfProgram> {
    filter(rules, SeccompAction::Allow, SeccompAction::Errno(error.cast_unsigned()))
}

/// An argument of 32 bits, as the filters compare it.
fn bits(value: libc::c_int) -> u64 {
    u64::from(value.cast_unsigned())
}

fn filter(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Built<BpfProgram> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
    SeccompFilter::new(rules, otherwise, matched, architecture)?.try_into()
}
