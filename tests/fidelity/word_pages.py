"""Where Word broke the pages of a document, from the document itself: `w:lastRenderedPageBreak` marks each page after the first, as it
was when Word saved the document, and its properties have the number of pages. Thus each document that Word saved is a pair without a
PDF."""

import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from .heights import are_possible
from .names import MC, W

# What does not stand in the text of the pages as they are laid out.
SKIPPED = {MC + "Fallback", *(W + name for name in ("pPr", "rPr", "sdtPr", "del", "moveFrom", "instrText", "txbxContent"))}
SPACES = {W + name for name in ("tab", "br", "cr")}
ENDS = {W + name for name in ("p", "tc")}
# Their letters stand for signs, which are no words.
SYMBOLS = ("wingdings", "webdings", "symbol")
# The date of all parts of a package that Word has written.
DATE = (1980, 1, 1)


def pages(document: Path) -> list[str] | None:
    """The text of each page, as the worker's `word_pages` finds its breaks. None if Word has not saved the document last, as far as can be
    told: its package is Word's, the breaks agree with the number of pages, no page holds more than there is room for, and the text is as
    long as Word counted."""
    try:
        with zipfile.ZipFile(document) as package:
            properties = package.read("docProps/app.xml").decode(errors="replace")
            root = ElementTree.fromstring(package.read("word/document.xml"))
            dates = {part.date_time[:3] for part in package.infolist()}
            fits = are_possible(root, package)
    except (OSError, KeyError, zipfile.BadZipFile, zlib.error, ElementTree.ParseError, NotImplementedError, RuntimeError):
        return None
    program = re.search("<Application>(Microsoft [^<]*Word)", properties)
    count, characters = (re.search(rf"<{name}>(\d+)", properties) for name in ("Pages", "Characters"))
    if not program or not count or not characters or dates != {DATE} or not fits:
        return None
    found = _joined(_pieces(root))
    agrees = len(found) == int(count.group(1)) and _is_about(len("".join("".join(found).split())), int(characters.group(1)))
    return _joined(_pieces(root, with_symbols=False)) if agrees else None


def _joined(pieces: Iterator[str | None]) -> list[str]:
    found = [""]
    for piece in pieces:
        if piece is None:
            found.append("")
        else:
            found[-1] += piece
    return found


def _is_about(found: int, counted: int) -> bool:
    """Word counts the numbers of lists, and leaves out some fields."""
    return found <= counted * 1.05 + 10 and found + counted / 4 + 10 >= counted


def _pieces(element: ElementTree.Element, with_symbols: bool = True) -> Iterator[str | None]:
    """The text, with None for each break between pages."""
    for child in element:
        if child.tag == W + "lastRenderedPageBreak":
            yield None
        elif not with_symbols and _is_symbol(child):
            yield from (None for _ in child.iter(W + "lastRenderedPageBreak"))
        elif child.tag == W + "t":
            yield child.text or ""
        elif child.tag in SPACES:
            yield " "
        elif child.tag not in SKIPPED:
            yield from _pieces(child, with_symbols)
            if child.tag in ENDS:
                yield "\n"


def _is_symbol(run: ElementTree.Element) -> bool:
    fonts = run.find(f"{W}rPr/{W}rFonts") if run.tag == W + "r" else None
    return fonts is not None and fonts.get(W + "ascii", "").lower().startswith(SYMBOLS)
