"""The usage of a tree of processes, read from /proc."""

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    state: str
    # User and system time of the process and of children that it waited for, in clock ticks.
    ticks: int


def _read(pid: int) -> Process | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    # The program's name is in parentheses and may itself contain some, and spaces.
    fields = stat.rpartition(")")[2].split()
    return Process(pid, int(fields[1]), fields[0], sum(int(field) for field in fields[11:15]))


def tree(root: int) -> list[Process]:
    """The process `root` and all its descendants."""
    everything = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (process := _read(int(name))):
            everything[process.pid] = process
    children: dict[int, list[Process]] = {}
    for process in everything.values():
        children.setdefault(process.parent, []).append(process)
    found = [everything[root]] if root in everything else []
    for process in found:
        found.extend(children.get(process.pid, []))
    return found


def cpu_ms(root: int) -> float:
    return sum(process.ticks for process in tree(root)) * 1000 / TICKS_PER_SECOND


def settled_cpu_ms(root: int, quiet: float = 0.08, limit: float = 3.0) -> float:
    """CPU time once the tree is idle: preparations for the next job are part of a job's price."""
    until = time.monotonic() + limit
    last = cpu_ms(root)
    while time.monotonic() < until:
        time.sleep(quiet)
        now = cpu_ms(root)
        if now == last:
            break
        last = now
    return last


def pss_bytes(root: int) -> int:
    """Memory of the tree, where a page shared by n processes counts 1/n for each. Raises PermissionError if hidden."""
    total = 0
    for process in tree(root):
        try:
            rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        total += sum(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return total * 1024


def open_files(root: int) -> int:
    total = 0
    for process in tree(root):
        try:
            total += len(os.listdir(f"/proc/{process.pid}/fd"))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return total


def zombies(root: int) -> list[int]:
    return [process.pid for process in tree(root) if process.state == "Z"]


def send(root: int, what: signal.Signals) -> int:
    """Sends a signal to each process of the tree, and returns their number."""
    processes = tree(root)
    for process in processes:
        try:
            os.kill(process.pid, what)
        except ProcessLookupError:
            continue
    return len(processes)


def kill_tree(root: int) -> None:
    """Kills the tree, after freezing it so that no new processes are missed."""
    count = -1
    while (frozen := send(root, signal.SIGSTOP)) != count:
        count = frozen
    send(root, signal.SIGKILL)
