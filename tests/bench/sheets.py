"""Counts the cells of workbooks whose words are in the printed PDF, for Docmill and for plain LibreOffice.

`python -m bench.sheets FOLDER --ours PDFS [--theirs PDFS] [--json FILE]`: `bench.strangers --results PDFS` makes ours, and
`soffice --headless --convert-to pdf` theirs. A cell counts if it holds text on a visible sheet, in a visible row and column, and within the
area to print. It is found if each of its words is in the PDF's text, wherever lines break.
"""

import argparse
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from xml.etree import ElementTree

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RELATED = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
AREA = "_xlnm.Print_Area"
# More are not worth the time.
MOST_CELLS = 20_000
# How many lost cells are named.
NAMED = 12


@dataclass
class Workbook:
    name: str
    cells: int = 0
    # None where there is no print.
    ours: int | None = None
    theirs: int | None = None
    # Cells that are in theirs only.
    lost: list[str] = field(default_factory=list)
    # Cells that are in neither.
    missing: list[str] = field(default_factory=list)


def column(reference: str) -> int:
    number = 0
    for letter in re.match(r"[A-Z]*", reference.upper())[0]:
        number = number * 26 + ord(letter) - 64
    return number


def row(reference: str) -> int:
    digits = re.search(r"\d+", reference)
    return int(digits[0]) if digits else 0


def areas(formula: str) -> list[tuple[int, int, int, int]]:
    """Columns and rows of the ranges in `Sheet!$A$1:$C$9,…`; nothing for whole columns and rows."""
    found = re.findall(r"!\$?([A-Z]+)\$?(\d+)(?::\$?([A-Z]+)\$?(\d+))?", formula)
    return [(column(a), int(b), column(c or a), int(d or b)) for a, b, c, d in found]


def texts(path: Path) -> list[tuple[str, str]]:
    """The cells that a print should show: their place and their text."""
    with zipfile.ZipFile(path) as package:
        book = _read(package, "xl/workbook.xml")
        targets = {one.get("Id"): one.get("Target") for one in _read(package, "xl/_rels/workbook.xml.rels")}
        shared = _shared(package)
        printed = {name.get("localSheetId"): areas(name.text or "") for name in book.iter(SHEET + "definedName") if name.get("name") == AREA}
        cells = []
        for number, sheet in enumerate(book.iter(SHEET + "sheet")):
            target = targets.get(sheet.get(RELATED), "")
            if sheet.get("state", "visible") != "visible" or "worksheets" not in target:
                continue
            part = target.lstrip("/") if target.startswith("/") else "xl/" + target
            cells += [(f"{sheet.get('name')}!{place}", text) for place, text in _cells(_read(package, part), shared, printed.get(str(number), []))]
        return cells[:MOST_CELLS]


def _read(package: zipfile.ZipFile, part: str) -> ElementTree.Element:
    return ElementTree.fromstring(package.read(part))


def _shared(package: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in package.namelist():
        return []
    return [_text(item) for item in _read(package, "xl/sharedStrings.xml").findall(SHEET + "si")]


def _text(item: ElementTree.Element) -> str:
    runs = [item.find(SHEET + "t"), *(run.find(SHEET + "t") for run in item.findall(SHEET + "r"))]
    return "".join(run.text or "" for run in runs if run is not None)


def _cells(sheet: ElementTree.Element, shared: list[str], printed: list[tuple[int, int, int, int]]) -> Iterator[tuple[str, str]]:
    hidden = [
        (int(one.get("min")), int(one.get("max")))
        for one in sheet.iter(SHEET + "col")
        if one.get("hidden") in ("1", "true") or one.get("width") == "0"
    ]
    merged = [one.get("ref") for one in sheet.iter(SHEET + "mergeCell")]
    covered = {place for ref in merged for place in _covered(ref)}
    for line in sheet.iter(SHEET + "row"):
        if line.get("hidden") in ("1", "true") or (line.get("customHeight") == "1" and float(line.get("ht", "1")) == 0):
            continue
        for cell in line.findall(SHEET + "c"):
            place = cell.get("r", "")
            text = _value(cell, shared)
            at, down = column(place), row(place)
            is_hidden = any(first <= at <= last for first, last in hidden)
            is_outside = printed and not any(a <= at <= c and b <= down <= d for a, b, c, d in printed)
            if text.strip() and place and not is_hidden and not is_outside and place not in covered:
                yield place, text


def _covered(ref: str) -> list[str]:
    """The cells of a merged range but for its first; nothing for enormous ones."""
    first, _, last = ref.partition(":")
    columns, rows = range(column(first), column(last or first) + 1), range(row(first), row(last or first) + 1)
    if len(columns) * len(rows) > 5000:
        return []
    return [place for at in columns for down in rows if (place := f"{_letters(at)}{down}") != first]


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _value(cell: ElementTree.Element, shared: list[str]) -> str:
    kind, value = cell.get("t", "n"), cell.findtext(SHEET + "v") or ""
    if kind == "s" and value.strip().isdigit() and int(value) < len(shared):
        return shared[int(value)]
    if kind == "inlineStr" and (item := cell.find(SHEET + "is")) is not None:
        return _text(item)
    # Formulas are calculated again, so that only text that was written counts.
    return value if kind == "str" and cell.find(SHEET + "f") is None else ""


def words(text: str) -> list[str]:
    return re.sub(r"_x[0-9A-Fa-f]{4}_", " ", text).split()


def printed(path: Path) -> str | None:
    """The text of a print without spaces. Empty if there is no print."""
    if not path.exists():
        return None
    made = subprocess.run(["pdftotext", "-raw", path, "-"], capture_output=True, text=True, errors="replace", timeout=120)
    return re.sub(r"\s|\u00ad|\u200b", "", made.stdout)


def measure(path: Path, ours: Path, theirs: Path | None) -> Workbook:
    workbook = Workbook(path.name)
    try:
        cells = texts(path)
    except (zipfile.BadZipFile, KeyError, ElementTree.ParseError, ValueError, NotImplementedError, RuntimeError):
        return workbook
    workbook.cells = len(cells)
    mine, other = printed(ours), printed(theirs) if theirs else None
    if mine is not None:
        gone = [(place, cell) for place, cell in cells if not _shows(mine, cell)]
        workbook.ours = len(cells) - len(gone)
        named = [(f"{place}: {cell[:60]}", other is not None and _shows(other, cell)) for place, cell in gone]
        workbook.lost = [name for name, elsewhere in named if elsewhere][:NAMED]
        workbook.missing = [name for name, elsewhere in named if not elsewhere][:NAMED]
    if other is not None:
        workbook.theirs = sum(_shows(other, cell) for _, cell in cells)
    return workbook


def _shows(text: str, cell: str) -> bool:
    return all(word in text for word in words(cell))


def tell(workbooks: list[Workbook]) -> None:
    both = [one for one in workbooks if one.cells and one.ours is not None and one.theirs is not None]
    cells = sum(one.cells for one in both)
    print(f"{len(both)} workbooks that both print, with {cells} cells of text")
    for name in ("ours", "theirs"):
        found = [getattr(one, name) for one in both]
        whole = sum(count == one.cells for count, one in zip(found, both, strict=True))
        mean = sum(count / one.cells for count, one in zip(found, both, strict=True)) / max(len(both), 1)
        print(f"{name}: {sum(found) / max(cells, 1):.4f} of the cells, mean of workbooks {mean:.4f}, all cells in {whole}")
    for one in sorted(both, key=lambda one: (one.ours - one.cells) / one.cells):
        if one.ours < one.cells:
            print(f"{one.name}: {one.ours} of {one.cells}, theirs {one.theirs}; lost {one.lost[:3]} missing {one.missing[:3]}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.sheets")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ours", type=Path, required=True)
    parser.add_argument("--theirs", type=Path)
    parser.add_argument("--json", type=Path, default=Path("target/bench-sheets.json"))
    arguments = parser.parse_args()
    workbooks = []
    for path in sorted(arguments.folder.glob("*.xlsx")):
        theirs = arguments.theirs and arguments.theirs / f"{path.stem}.pdf"
        workbooks.append(measure(path, arguments.ours / f"{path.name}.pdf", theirs))
    arguments.json.write_text(json.dumps([asdict(one) for one in workbooks], indent=1, ensure_ascii=False))
    tell(workbooks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
