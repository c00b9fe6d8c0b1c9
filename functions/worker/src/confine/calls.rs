//! System calls that children are refused, by seccomp filters: these need no privilege, and hold for all that descends.

use std::collections::BTreeMap;
use std::io;

use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

use super::{Network, Processes};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::BackendError>;

/// What no converter needs, and with which a document could reach another process or the kernel's riskier corners.
const DENIED: [libc::c_long; 31] = [
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_chroot,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_init_module,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kcmp,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_mount,
    libc::SYS_move_mount,
    libc::SYS_open_by_handle_at,
    libc::SYS_open_tree,
    libc::SYS_perf_event_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pivot_root,
    libc::SYS_process_madvise,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_ptrace,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_shmget,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_userfaultfd,
];

/// Everything that these leave may be called. Fails where the kernel takes no filters.
pub(super) fn deny(network: Network, processes: Processes) -> io::Result<()> {
    // A filter can't look into this call's arguments. Told that there is none, libraries fall back on `clone`.
    apply(always([libc::SYS_clone3]), libc::ENOSYS)?;
    let mut rules = always(DENIED);
    let built = add_network(&mut rules, network).and_then(|()| add_processes(&mut rules, processes));
    built.map_err(io::Error::other)?;
    apply(rules, libc::EPERM)
}

fn add_network(rules: &mut Rules, network: Network) -> Built<()> {
    // A pair reaches nobody but who made it, unless it is one for datagrams, which may be sent to others' addresses.
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
    // Nobody's limits but the caller's own.
    rules.insert(libc::SYS_prlimit64, vec![rule([not(0, 0)])?]);
    let mut clone = vec![rule([masked(0, libc::CLONE_NEWUSER, libc::CLONE_NEWUSER)])?];
    match processes {
        Processes::Forked => {}
        // Who can't leave the group is killed with it, however many there are and whoever their parent is.
        Processes::InGroup => rules.extend(always([libc::SYS_setpgid, libc::SYS_setsid])),
        Processes::None => {
            rules.extend(always([libc::SYS_setpgid, libc::SYS_setsid]));
            #[cfg(target_arch = "x86_64")]
            rules.extend(always([libc::SYS_fork, libc::SYS_vfork]));
            clone.push(rule([masked(0, libc::CLONE_THREAD, 0)])?);
            // Memory that no limit counts.
            rules.extend(always([libc::SYS_memfd_create]));
            // It may end itself, and nobody else.
            let own = std::process::id() as libc::c_int;
            rules.extend(always([libc::SYS_tkill, libc::SYS_pidfd_send_signal]));
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

fn apply(rules: Rules, error: libc::c_int) -> io::Result<()> {
    #[cfg(target_arch = "x86_64")]
    let rules = with_x32_calls(rules);
    let build = || {
        let architecture = TargetArch::try_from(std::env::consts::ARCH)?;
        let denied = SeccompAction::Errno(error as u32);
        SeccompFilter::new(rules, SeccompAction::Allow, denied, architecture)?.try_into()
    };
    let filter: Built<seccompiler::BpfProgram> = build();
    seccompiler::apply_filter(&filter.map_err(io::Error::other)?).map_err(io::Error::other)
}

/// The same calls also under the numbers of the x32 ABI, which some kernels still take from a 64-bit process.
#[cfg(target_arch = "x86_64")]
fn with_x32_calls(rules: Rules) -> Rules {
    const X32_BIT: i64 = 0x4000_0000;
    let twins: Vec<_> = rules.iter().map(|(call, rule)| (call | X32_BIT, rule.clone())).collect();
    rules.into_iter().chain(twins).collect()
}
