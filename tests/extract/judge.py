"""The table of `make bench-extract`: ours and the peers on strangers' documents: `python -m extract.judge SETS --worker PATH [--peer NAME …]`.

SETS has what `extract.single make`, `extract.stripped make` and `extract.strangers` have made, each in its folder:
`single/judged` and `stripped/judged` with NAME.pdf and NAME.json, and any others with NAME.pdf and NAME-str.xml, which are scored by relations of cells.
A peer that is not installed is named with its reason.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

from . import relations, single, stripped
from .reader import ONE_BY_ONE

OF_TEXT = ("liteparse", "pdf-inspector", "pymupdf4llm")
OF_TABLES = ("liteparse", "pdf-inspector", "camelot", "pdfplumber")


def _pages(folder: Path, read: Callable[[Path], str]) -> dict[str, float]:
    met, _ = single.score(folder, read)
    good, count = (sum(values) for values in zip(*met.values(), strict=True))
    return {"all": good / max(1, count), **{kind: good / max(1, count) for kind, (good, count) in met.items()}}


def _tables(folder: Path, read: relations.Reader) -> dict[str, float]:
    scores = relations.measure(folder, read)
    precision, recall = (sum(getattr(one, what) for one in scores) / max(1, len(scores)) for what in ("precision", "recall"))
    return {"F": 2 * precision * recall / (precision + recall) if precision + recall else 0.0, "precision": precision, "recall": recall}


def _stripped(folder: Path, worker: Worker, scratch: Path) -> dict[str, float]:
    scores, out = [], scratch / "read.json"
    for pdf in sorted(folder.glob("*.pdf")):
        try:
            worker.convert("extract-document", pdf, out, stripped.OPTIONS)
        except (Failed, Lost):
            continue
        scores.append(stripped.score(json.loads(pdf.with_suffix(".json").read_text()), json.loads(out.read_text())))
    known = {what: [value for one in scores if (value := getattr(one, what)) is not None] for what in stripped.Score.__dataclass_fields__}
    return {what: sum(values) / max(1, len(values)) for what, values in known.items()}


def _row(folder: Path, reader: str, found: dict[str, float]) -> str:
    shown = ", ".join(f"{what} {value:.3f}" for what, value in found.items())
    return f"| {folder.parent.name}/{folder.name} | {len(list(folder.glob('*.pdf')))} | {reader} | {shown} |"


def _peers(names: tuple[str, ...], chosen: list[str], start: Callable[[str], Callable]) -> dict[str, Callable]:
    found = {}
    for name in names:
        if chosen and name not in chosen:
            continue
        try:
            found[name] = start(name)
        except ImportError as error:
            print(f"MISSING: {name}: {error}")
    return found


def _installed(name: str) -> relations.Reader:
    __import__(name.replace("-", "_"))
    return relations.PEERS[name]


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.judge")
    parser.add_argument("sets", type=Path)
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--peer", action="append", default=[], help="only these; `--peer none` measures Docmill alone")
    arguments = parser.parse_args()
    of_text = _peers(OF_TEXT, arguments.peer, lambda name: ONE_BY_ONE[name]())
    of_tables = _peers(OF_TABLES, arguments.peer, _installed)
    print("| set | documents | reader | scores |", "|---|---|---|---|", sep="\n")
    with TemporaryDirectory() as name:
        scratch = Path(name)
        worker = Worker(arguments.worker, scratch, Platform.ROOT)
        try:
            for folder in sorted(path for path in arguments.sets.rglob("*") if path.is_dir() and path.name != "looked"):
                if next(folder.glob("*-str*.xml"), None):
                    readers = {"docmill": relations.ours(worker, scratch), **of_tables}
                    rows = {reader: _tables(folder, read) for reader, read in readers.items()}
                elif folder.parent.name == "single":
                    readers = {"docmill": single.ours(worker, scratch), **of_text}
                    rows = {reader: _pages(folder, read) for reader, read in readers.items()}
                elif folder.parent.name == "stripped":
                    rows = {"docmill": _stripped(folder, worker, scratch)}
                else:
                    continue
                print(*(_row(folder, reader, found) for reader, found in rows.items()), sep="\n", flush=True)
        finally:
            worker.lines.stop()


if __name__ == "__main__":
    main()
