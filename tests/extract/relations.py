"""Scores tables against people's truth, as the table competition of ICDAR 2013 did: `python -m extract.relations FOLDER --worker PATH [--peers]`.

FOLDER has each document as NAME.pdf, and the structure of its tables as NAME-str.xml.
"Adjacency relations" (Göbel, Hassan, Oro, Orsi: A Methodology for Evaluating Algorithms for Table Understanding in PDF Documents, 2012):
each cell with text and the next one with text to the right and below it are one relation. Texts count without space, punctuation and
case. Precision and recall are those of each document, averaged over all; tables that the truth does not have cost precision.
"""

import argparse
import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

WORST = 10
Relation = tuple[str, str, str]
Reader = Callable[[Path], "list[list[Cell]]"]


@dataclass(frozen=True)
class Cell:
    """Rows and columns are counted from 0; the last ones belong to it."""

    top: int
    left: int
    bottom: int
    right: int
    text: str


@dataclass(frozen=True)
class Score:
    name: str
    precision: float
    recall: float


def plain(text: str | None) -> str:
    return re.sub(r"\W", "", text or "").lower()


def truth(document: Path) -> list[list[Cell]]:
    """The tables of a document. A table on several pages has a region for each, which says where its rows go on."""
    files = document.parent.glob(f"{document.stem}-str*.xml")
    return [_table(table) for file in sorted(files) for table in ElementTree.parse(file).getroot().iter("table")]


def _table(table: ElementTree.Element) -> list[Cell]:
    cells = []
    for region in table.iter("region"):
        down, across = int(region.get("row-increment") or 0), int(region.get("col-increment") or 0)
        for cell in region.iter("cell"):
            top, left = int(cell.get("start-row", 0)), int(cell.get("start-col", 0))
            bottom, right = int(cell.get("end-row") or top), int(cell.get("end-col") or left)
            text = "".join(content.text or "" for content in cell.iter("content"))
            cells.append(Cell(top + down, left + across, bottom + down, right + across, plain(text)))
    return cells


def relations(cells: list[Cell]) -> Counter[Relation]:
    """How often each pair of texts are next to each other, to the right or below."""
    grid: dict[tuple[int, int], int] = {}
    for number, cell in enumerate(cells):
        if cell.text:
            places = ((row, column) for row in range(cell.top, cell.bottom + 1) for column in range(cell.left, cell.right + 1))
            for place in places:
                grid.setdefault(place, number)
    height, width = (max((place[axis] for place in grid), default=0) for axis in (0, 1))
    found = set()
    for (row, column), number in grid.items():
        beside = (grid.get((row, at), number) for at in range(column + 1, width + 1))
        below = (grid.get((at, column), number) for at in range(row + 1, height + 1))
        for direction, line in (("right", beside), ("below", below)):
            if (other := next((at for at in line if at != number), None)) is not None:
                found.add((number, other, direction))
    return Counter((cells[one].text, cells[other].text, direction) for one, other, direction in found)


def score(name: str, wanted: Counter[Relation], found: Counter[Relation]) -> Score:
    common = (wanted & found).total()
    return Score(name, common / max(1, found.total()), common / wanted.total())


def overall(scores: list[Score]) -> str:
    precision, recall = (sum(getattr(one, what) for one in scores) / len(scores) for what in ("precision", "recall"))
    both = 2 * precision * recall / (precision + recall) if precision + recall else 0
    return f"{len(scores)} documents: precision {precision:.3f}, recall {recall:.3f}, F {both:.3f}"


def measure(folder: Path, read: Reader) -> list[Score]:
    scores = []
    for document in sorted(folder.glob("*.pdf")):
        if wanted := _all(truth(document)):
            scores.append(score(document.stem, wanted, _all(read(document))))
    return scores


def _all(tables: Iterable[list[Cell]]) -> Counter[Relation]:
    return sum((relations(table) for table in tables), Counter())


def ours(worker: Worker, folder: Path) -> Reader:
    def read(document: Path) -> list[list[Cell]]:
        out = folder / "read.json"
        try:
            worker.convert("extract-document", document, out, {"format": "json"})
        except (Failed, Lost):
            return []
        tables = json.loads(out.read_text())["tables"]
        return [[_cell(cell) for cell in table["cells"]] for table in tables]

    return read


def _cell(cell: dict) -> Cell:
    bottom, right = cell["row"] + cell["rowSpan"] - 1, cell["column"] + cell["columnSpan"] - 1
    return Cell(cell["row"], cell["column"], bottom, right, plain(cell["text"]))


def _of_rows(rows: Iterable[Iterable[str | None]]) -> list[Cell]:
    return [Cell(row, column, row, column, plain(text)) for row, texts in enumerate(rows) for column, text in enumerate(texts)]


def of_pipes(markdown: str) -> list[list[Cell]]:
    """The tables of Markdown with pipes."""
    tables, rows = [], []
    for line in [*markdown.splitlines(), ""]:
        if line.strip().startswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip().strip("|"))
            if not all(re.fullmatch(r"\s*:?-+:?\s*", cell) for cell in cells):
                rows.append(cells)
        elif rows:
            tables.append(_of_rows(rows))
            rows = []
    return tables


def pdfplumber_tables(document: Path) -> list[list[Cell]]:
    import pdfplumber  # A peer: only where it is asked for.

    with pdfplumber.open(document) as pdf:
        return [_of_rows(table) for page in pdf.pages for table in page.extract_tables()]


def liteparse_tables(document: Path) -> list[list[Cell]]:
    import liteparse

    read = liteparse.LiteParse(output_format="markdown", ocr_enabled=False).parse(str(document))
    return of_pipes(getattr(read, "markdown", None) or read.text)


def inspector_tables(document: Path) -> list[list[Cell]]:
    import pdf_inspector

    return of_pipes(pdf_inspector.process_pdf(str(document)).markdown or "")


def camelot_tables(document: Path) -> list[list[Cell]]:
    """Its `hybrid` flavour, which takes rules and alignment together. No table and a failure are the same to it."""
    import camelot

    try:
        found = camelot.read_pdf(str(document), pages="all", flavor="hybrid", suppress_stdout=True)
    except Exception as error:  # It raises what its parts raise.
        print(f"camelot: {document.name}: {type(error).__name__}")
        return []
    return [_of_rows(table.df.to_numpy().tolist()) for table in found]


PEERS: dict[str, Reader] = {
    "liteparse": liteparse_tables,
    "pdf-inspector": inspector_tables,
    "camelot": camelot_tables,
    "pdfplumber": pdfplumber_tables,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.relations")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--peers", action="store_true", help="also those of requirements-tables.txt, which must be installed")
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        worker = Worker(arguments.worker, Path(name), Platform.ROOT)
        try:
            scores = measure(arguments.folder, ours(worker, Path(name)))
        finally:
            worker.lines.stop()
    for one in sorted(scores, key=lambda one: one.precision + one.recall)[:WORST]:
        print(f"{one.name:12} precision {one.precision:.3f}, recall {one.recall:.3f}")
    print(f"docmill      {overall(scores)}")
    for name, read in PEERS.items() if arguments.peers else ():
        print(f"{name:12} {overall(measure(arguments.folder, read))}")


if __name__ == "__main__":
    main()
