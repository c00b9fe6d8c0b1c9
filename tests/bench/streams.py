"""A mixed stream of good and bad jobs through two instances of a contender, one per core."""

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from . import check, processes
from .contenders import Command, Contender
from .documents import Job
from .lines import Failed, Lost
from .measuring import started

INSTANCES = 2


@dataclass
class Stream:
    """`failures`: good jobs without a correct PDF, with reasons. `garbage`: bad jobs answered with a PDF."""

    jobs: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    restarts: int = 0
    failures: list[str] = field(default_factory=list)
    garbage: int = 0
    problem: str | None = None

    @property
    def per_minute(self) -> float:
        return self.jobs / self.seconds * 60 if self.seconds else 0.0


def run(make: Callable[[], Contender], jobs: list[Job]) -> Stream:
    """Outputs are checked after the stream has ended."""
    stream = Stream(jobs=len(jobs))
    waiting: queue.SimpleQueue[tuple[int, Job]] = queue.SimpleQueue()
    for numbered in enumerate(jobs):
        waiting.put(numbered)
    instances = [make() for _ in range(INSTANCES)]
    with TemporaryDirectory(prefix="docmill-bench-") as folder, started(instances) as (running, problems):
        if len(running) < INSTANCES:
            stream.problem = next(iter(problems.values()))
            return stream
        lanes = [_Lane(contender, waiting, Path(folder), stream) for contender in running]
        _warm_up(lanes, jobs, Path(folder))
        before = sum(_cpu_seconds(contender) for contender in running)
        begin = time.perf_counter()
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()
        stream.seconds = time.perf_counter() - begin
        stream.cpu_seconds = sum(_cpu_seconds(lane.contender) + lane.cpu_seconds for lane in lanes) - before
        _check(stream, jobs, Path(folder))
    return stream


def _warm_up(lanes: list["_Lane"], jobs: list[Job], folder: Path) -> None:
    first = next(job for job in jobs if job.document)
    for lane in lanes:
        lane.contender.convert(first.source, folder / "warm-up.pdf")


def _cpu_seconds(contender: Contender) -> float:
    root = contender.root()
    return processes.settled_cpu_ms(root) / 1000 if root else 0.0


class _Lane(threading.Thread):
    def __init__(self, contender: Contender, waiting: queue.SimpleQueue, folder: Path, stream: Stream):
        super().__init__()
        self.contender, self.waiting, self.folder, self.stream = contender, waiting, folder, stream
        self.cpu_seconds = 0.0

    def run(self) -> None:
        while True:
            try:
                number, job = self.waiting.get_nowait()
            except queue.Empty:
                return
            try:
                # soffice names its output after the source, so each job has its own folder.
                out = self.folder / str(number)
                out.mkdir()
                self.contender.convert(job.source, out / "out.pdf")
            except (Failed, Lost) as error:
                if job.document:
                    self.stream.failures.append(f"{job.source.name}: {error}")
                if isinstance(error, Lost):
                    self._restart()
            if isinstance(self.contender, Command):
                self.cpu_seconds += self.contender.cpu_ms / 1000

    def _restart(self) -> None:
        """Like a supervisor. The stream's time continues."""
        self.stream.restarts += 1
        self.contender.stop()
        scratch = self.folder / f"restarted-{id(self)}-{self.stream.restarts}"
        scratch.mkdir()
        self.contender.start(scratch)


def _check(stream: Stream, jobs: list[Job], folder: Path) -> None:
    for number, job in enumerate(jobs):
        out = folder / str(number) / "out.pdf"
        if job.document is None:
            stream.garbage += out.exists()
            continue
        try:
            check.pdf(out, job.document.text, job.document.pages)
        except check.Wrong as wrong:
            stream.failures.append(f"{job.source.name}: {wrong}")
