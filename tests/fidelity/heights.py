"""Whether the text that a document says Word put on one page can be there. Word saves what it has laid out by then: if that was not all,
the marks of the later pages are missing, and the number of pages is too low. Nothing else in the document tells."""

import zipfile
from dataclasses import dataclass, field
from xml.etree import ElementTree

from .names import MC, W

# Points of text, where the document does not name a size.
SIZE = 10.0
# Of their size, the width of letters at least, and the height of their lines.
NARROWEST, LOWEST = 0.3, 1.0
# What is between a page's margins may hang over a little.
TOLERANCE = 1.1
# Text that has its own place on the page, and what is not laid out.
BESIDE = {W + name for name in ("tbl", "txbxContent", "del", "moveFrom", "instrText", "sectPr")} | {MC + "Fallback"}


@dataclass
class Area:
    """Between the margins, in points, for all columns of a page."""

    width: float = 0.0
    height: float = 0.0

    @classmethod
    def largest(cls, root: ElementTree.Element) -> "Area":
        area = cls()
        for section in root.iter(W + "sectPr"):
            size, margins, columns = (section.find(W + name) for name in ("pgSz", "pgMar", "cols"))
            if size is None or margins is None:
                continue
            count = 1 if columns is None else int(columns.get(W + "num", "1"))
            across = _points(size, "w") - _points(margins, "left") - _points(margins, "right")
            down = _points(size, "h") - abs(_points(margins, "top")) - abs(_points(margins, "bottom"))
            area = cls(max(area.width, across), max(area.height, down * count))
        return area


def _points(element: ElementTree.Element, name: str) -> float:
    try:
        return float(element.get(W + name, "0")) / 20
    except ValueError:
        return 0.0


@dataclass
class Heights:
    """The height that the text of each page has at least."""

    area: Area
    usual: float
    pages: list[float] = field(default_factory=lambda: [0.0])

    def read(self, element: ElementTree.Element) -> None:
        for child in element:
            if child.tag == W + "p" and child.find(f"{W}pPr/{W}framePr") is None:
                self._read_paragraph(child)
            elif child.tag == W + "tbl":
                # Cells stand side by side.
                self.pages += [0.0] * sum(1 for _ in child.iter(W + "lastRenderedPageBreak"))
            elif child.tag not in BESIDE and child.tag != W + "p":
                self.read(child)

    def _read_paragraph(self, paragraph: ElementTree.Element) -> None:
        size, lengths = self._size(paragraph), _lengths(paragraph)
        for number, length in enumerate(lengths):
            if number:
                self.pages.append(0.0)
            lines = max(1, int(length * NARROWEST * size / self.area.width)) if self.area.width else 1
            # The rest of a paragraph may end where it begins.
            self.pages[-1] += lines * size * LOWEST if length or len(lengths) == 1 else 0.0

    def _size(self, paragraph: ElementTree.Element) -> float:
        """The smallest that the paragraph names, or the document's usual one."""
        spacing = paragraph.find(f"{W}pPr/{W}spacing")
        if spacing is not None and spacing.get(W + "lineRule") == "exact":
            return _points(spacing, "line") / LOWEST
        if paragraph.find(f"{W}pPr/{W}pStyle") is not None:
            return min(SIZE, self.usual)
        named = [size for found in paragraph.iter(W + "sz") if (size := _points(found, "val") * 10)]
        return min([*named, self.usual])


def _lengths(paragraph: ElementTree.Element) -> list[int]:
    """Letters before, between and after the paragraph's page breaks."""
    lengths = [0]

    def read(element: ElementTree.Element) -> None:
        for child in element:
            if child.tag == W + "lastRenderedPageBreak":
                lengths.append(0)
            elif child.tag == W + "t":
                lengths[-1] += len(child.text or "")
            elif child.tag not in BESIDE:
                read(child)

    read(paragraph)
    return lengths


def _usual_size(package: zipfile.ZipFile) -> float:
    """Of the default style, or of all text."""
    if "word/styles.xml" not in package.namelist():
        return SIZE
    styles = ElementTree.fromstring(package.read("word/styles.xml"))
    places = [f"{W}style[@{W}type='paragraph'][@{W}default='1']/{W}rPr/{W}sz", f"{W}docDefaults/{W}rPrDefault/{W}rPr/{W}sz"]
    found = next((size for place in places if (size := styles.find(place)) is not None), None)
    return SIZE if found is None else _points(found, "val") * 10 or SIZE


def are_possible(root: ElementTree.Element, package: zipfile.ZipFile) -> bool:
    """Whether no page holds more than there is room for."""
    heights = Heights(Area.largest(root), _usual_size(package))
    body = root.find(W + "body")
    if body is not None:
        heights.read(body)
    return not heights.area.height or max(heights.pages) <= heights.area.height * TOLERANCE
