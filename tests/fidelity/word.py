"""How alike Docmill's pages are to Word's, beside plain LibreOffice of the same version: `python -m fidelity.word --worker WORKER`.

The documents are those of `documents.json`, which say themselves where Word broke their pages. With `IMAGE_ROOT`, both run in the
worker's image (`infra/worker/test-image.sh` makes it).
"""

import argparse
import json
import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Worker

from . import plain
from .documents import Document, Part, all_documents
from .pairs import Unreachable
from .scores import Score, of_pages, pages, words
from .word_pages import pages as pages_in_word

WORST = 20


@dataclass
class Measured:
    name: str
    part: str
    number: int
    ours: Score | None = None
    plain: Score | None = None
    # Why there is no score of ours.
    problem: str = ""


class Measurement:
    """`results` keeps our PDFs by the documents' numbers, and plain LibreOffice's."""

    def __init__(self, binary: Path, scratch: Path, results: Path, with_plain: bool):
        self.binary, self.scratch, self.results, self.with_plain = binary, scratch, results, with_plain
        self.worker = Worker(binary, scratch)

    def one(self, number: int, document: Document) -> Measured:
        measured = Measured(document.name, document.part.value, number)
        try:
            source = document.fetch()
            told = pages_in_word(source)
            if told is None:
                raise Unreachable("it does not say where Word broke its pages")
            in_word = [words(page) for page in told]
            measured.ours = of_pages(in_word, pages(self._ours(source, number)))
            measured.plain = _scored(lambda: of_pages(in_word, pages(plain.plain(source)))) if self.with_plain else None
        except (Failed, Unreachable) as failed:
            measured.problem = str(failed)
        except Lost as lost:
            measured.problem = f"the worker was lost: {lost}"
            self.stop()
            self.worker = Worker(self.binary, self.scratch)
        return measured

    def _ours(self, source: Path, number: int) -> Path:
        out = self.results / f"{number:04}.pdf"
        self.worker.convert("office-to-pdf", source, out, {})
        return out

    def stop(self) -> None:
        self.worker.lines.stop()


def _scored(score: Callable[[], Score]) -> Score | None:
    try:
        return score()
    except Failed:
        return None


def table(measured: list[Measured]) -> str:
    lines = ["| part | documents | | equal page counts | words on Word's page, mean | below 0.9 |", "|---" * 6 + "|"]
    for part in [*(part.value for part in Part), "all"]:
        chosen = [one for one in measured if one.ours and part in (one.part, "all")]
        if chosen:
            lines.append(_row(part, "Docmill", [one.ours for one in chosen if one.ours]))
            lines.append(_row(part, "plain LibreOffice", [one.plain for one in chosen if one.plain]))
    trained = [one for one in measured if one.ours and one.part == Part.TRAIN.value]
    lines += ["", f"The {WORST} of the part for training with the fewest words on Word's page:", ""]
    lines += ["| document | number | pages | Word's | plain | words on Word's page | plain |", "|---" * 7 + "|"]
    for one in sorted(trained, key=lambda one: one.ours.same_page if one.ours else 1)[:WORST]:
        lines.append(_document(one))
    lines += [f"NOT MEASURED: {one.name}: {one.problem}" for one in measured if one.problem]
    return "\n".join(lines)


def _row(part: str, whose: str, scores: list[Score]) -> str:
    if not scores:
        return f"| {part} | 0 | {whose} | – | – | – |"
    equal, shares = sum(score.is_equal for score in scores), [score.same_page for score in scores]
    low = sum(share < 0.9 for share in shares)
    share = f"{equal} ({equal / len(scores):.1%})"
    return f"| {part} | {len(scores)} | {whose} | {share} | {statistics.mean(shares):.4f} | {low} |"


def _document(one: Measured) -> str:
    ours, theirs = one.ours, one.plain
    if not ours:
        return ""
    other = (str(theirs.pages), f"{theirs.same_page:.3f}") if theirs else ("–", "–")
    cells = [one.name, str(one.number), str(ours.pages), str(ours.office_pages), other[0], f"{ours.same_page:.3f}", other[1]]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="fidelity.word")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("target/fidelity-word"))
    parser.add_argument("--part", choices=[part.value for part in Part], help="only these documents")
    parser.add_argument("--without-plain", action="store_true")
    arguments = parser.parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    chosen = [
        (number, document)
        for number, document in enumerate(all_documents())
        if not arguments.part or document.part.value == arguments.part
    ]
    with TemporaryDirectory(prefix="docmill-word-") as scratch:
        measurement = Measurement(arguments.worker, Path(scratch), arguments.results, not arguments.without_plain)
        measured = [measurement.one(number, document) for number, document in chosen]
        measurement.stop()
    (arguments.results / "scores.json").write_text(json.dumps([asdict(one) for one in measured], indent=1))
    print(f"LibreOffice {plain.version()}")
    print(table(measured))


if __name__ == "__main__":
    main()
