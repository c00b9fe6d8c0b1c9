"""Compares the same worker on Lambda, on one machine and as root, in turn: same PDFs and warnings, and what each layer costs."""

import json
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from . import documents, processes, report
from .worker import Platform, Worker

# Relative to the time as root.
TOLERANCE = 0.05
FULL, QUICK = 20, 5


@dataclass
class Taken:
    """CPU time of the process tree, including preparations, and wall time in ms, for all rounds."""

    cpu_ms: dict[str, float] = field(default_factory=lambda: {platform.value: 0.0 for platform in Platform})
    wall_ms: dict[str, float] = field(default_factory=lambda: {platform.value: 0.0 for platform in Platform})
    differs: bool = False

    def ratio(self, platform: Platform, what: str = "cpu_ms") -> float:
        """The platform's time relative to that as root."""
        times = getattr(self, what)
        return times[platform.value] / times[Platform.ROOT.value]


def main(worker: Path, folder: Path, quick: bool, path: Path) -> int:
    """Exit code 0 if both did the same in the same total CPU time."""
    jobs = documents.small_of_all_kinds()
    jobs += [documents.Job.good(document) for document in documents.office(folder) if document.size == "medium"]
    rounds = QUICK if quick else FULL
    taken = {}
    confined = [platform for platform in Platform if platform is not Platform.ROOT]
    of_each = " | ".join(f"{platform.value}: CPU | wall" for platform in confined)
    print(f"{report.machine()}\n\n| {rounds} rounds, relative to root | root, CPU ms | {of_each} | results |\n|---|---|---|---|---|---|---|", flush=True)
    with TemporaryDirectory(prefix="docmill-privileges-") as scratch:
        workers = _start(worker, Path(scratch))
        try:
            for job in jobs:
                taken[_name(job)] = _compare(workers, job, Path(scratch), rounds)
                _print(_name(job), taken[_name(job)], rounds)
        finally:
            for one in workers.values():
                one.lines.stop()
    total = Taken()
    for one in taken.values():
        for platform in Platform:
            total.cpu_ms[platform.value] += one.cpu_ms[platform.value]
            total.wall_ms[platform.value] += one.wall_ms[platform.value]
        total.differs |= one.differs
    _print("all", total, rounds)
    path.write_text(json.dumps({name: asdict(one) for name, one in (taken | {"all": total}).items()}, indent=1))
    met = not total.differs and all(total.ratio(platform) - 1 <= TOLERANCE for platform in confined)
    print(f"\nThe same results, and CPU time within {TOLERANCE:.0%}: {'met' if met else '**missed**'}")
    return 0 if met else 1


def _start(worker: Path, scratch: Path) -> dict[Platform, Worker]:
    workers = {}
    for platform in Platform:
        place = scratch / platform.name
        place.mkdir()
        workers[platform] = Worker(worker, place, platform)
    return workers


def _name(job: documents.Job) -> str:
    mode = job.options.get("renderMode")
    return f"{job.tool} {job.source.name}" + (f" ({mode})" if mode else "")


def _compare(workers: dict[Platform, Worker], job: documents.Job, scratch: Path, rounds: int) -> Taken:
    taken, results = Taken(), {}
    for turn in range(-1, rounds):
        # The order alternates; the first round is not counted.
        for platform in list(Platform)[:: 1 if turn % 2 else -1]:
            one, out = workers[platform], scratch / f"{platform.name}{job.document.suffix}"
            before = processes.settled_cpu_ms(one.lines.pid)
            answer = one.convert(job.tool, job.source, out, job.options)
            cpu = processes.settled_cpu_ms(one.lines.pid) - before
            job.document.check(out)
            results[platform] = (answer["output"]["pages"], answer["warnings"], _text(out))
            if turn >= 0:
                taken.cpu_ms[platform.value] += cpu
                taken.wall_ms[platform.value] += answer["convertMs"]
        taken.differs |= any(result != results[Platform.ROOT] for result in results.values())
    return taken


def _text(pdf: Path) -> str:
    """Words with places, and drawing operations."""
    boxes = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, check=True, text=True).stdout
    words = "\n".join(line for line in boxes.splitlines() if "<word" in line or "<page" in line)
    fonts = subprocess.run(["pdffonts", pdf], capture_output=True, check=True, text=True).stdout
    return words + "\n".join(sorted(line.partition("+")[2].partition("  ")[0] for line in fonts.splitlines()))


def _print(name: str, one: Taken, rounds: int) -> None:
    confined = [platform for platform in Platform if platform is not Platform.ROOT]
    ratios = " | ".join(f"{one.ratio(platform, what):.3f}" for platform in confined for what in ("cpu_ms", "wall_ms"))
    same = "differ" if one.differs else "equal"
    print(f"| {name} | {one.cpu_ms[Platform.ROOT.value] / rounds:.0f} | {ratios} | {same} |", flush=True)
