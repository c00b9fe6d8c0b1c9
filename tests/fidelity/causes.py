"""Why pages part from Word's: `python -m fidelity.causes`, after `fidelity.word`, on the same results.

For each document with another number of pages, the first break that is elsewhere. All pages before it begin and end as in Word, so the
cause is on the page that ends there. It is the first of `RULES` that holds: what a page has there, or how its break was chosen. Shares of
causes are of these documents; beside them, how many pages with the same number in both programs have the same thing.
"""

import argparse
import re
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from . import plain
from .documents import Document, Part, all_documents
from .faces import KNOWN, Faces
from .names import W
from .word import RESULTS, Results
from .word_pages import SKIPPED

# Fewer letters are on too many pages to tell one.
LEAST_LETTERS = 10
# What moves is a line at least: more letters would be on two pages.
MOST_LETTERS = 20
# As long as two lines at most.
TWO_LINES = 180
WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# What may be on a page, by the element that shows it.
KINDS = {
    W + "tbl": "table",
    W + "footnoteReference": "footnote",
    W + "endnoteReference": "endnote",
    W + "pict": "old picture",
    W + "object": "object",
    WP + "inline": "picture in line",
    WP + "anchor": "picture beside text",
    M + "oMath": "equation",
    W + "sectPr": "section",
    W + "ins": "tracked change",
    W + "del": "tracked change",
    W + "numPr": "list",
    W + "pageBreakBefore": "page break before",
    W + "framePr": "frame",
    W + "txbxContent": "text box",
    W + "contextualSpacing": "contextual spacing",
    W + "keepNext": "kept with next",
    W + "cantSplit": "row not split",
    W + "sdt": "content control",
    W + "tblpPr": "floating table",
}


@dataclass
class Page:
    letters: str = ""
    kinds: set[str] = field(default_factory=set)
    # What the page begins within.
    begins_in: str = ""
    # Letters by family.
    faces: Counter[str] = field(default_factory=Counter)


def letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


class Reader:
    """The pages of a document as Word made them."""

    def __init__(self, root: ElementTree.Element, faces: Faces | None = None):
        self.pages = [Page()]
        self.faces = faces or Faces()
        self.around: list[str] = []
        self.style, self.start = "", 0
        self._read(root, None)

    def _read(self, element: ElementTree.Element, properties: ElementTree.Element | None) -> None:
        for child in element:
            page = self.pages[-1]
            if child.tag in KINDS:
                page.kinds.add(KINDS[child.tag])
            if child.tag == W + "lastRenderedPageBreak":
                self.pages.append(Page(begins_in=self._place()))
            elif child.tag == W + "t":
                page.letters += letters(child.text or "")
                page.faces[self.faces.of(properties, self.style)] += len(letters(child.text or ""))
            elif child.tag == W + "pPr":
                self._read_paragraph(child, page)
            elif child.tag not in SKIPPED:
                self.around.append({W + "tbl": "table", W + "p": "paragraph"}.get(child.tag, ""))
                depth = len(self.around)
                if child.tag == W + "p":
                    self.start, self.style = len(page.letters), ""
                self._read(child, child.find(W + "rPr") if child.tag == W + "r" else properties)
                del self.around[depth - 1 :]

    def _read_paragraph(self, properties: ElementTree.Element, page: Page) -> None:
        page.kinds.update(KINDS[inner.tag] for inner in properties.iter() if inner.tag in KINDS)
        columns = properties.find(f"{W}sectPr/{W}cols")
        if columns is not None and int(columns.get(W + "num", "1")) > 1:
            page.kinds.add("columns")
        style = properties.find(W + "pStyle")
        self.style = "" if style is None else style.get(W + "val", "")
        if self.style.lower().startswith(("heading", "title")) or properties.find(W + "keepNext") is not None:
            self.around.append("heading")

    def _place(self) -> str:
        inside = "table" if "table" in self.around else "heading" if "heading" in self.around else "paragraph"
        within = "inside of a" if len(self.pages[-1].letters) > self.start else "before a"
        return f"{within} {inside}"


@dataclass
class Parting:
    document: Document
    mode: str
    page: int
    # Letters that are on the page before in Word and on a later one here, or the other way round if negative.
    moved: int
    begins_in: str
    ended: Page
    total: tuple[int, int]
    # Whether the document's lines stand on the grid of an East Asian page.
    has_grid: bool = False

    @property
    def absent(self) -> str:
        """The family without a replacement that sets a fifth of the page's letters, if there is one."""
        total = self.ended.faces.total()
        unknown = [(count, name) for name, count in self.ended.faces.items() if name and name not in KNOWN and count > total / 5]
        return max(unknown)[1] if unknown else ""

    @property
    def cause(self) -> str:
        return next(cause for cause, holds in RULES if holds(self))


def _has(*kinds: str) -> Callable[[Parting], bool]:
    return lambda parting: bool(parting.ended.kinds & set(kinds))


# From what explains most by itself to what is on nearly every page.
RULES: list[tuple[str, Callable[[Parting], bool]]] = [
    ("tracked changes", _has("tracked change")),
    ("absent font", lambda parting: bool(parting.absent)),
    ("East Asian grid", lambda parting: parting.has_grid),
    ("columns", _has("columns")),
    ("footnote", _has("footnote", "endnote")),
    ("text box, frame or floating table", _has("text box", "frame", "floating table")),
    ("picture beside text", _has("picture beside text")),
    ("section", _has("section")),
    ("table row", lambda parting: "table" in parting.begins_in),
    ("table before the break", _has("table")),
    ("equation", _has("equation", "object")),
    ("picture in line", _has("picture in line", "old picture")),
    ("heading kept with next", lambda parting: "heading" in parting.begins_in),
    ("compatibility setting", lambda parting: parting.mode != "15"),
    ("widow", lambda parting: "inside" in parting.begins_in and abs(parting.moved) <= TWO_LINES),
    ("line height", lambda parting: abs(parting.moved) <= TWO_LINES),
    ("paragraph", lambda _: True),
]


def pages_of(pdf: Path) -> list[str]:
    told = subprocess.run(["pdftotext", "-enc", "UTF-8", str(pdf), "-"], capture_output=True, check=True).stdout
    return [letters(page) for page in told.decode(errors="replace").split("\f")[:-1]]


def parting(ours: list[str], in_word: list[Page]) -> tuple[int, int] | None:
    """The first break that is elsewhere, by the page after it, and how much text moved."""
    for number in range(1, len(in_word)):
        before, after = in_word[number - 1].letters, in_word[number].letters
        last, first = before[-MOST_LETTERS:], after[:MOST_LETTERS]
        here, there = (ours[at] if at < len(ours) else "" for at in (number - 1, number))
        later = "".join(ours[number:])
        if len(last) >= LEAST_LETTERS and last not in here and last in later:
            return number, _length(before, later, reverse=True)
        if len(first) >= LEAST_LETTERS and first not in there and first in here:
            return number, -_length(after, here, reverse=False)
        # A page of pictures is before it, or has moved: the text of this one has another number.
        if len(first) == MOST_LETTERS and first not in there and _is_once(first, in_word, ours):
            return number, LEAST_LETTERS if first in later else -LEAST_LETTERS
    return None


def _is_once(text: str, in_word: list[Page], ours: list[str]) -> bool:
    return "".join(page.letters for page in in_word).count(text) == 1 == "".join(ours).count(text)


def _length(text: str, inside: str, reverse: bool) -> int:
    """Letters at an end of the text that are elsewhere, in one piece."""
    length = 0
    while length < len(text) and (text[-length - 1 :] if reverse else text[: length + 1]) in inside:
        length += 1
    return length


def examine(document: Document, pdf: Path) -> tuple[Parting | None, list[Page]]:
    with zipfile.ZipFile(document.fetch()) as package:
        root = ElementTree.fromstring(package.read("word/document.xml"))
        settings = package.read("word/settings.xml").decode(errors="replace") if "word/settings.xml" in package.namelist() else ""
        faces = Faces.read(package)
    found = re.search(r'w:name="compatibilityMode"[^>]*w:val="(\d+)"', settings)
    mode = found.group(1) if found else "none"
    in_word, ours = Reader(root, faces).pages, pages_of(pdf)
    parted = parting(ours, in_word)
    if not parted:
        return None, in_word
    page, moved = parted
    grid = {grid.get(W + "type") for grid in root.iter(W + "docGrid")} & {"lines", "linesAndChars"}
    ended, total = in_word[page - 1], (len(ours), len(in_word))
    return Parting(document, mode, page, moved, in_word[page].begins_in, ended, total, bool(grid)), in_word


def rest(ours: list[str], in_word: list[Page]) -> str:
    """How a document with another number of pages differs if each break that can be told is where it is in Word."""
    if len(ours) < len(in_word):
        return "fewer pages, whose text does not tell where they begin"
    added = ours[len(in_word) :]
    if not any(added):
        return "a page more at the end, without text"
    last = in_word[-1].letters
    if "".join(added)[-MOST_LETTERS:] in last:
        return "the end of Word's last page on a page more"
    return "a page more with text that Word's pages do not show"


def table(parted: list[Parting], unknown: Counter[str], harmless: Counter[str], pages: int) -> str:
    total = len(parted) + unknown.total()
    lines = ["| cause | documents | share | ours holds less than Word's page | its kind on pages that end as in Word |", "|---" * 5 + "|"]
    for cause, count in Counter(one.cause for one in parted).most_common():
        fewer = sum(one.moved > 0 for one in parted if one.cause == cause)
        lines.append(f"| {cause} | {count} | {count / total:.0%} | {fewer} | {harmless[cause] / max(pages, 1):.0%} |")
    for how, count in unknown.most_common():
        lines.append(f"| not found: {how} | {count} | {count / total:.0%} | – | – |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="fidelity.causes")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--part", choices=[part.value for part in Part], default=Part.TRAIN.value)
    parser.add_argument("--all", action="store_true", help="also documents with as many pages as in Word, but other breaks")
    parser.add_argument("--shares", action="store_true", help="only the table, without a line for each document")
    arguments = parser.parse_args()
    results = Results(arguments.results / plain.version())
    parted, unknown, harmless, pages = [], Counter[str](), Counter[str](), 0
    for document in all_documents():
        measured = results.measured.get(document.sha256)
        if document.part.value != arguments.part or not measured or not measured.ours:
            continue
        if not measured.ours.is_equal or arguments.all:
            pdf = results.pdf(document.sha256)
            told, in_word = examine(document, pdf)
            if told:
                parted.append(told)
            elif not measured.ours.is_equal:
                unknown[rest(pages_of(pdf), in_word)] += 1
        else:
            told, in_word = None, examine(document, results.pdf(document.sha256))[1]
            for page in in_word[:-1]:
                pages += 1
                same = Parting(document, "15", 1, TWO_LINES + 1, "", page, (0, 0))
                harmless[same.cause] += 1
    for one in sorted(parted, key=lambda one: one.cause):
        ours, in_word = one.total
        kinds = ", ".join(sorted(one.ended.kinds | ({one.absent} if one.absent else set())))
        if not arguments.shares:
            print(f"{one.cause:24} {ours:3}/{in_word:3} page {one.page:3} {one.moved:+5} {one.begins_in:22} mode {one.mode:4} {one.document.name[:50]:50} {kinds}")
    print(table(parted, unknown, harmless, pages))


if __name__ == "__main__":
    main()
