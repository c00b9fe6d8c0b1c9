"""Many mixed conversions in one process: nothing may fail, grow, or be left behind, and a freeze does no harm."""

import json
import os
import signal
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from . import check, documents, processes
from .lines import Failed, Lost
from .worker import Worker

GROWTH = 1.05
# The text in `docmill_telemetry::engine`.
FALLBACK = "a fresh engine stood in for the warm one"
FULL, QUICK = (500, 100, 60), (100, 20, 10)


@dataclass(frozen=True)
class State:
    """The whole tree while idle."""

    pss: int
    open_files: int
    temporary_files: int
    processes: int
    zombies: int


class Soak:
    def __init__(self, worker: Path, scratch: Path):
        self.out = scratch / "out.pdf"
        self.failures: list[str] = []
        self.answers: dict[str, int] = {}
        self.worker = Worker(worker, scratch)
        self.lines, self.temporary = self.worker.lines, self.worker.shared
        self.log = scratch / "log"

    def convert(self, job: documents.Job) -> None:
        self.out.unlink(missing_ok=True)
        answer = "PDF"
        try:
            self.worker.convert(job.tool, job.source, self.out, job.options)
            if job.document:
                check.pdf(self.out, job.document.text, job.document.pages)
        except (Failed, check.Wrong) as error:
            answer = str(error)
            if job.document:
                self.failures.append(f"{job.source.name}: {error}")
        if job.document is None:
            mode = job.options.get("renderMode", "office")
            key = f"{job.source.name} ({mode}): {_code(answer)}"
            self.answers[key] = self.answers.get(key, 0) + 1

    def state(self) -> State:
        """While idle: the lowest of several readings, because preparations come and go."""
        processes.settled_cpu_ms(self.lines.pid, quiet=0.3)
        pss = []
        for _ in range(5):
            pss.append(processes.pss_bytes(self.lines.pid))
            time.sleep(0.1)
        files = sum(len(names) for _, _, names in os.walk(self.temporary))
        tree = processes.tree(self.lines.pid)
        zombies = processes.zombies(self.lines.pid)
        return State(min(pss), processes.open_files(self.lines.pid), files, len(tree), len(zombies))

    def fallbacks(self) -> int:
        """How often a fresh engine replaced the warm one."""
        return self.log.read_text(errors="replace").count(FALLBACK)

    def freeze(self, seconds: float) -> None:
        """Like Lambda between invocations."""
        processes.send(self.lines.pid, signal.SIGSTOP)
        time.sleep(seconds)
        processes.send(self.lines.pid, signal.SIGCONT)


def _code(answer: str) -> str:
    try:
        return json.loads(answer)["code"]
    except (ValueError, KeyError, TypeError):
        return answer


def main(worker: Path, folder: Path, quick: bool, report: Path) -> int:
    """Exit code 0 if every target is met."""
    count, first, freeze = QUICK if quick else FULL
    good = documents.small_of_all_kinds()
    jobs = documents.stream(good, documents.bad_of_all_kinds(folder), count)
    if not quick:
        jobs[jobs.index(documents.Job.bad(documents.FIXTURES / "macro.odt"), count // 2)] = documents.endless(folder)
    with TemporaryDirectory(prefix="docmill-soak-") as scratch:
        soak = Soak(worker, Path(scratch))
        try:
            states = _run(soak, jobs, first)
            soak.freeze(freeze)
            before = len(soak.failures)
            for job in good:
                soak.convert(job)
            thawed = len(soak.failures) == before
            fallbacks = soak.fallbacks()
        except Lost as lost:
            print(f"The worker was lost: {lost}\n{(Path(scratch) / 'log').read_text()[-2000:]}")
            return 1
        finally:
            soak.lines.stop()
        left_over = [str(path.relative_to(soak.temporary)) for path in soak.temporary.rglob("*")]
    result = _verdict(soak, states, first, count, thawed, freeze, left_over, fallbacks)
    report.write_text(json.dumps(result, indent=1, ensure_ascii=False))
    return 0 if all(bar["met"] for bar in result["bars"]) else 1


def _run(soak: Soak, jobs: list[documents.Job], first: int) -> dict[int, State]:
    """The state after every `first` jobs."""
    states = {}
    begin = time.monotonic()
    for number, job in enumerate(jobs, 1):
        soak.convert(job)
        if number % first == 0:
            states[number] = soak.state()
            print(f"{number} jobs, {time.monotonic() - begin:.0f} s: {states[number]}", flush=True)
    return states


def _verdict(
    soak: Soak,
    states: dict[int, State],
    first: int,
    last: int,
    thawed: bool,
    freeze: float,
    left_over: list[str],
    fallbacks: int,
) -> dict:
    bars = [{"bar": "good jobs that failed", "figure": len(soak.failures), "met": not soak.failures}]
    bars.append({"bar": "fallbacks to a fresh engine", "figure": fallbacks, "met": fallbacks == 0})
    for name in ("pss", "open_files", "temporary_files"):
        early, late = getattr(states[first], name), getattr(states[last], name)
        met = late <= early * GROWTH
        bars.append({"bar": f"{name} at job {last} against job {first}", "figure": f"{late} / {early}", "met": met})
    zombies = max(state.zombies for state in states.values())
    bars.append({"bar": "zombies", "figure": zombies, "met": zombies == 0})
    bars.append({"bar": f"next job of each kind after {freeze} s of SIGSTOP", "figure": "", "met": thawed})
    bars.append({"bar": "files left after the end", "figure": len(left_over), "met": not left_over})
    print("\n| soak | figure | |\n|---|---|---|")
    for bar in bars:
        print(f"| {bar['bar']} | {bar['figure']} | {'met' if bar['met'] else '**missed**'} |")
    print("\nAnswers to hostile jobs:")
    for answer, times in sorted(soak.answers.items()):
        print(f"- {times} × {answer}")
    for failure in soak.failures:
        print(f"FAILED: {failure}")
    states = {number: asdict(state) for number, state in states.items()}
    return {"bars": bars, "states": states, "answers": soak.answers, "failures": soak.failures, "leftOver": left_over}
