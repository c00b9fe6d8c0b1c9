"""Whether the breaks between rows that somebody set in a workbook begin pages: `python -m fidelity.row_breaks --worker WORKER FOLDER…`

The folders hold clones, named `owner+name`. A break counts if a text that is in the workbook once stands in the last rows before it, and
another one in the first rows after it, and both are in the print. It is honoured if they are on different pages.
"""

import re
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from .both import arguments, printed

SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
# Shorter texts are elsewhere too.
LEAST_LETTERS = 5


def breaks(workbook: Path) -> list[tuple[str, str]]:
    """For each break, the text before it and the one after it."""
    try:
        with zipfile.ZipFile(workbook) as package:
            names = package.namelist()
            parts = [package.read(name) for name in names if re.fullmatch(r"xl/worksheets/\w+\.xml", name)]
            if not any(b"<rowBreaks" in part for part in parts):
                return []
            shared = shared_texts(package)
            sheets = [ElementTree.fromstring(part) for part in parts]
    except (OSError, zipfile.BadZipFile, ElementTree.ParseError, KeyError):
        return []
    rows = [_rows(sheet, shared) for sheet in sheets]
    counted = Counter(text for of in rows for texts in of.values() for text in texts)
    return [pair for sheet, of in zip(sheets, rows, strict=True) for pair in _pairs(sheet, of, counted)]


def shared_texts(package: zipfile.ZipFile) -> list[str]:
    if "xl/sharedStrings.xml" not in package.namelist():
        return []
    root = ElementTree.fromstring(package.read("xl/sharedStrings.xml"))
    return ["".join(text.text or "" for text in item.iter(SHEET + "t")) for item in root.iter(SHEET + "si")]


def _rows(sheet: ElementTree.Element, shared: list[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for row in sheet.iter(SHEET + "row"):
        if is_shown(row):
            texts = [letters(text) for cell in row.iter(SHEET + "c") for text in texts_of(cell, shared)]
            found[int(row.get("r", "0"))] = [text for text in texts if len(text) >= LEAST_LETTERS]
    return found


def is_shown(row: ElementTree.Element) -> bool:
    return row.get("hidden") in (None, "0", "false")


def texts_of(cell: ElementTree.Element, shared: list[str]) -> Iterator[str]:
    value = cell.findtext(SHEET + "v")
    if cell.get("t") == "s" and value and int(value) < len(shared):
        yield shared[int(value)]
    elif cell.get("t") in ("str", "inlineStr"):
        yield value or "".join(text.text or "" for text in cell.iter(SHEET + "t"))


def letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _pairs(sheet: ElementTree.Element, rows: dict[int, list[str]], counted: Counter[str]) -> Iterator[tuple[str, str]]:
    at = sorted(int(one.get("id", "0")) for one in sheet.iterfind(f"{SHEET}rowBreaks/{SHEET}brk") if one.get("man") in ("1", "true"))
    for number, row in enumerate(at):
        first, end = at[number - 1] if number else 0, at[number + 1] if number + 1 < len(at) else max(rows, default=0)
        before = [text for of in range(first + 1, row + 1) for text in rows.get(of, []) if counted[text] == 1]
        after = [text for of in range(row + 1, end + 1) for text in rows.get(of, []) if counted[text] == 1]
        if before and after:
            yield before[-1], after[0]


def honoured(pairs: list[tuple[str, str]], pdf: Path) -> tuple[int, int]:
    """How many of the breaks begin a page, and of how many it can be told."""
    told = subprocess.run(["pdftotext", "-enc", "UTF-8", pdf, "-"], capture_output=True, check=True).stdout
    pages = [letters(page) for page in told.decode(errors="replace").split("\f")]

    def page_of(text: str) -> int | None:
        return next((number for number, page in enumerate(pages) if text in page), None)

    places = [(page_of(before), page_of(after)) for before, after in pairs]
    known = [(before, after) for before, after in places if before is not None and after is not None]
    return sum(before != after for before, after in known), len(known)


def main() -> None:
    given = arguments()
    ours: list[tuple[int, int]] = []
    theirs: list[tuple[int, int]] = []
    for one in printed(given.worker, given.folders, (".xlsx", ".xlsm"), lambda book: bool(breaks(book))):
        pairs = breaks(one.source)
        ours.append(honoured(pairs, one.ours))
        theirs.append(honoured(pairs, one.theirs))
        print(f"{ours[-1]} {theirs[-1]} of {len(pairs)}: {one.name}", flush=True)
    for whose, counts in (("Docmill", ours), ("plain LibreOffice", theirs)):
        begin, told = (sum(count[which] for count in counts) for which in (0, 1))
        print(f"{whose}: {begin} of {told} breaks in {len(counts)} workbooks begin a page")


if __name__ == "__main__":
    main()
