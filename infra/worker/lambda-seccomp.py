#!/usr/bin/env python3
"""Writes, as a program for the kernel's seccomp, what AWS Lambda's own sandbox denies to a function:

    lambda-seccomp.py >FILE

- EPERM: a filter of the function's own, other namespaces, roots and mounts, looking into other processes, loading code into the
  kernel, and calls that services on shared machines usually deny
- ENOSYS: Landlock, io_uring and all calls that are newer than Linux 5.10, and `clone3`, whose flags no filter can read

Sources: the wiki of rapidlua/luajit.me, "On running untrusted code in AWS Lambda"; issues 38779 and 4725 of openai/codex; issue 2102
of aws/containers-roadmap. Where they leave something open, it is denied here.
"""

import errno
import platform
import struct
import sys

# Numbers on x86_64 and aarch64 (asm/unistd.h). Calls from 424 on have the same number everywhere.
DENIED = {
    "seccomp": (317, 277), "unshare": (272, 97), "setns": (308, 268), "ptrace": (101, 117), "chroot": (161, 51),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "open_by_handle_at": (304, 265),
    "init_module": (175, 105), "finit_module": (313, 273), "kexec_load": (246, 104), "reboot": (169, 142),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432),
    "fspick": (433, 433), "pidfd_getfd": (438, 438),
}
MISSING = {"clone3": (435, 435), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427)}
PRCTL, CLONE = (157, 167), (56, 220)
# The first call that Linux 5.10 does not have: epoll_pwait2.
NEWER = 441
# Another entry to the kernel, whose numbers begin here on x86_64.
X32 = 0x40000000
PR_SET_SECCOMP = 22
# CLONE_NEW…: cgroup, UTS, IPC, user, PID, network, mount. A time namespace can only be had by `clone3` and `unshare`.
NEW_NAMESPACES = 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000 | 0x00020000

# linux/bpf_common.h, linux/seccomp.h
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, FIRST_ARGUMENT = 0, 16
ALLOW, ERRNO = 0x7FFF0000, 0x00050000


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("=HBBI", code, if_true, if_false, value)


def refuse(error):
    return instruction(RETURN, ERRNO | error)


def when_first_argument(call, test, value, error):
    """Refuses a call by its first argument, whose low half is enough: kernels ignore the rest of both."""
    return [
        instruction(EQUAL, call, 0, 4), instruction(LOAD, FIRST_ARGUMENT), instruction(test, value, 0, 1),
        refuse(error), instruction(LOAD, NUMBER),
    ]


def program(machine):
    column = {"x86_64": 0, "aarch64": 1}[machine]
    code = [instruction(LOAD, NUMBER)]
    for calls, error in ((DENIED, errno.EPERM), (MISSING, errno.ENOSYS)):
        for numbers in calls.values():
            code += [instruction(EQUAL, numbers[column], 0, 1), refuse(error)]
    code += when_first_argument(PRCTL[column], EQUAL, PR_SET_SECCOMP, errno.EPERM)
    # Threads are made by `clone` too: only new namespaces are refused.
    code += when_first_argument(CLONE[column], ANY_BIT, NEW_NAMESPACES, errno.EPERM)
    code += [instruction(AT_LEAST, X32, 1, 0), instruction(AT_LEAST, NEWER, 0, 1), refuse(errno.ENOSYS)]
    code += [instruction(RETURN, ALLOW)]
    return b"".join(code)


if __name__ == "__main__":
    sys.stdout.buffer.write(program(platform.machine()))
