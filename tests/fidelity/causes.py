"""Where pages first part from Word's, and what stands there: `python -m fidelity.causes`, after `fidelity.word`, on the same results.

For each document of the part for training, the first page break that is elsewhere: how much text moved, in which direction, and what is on
the page before it. A kind's share is that of the documents with it among those that part, beside its share among those that do not: a kind
is a suspect if the first is much larger.
"""

import argparse
import json
import re
import subprocess
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from .documents import Document, Part, all_documents
from .word_pages import SKIPPED, W

# Fewer letters are on too many pages to tell one.
LEAST_LETTERS = 10
# What moves is a line at least: more letters would be on two pages.
MOST_LETTERS = 20
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
    W + "numPr": "list",
    W + "pageBreakBefore": "page break before",
    W + "framePr": "frame",
    W + "txbxContent": "text box",
    W + "contextualSpacing": "contextual spacing",
    W + "keepNext": "kept with next",
    W + "cantSplit": "row not split",
    W + "sdt": "content control",
    W + "cols": "columns",
    W + "snapToGrid": "grid",
    W + "tblpPr": "floating table",
}


@dataclass
class Page:
    letters: str = ""
    kinds: set[str] = field(default_factory=set)
    # What the page begins within.
    begins_in: str = ""


def letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())


class Reader:
    """The pages of a document as Word made them."""

    def __init__(self, root: ElementTree.Element):
        self.pages = [Page()]
        self.around: list[str] = []
        self._read(root)

    def _read(self, element: ElementTree.Element) -> None:
        for child in element:
            page = self.pages[-1]
            if child.tag in KINDS:
                page.kinds.add(KINDS[child.tag])
            if child.tag == W + "lastRenderedPageBreak":
                self.pages.append(Page(begins_in=self._place()))
            elif child.tag == W + "t":
                page.letters += letters(child.text or "")
            elif child.tag == W + "pPr":
                page.kinds.update(KINDS[inner.tag] for inner in child.iter() if inner.tag in KINDS)
                style = child.find(W + "pStyle")
                if style is not None and style.get(W + "val", "").lower().startswith(("heading", "title")):
                    self.around.append("heading")
            elif child.tag not in SKIPPED:
                self.around.append({W + "tbl": "table", W + "p": "paragraph"}.get(child.tag, ""))
                depth, before = len(self.around), len(self.pages[-1].letters) if child.tag == W + "p" else 0
                self.start = before if child.tag == W + "p" else getattr(self, "start", 0)
                self._read(child)
                del self.around[depth - 1 :]

    def _place(self) -> str:
        inside = "table" if "table" in self.around else "heading" if "heading" in self.around else "paragraph"
        within = "inside of a" if len(self.pages[-1].letters) > self.start else "before a"
        return f"{within} {inside}"


@dataclass
class Parting:
    document: str
    number: int
    mode: str
    page: int
    # Letters that are on the page before in Word and on a later one here, or the other way round if negative.
    moved: int
    begins_in: str
    kinds: set[str]
    total: tuple[int, int]


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
    return None


def _length(text: str, inside: str, reverse: bool) -> int:
    """Letters at an end of the text that are elsewhere, in one piece."""
    length = 0
    while length < len(text) and (text[-length - 1 :] if reverse else text[: length + 1]) in inside:
        length += 1
    return length


def examine(document: Document, number: int, results: Path) -> tuple[Parting | None, list[Page]]:
    with zipfile.ZipFile(document.fetch()) as package:
        root = ElementTree.fromstring(package.read("word/document.xml"))
        settings = package.read("word/settings.xml").decode(errors="replace") if "word/settings.xml" in package.namelist() else ""
    found = re.search(r'w:name="compatibilityMode"[^>]*w:val="(\d+)"', settings)
    mode = found.group(1) if found else "none"
    in_word, ours = Reader(root).pages, pages_of(results / f"{number:04}.pdf")
    parted = parting(ours, in_word)
    if not parted:
        return None, in_word
    page, moved = parted
    kinds = in_word[page - 1].kinds | {f"mode {mode}"}
    told = Parting(document.name, number, mode, page, moved, in_word[page].begins_in, kinds, (len(ours), len(in_word)))
    return told, in_word


def main() -> None:
    parser = argparse.ArgumentParser(prog="fidelity.causes")
    parser.add_argument("--results", type=Path, default=Path("target/fidelity-word"))
    parser.add_argument("--part", choices=[Part.TRAIN.value, Part.CHOOSE.value], default=Part.TRAIN.value)
    arguments = parser.parse_args()
    scores = {one["number"]: one for one in json.loads((arguments.results / "scores.json").read_text())}
    parted, same = [], Counter()
    same_documents = 0
    for number, document in enumerate(all_documents()):
        if document.part.value != arguments.part or not scores.get(number, {}).get("ours"):
            continue
        told, in_word = examine(document, number, arguments.results)
        if told:
            parted.append(told)
        else:
            same_documents += 1
            same.update(set().union(*(page.kinds for page in in_word)))
    for one in sorted(parted, key=lambda one: one.begins_in):
        ours, in_word = one.total
        kinds = ", ".join(sorted(one.kinds))
        print(f"{one.number:4} {ours:3}/{in_word:3} page {one.page:3} {one.moved:+5} {one.begins_in:22} {one.document[:50]:50} {kinds}")
    print(f"\n{len(parted)} documents part, {same_documents} do not. The page begins:")
    for place, count in Counter(one.begins_in for one in parted).most_common():
        fewer = sum(one.moved > 0 for one in parted if one.begins_in == place)
        print(f"{count / len(parted):5.0%} {place}, of which {fewer} hold less than Word's page")
    print("\nOn the page before (share of those that part, share of the others):")
    for kind, count in Counter(kind for one in parted for kind in one.kinds).most_common():
        print(f"{count / len(parted):5.0%} {same[kind] / max(same_documents, 1):5.0%} {kind}")


if __name__ == "__main__":
    main()
