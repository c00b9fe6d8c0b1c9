"""Word files that are printed and made anew: `python -m extract.round_trip FOLDER --worker PATH [--peer NAME …]`.

Each Word file of FOLDER with three headings or a table is printed by `office-to-pdf`, without tags and bookmarks, and `pdf-to-office` and the peers make a
Word file of the PDF. What `extract-document` reads in both Word files is compared as `stripped.py` does: what a person would have to mend again. Peers are
LibreOffice's import (`draw`, the `soffice` on the path) and `pdf2docx`, if it is installed. A file that a reader does not make counts as nothing read.
"""

import argparse
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

from . import stripped
from .strangers import _without_tags

# A document of which LibreOffice makes no more.
PATIENCE = 180

Maker = Callable[[Path, Path], None]


def draw(pdf: Path, docx: Path) -> None:
    """LibreOffice reads PDFs as drawings, which Writer's filter for them saves as text boxes."""
    with TemporaryDirectory() as profile:
        command = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--infilter=writer_pdf_import", "--convert-to", "docx:MS Word 2007 XML"]
        subprocess.run([*command, "--outdir", docx.parent, pdf], check=True, capture_output=True, timeout=PATIENCE)
    (docx.parent / f"{pdf.stem}.docx").rename(docx)


def pdf2docx(pdf: Path, docx: Path) -> None:
    from pdf2docx import Converter

    converter = Converter(str(pdf))
    converter.convert(str(docx))
    converter.close()


PEERS: dict[str, Maker] = {"draw": draw, "pdf2docx": pdf2docx}


class Reader:
    """A worker that reads Word files by their own structure and makes them of PDFs, started anew when a document ends it."""

    def __init__(self, binary: Path, scratch: Path) -> None:
        self.binary, self.scratch = binary, scratch
        self.worker = Worker(binary, scratch, Platform.ROOT)

    def read(self, docx: Path) -> dict:
        out = self.scratch / "read.json"
        self.convert("extract-document", docx, out, stripped.OPTIONS)
        return json.loads(out.read_text())

    def make_again(self, pdf: Path, docx: Path) -> None:
        self.convert("pdf-to-office", pdf, docx, {"format": "docx", "ocr": "never"})

    def convert(self, tool: str, source: Path, out: Path, options: dict) -> None:
        try:
            self.worker.convert(tool, source, out, options)
        except Lost:
            self.worker = Worker(self.binary, self.scratch, Platform.ROOT)
            raise


def printed(folder: Path, reader: Reader, scratch: Path) -> dict[Path, dict]:
    """The PDFs of the documents that have some structure, with this."""
    found = {}
    for docx in sorted(folder.glob("*.docx")):
        pdf = scratch / f"{docx.stem}.pdf"
        try:
            truth = reader.read(docx)
            if len(stripped.headings(truth)) >= 3 or truth["tables"]:
                reader.convert("office-to-pdf", docx, pdf, {})
                _without_tags(pdf)
                found[pdf] = truth
        except (Failed, Lost) as error:
            print(f"{docx.name}: {type(error).__name__}: {str(error)[:80]}")
    return found


def scores(truths: dict[Path, dict], make: Maker, reader: Reader, scratch: Path) -> dict[str, stripped.Score]:
    found = {}
    for pdf, truth in truths.items():
        docx = scratch / "made-again.docx"
        try:
            make(pdf, docx)
            read = reader.read(docx)
        except Exception as error:  # Peers raise what they like.
            print(f"{pdf.name}: {type(error).__name__}: {str(error)[:80]}")
            read = {"blocks": [], "tables": []}
        docx.unlink(missing_ok=True)
        found[pdf.stem] = stripped.score(truth, read)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.round_trip")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--peer", action="append", default=[], choices=PEERS)
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        scratch = Path(name)
        reader = Reader(arguments.worker, scratch)
        try:
            truths = printed(arguments.folder, reader, scratch)
            stripped.shown("docmill", scores(truths, reader.make_again, reader, scratch), worst=True)
            for peer in arguments.peer:
                stripped.shown(peer, scores(truths, PEERS[peer], reader, scratch), worst=False)
        finally:
            reader.worker.lines.stop()


if __name__ == "__main__":
    main()
