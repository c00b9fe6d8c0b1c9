"""Whether workbooks print what is in the print areas that somebody set, and nothing else: `python -m fidelity.print_areas --worker WORKER FOLDER…`

The folders hold clones, named `owner+name`. A text counts if it is in the workbook once, on a sheet with an area that is not hidden.
"""

import re
import subprocess
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from .both import arguments, printed
from .row_breaks import LEAST_LETTERS, SHEET, is_shown, letters, shared_texts, texts_of

R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
AREA = re.compile(r"\$?([A-Z]{1,3})?\$?(\d+)?:\$?([A-Z]{1,3})?\$?(\d+)?$|\$?([A-Z]{1,3})\$?(\d+)$")
LAST_COLUMN, LAST_ROW = 16384, 1048576


@dataclass
class Texts:
    inside: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)


def texts(workbook: Path) -> Texts:
    """Of sheets with an area."""
    found, counted = Texts(), Counter[str]()
    try:
        with zipfile.ZipFile(workbook) as package:
            book = ElementTree.fromstring(package.read("xl/workbook.xml"))
            areas = _areas(book)
            shared = shared_texts(package)
            for number, sheet in enumerate(_sheets(package, book)):
                _read(sheet, shared, areas.get(number, []), found, counted)
    except (OSError, zipfile.BadZipFile, ElementTree.ParseError, KeyError, ValueError):
        return Texts()
    inside, outside = ([text for text in texts if counted[text] == 1] for texts in (found.inside, found.outside))
    return Texts(inside, outside)


def _areas(book: ElementTree.Element) -> dict[int, list[tuple[int, int, int, int]]]:
    """Columns and rows, by the number of the sheet."""
    hidden = {number for number, sheet in enumerate(book.iter(SHEET + "sheet")) if sheet.get("state", "visible") != "visible"}
    found: dict[int, list[tuple[int, int, int, int]]] = {}
    for name in book.iter(SHEET + "definedName"):
        number = int(name.get("localSheetId", "-1"))
        if name.get("name") == "_xlnm.Print_Area" and number not in hidden:
            found[number] = [_area(part) for part in (name.text or "").split(",")]
    return found


def _area(reference: str) -> tuple[int, int, int, int]:
    told = AREA.match(reference.rpartition("!")[2])
    if not told:
        raise ValueError(reference)
    first, top, last, bottom, column, row = told.groups()
    if column:
        return _column(column), int(row), _column(column), int(row)
    across = (_column(first), _column(last)) if first and last else (1, LAST_COLUMN)
    down = (int(top), int(bottom)) if top and bottom else (1, LAST_ROW)
    return across[0], down[0], across[1], down[1]


def _column(name: str) -> int:
    number = 0
    for letter in name:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _sheets(package: zipfile.ZipFile, book: ElementTree.Element) -> list[ElementTree.Element | None]:
    relations = ElementTree.fromstring(package.read("xl/_rels/workbook.xml.rels"))
    targets = {one.get("Id"): one.get("Target", "").removeprefix("/xl/") for one in relations}
    parts = [f"xl/{targets[sheet.get(R + 'id')]}" for sheet in book.iter(SHEET + "sheet")]
    return [ElementTree.fromstring(package.read(part)) if "worksheets/" in part else None for part in parts]


def _read(sheet: ElementTree.Element | None, shared: list[str], areas: list, found: Texts, counted: Counter[str]) -> None:
    hidden = set() if sheet is None else _hidden_columns(sheet)
    for row in [] if sheet is None else sheet.iter(SHEET + "row"):
        for cell in row.iter(SHEET + "c"):
            column = _column(re.sub(r"\d", "", cell.get("r", "")))
            for text in map(letters, texts_of(cell, shared)):
                counted[text] += 1
                if areas and len(text) >= LEAST_LETTERS and is_shown(row) and column not in hidden:
                    at = int(row.get("r", "0"))
                    is_inside = any(left <= column <= right and top <= at <= bottom for left, top, right, bottom in areas)
                    (found.inside if is_inside else found.outside).append(text)


def _hidden_columns(sheet: ElementTree.Element) -> set[int]:
    hidden = [one for one in sheet.iter(SHEET + "col") if one.get("hidden") in ("1", "true")]
    return {column for one in hidden for column in range(int(one.get("min", "1")), int(one.get("max", "0")) + 1)}


def count(told: Texts, pdf: Path) -> tuple[int, int]:
    """How many of the texts inside of areas are printed, and how many of those outside."""
    read = subprocess.run(["pdftotext", "-enc", "UTF-8", pdf, "-"], capture_output=True, check=True).stdout
    page = letters(read.decode(errors="replace"))
    return sum(text in page for text in told.inside), sum(text in page for text in told.outside)


def main() -> None:
    given = arguments()
    ours, theirs, total, books = Counter[str](), Counter[str](), Counter[str](), 0
    for one in printed(given.worker, given.folders, (".xlsx", ".xlsm"), lambda book: bool(texts(book).inside)):
        told = texts(one.source)
        counts = [count(told, pdf) for pdf in (one.ours, one.theirs)]
        books += 1
        total.update(inside=len(told.inside), outside=len(told.outside))
        for whose, (inside, outside) in zip((ours, theirs), counts, strict=True):
            whose.update(inside=inside, outside=outside)
        print(f"{counts[0]} {counts[1]} of {len(told.inside)}, {len(told.outside)}: {one.name}", flush=True)
    for whose, found in (("Docmill", ours), ("plain LibreOffice", theirs)):
        print(f"{whose}: {found['inside']} of {total['inside']} texts inside and {found['outside']} of {total['outside']} outside, {books} workbooks")


if __name__ == "__main__":
    main()
