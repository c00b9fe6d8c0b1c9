"""Strangers' PDFs without tags, tagged: `python -m bench.untagged WORKER FOLDER [--looks]`.

Each PDF of the folder gets tags, and veraPDF judges it by its profile of PDF/UA-1. Counts, in all and for each source (the folders in it): those that
pass; those that pass without the claims that only people can make (`OF_PEOPLE`); those that falsely say that they pass; those within the bar of size; CPU time for each page. Then
lists in how many files each other rule is broken. `--looks` also compares the pages, drawn by PDFium and by poppler, and the text that pdftotext reads.
`--peer PROGRAM` has opendataloader-pdf tag the same PDFs, which is judged in the same way.
"""

import argparse
import re
import subprocess
import sys
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import pikepdf

from .accessibility import of_verapdf
from . import processes
from .lines import Failed, Lost
from .worker import Platform, Worker

OPTIONS = {"existing": "replace", "ocr": "never"}
# What only people can say: the alternative text of a figure, the title, the language of the text and of what is said about it. Without one of
# these, the PDF must not say that it is PDF/UA, which is a rule of its own (5-1).
OF_LANGUAGE = {f"7.2-{test}" for test in (2, 21, 22, 23, 24, 25, 30, 31, 32, 33, 34)}
OF_PEOPLE = {"7.3-1", "7.1-9", "5-1"} | OF_LANGUAGE
# That an annotation has a description. Only people can say what somebody has drawn by hand, as with figures.
DESCRIPTION, DRAWING = "7.18.1-2", "/Ink"
# Annotations that need no description of their own: fields, and the windows of others.
NEED_NONE = ("/Widget", "/Popup")
HIDDEN = 2
# How opendataloader-pdf makes tags.
PEER_TAGS = ["-q", "-f", "tagged-pdf", "--image-output", "off"]
PEER_SECONDS = 300
# Most bytes of a result: so many times those of its source, and so many more for each page.
TIMES, MORE = 1.1, 10 << 10
DPI = 72
# Most CPU time of a page, in milliseconds.
LONG = 80


@dataclass
class Result:
    source: str
    name: str
    claims: bool
    is_small: bool
    # CPU time for each page, in milliseconds.
    cpu: float
    broken: set[str] | None = None
    # None: not compared.
    same: dict[str, bool] | None = None
    # Drawings by hand have no description.
    has_drawings: bool = False

    def passes(self, leaving_out: frozenset[str] | set[str] = frozenset()) -> bool:
        return self.broken is not None and self.broken <= leaving_out


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.untagged")
    parser.add_argument("worker", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--looks", action="store_true", help="compare pages and text, too")
    parser.add_argument("--peer", type=Path, help="opendataloader-pdf, from PyPI")
    parser.add_argument("--keep", type=Path, help="a folder for the results")
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.rglob("*.pdf"))
    with TemporaryDirectory(prefix="docmill-untagged-") as scratch:
        results = tag_all(arguments.worker, paths, arguments, Path(scratch))
        beside = peer_of(arguments.peer, paths, Path(scratch)) if arguments.peer else {}
    for result in results:
        if result.claims and not result.passes() or not result.passes(OF_PEOPLE) or result.same and not all(result.same.values()):
            others = sorted(way for way, same in (result.same or {}).items() if not same)
            broken = "unreadable" if result.broken is None else " ".join(sorted(result.broken - OF_PEOPLE))
            print(f"{result.source}/{result.name}: {broken}{' FALSE CLAIM' if result.claims and not result.passes() else ''}{' differs: ' + ', '.join(others) if others else ''}")
    for source in sorted({result.source for result in results}):
        count(source, [result for result in results if result.source == source])
    count("all", results)
    if beside:
        passed, of_machines = (sum(broken is not None and broken <= out for broken in beside.values()) for out in (set(), OF_PEOPLE))
        print(f"opendataloader-pdf: {len(beside)} of {len(paths)} tagged; {passed} pass, {of_machines} ({of_machines / len(paths):.1%} of all) without what only people can say")
        print("Rules it breaks, by files:", dict(Counter(rule for broken in beside.values() for rule in (broken or set()) - OF_PEOPLE).most_common()))
    print(f"{len(paths) - len(results)} of {len(paths)} not tagged; {sum(result.has_drawings for result in results)} with drawings by hand that nothing describes")
    rules = Counter(rule for result in results for rule in (result.broken or set()) - OF_PEOPLE)
    print("Rules broken, by files:", dict(rules.most_common()))
    return 0


def tag_all(binary: Path, paths: list[Path], arguments: argparse.Namespace, scratch: Path) -> list[Result]:
    worker, results, made_files = Worker(binary, scratch, Platform.ROOT), [], []
    made_in = arguments.keep or scratch / "made"
    made_in.mkdir(exist_ok=True)
    for number, path in enumerate(paths):
        out = made_in / f"{number}.pdf"
        before = processes.settled_cpu_ms(worker.lines.pid)
        try:
            report = worker.convert("tag-pdf", path, out, OPTIONS).get("report") or {}
        except Failed as failure:
            print(f"{path.parent.name}/{path.name}: {failure}")
            continue
        except Lost:
            print(f"{path.parent.name}/{path.name}: the worker is lost")
            worker.lines.stop()
            worker = Worker(binary, scratch, Platform.ROOT)
            continue
        pages = int(re.search(rb"Pages:\s+(\d+)", subprocess.run(["pdfinfo", path], capture_output=True).stdout)[1])
        cpu = (processes.settled_cpu_ms(worker.lines.pid) - before) / max(pages, 1)
        is_small = out.stat().st_size <= TIMES * path.stat().st_size + MORE * pages
        source = path.relative_to(arguments.folder).parts[0]
        result = Result(source, path.name, report.get("conforms") is True, is_small, cpu)
        if arguments.looks:
            result.same = compare(worker, path, out, scratch)
        results.append(result)
        made_files.append(out)
    worker.lines.stop()
    broken = of_verapdf(made_files)
    for result, made in zip(results, made_files, strict=True):
        result.broken = broken[made]
        if result.broken and DESCRIPTION in result.broken and lacks_drawings_only(made):
            result.broken, result.has_drawings = result.broken - {DESCRIPTION}, True
    return results


def lacks_drawings_only(path: Path) -> bool:
    """Whether drawings by hand are the only annotations without a description."""
    with pikepdf.open(path) as pdf:
        lacking = [
            str(annotation.Subtype)
            for page in pdf.pages
            for annotation in page.get("/Annots", [])
            if not str(annotation.get("/Contents", "")).strip() and not int(annotation.get("/F", 0)) & HIDDEN
        ]
    return DRAWING in lacking and all(kind in (DRAWING, *NEED_NONE) for kind in lacking)


def peer_of(program: Path, paths: list[Path], scratch: Path) -> dict[Path, set[str] | None]:
    """The rules that the peer's tagged PDFs break. Those that it makes none of are left out."""
    made = []
    for number, path in enumerate(paths):
        out = scratch / f"peer-{number}"
        try:
            subprocess.run([program, *PEER_TAGS, "-o", out, path], capture_output=True, timeout=PEER_SECONDS, check=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            continue
        made += sorted(out.glob("*.pdf"))[:1]
    return of_verapdf(made)


def compare(worker: Worker, before: Path, after: Path, scratch: Path) -> dict[str, bool]:
    def poppler(path: Path) -> bytes:
        return subprocess.run(["pdftoppm", "-r", str(DPI), path], capture_output=True).stdout

    def pdfium(path: Path) -> bytes:
        out = scratch / "pages.zip"
        try:
            worker.convert("pdf-to-images", path, out, {"dpi": DPI})
        except Failed:
            return b""
        if not zipfile.is_zipfile(out):
            return out.read_bytes()
        # The names of its files are made of the source's.
        with zipfile.ZipFile(out) as pages:
            return b"".join(pages.read(page) for page in pages.namelist())

    def words(path: Path) -> list[bytes]:
        return subprocess.run(["pdftotext", path, "-"], capture_output=True).stdout.split()

    ways = {"poppler": poppler, "PDFium": pdfium, "words": words}
    return {way: read(before) == read(after) for way, read in ways.items()}


def count(name: str, results: list[Result]) -> None:
    of_all = len(results)
    passed, of_machines = (sum(result.passes(out) for result in results) for out in (set(), OF_PEOPLE))
    false = sum(result.claims and not result.passes() for result in results)
    line = f"{name}: {of_all} tagged; {passed} pass, {of_machines} ({of_machines / max(of_all, 1):.1%}) without what only people can say"
    line += f"; {false} false claims; {sum(result.is_small for result in results)} small enough"
    costs = sorted(result.cpu for result in results)
    if costs:
        line += f"; CPU a page: median {median(costs):.0f} ms, at most {LONG} ms in {sum(cost <= LONG for cost in costs)}, highest {costs[-1]:.0f} ms"
    compared = [result.same for result in results if result.same]
    for way in compared[0] if compared else ():
        line += f"; {sum(same[way] for same in compared)} of {len(compared)} the same by {way}"
    print(line)


if __name__ == "__main__":
    sys.exit(main())
