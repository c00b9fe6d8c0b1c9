"""How alike Docmill's pages are to Word's, beside plain LibreOffice of the same version: `python -m fidelity.word --worker WORKER`.

The documents are those of `documents.json`, which say themselves where Word broke their pages. With `IMAGE_ROOT`, both run in the
worker's image (`infra/worker/test-image.sh` makes it). What was measured is kept by version of LibreOffice, and a later call measures only
what is missing: `--again` measures ours anew, `--minutes` stops after so long.
"""

import argparse
import json
import statistics
import time
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
RESULTS = Path("target/fidelity-word")


@dataclass
class Measured:
    name: str
    repository: str
    part: str
    sha256: str
    ours: Score | None = None
    plain: Score | None = None
    # Why there is no score of ours.
    problem: str = ""


class Results:
    """By the documents' digests, in a folder of its own for each version of LibreOffice, with our PDFs."""

    def __init__(self, folder: Path):
        self.folder, self.file = folder, folder / "scores.json"
        folder.mkdir(parents=True, exist_ok=True)
        read = json.loads(self.file.read_text()) if self.file.exists() else []
        self.measured = {one["sha256"]: _measured(one) for one in read}

    def pdf(self, sha256: str) -> Path:
        return self.folder / f"{sha256}.pdf"

    def has(self, sha256: str) -> bool:
        return sha256 in self.measured and not self.measured[sha256].problem

    def add(self, one: Measured) -> None:
        self.measured[one.sha256] = one

    def write(self) -> None:
        self.file.write_text(json.dumps([asdict(one) for one in self.measured.values()], indent=1))


def _measured(read: dict) -> Measured:
    scores = {whose: Score(**read[whose]) if read[whose] else None for whose in ("ours", "plain")}
    return Measured(**{**read, **scores})


class Measurement:
    def __init__(self, binary: Path, scratch: Path, results: Results):
        self.binary, self.scratch, self.results = binary, scratch, results
        self.worker = Worker(binary, scratch)

    def one(self, document: Document) -> Measured:
        measured = Measured(document.name, document.repository, document.part.value, document.sha256)
        try:
            source = document.fetch()
            told = pages_in_word(source)
            if told is None:
                raise Unreachable("it does not say where Word broke its pages")
            in_word = [words(page) for page in told]
            measured.plain = _plain(in_word, source)
            measured.ours = of_pages(in_word, pages(self._ours(source, document)))
        except (Failed, Unreachable) as failed:
            measured.problem = str(failed)
        except Lost as lost:
            measured.problem = f"the worker was lost: {lost}"
            self.stop()
            self.worker = Worker(self.binary, self.scratch)
        return measured

    def _ours(self, source: Path, document: Document) -> Path:
        out = self.results.pdf(document.sha256)
        self.worker.convert("office-to-pdf", source, out, {})
        return out

    def stop(self) -> None:
        self.worker.lines.stop()


def _plain(in_word: list, source: Path) -> Score | None:
    try:
        return of_pages(in_word, pages(plain.plain(source)))
    except Failed:
        return None


def table(measured: list[Measured]) -> str:
    lines = ["| part | documents | | equal page counts | words on Word's page, mean | below 0.9 |", "|---" * 6 + "|"]
    for part in [*(part.value for part in Part), "all"]:
        # Documents that both print, so that the figures are of the same ones.
        chosen = [(one.ours, one.plain) for one in measured if one.ours and one.plain and part in (one.part, "all")]
        if chosen:
            lines.append(_row(part, "Docmill", [ours for ours, _ in chosen]))
            lines.append(_row(part, "plain LibreOffice", [theirs for _, theirs in chosen]))
    lines += ["", *_tenths([one for one in measured if one.part == Part.JUDGE.value])]
    trained = [one for one in measured if one.ours and one.part == Part.TRAIN.value]
    lines += ["", f"The {WORST} of the part for training with the fewest words on Word's page:", ""]
    lines += ["| document | pages | Word's | plain | words on Word's page | plain |", "|---" * 6 + "|"]
    for one in sorted(trained, key=lambda one: one.ours.same_page if one.ours else 1)[:WORST]:
        lines.append(_document(one))
    lines += [f"NOT MEASURED: {one.name}: {one.problem}" for one in measured if one.problem]
    lines += [f"NOT PRINTED BY PLAIN LIBREOFFICE: {one.name}" for one in measured if one.ours and not one.plain]
    return "\n".join(lines)


def _row(part: str, whose: str, scores: list[Score]) -> str:
    equal, shares = sum(score.is_equal for score in scores), [score.same_page for score in scores]
    low = sum(share < 0.9 for share in shares)
    share = f"{equal} ({equal / len(scores):.1%})"
    return f"| {part} | {len(scores)} | {whose} | {share} | {statistics.mean(shares):.4f} | {low} |"


def _tenths(judged: list[Measured]) -> list[str]:
    """Words on Word's page, by tenths of the documents from the lowest, each program's own."""
    both = [(one.ours.same_page, one.plain.same_page) for one in judged if one.ours and one.plain]
    if len(both) < 10:
        return []
    lines = ["Tenths of the documents to judge by, from the lowest: Docmill, plain LibreOffice", ""]
    ours, theirs = (sorted(shares) for shares in zip(*both, strict=True))
    for tenth in range(10):
        first, end = (len(both) * at // 10 for at in (tenth, tenth + 1))
        lines.append(f"- {statistics.mean(ours[first:end]):.4f}, {statistics.mean(theirs[first:end]):.4f}")
    return lines


def _document(one: Measured) -> str:
    ours, theirs = one.ours, one.plain
    if not ours:
        return ""
    other = (str(theirs.pages), f"{theirs.same_page:.3f}") if theirs else ("–", "–")
    cells = [one.name, str(ours.pages), str(ours.office_pages), other[0], f"{ours.same_page:.3f}", other[1]]
    return "| " + " | ".join(cells) + " |"


def _measure(binary: Path, missing: list[Document], results: Results, seconds: float) -> None:
    begin = time.monotonic()
    with TemporaryDirectory(prefix="docmill-word-") as scratch:
        measurement = Measurement(binary, Path(scratch), results)
        for start in range(0, len(missing), plain.AT_ONCE):
            some = missing[start : start + plain.AT_ONCE]
            if time.monotonic() - begin > seconds:
                break
            plain.prepare([document.file for document in some if document.file.exists()])
            for document in some:
                results.add(measurement.one(document))
            results.write()
        measurement.stop()


def main() -> None:
    parser = argparse.ArgumentParser(prog="fidelity.word")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--part", choices=[part.value for part in Part], help="only these documents")
    parser.add_argument("--again", action="store_true", help="measure ours anew")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop then; the next call goes on")
    arguments = parser.parse_args()
    results = Results(arguments.results / plain.version())
    chosen = [one for one in all_documents() if not arguments.part or one.part.value == arguments.part]
    missing = [one for one in chosen if arguments.again or not results.has(one.sha256)]
    _measure(arguments.worker, missing, results, arguments.minutes * 60)
    measured = [results.measured[one.sha256] for one in chosen if one.sha256 in results.measured]
    print(f"LibreOffice {plain.version()}, {len(measured)} of {len(chosen)} documents")
    print(table(measured))


if __name__ == "__main__":
    main()
