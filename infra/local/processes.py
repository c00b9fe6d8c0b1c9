"""Starts and ends the stack's processes, each in its own session, so that everything they start ends with them."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from local.errors import Problem

# Saving a busy stack's state takes a moment; after this long, something hangs.
STOP_SECONDS = 20


@dataclass(frozen=True)
class Process:
    """A process that outlives the command that started it. Its start time distinguishes it from later processes with the same
    id."""

    name: str
    pid: int
    started: int

    def is_running(self) -> bool:
        return start_time(self.pid) == self.started


def start(name: str, command: list[str], environment: dict[str, str], log: Path, cwd: Path) -> Process:
    """Starts `command` as the leader of a new session, with its output appended to `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        child = subprocess.Popen(
            command, env=environment, cwd=cwd, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            start_new_session=True,
        )
    return Process(name, child.pid, start_time(child.pid) or 0)


def stop(process: Process) -> None:
    """Asks the process to end, waits, then kills the rest of its session."""
    if process.is_running():
        os.kill(process.pid, signal.SIGTERM)
        wait_until(lambda: not process.is_running(), STOP_SECONDS)
        end_session(process.pid)


def end_session(leader: int) -> None:
    """Kills the rest of a session, including children in their own process groups, which a signal to one group would miss."""
    for pid in (int(entry) for entry in os.listdir("/proc") if entry.isdigit()):
        try:
            if os.getsid(pid) == leader:
                os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    reap(leader)


def start_time(pid: int) -> int | None:
    """When a process started, in ticks since boot (field 22 of proc(5)'s stat); None if it is gone or a zombie."""
    reap(pid)
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return None
    return None if fields[0] == "Z" else int(fields[19])


def reap(pid: int) -> None:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        # A child of another command: init reaps it.
        return


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    """Polls until the condition holds; False if it did not in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def require_free_port(port: int, variable: str) -> None:
    with socket.socket() as probe:
        # The servers reuse addresses too, so a port that only lingers after a restart is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise Problem(
                f"Port {port} is taken ({error.strerror}): stop what uses it, or choose another: {variable}={port + 1}"
            ) from error


def free_ports(count: int) -> list[int]:
    """Different ports on which nothing listens now."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()
