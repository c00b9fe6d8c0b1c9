"""Articles beside their publishers' own XML (JATS): `python -m extract.jats FOLDER --worker PATH [--peer NAME …]`.

FOLDER has NAME.pdf and NAME.xml. The XML is the truth of the title, headings with their levels, tables and the order of the text: abstract, text, notes,
references. It can't tell where the page has figures and tables, what is in the margins, and what publishers print of authors and dates: these cost all readers
alike. Formulas are left out of the truth.
"""

import argparse
import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.worker import Platform, Worker

from . import stripped
from .reader import ONE_BY_ONE

# Text that the page shows in other places, or otherwise.
LEFT_OUT = {"disp-formula", "inline-formula", "tex-math", "{http://www.w3.org/1998/Math/MathML}math", "graphic", "media", "object-id", "pub-id"}
PARTS = ("abstract", "trans-abstract")
# Titles that publishers print above parts to which the XML gives none: headings that the truth neither wants nor forbids.
PRINTED = {
    "abstract": ("abstract", "summary"),
    "ref-list": ("references", "bibliography", "literaturecited"),
    "ack": ("acknowledgements", "acknowledgments"),
    "kwd-group": ("keywords",),
}


class Article:
    """What the XML says, as `extract-document` would say it."""

    def __init__(self, path: Path) -> None:
        self.blocks: list[dict] = []
        self.tables: list[dict] = []
        self.printed: list[str] = []
        root = ElementTree.parse(path).getroot()
        article = root if root.tag == "article" else root.find(".//article")
        if article is None:
            raise ValueError("no article")
        for name, titles in PRINTED.items():
            if any(part.find("title") is None for part in article.iter(name)):
                self.printed += titles
        for title in article.findall("./front/article-meta/title-group/article-title"):
            self._add("title", title)
        for part in PARTS:
            for abstract in article.findall(f"./front/article-meta/{part}"):
                self._walk(abstract, 1)
        for part in ("body", "back"):
            for found in article.findall(part):
                self._walk(found, 0)

    def truth(self) -> dict:
        return {"blocks": self.blocks, "tables": self.tables, "printed": self.printed}

    def _walk(self, element: ElementTree.Element, depth: int) -> None:
        for child in element:
            match child.tag:
                case "sec" | "ref-list" | "ack" | "app" | "notes" | "fn-group" | "glossary" | "app-group" | "boxed-text" | "bio":
                    self._walk(child, depth + 1 if child.find("title") is not None else depth)
                case "title":
                    self._add("heading", child, max(1, depth), number=element.findtext("label", ""))
                case "list" | "def-list" | "list-item" | "def-item" | "disp-quote" | "statement" | "table-wrap-group" | "fig-group":
                    self._walk(child, depth)
                case "table-wrap" | "fig":
                    self._float(child)
                case "ref" | "fn" | "term" | "def" | "p" | "table-wrap-foot" | "attrib":
                    self._paragraph(child)
                case _:
                    pass

    def _paragraph(self, element: ElementTree.Element) -> None:
        inner = [child for child in element.iter() if child.tag in ("table-wrap", "fig", "list") and child is not element]
        self._add("paragraph", element, without=inner)
        for child in inner:
            if child.tag == "list":
                self._walk(child, 0)
            else:
                self._float(child)

    def _float(self, element: ElementTree.Element) -> None:
        caption = " ".join(_text(part) for name in ("label", "caption") for part in element.findall(name))
        if caption.strip():
            self.blocks.append({"role": "caption", "text": caption})
        for table in element.findall(".//table"):
            name = f"t{len(self.tables)}"
            self.tables.append({"id": name, **_cells(table)})
            self.blocks.append({"role": "table", "table": name, "text": ""})
        for foot in element.findall("table-wrap-foot"):
            self._add("paragraph", foot)

    def _add(self, role: str, element: ElementTree.Element, level: int = 0, without: list[ElementTree.Element] | None = None, number: str = "") -> None:
        if text := _text(element, without):
            self.blocks.append({"role": role, "text": f"{number} {text}".strip(), "level": level})


def _text(element: ElementTree.Element, without: list[ElementTree.Element] | None = None) -> str:
    def parts(one: ElementTree.Element) -> Iterator[str]:
        yield one.text or ""
        for child in one:
            if child.tag not in LEFT_OUT and child not in (without or []):
                yield from parts(child)
                yield " " if child.tag in ("p", "title", "label", "td", "name", "surname", "year", "source") else ""
            yield child.tail or ""

    return " ".join("".join(parts(element)).split())


def _cells(table: ElementTree.Element) -> dict:
    taken: set[tuple[int, int]] = set()
    cells, rows = [], table.findall(".//tr")
    for at, row in enumerate(rows):
        column = 0
        for cell in row:
            while (at, column) in taken:
                column += 1
            wide, high = int(cell.get("colspan") or 1), int(cell.get("rowspan") or 1)
            taken.update((at + down, column + right) for down in range(high) for right in range(wide))
            cells.append({"row": at, "column": column, "rowSpan": high, "columnSpan": wide, "text": _text(cell)})
            column += wide
    return {"rows": len(rows), "cells": cells}


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.jats")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worker", type=Path)
    parser.add_argument("--peer", action="append", default=[], choices=ONE_BY_ONE)
    arguments = parser.parse_args()
    with TemporaryDirectory() as scratch:
        truths = Path(scratch)
        for xml in arguments.folder.glob("*.xml"):
            (truths / f"{xml.stem}.json").write_text(json.dumps(Article(xml).truth()))
            (truths / f"{xml.stem}.pdf").symlink_to(xml.with_suffix(".pdf").resolve())
        if arguments.worker:
            worker = Worker(arguments.worker, Path(scratch), Platform.ROOT)
            try:
                stripped.shown("docmill", stripped.measured(truths, stripped.of_worker(worker, truths, None)), worst=True)
            finally:
                worker.lines.stop()
        for peer in arguments.peer:
            stripped.shown(peer, stripped.measured(truths, stripped.of_peer(peer)), worst=False)


if __name__ == "__main__":
    main()
