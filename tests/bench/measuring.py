"""Samples of wall time, CPU time and memory, interleaved so that a busy machine affects all contenders equally."""

import shutil
import statistics
import threading
import time
import zipfile
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from . import check, processes
from .contenders import Command, Contender
from .documents import Document
from .pdf_cases import Case
from .lines import Failed, Lost

PROBLEMS = (Failed, Lost, check.Wrong)


@dataclass
class Series:
    """A contender's measurements for one document. `problem`: why there is no (further) figure."""

    wall_ms: list[float] = field(default_factory=list)
    cpu_ms: list[float] = field(default_factory=list)
    pages: int | None = None
    output_bytes: int | None = None
    files: int | None = None
    peak_pss: int | None = None
    problem: str | None = None

    def median(self, what: str = "wall_ms") -> float | None:
        values = getattr(self, what)
        return statistics.median(values) if values else None


# By contender's name.
Row = dict[str, Series]


@contextmanager
def started(contenders: list[Contender]):
    """The contenders that could be started, each with its own folder, and the problems of the others."""
    with TemporaryDirectory(prefix="docmill-bench-") as folder:
        running, problems = [], {}
        try:
            for number, contender in enumerate(contenders):
                scratch = Path(folder) / str(number)
                scratch.mkdir()
                try:
                    contender.start(scratch)
                    running.append(contender)
                except (Lost, OSError) as error:
                    problems[contender.name] = f"did not start: {error}"
            yield running, problems
        finally:
            for contender in running:
                contender.stop()


def interleaved(contenders: list[Contender], document: Document | Case, rounds: int, budget: float) -> Row:
    """One uncounted conversion each, then `rounds` in turn; fewer for who used up `budget` seconds, but at least one.

    Each goes first in its turn.
    """
    with TemporaryDirectory(prefix="docmill-bench-") as folder:
        out = Path(folder) / f"out{document.suffix}"
        row = {contender.name: Series() for contender in contenders}
        for contender in contenders:
            _sample(contender, document, out, row[contender.name], counted=False)
        for turn in range(rounds):
            for place in range(len(contenders)):
                contender = contenders[(turn + place) % len(contenders)]
                series = row[contender.name]
                spent = sum(series.wall_ms) / 1000
                if series.problem is None and (not series.wall_ms or spent < budget):
                    _sample(contender, document, out, series, counted=True)
        return row


def _sample(contender: Contender, document: Document | Case, out: Path, series: Series, counted: bool) -> None:
    clear(out)
    try:
        wall, cpu = timed(contender, document.path, out)
        series.pages = document.check(out)
        series.files, series.output_bytes = size(out)
    except PROBLEMS as problem:
        series.problem = str(problem) or type(problem).__name__
        return
    if counted:
        series.wall_ms.append(wall)
        series.cpu_ms.append(cpu)


def size(out: Path) -> tuple[int, int]:
    """The number of files in a result and their bytes. Several files may come as a ZIP, which has no suffix here; packages do."""
    if not out.suffix and zipfile.is_zipfile(out):
        with zipfile.ZipFile(out) as archive:
            return len(archive.namelist()), out.stat().st_size
    files = list(out.iterdir()) if out.is_dir() else [out]
    return len(files), sum(path.stat().st_size for path in files)


def clear(out: Path) -> None:
    """Results are files, or folders of files."""
    if out.is_dir():
        shutil.rmtree(out)
    else:
        out.unlink(missing_ok=True)


def timed(contender: Contender, source: Path | list[Path], out: Path) -> tuple[float, float]:
    """Wall and CPU time of a conversion in ms. CPU time includes preparations for the next one."""
    root = None if isinstance(contender, Command) else contender.root()
    before = processes.settled_cpu_ms(root) if root else 0.0
    begin = time.perf_counter()
    contender.convert(source, out)
    wall = (time.perf_counter() - begin) * 1000
    cpu = processes.settled_cpu_ms(root) - before if root else contender.cpu_ms
    return wall, cpu


@dataclass
class Compressed:
    """A compressor's result: its size relative to the original, and its similarity (1: identical)."""

    share: float | None
    ssim: float | None
    cpu_ms: float | None
    problem: str | None = None


def compressed(
    contender: Contender, case: Case, series: Series, likeness: Callable[[Path, Path], float]
) -> Compressed:
    [original] = case.path
    with TemporaryDirectory(prefix="docmill-bench-") as folder:
        out = Path(folder) / "out.pdf"
        try:
            contender.convert(case.path, out)
            case.check(out)
        except PROBLEMS as problem:
            return Compressed(None, None, None, str(problem) or type(problem).__name__)
        share = out.stat().st_size / original.stat().st_size
        return Compressed(share, likeness(original, out), series.median("cpu_ms"))


def cold(contenders: list[Contender], document: Document | Case, rounds: int) -> Row:
    """From no process to the first PDF. The files are in the page cache."""
    row = {contender.name: Series() for contender in contenders}
    for _ in range(rounds):
        for contender in contenders:
            with TemporaryDirectory(prefix="docmill-bench-") as folder:
                _cold_sample(contender, document, Path(folder), row[contender.name])
    return row


def _cold_sample(contender: Contender, document: Document | Case, folder: Path, series: Series) -> None:
    out = folder / f"out{document.suffix}"
    begin = time.perf_counter()
    try:
        contender.start(folder)
        try:
            contender.convert(document.path, out)
            wall = (time.perf_counter() - begin) * 1000
            root = contender.root()
            cpu = contender.cpu_ms if isinstance(contender, Command) else processes.settled_cpu_ms(root)
            series.pages = document.check(out)
        finally:
            contender.stop()
    except PROBLEMS as problem:
        series.problem = str(problem) or type(problem).__name__
        return
    series.wall_ms.append(wall)
    series.cpu_ms.append(cpu)


def memory(make: Callable[[], list[Contender]], document: Document | Case) -> Row:
    """Peak PSS of each contender's process tree during a conversion, alone, so that no pages are shared with others."""
    row: Row = {}
    for contender in make():
        series = row[contender.name] = Series()
        with started([contender]) as (running, problems), TemporaryDirectory() as folder:
            if not running:
                series.problem = problems[contender.name]
                continue
            try:
                for number in range(2):
                    out = Path(folder) / f"{number}{document.suffix}"
                    with watched(contender) as peak:
                        contender.convert(document.path, out)
                    document.check(out)
                    series.peak_pss = max(peak) if peak else None
            except PROBLEMS as problem:
                series.problem = str(problem) or type(problem).__name__
    return row


@contextmanager
def watched(contender: Contender, every: float = 0.02):
    """A list of PSS samples of the contender's tree. Stays empty if the system does not report it."""
    seen: list[int] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(every):
            root = contender.root()
            try:
                if root:
                    seen.append(processes.pss_bytes(root))
            except PermissionError:
                return

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        ended.set()
        watcher.join()
