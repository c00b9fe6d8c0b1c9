"""Tables of strangers' documents, by the structure that their authors gave them: `python -m extract.strangers KIND SOURCE FOLDER --worker PATH`.

SOURCE is a folder of documents, such as a clone. FOLDER gets NAME.pdf, without tags, and NAME-str.xml in ICDAR's format, which `extract.relations` scores.
It needs pikepdf, and for `tagged` pdfplumber.

- `filings`: HTML of companies' reports to the SEC. The text around up to four tables of each is printed. Names begin with a hash: those below 80 are for
  looking at, the others for measuring.
- `word`: Word files with tables, printed. The truth is what `extract-document` reads in the file itself.
- `tagged`: PDFs with tagged tables. The truth is in the tags; tables that are not tagged are not in it, so only recall is fair.
"""

import argparse
import hashlib
import json
import random
import re
import shutil
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import lxml.html
from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

from .relations import Cell

if TYPE_CHECKING:
    import pdfplumber

TABLES = 4
# Text before and after a table of a filing, in characters at most.
AROUND = 1_500


def write(folder: Path, name: str, tables: list[list[Cell]]) -> None:
    root = ElementTree.Element("document")
    for number, table in enumerate(tables):
        region = ElementTree.SubElement(ElementTree.SubElement(root, "table", id=str(number)), "region")
        for at, cell in enumerate(table):
            rows = {"start-row": str(cell.top), "end-row": str(cell.bottom)}
            columns = {"start-col": str(cell.left), "end-col": str(cell.right)}
            element = ElementTree.SubElement(region, "cell", id=str(at), **rows, **columns)
            ElementTree.SubElement(element, "content").text = cell.text
    ElementTree.ElementTree(root).write(folder / f"{name}-str.xml")


def is_table(cells: list[Cell]) -> bool:
    """Whether it has rows and columns of texts: many tables of pages only place something."""
    filled = [cell for cell in cells if cell.text]
    rows, columns = ({getattr(cell, side) for cell in filled} for side in ("top", "left"))
    return len(rows) >= 3 and len(columns) >= 2 and len(filled) >= 8 and max(len(cell.text) for cell in filled) < 400


def _placed(rows: Iterable[Iterable[tuple[str, int, int]]]) -> list[Cell]:
    """Cells as HTML places them. Each is its text, its rows and its columns."""
    taken: set[tuple[int, int]] = set()
    cells = []
    for top, row in enumerate(rows):
        left = 0
        for text, high, wide in row:
            while (top, left) in taken:
                left += 1
            taken.update((top + down, left + across) for down in range(high) for across in range(wide))
            cells.append(Cell(top, left, top + high - 1, left + wide - 1, text))
            left += wide
    return cells


def _text(text: str) -> str:
    # XML has no control characters.
    return re.sub(r"[\x00-\x1f\ufffe\uffff]", " ", text).strip()


# Filings.


def _of_html(table: lxml.html.HtmlElement) -> list[Cell]:
    def span(cell: lxml.html.HtmlElement, name: str) -> int:
        value = (cell.get(name) or "1").strip()
        return min(int(value), 100) if value.isdigit() and int(value) else 1

    def cells(row: lxml.html.HtmlElement) -> Iterator[tuple[str, int, int]]:
        for cell in row.iterchildren("td", "th"):
            text = _text(cell.text_content())
            # A sign in a cell of its own stands with its number.
            yield ("" if text in ("$", "%", ")", ")%") else text), span(cell, "rowspan"), span(cell, "colspan")

    return _placed(cells(row) for row in table.iter("tr"))


def _block(table: lxml.html.HtmlElement) -> lxml.html.HtmlElement:
    """The element that has nothing but this table."""
    block, text = table, table.text_content().strip()
    while (parent := block.getparent()) is not None and parent.tag != "body" and parent.text_content().strip() == text:
        block = parent
    return block


def _beside(block: lxml.html.HtmlElement, following: bool) -> list[lxml.html.HtmlElement]:
    found, length = [], 0
    for other in block.itersiblings(preceding=not following):
        length += len(other.text_content()) if isinstance(other.tag, str) else 0
        if len(found) == 3 or length > AROUND or not isinstance(other.tag, str) or other.tag == "table" or other.find(".//table") is not None:
            break
        found.append(other)
    return found if following else found[::-1]


def _filing(source: Path) -> tuple[str, list[list[Cell]]]:
    page = lxml.html.fromstring(source.read_bytes())
    for hidden in page.xpath("//*[contains(translate(@style,' ',''),'display:none')] | //script | //img"):
        hidden.drop_tree()
    styles = "".join(lxml.html.tostring(style, encoding="unicode") for style in page.iter("style"))
    tables = [table for table in page.iter("table") if table.find(".//table") is None]
    tables = [table for table in tables if is_table(_of_html(table)) and len(list(table.iter("tr"))) < 60]
    random.Random(source.name).shuffle(tables)
    parts, truth = [], []
    for table in tables[:TABLES]:
        block = _block(table)
        parent = block.getparent()
        style = parent.get("style", "") if parent is not None else ""
        around = [*_beside(block, following=False), block, *_beside(block, following=True)]
        html = "".join(lxml.html.tostring(one, encoding="unicode") for one in around)
        parts.append(f'<div style="{style.replace(chr(34), chr(39))}">{html}</div><p>&#160;</p>')
        truth.append(_of_html(table))
    return f'<!doctype html><html><head><meta charset="utf-8">{styles}</head><body>{"".join(parts)}</body></html>', truth


def filings(source: Path, folder: Path, worker: Worker) -> None:
    for document in sorted({*source.rglob("*.html"), *source.rglob("*.htm")}):
        html, truth = _filing(document)
        if not truth:
            continue
        name = f"{hashlib.sha256(document.name.encode()).hexdigest()[:2]}-{document.stem}"
        page = folder / f"{name}.html"
        page.write_text(html)
        _untagged(worker, "html-to-pdf", page, folder / f"{name}.pdf")
        write(folder, name, truth)


# Word.


def word(source: Path, folder: Path, worker: Worker) -> None:
    for document in sorted(source.rglob("*.docx")):
        read = folder / "read.json"
        try:
            worker.convert("extract-document", document, read, {"format": "json"})
            tables = [[_of_json(cell) for cell in table["cells"]] for table in json.loads(read.read_text())["tables"]]
            read.unlink()
            if any(map(is_table, tables)):
                _untagged(worker, "office-to-pdf", document, folder / f"{document.stem}.pdf")
                write(folder, document.stem, tables)
        except (Failed, Lost) as error:
            print(f"{document.name}: {error}")


def _of_json(cell: dict) -> Cell:
    bottom, right = cell["row"] + cell["rowSpan"] - 1, cell["column"] + cell["columnSpan"] - 1
    return Cell(cell["row"], cell["column"], bottom, right, _text(cell["text"]))


# Tagged PDFs.


def _texts(pdf: "pdfplumber.PDF") -> dict[tuple[int, int], str]:
    """The text of each piece of marked content, by page and number."""
    texts: dict[tuple[int, int], str] = {}
    for page in pdf.pages:
        for char in page.chars:
            if char.get("mcid") is not None:
                key = (page.page_number, char["mcid"])
                texts[key] = texts.get(key, "") + char["text"]
    return texts


def _of_tags(table: dict, texts: dict[tuple[int, int], str]) -> list[Cell]:
    def found(element: dict, kinds: tuple[str, ...]) -> Iterator[dict]:
        for child in element.get("children", []):
            if child["type"] in kinds:
                yield child
            elif child["type"] != "Table":
                yield from found(child, kinds)

    def text(element: dict) -> str:
        own = "".join(texts.get((element.get("page_number"), number), "") for number in element.get("mcids", []))
        return own + "".join(text(child) for child in element.get("children", []))

    def span(element: dict, name: str) -> int:
        value = element.get("attributes", {}).get(name, 1)
        return value if isinstance(value, int) and 0 < value < 100 else 1

    rows = found(table, ("TR",))
    return _placed([(_text(text(cell)), span(cell, "RowSpan"), span(cell, "ColSpan")) for cell in found(row, ("TD", "TH"))] for row in rows)


def _tables(elements: list[dict]) -> Iterator[dict]:
    for element in elements:
        if element["type"] == "Table":
            yield element
        else:
            yield from _tables(element.get("children", []))


def tagged(source: Path, folder: Path, _: Worker) -> None:
    import pdfplumber

    for document in sorted(source.rglob("*.pdf")):
        try:
            with pdfplumber.open(document) as pdf:
                elements = list(_tables(pdf.structure_tree))
                if not elements or len(pdf.pages) > 30:
                    continue
                texts = _texts(pdf)
                tables = [_of_tags(table, texts) for table in elements]
        except Exception as error:  # Whatever a reader of strangers' files raises.
            print(f"{document.name}: {type(error).__name__}")
            continue
        tables = [table for table in tables if is_table(table)]
        if tables:
            shutil.copy(document, folder / f"{document.stem}.pdf")
            _without_tags(folder / f"{document.stem}.pdf")
            write(folder, document.stem, tables)


def _untagged(worker: Worker, tool: str, source: Path, pdf: Path) -> None:
    worker.convert(tool, source, pdf, {})
    _without_tags(pdf)


def _without_tags(pdf: Path) -> None:
    import pikepdf

    with pikepdf.open(pdf, allow_overwriting_input=True) as file:
        for name in ("/StructTreeRoot", "/MarkInfo", "/Outlines"):
            if name in file.Root:
                del file.Root[name]
        file.save(pdf)


def main() -> None:
    kinds = {"filings": filings, "word": word, "tagged": tagged}
    parser = argparse.ArgumentParser(prog="extract.strangers")
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("source", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worker", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as name:
        worker = Worker(arguments.worker, Path(name), Platform.ROOT)
        try:
            kinds[arguments.kind](arguments.source, arguments.folder, worker)
        finally:
            worker.lines.stop()


if __name__ == "__main__":
    main()
