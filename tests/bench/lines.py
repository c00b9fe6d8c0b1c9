"""A process that answers each JSON line with another."""

import json
import os
import selectors
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

from . import processes


class Failed(Exception):
    """The job failed, in the contender's own words."""


class Lost(Exception):
    """The process ended or did not answer in time, so it can't be used again."""


class LineProcess:
    def __init__(self, command: list[str], log: Path, environment: Mapping[str, str] | None = None):
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        self.rest = b""

    @property
    def pid(self) -> int:
        return self.process.pid

    def ask(self, question: dict, timeout: float = 180) -> dict:
        """The answer to a question. Raises Lost, or Failed if it contains an error."""
        try:
            self.process.stdin.write(json.dumps(question, default=str).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError as error:
            raise Lost("the process ended") from error
        answer = json.loads(self._line(time.monotonic() + timeout))
        if "error" in answer:
            raise Failed(json.dumps(answer["error"]))
        return answer

    def _line(self, until: float) -> bytes:
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if not selector.select(max(0.0, until - time.monotonic())):
                    raise Lost("no answer in time")
                read = os.read(self.process.stdout.fileno(), 1 << 16)
                if not read:
                    raise Lost("the process ended")
                self.rest += read
        line, _, self.rest = self.rest.partition(b"\n")
        return line

    def stop(self) -> None:
        """Lets the process exit, and kills it with its children if it does not."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            processes.kill_tree(self.pid)
            self.process.wait()
        self.process.stdout.close()
