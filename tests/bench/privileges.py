"""Compares the same worker as an ordinary user and as root, in turn: same PDFs and warnings, same time."""

import json
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from . import documents, processes, report
from .worker import Worker

# Relative to the time as root.
TOLERANCE = 0.05
FULL, QUICK = 20, 5
NAMES = ("ordinary user", "root")


@dataclass
class Taken:
    """CPU time of the process tree, including preparations, and wall time in ms, for all rounds."""

    cpu_ms: dict[str, float] = field(default_factory=lambda: dict.fromkeys(NAMES, 0.0))
    wall_ms: dict[str, float] = field(default_factory=lambda: dict.fromkeys(NAMES, 0.0))
    differs: bool = False

    def ratio(self, what: str = "cpu_ms") -> float:
        times = getattr(self, what)
        return times[NAMES[0]] / times[NAMES[1]]


def main(worker: Path, folder: Path, quick: bool, path: Path) -> int:
    """Exit code 0 if both did the same in the same total CPU time."""
    jobs = documents.small_of_all_kinds()
    jobs += [documents.Job.good(document) for document in documents.office(folder) if document.size == "medium"]
    rounds = QUICK if quick else FULL
    taken = {}
    columns = f"{rounds} rounds | user, CPU ms | root, CPU ms | CPU | wall | results"
    print(f"{report.machine()}\n\n| {columns} |\n|---|---|---|---|---|---|", flush=True)
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
        for name in NAMES:
            total.cpu_ms[name] += one.cpu_ms[name]
            total.wall_ms[name] += one.wall_ms[name]
        total.differs |= one.differs
    _print("all", total, rounds)
    path.write_text(json.dumps({name: asdict(one) for name, one in (taken | {"all": total}).items()}, indent=1))
    met = not total.differs and abs(total.ratio() - 1) <= TOLERANCE
    print(f"\nThe same results, and CPU time within {TOLERANCE:.0%}: {'met' if met else '**missed**'}")
    return 0 if met else 1


def _start(worker: Path, scratch: Path) -> dict[str, Worker]:
    workers = {}
    for number, name in enumerate(NAMES):
        place = scratch / str(number)
        place.mkdir()
        workers[name] = Worker(worker, place, privileged=name == "root")
    return workers


def _name(job: documents.Job) -> str:
    mode = job.options.get("renderMode")
    return f"{job.tool} {job.source.name}" + (f" ({mode})" if mode else "")


def _compare(workers: dict[str, Worker], job: documents.Job, scratch: Path, rounds: int) -> Taken:
    taken, results = Taken(), {}
    for turn in range(-1, rounds):
        # The order alternates; the first round is not counted.
        for name in NAMES if turn % 2 else reversed(NAMES):
            one, out = workers[name], scratch / f"{name}{job.document.suffix}"
            before = processes.settled_cpu_ms(one.lines.pid)
            answer = one.convert(job.tool, job.source, out, job.options)
            cpu = processes.settled_cpu_ms(one.lines.pid) - before
            job.document.check(out)
            results[name] = (answer["output"]["pages"], answer["warnings"], _text(out))
            if turn >= 0:
                taken.cpu_ms[name] += cpu
                taken.wall_ms[name] += answer["convertMs"]
        taken.differs |= results[NAMES[0]] != results[NAMES[1]]
    return taken


def _text(pdf: Path) -> str:
    """Words with places, and drawing operations."""
    boxes = subprocess.run(["pdftotext", "-bbox", pdf, "-"], capture_output=True, check=True, text=True).stdout
    words = "\n".join(line for line in boxes.splitlines() if "<word" in line or "<page" in line)
    fonts = subprocess.run(["pdffonts", pdf], capture_output=True, check=True, text=True).stdout
    return words + "\n".join(sorted(line.partition("+")[2].partition("  ")[0] for line in fonts.splitlines()))


def _print(name: str, one: Taken, rounds: int) -> None:
    user, root = (one.cpu_ms[who] / rounds for who in NAMES)
    same = "differ" if one.differs else "equal"
    print(f"| {name} | {user:.0f} | {root:.0f} | {one.ratio():.3f} | {one.ratio('wall_ms'):.3f} | {same} |", flush=True)
