"""Makes the corpus: documents with their truth, printed by our own engines without tags, and scans of some.

`python -m extract.corpus FOLDER --worker PATH`. Each document is `NAME.pdf` and its truth `NAME.json`.
"""

import argparse
import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory

import pikepdf

from bench.worker import Worker

from . import kinds, page, scans, word
from .markdown import real
from .truth import Box, Document

EACH = 6
# Classes of which Word files are made, too, and of which pages are scanned.
WORD = ["article", "two columns", "ruled tables", "bare tables", "merged cells", "running heads", "lists", "mixed"]
SCANNED = ["article", "two columns", "ruled tables", "running heads", "lists", "forms"]
HEAD = '<div style="font-size: 8pt; width: 100%; padding: 0 18mm">{}</div>'
# Text that is moved to the next page leaves a link at the end of this one which is less high than that, in points.
GHOST = 2.0
NUMBER = '<span class="pageNumber"></span>'


def half(name: str) -> str:
    """`rules`, for writing rules, or `measured`, which nobody looks at."""
    return "measured" if hashlib.sha256(name.encode()).digest()[0] % 2 else "rules"


def make(folder: Path, worker: Path) -> None:
    """Written once: the folder's name should change with this package."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        printer = Printer(worker, Path(scratch), folder)
        for kind in kinds.KINDS:
            for number in range(1, EACH + 1):
                printer.page(kinds.write(kind, number))
        for kind in WORD:
            for number in range(21, 24):
                document = kinds.write(kind, number)
                document.kind = "Word"
                printer.word(document)
        for document in real():
            printer.page(document)
        for kind in SCANNED:
            for number in range(31, 33):
                printer.scan(kinds.write(kind, number))
        printer.worker.lines.stop()


class Printer:
    def __init__(self, worker: Path, scratch: Path, folder: Path):
        self.scratch, self.folder = scratch, folder
        self.worker = Worker(worker, scratch)

    def page(self, document: Document) -> Path:
        pdf = self.folder / f"{document.name}.pdf"
        source = self.scratch / f"{document.name}.html"
        source.write_text(page.page(document))
        options: dict = {"tagged": False, "preferCssPageSize": True}
        if document.header:
            options["headerHtml"] = HEAD.format(document.header)
            options["footerHtml"] = HEAD.format(f"{document.footer} {NUMBER}")
        self.worker.convert("html-to-pdf", source, pdf, options)
        _take_places(document, pdf)
        document.save(pdf.with_suffix(".json"))
        return pdf

    def word(self, document: Document) -> None:
        document.name = f"word-{document.name}"
        source, pdf = self.scratch / f"{document.name}.docx", self.folder / f"{document.name}.pdf"
        word.write(document, source)
        self.worker.convert("office-to-pdf", source, pdf, {})
        _untag(pdf)
        document.save(pdf.with_suffix(".json"))

    def scan(self, document: Document) -> None:
        document.name = f"scan-{document.name}"
        document.kind = "scans"
        pdf = self.page(document)
        scans.scan(pdf, document.name)


def _take_places(document: Document, path: Path) -> None:
    """Moves the places of blocks from the file's links to the document, and turns the pages if its layout says so."""
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for number, one in enumerate(pdf.pages, 1):
            height = float(one.mediabox[3])
            for link in one.get("/Annots", []):
                address = str(link.get("/A", {}).get("/URI", ""))
                left, bottom, right, top = map(float, link.Rect)
                if address.startswith(page.ADDRESS) and top - bottom > GHOST:
                    block = document.blocks[int(address.removeprefix(page.ADDRESS))]
                    _join(block.boxes, (number, left, height - top, right, height - bottom))
            if "/Annots" in one:
                del one["/Annots"]
            if document.layout.get("turned"):
                one.rotate(90, relative=True)
        pdf.save(path)


def _join(boxes: list[Box], box: Box) -> None:
    """A block has one box a page."""
    if boxes and boxes[-1][0] == box[0]:
        _, left, top, right, bottom = boxes[-1]
        boxes[-1] = (box[0], min(left, box[1]), min(top, box[2]), max(right, box[3]), max(bottom, box[4]))
    else:
        boxes.append(box)


def _untag(path: Path) -> None:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        for name in ("/StructTreeRoot", "/MarkInfo", "/Outlines"):
            if name in pdf.Root:
                del pdf.Root[name]
        pdf.save(path)


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.corpus")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worker", type=Path, required=True)
    arguments = parser.parse_args()
    make(arguments.folder, arguments.worker)


if __name__ == "__main__":
    main()
