"""Measures the worker on all pairs, and prints a line for each kind of document and the worst."""

import json
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Worker

from .pairs import Pair, Unreachable, all_pairs, fetch
from .scores import Score, score

WORST = 20


@dataclass
class Measured:
    name: str
    kind: str
    score: Score | None = None
    warnings: list[str] = field(default_factory=list)
    # Why there is no score.
    problem: str = ""


def measure(binary: Path, results: Path) -> list[Measured]:
    """Keeps each pair's PDFs in `results`, to be looked at side by side."""
    results.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="docmill-fidelity-") as scratch:
        measured = list(_each(binary, Path(scratch), results))
    (results / "scores.json").write_text(json.dumps([asdict(one) for one in measured], indent=1))
    return measured


def _each(binary: Path, scratch: Path, results: Path) -> Iterator[Measured]:
    worker = Worker(binary, scratch)
    for number, pair in enumerate(all_pairs()):
        try:
            yield _one(worker, pair, results / f"{number:03}")
        except Unreachable as why:
            yield Measured(pair.name, pair.kind, problem=f"not fetched: {why}")
        except Failed as failed:
            yield Measured(pair.name, pair.kind, problem=str(failed))
        except Lost as lost:
            yield Measured(pair.name, pair.kind, problem=f"the worker was lost: {lost}")
            worker.lines.stop()
            worker = Worker(binary, scratch)
    worker.lines.stop()


def _one(worker: Worker, pair: Pair, place: Path) -> Measured:
    document, office = fetch(pair)
    ours, theirs = place.with_suffix(".docmill.pdf"), place.with_suffix(".office.pdf")
    answer = worker.convert("office-to-pdf", document, ours, {})
    theirs.unlink(missing_ok=True)
    theirs.symlink_to(office)
    return Measured(pair.name, pair.kind, score(office, ours), [warning["code"] for warning in answer["warnings"]])


def table(measured: list[Measured]) -> str:
    lines = ["| kind | pairs | equal page counts | words on the same page, median | lowest | words found, median | lowest |"]
    lines.append("|---" * 7 + "|")
    for kind in [*sorted({one.kind for one in measured}), "all"]:
        scores = [one.score for one in measured if one.score and kind in (one.kind, "all")]
        if scores:
            lines.append(_row(kind, scores))
    lines += ["", f"The {WORST} with the fewest words on the same page:", ""]
    lines += ["| document | pages | Office's | words on the same page | found | differs from page | warnings |", "|---" * 7 + "|"]
    worst = sorted((one for one in measured if one.score), key=lambda one: one.score.same_page)
    for one in worst[:WORST]:
        at = one.score
        cells = [one.name, at.pages, at.office_pages, f"{at.same_page:.3f}", f"{at.found:.3f}", at.differs_at or "–"]
        lines.append("| " + " | ".join(map(str, [*cells, ", ".join(one.warnings)])) + " |")
    lines += [f"NOT MEASURED: {one.name}: {one.problem}" for one in measured if one.problem]
    return "\n".join(lines)


def _row(kind: str, scores: list[Score]) -> str:
    equal = sum(score.is_equal for score in scores)
    same, found = [score.same_page for score in scores], [score.found for score in scores]
    shares = [statistics.median(same), min(same), statistics.median(found), min(found)]
    cells = [kind, len(scores), f"{equal} ({equal / len(scores):.0%})", *(f"{share:.3f}" for share in shares)]
    return "| " + " | ".join(map(str, cells)) + " |"
