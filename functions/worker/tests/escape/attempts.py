"""What a document that has taken its converter over would try. Run in the place of an engine's program.

Each attempt either succeeds, and says with what, or is refused. The outcomes go to `attempts.json` in the directory that
it is started in, or, if the test names an address, to whoever listens there. The test puts what it has prepared before
this text: PARENT, SECRET_FILE, FONT_FILE, KEPT_FONT, OUTSIDE, LISTENER, UNIX_SOCKET and
REPORT; and after it, what is done in the end.
"""

import ctypes
import json
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import subprocess
import threading
import time

LIBC = ctypes.CDLL(None, use_errno=True)
ARCHITECTURES = ["x86_64", "aarch64"]
NUMBERS = {
    "bpf": (321, 280), "clone": (56, 220), "io_uring_setup": (425, 425), "keyctl": (250, 219), "mount": (165, 40),
    "ioprio_set": (251, 30), "memfd_secret": (447, 447), "msgget": (68, 186), "process_vm_readv": (310, 270),
    "ptrace": (101, 117), "semget": (64, 190), "setpriority": (141, 140), "shmget": (29, 194), "unshare": (272, 97),
}
# A call number of the x32 ABI, another entry to the same kernel, where it exists.
X32 = 0x40000000
NEW_USER, NEW_NET = 0x10000000, 0x40000000


def call(name, *arguments):
    number = NUMBERS[name][ARCHITECTURES.index(platform.machine())]
    result = LIBC.syscall(number, *(ctypes.c_void_p(each) if isinstance(each, int) else each for each in arguments))
    if result == -1:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def others():
    # Its own children are not secret.
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if pid != os.getpid()]


def read_of_others(name, size=64):
    got = []
    for pid in others():
        try:
            with open(f"/proc/{pid}/{name}", "rb") as file:
                if file.read(size):
                    got.append(pid)
        except OSError:
            continue
    if not got:
        raise PermissionError(name)
    return got


def environments():
    return read_of_others("environ")


def maps_of_parent():
    return open(f"/proc/{PARENT}/maps").read(64)


def memory_of_parent():
    with open(f"/proc/{PARENT}/mem", "rb") as file:
        return file.read(1)


def files_of_parent():
    for number in os.listdir(f"/proc/{PARENT}/fd"):
        os.close(os.open(f"/proc/{PARENT}/fd/{number}", os.O_RDONLY))
    return "opened"


def vm_readv_of_parent():
    buffer = ctypes.create_string_buffer(8)
    local = struct.pack("QQ", ctypes.addressof(buffer), 8)
    return call("process_vm_readv", PARENT, local, 1, local, 1, 0)


def ptrace_parent():
    return call("ptrace", 16, PARENT, 0, 0)


def kill_parent():
    return os.kill(PARENT, 0) or "may signal"


def limit_parent():
    return resource.prlimit(PARENT, resource.RLIMIT_NOFILE)


def runtime_api():
    with socket.create_connection(LISTENER, 2):
        return "connected"


def tcp():
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM).fileno()


def udp():
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).fileno()


def udp6():
    return socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).fileno()


def raw():
    return socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP).fileno()


def netlink():
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).fileno()


def packet():
    return socket.socket(socket.AF_PACKET, socket.SOCK_RAW).fileno()


def unix():
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as stream:
        stream.connect(UNIX_SOCKET)
        return "connected"


def unix_datagram_pair():
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].fileno()


def io_uring():
    return call("io_uring_setup", 8, ctypes.create_string_buffer(256))


def bpf():
    return call("bpf", 0, 0, 0)


def user_namespace():
    return call("unshare", NEW_USER)


def network_namespace():
    return call("unshare", NEW_NET)


def namespace_by_clone():
    child = call("clone", NEW_USER | signal.SIGCHLD, 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return child


def mount():
    return call("mount", b"none", b"/tmp", b"tmpfs", 0, 0)


def keyring():
    return call("keyctl", 0, -3, 1)


def memory_file():
    return os.memfd_create("x")


def shared_memory():
    return call("shmget", 0, 1 << 20, 0o1600)


def secret_memory():
    return call("memfd_secret", 0)


def semaphores():
    return call("semget", 0, 1, 0o1600)


def message_queue():
    return call("msgget", 0, 0o1600)


def priority_of_parent():
    return call("setpriority", 0, PARENT, 19) == 0


def own_priority():
    return call("setpriority", 0, 0, 19) == 0


def io_priority_of_parent():
    return call("ioprio_set", 1, PARENT, 3 << 13) == 0


def affinity_of_parent():
    return os.sched_setaffinity(PARENT, {0}) or "pinned"


def scheduler_of_parent():
    return os.sched_setscheduler(PARENT, os.SCHED_IDLE, os.sched_param(0)) or "idle"


def x32_getpid():
    if platform.machine() != "x86_64":
        raise PermissionError("no such ABI")
    result = LIBC.syscall(X32 | 39)
    return result if result >= 0 else refused()


def x32_ptrace_parent():
    if platform.machine() != "x86_64":
        raise PermissionError("no such ABI")
    return LIBC.syscall(X32 | 521, 16, PARENT, 0, 0) == 0 or refused()


def named_pipe():
    return os.mkfifo("pipe") or "made"


def symbolic_link():
    return os.symlink(SECRET_FILE, "link") or "made"


def hard_link():
    return os.link(SECRET_FILE, "linked") or "made"


def read_outside():
    return open(SECRET_FILE).read()


def font_of_another_job():
    return open(FONT_FILE, "rb").read()


def kept_font_of_another_account():
    """The worker caches fonts in unnamed files."""
    with open(f"/proc/{PARENT}/fd/{KEPT_FONT}", "rb") as file:
        return file.read()


def write_outside():
    return open(os.path.join(OUTSIDE, "new"), "w").name


def append_outside():
    return open(SECRET_FILE, "a").name


def rename_to_outside():
    open("mine", "w").close()
    return os.rename("mine", os.path.join(OUTSIDE, "mine"))


def remove_outside():
    return os.remove(SECRET_FILE) or "removed"


def new_group():
    return os.setpgid(0, 0) or "left"


def new_session():
    # Not as the group's leader, which is refused anyway.
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
        except OSError:
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise PermissionError("setsid")
    return "left"


def process():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


def process_by_library():
    return subprocess.run(["/bin/true"], check=True).returncode


def large_file():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("large", "wb") as file:
        file.truncate(1 << 40)
    return "written"


def many_files():
    return [open("/dev/null") for _ in range(10_000)]


def much_memory():
    return len(mmap.mmap(-1, 16 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def much_shared_memory():
    return len(mmap.mmap(-1, 16 << 30))


def capabilities():
    status = dict(line.split(":\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\t" in line)
    held = [name for name in ("CapPrm", "CapEff", "CapBnd", "CapAmb") if int(status[name], 16)]
    if os.geteuid() == 0 and held or int(status["CapEff"], 16):
        return held
    raise PermissionError("none")


def more_privileges():
    return LIBC.prctl(39, 0, 0, 0, 0) == 0 or refused()


def refused():
    raise PermissionError("no new privileges")


def inherited_environment():
    known = {"TMPDIR", "HOME", "LC_ALL", "SAL_USE_VCLPLUGIN", "FONTCONFIG_FILE", "LC_CTYPE", "PWD", "SHLVL", "_", "OLDPWD"}
    return sorted(set(os.environ) - known) or refused()


ATTEMPTS = [
    environments, maps_of_parent, memory_of_parent, files_of_parent, vm_readv_of_parent, ptrace_parent, kill_parent,
    limit_parent, runtime_api, tcp, udp, udp6, raw, netlink, packet, unix, unix_datagram_pair, io_uring, bpf,
    user_namespace, network_namespace, namespace_by_clone, mount, keyring, memory_file, shared_memory, read_outside,
    write_outside, append_outside, rename_to_outside, remove_outside, new_group, new_session, process,
    process_by_library, large_file, many_files, much_memory, much_shared_memory, capabilities, more_privileges,
    inherited_environment, secret_memory, semaphores, message_queue, priority_of_parent, own_priority,
    io_priority_of_parent, affinity_of_parent, scheduler_of_parent, x32_getpid, x32_ptrace_parent, named_pipe,
    symbolic_link, hard_link, font_of_another_job, kept_font_of_another_account,
]


def lock_directory():
    """Not an escape, but leftovers must be found and removed."""
    os.makedirs("locked/deep")
    open("locked/deep/left", "w").close()
    os.chmod("locked/deep", 0)
    os.chmod("locked", 0)


def outcome(attempt):
    try:
        return f"succeeded: {attempt()!r}"
    except (OSError, MemoryError, subprocess.SubprocessError) as error:
        return f"refused: {type(error).__name__} {error}"


def main():
    own_thread = threading.Thread(target=lambda: None)
    own_thread.start()
    own_thread.join()
    outcomes = {attempt.__name__: outcome(attempt) for attempt in ATTEMPTS}
    lock_directory()
    text = json.dumps(outcomes)
    if REPORT:
        with socket.create_connection(REPORT) as stream:
            stream.sendall(text.encode())
    else:
        with open("attempts.json", "w") as file:
            file.write(text)


def bomb():
    """Processes that try to leave the group and outlive the parent that waits for them."""
    for _ in range(60):
        if os.fork() == 0:
            for leave in (os.setsid, lambda: os.setpgid(0, 0)):
                try:
                    leave()
                except OSError:
                    continue
            if os.fork() == 0:
                time.sleep(600)
            os._exit(0)
    time.sleep(600)
