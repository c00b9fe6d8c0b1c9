//! The system calls of programs that read documents. All others are refused.
//!
//! The lists come from tracing the engines of Debian 12 (LibreOffice 7.4, Chromium) on samples, with other variants of the same
//! calls added, because C libraries switch between them. `make test-image` converts the corpus under them with the engines of
//! Debian 13 (LibreOffice 25.2), which were not traced. The parent module checks arguments.

use libc::c_long;

use super::super::{Network, Processes};

/// The calls of a program with this confinement.
pub(super) fn calls(network: Network, processes: Processes) -> impl Iterator<Item = c_long> {
    let (started, helper) = match processes {
        Processes::None => (&[][..], &[][..]),
        Processes::InGroup => (PROCESSES, &[][..]),
        Processes::Forked => (PROCESSES, HELPER),
    };
    let (connected, browser) = match network {
        Network::Denied => (&[][..], &[][..]),
        Network::Unconnected => (SOCKETS, &[][..]),
        Network::Proxied => (SOCKETS, BROWSER),
    };
    let lists = [FILES, MEMORY, THREADS, SIGNALS, TIME, ITSELF, OLD_FORMS, started, helper, connected, browser];
    lists.into_iter().flatten().copied()
}

/// No links or named pipes, so that results contain none.
const FILES: &[c_long] = &[
    libc::SYS_chdir,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_copy_file_range,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_fadvise64,
    libc::SYS_fallocate,
    libc::SYS_fchdir,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fcntl,
    libc::SYS_fdatasync,
    libc::SYS_fgetxattr,
    libc::SYS_flistxattr,
    libc::SYS_flock,
    libc::SYS_fstat,
    libc::SYS_fstatfs,
    libc::SYS_fsync,
    libc::SYS_ftruncate,
    libc::SYS_getcwd,
    libc::SYS_getdents64,
    libc::SYS_getxattr,
    libc::SYS_ioctl,
    libc::SYS_lgetxattr,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_lseek,
    libc::SYS_mkdirat,
    libc::SYS_newfstatat,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_pipe2,
    libc::SYS_ppoll,
    libc::SYS_pread64,
    libc::SYS_preadv,
    libc::SYS_preadv2,
    libc::SYS_pselect6,
    libc::SYS_pwrite64,
    libc::SYS_pwritev,
    libc::SYS_pwritev2,
    libc::SYS_read,
    libc::SYS_readahead,
    libc::SYS_readlinkat,
    libc::SYS_readv,
    libc::SYS_renameat2,
    libc::SYS_sendfile,
    libc::SYS_statfs,
    libc::SYS_statx,
    libc::SYS_truncate,
    libc::SYS_umask,
    libc::SYS_unlinkat,
    libc::SYS_utimensat,
    libc::SYS_write,
    libc::SYS_writev,
];

/// Only its own memory, and only kinds that limits count.
const MEMORY: &[c_long] = &[
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_membarrier,
    libc::SYS_mincore,
    libc::SYS_mlock,
    libc::SYS_mlock2,
    libc::SYS_mmap,
    libc::SYS_mprotect,
    libc::SYS_mremap,
    libc::SYS_msync,
    libc::SYS_munlock,
    libc::SYS_munmap,
    libc::SYS_get_mempolicy,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_pkey_mprotect,
];

/// No changes of priority or processor.
const THREADS: &[c_long] = &[
    libc::SYS_clone,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_futex,
    libc::SYS_futex_waitv,
    libc::SYS_get_robust_list,
    libc::SYS_getcpu,
    libc::SYS_rseq,
    libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_sched_yield,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
];

const SIGNALS: &[c_long] = &[
    libc::SYS_kill,
    libc::SYS_restart_syscall,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigpending,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigsuspend,
    libc::SYS_rt_sigtimedwait,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_sigaltstack,
    libc::SYS_signalfd4,
    libc::SYS_tgkill,
];

const TIME: &[c_long] = &[
    libc::SYS_clock_getres,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_getitimer,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_setitimer,
    libc::SYS_times,
    libc::SYS_timerfd_create,
    libc::SYS_timerfd_gettime,
    libc::SYS_timerfd_settime,
    libc::SYS_getrandom,
];

/// A process's queries and settings of itself, its socket pair, and exec.
const ITSELF: &[c_long] = &[
    libc::SYS_capget,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_eventfd2,
    libc::SYS_execve,
    libc::SYS_getegid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getgroups,
    libc::SYS_getpgid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getpriority,
    libc::SYS_getresgid,
    libc::SYS_getresuid,
    libc::SYS_getrusage,
    libc::SYS_getsid,
    libc::SYS_getsockname,
    libc::SYS_getsockopt,
    libc::SYS_gettid,
    libc::SYS_getuid,
    libc::SYS_getpeername,
    libc::SYS_prctl,
    libc::SYS_prlimit64,
    libc::SYS_recvfrom,
    libc::SYS_recvmsg,
    libc::SYS_seccomp,
    libc::SYS_sendmsg,
    libc::SYS_sendto,
    libc::SYS_setsockopt,
    libc::SYS_shutdown,
    libc::SYS_socketpair,
    libc::SYS_sysinfo,
    libc::SYS_uname,
    libc::SYS_wait4,
    libc::SYS_waitid,
];

/// Helpers confine their children further and link the fonts for them.
const HELPER: &[c_long] = &[
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_restrict_self,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    libc::SYS_symlinkat,
];

/// For helpers and browsers, which start and watch other processes.
const PROCESSES: &[c_long] = &[
    libc::SYS_memfd_create,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_send_signal,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_tkill,
];

/// Sockets other than pairs.
const SOCKETS: &[c_long] =
    &[libc::SYS_accept, libc::SYS_accept4, libc::SYS_bind, libc::SYS_connect, libc::SYS_listen, libc::SYS_socket];

/// Only for Chromium, whose processes exit if they can't drop capabilities, even those they don't have.
const BROWSER: &[c_long] = &[
    libc::SYS_capset,
    libc::SYS_fchown,
    libc::SYS_inotify_add_watch,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_rm_watch,
    libc::SYS_recvmmsg,
    libc::SYS_sendmmsg,
];

/// Older variants of the calls above, which newer architectures don't have.
#[cfg(target_arch = "x86_64")]
const OLD_FORMS: &[c_long] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_chmod,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_fork,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_inotify_init,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_poll,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_setrlimit,
    libc::SYS_signalfd,
    libc::SYS_stat,
    libc::SYS_sync_file_range,
    libc::SYS_time,
    libc::SYS_unlink,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_vfork,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_FORMS: &[c_long] = &[];

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls by which a document could reach another process, the machine, or risky parts of the kernel.
    const NEVER: &[c_long] = &[
        libc::SYS_add_key,
        libc::SYS_bpf,
        libc::SYS_chroot,
        libc::SYS_clone3,
        libc::SYS_init_module,
        libc::SYS_io_uring_setup,
        libc::SYS_ioprio_set,
        libc::SYS_kexec_load,
        libc::SYS_keyctl,
        libc::SYS_linkat,
        libc::SYS_memfd_secret,
        libc::SYS_mknodat,
        libc::SYS_mount,
        libc::SYS_msgget,
        libc::SYS_open_by_handle_at,
        libc::SYS_perf_event_open,
        libc::SYS_pidfd_getfd,
        libc::SYS_pivot_root,
        libc::SYS_process_madvise,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_ptrace,
        libc::SYS_sched_setaffinity,
        libc::SYS_sched_setattr,
        libc::SYS_sched_setparam,
        libc::SYS_sched_setscheduler,
        libc::SYS_semget,
        libc::SYS_setns,
        libc::SYS_setpriority,
        libc::SYS_shmget,
        libc::SYS_unshare,
        libc::SYS_userfaultfd,
    ];

    #[test]
    fn calls_that_no_engine_needs_are_never_allowed() {
        const X32: c_long = 0x4000_0000;
        for network in [Network::Denied, Network::Unconnected, Network::Proxied] {
            for processes in [Processes::None, Processes::InGroup, Processes::Forked] {
                let allowed: Vec<_> = calls(network, processes).collect();
                assert!(allowed.iter().all(|call| !NEVER.contains(call) && *call < X32), "{network:?}, {processes:?}");
            }
        }
    }

    #[test]
    fn a_child_alone_has_neither_sockets_nor_processes() {
        let allowed: Vec<_> = calls(Network::Denied, Processes::None).collect();
        for call in
            [libc::SYS_symlinkat, libc::SYS_socket, libc::SYS_connect, libc::SYS_memfd_create, libc::SYS_pidfd_open]
        {
            assert!(!allowed.contains(&call), "{call}");
        }
    }
}
