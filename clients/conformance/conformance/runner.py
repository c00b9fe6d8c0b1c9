"""A client's runner: a process that translates steps into calls of its client."""

import json
import os
import selectors
import subprocess
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
RUNNERS = Path(__file__).resolve().parents[1] / "runners.json"
# Compiling a runner for the first time.
START_SECONDS = 300
STEP_SECONDS = 360


class RunnerFailed(Exception):
    """The runner ended, hung, or said something else than an answer."""


def present(only: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """The commands of the runners that exist, and the names of those that do not."""
    commands: dict[str, list[str]] = json.loads(RUNNERS.read_text())
    if unknown := set(only) - set(commands):
        raise SystemExit(f"Error: no runner is called {', '.join(sorted(unknown))}; there are {', '.join(commands)}.")
    wanted = {name: command for name, command in commands.items() if not only or name in only}
    there = {name: command for name, command in wanted.items() if (ROOT / command[0]).exists()}
    return there, sorted(set(wanted) - set(there))


class Runner:
    def __init__(self, command: list[str], log: Path) -> None:
        self.log = log
        # Nothing of the stack's environment: what a client knows, it was told.
        kept = {name: value for name, value in os.environ.items() if name not in ("DOCMILL_URL", "DOCMILL_KEY", "DOCMILL_LIVE_KEY")}
        with log.open("wb") as errors:
            self.process = subprocess.Popen(
                [str(ROOT / command[0]), *command[1:]], env=kept, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        self.buffer = b""
        self.has_answered = False

    def ask(self, step: dict[str, Any]) -> dict[str, Any]:
        """The runner's answer: `result` or `error`."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(step).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            raise RunnerFailed(f"the runner has ended: {self.said()}") from None
        line = self.read_line(STEP_SECONDS if self.has_answered else START_SECONDS)
        self.has_answered = True
        try:
            answer: dict[str, Any] = json.loads(line)
        except ValueError:
            raise RunnerFailed(f"the runner's answer is not JSON: {line[:200]!r}") from None
        return answer

    def read_line(self, seconds: float) -> bytes:
        assert self.process.stdout
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                if not selector.select(max(0, deadline - time.monotonic())):
                    raise RunnerFailed(f"no answer within {seconds} s")
                part = os.read(self.process.stdout.fileno(), 1 << 16)
                if not part:
                    raise RunnerFailed(f"the runner has ended: {self.said()}")
                self.buffer += part
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-1000:]

    def end(self) -> None:
        assert self.process.stdin and self.process.stdout
        with self.process:
            try:
                self.process.stdin.close()
            except OSError:
                pass
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()

    # Memory, where the system tells it

    def forget_peak(self) -> int | None:
        """Resets the peak of the process, and returns its memory now in bytes."""
        try:
            Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")
            return self.memory("VmRSS")
        except OSError:
            return None

    def memory(self, name: str = "VmHWM") -> int:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
        raise RunnerFailed(f"/proc says nothing about {name}")
