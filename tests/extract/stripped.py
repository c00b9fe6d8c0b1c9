"""Reading order, headings with their levels, tables and running lines of tagged PDFs whose tags were removed: `python -m extract.stripped make SOURCE FOLDER --worker PATH`, then `score FOLDER HALF --worker PATH`.

The truth is what `extract-document` reads by the tags of each PDF under SOURCE, where these are sound. The hash of a PDF's repository, the first folder
under SOURCE, decides which half it is in: `looked` or `judged`. A document counts once, however long it is.

It can't tell whether authors tagged well: many tag headings as paragraphs in bold type, or skip levels. So levels count by their order within each document.
"""

import argparse
import hashlib
import json
import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker
from rapidfuzz import fuzz

from . import scores
from .calibration import _tells_structure
from .relations import plain
from .strangers import _without_tags

OPTIONS = {"format": "json", "headersFooters": "keep"}
# Files beyond it take minutes to compare.
MOST_BYTES = 5_000_000
MOST_BLOCKS = 3_000
WORST = 12
MARGINS = ("header", "footer")


@dataclass(frozen=True)
class Score:
    """`None` where the truth has nothing of the kind. `headings`, `levels` and `margins` are F."""

    order: float
    headings: float | None
    levels: float | None
    tables: float | None
    margins: float | None


def make(source: Path, folder: Path, worker: Worker) -> None:
    for document in sorted(source.rglob("*.pdf")):
        if document.stat().st_size > MOST_BYTES or not _is_tagged(document):
            continue
        place = document.relative_to(source)
        half = folder / ("looked", "judged")[hashlib.sha256(place.parts[0].encode()).digest()[0] % 2]
        half.mkdir(parents=True, exist_ok=True)
        name = f"{hashlib.sha256(place.parts[0].encode()).hexdigest()[:4]}-{document.stem}"
        truth, pdf = half / f"{name}.json", half / f"{name}.pdf"
        try:
            worker.convert("extract-document", document, truth, OPTIONS)
            read = json.loads(truth.read_text())
            if _tells_structure(read) and len(read["blocks"]) < MOST_BLOCKS:
                shutil.copy(document, pdf)
                _without_tags(pdf)
                continue
        except Exception as error:  # Strangers' files can raise anything.
            print(f"{document.name}: {type(error).__name__}: {str(error)[:80]}")
        for made in (truth, pdf):
            made.unlink(missing_ok=True)


def _is_tagged(document: Path) -> bool:
    import pikepdf

    try:
        with pikepdf.open(document) as pdf:
            return "/StructTreeRoot" in pdf.Root
    except Exception:  # Strangers' files can raise anything.
        return False


def text(document: dict) -> str:
    tables = {table["id"]: table for table in document["tables"]}
    parts = []
    for block in document["blocks"]:
        if block["role"] == "table":
            parts += [cell["text"] for cell in sorted(tables[block["table"]]["cells"], key=lambda cell: (cell["row"], cell["column"]))]
        elif block["role"] not in (*MARGINS, "figure"):
            parts.append(block["text"])
    return re.sub(r"\s+", " ", " ".join(parts)).strip()


def headings(document: dict) -> list[tuple[int, str]]:
    """Each heading with its level: the title is above all, and levels that no heading has don't count."""
    found = [(0 if block["role"] == "title" else block["level"], plain(block["text"])) for block in document["blocks"] if block["role"] in ("title", "heading")]
    levels = sorted({level for level, _ in found})
    return [(levels.index(level), words) for level, words in found if words]


def _f(wanted: Counter, found: Counter) -> float | None:
    if not wanted:
        return None
    return 2 * (wanted & found).total() / (wanted.total() + found.total())


def html(document: dict) -> str:
    tables = []
    for table in document["tables"]:
        rows: list[list[str]] = [[] for _ in range(table["rows"])]
        for cell in sorted(table["cells"], key=lambda cell: (cell["row"], cell["column"])):
            written = scores.html.escape(cell["text"])
            rows[cell["row"]].append(f'<td rowspan="{cell["rowSpan"]}" colspan="{cell["columnSpan"]}">{written}</td>')
        lines = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
        tables.append(f"<table>{lines}</table>")
    return "\n".join(tables)


def margins(document: dict) -> Counter:
    words = (word for block in document["blocks"] if block["role"] in MARGINS for word in block["text"].split())
    return Counter(map(plain, words))


def score(truth: dict, read: dict) -> Score:
    wanted, found = headings(truth), headings(read)
    cells = max(sum(len(table["cells"]) for table in one["tables"]) for one in (truth, read))
    return Score(
        fuzz.ratio(text(truth), text(read)) / 100,
        _f(Counter(words for _, words in wanted), Counter(words for _, words in found)),
        _f(Counter(wanted), Counter(found)),
        # The distance of trees takes the square of their nodes.
        scores.tables(html(truth), html(read)) if cells < 1_500 else None,
        _f(margins(truth), margins(read)),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.stripped")
    parser.add_argument("what", choices=("make", "score"))
    parser.add_argument("first", type=Path, help="the folder of PDFs, or of what was made of them")
    parser.add_argument("second", help="the folder to make, or the half to score")
    parser.add_argument("--worker", type=Path, required=True)
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        worker = Worker(arguments.worker, Path(name), Platform.ROOT)
        try:
            if arguments.what == "make":
                make(arguments.first, Path(arguments.second), worker)
                return
            found = {}
            for pdf in sorted((arguments.first / arguments.second).glob("*.pdf")):
                out = Path(name) / "read.json"
                try:
                    worker.convert("extract-document", pdf, out, OPTIONS)
                except (Failed, Lost) as error:
                    print(f"{pdf.name}: {error}")
                    continue
                found[pdf.stem] = score(json.loads(pdf.with_suffix(".json").read_text()), json.loads(out.read_text()))
        finally:
            worker.lines.stop()
    for what in Score.__dataclass_fields__:
        known = {name: value for name, one in found.items() if (value := getattr(one, what)) is not None}
        print(f"{what:9} {sum(known.values()) / max(1, len(known)):.3f} of {len(known)} documents")
        if arguments.second == "looked":
            worst = sorted(known.items(), key=lambda item: item[1])[:WORST]
            print("         ", ", ".join(f"{name} {value:.2f}" for name, value in worst))


if __name__ == "__main__":
    main()
