"""Tables of contents, beside those that Word stored: `python -m fidelity.contents --worker WORKER`.

The entries of documents of `documents.json` are replaced by signs that say nothing, `convert-office` with `updateFields` writes them anew,
and so does LibreOffice by its own update (`uno_contents`, which needs `python3-uno`). An entry is right if it has Word's text, and better if
it has its page too. Documents with fewer than three entries are left out, and so are those that are not in Word's order.
"""

import argparse
import re
import subprocess
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from bench.lines import Failed, Lost
from bench.worker import Worker

from .causes import letters
from .documents import Document, Part, all_documents
from .names import W
from .plain import version
from .word_pages import SKIPPED

LEAST_ENTRIES = 3
DOCUMENT = "word/document.xml"
PEER = Path(__file__).with_name("uno_contents.py")
PYTHON_WITH_UNO = "/usr/bin/python3"
PATIENCE = 240
# What stands in the place of each text of an entry.
SIGN = "x"


@dataclass(frozen=True)
class Entry:
    text: str
    page: str


@dataclass
class Shares:
    """Of Word's entries, those with the same text, and with the same page too."""

    entries: int = 0
    texts: int = 0
    pages: int = 0

    def add(self, in_word: list[Entry], made: list[Entry]) -> None:
        self.entries += len(in_word)
        self.texts += (Counter(entry.text for entry in in_word) & Counter(entry.text for entry in made)).total()
        self.pages += (Counter(in_word) & Counter(made)).total()

    def row(self, whose: str) -> str:
        return f"| {whose} | {self.entries} | {self.texts / self.entries:.3f} | {self.pages / self.entries:.3f} |"


def _styles(package: zipfile.ZipFile) -> set[str]:
    """The identifiers of the styles of entries."""
    if "word/styles.xml" not in package.namelist():
        return set()
    found = set()
    for style in ElementTree.fromstring(package.read("word/styles.xml")).iter(W + "style"):
        name = style.find(W + "name")
        if name is not None and re.fullmatch(r"toc \d", name.get(W + "val", "").lower()):
            found.add(style.get(W + "styleId", ""))
    return found


def _paragraphs(root: ElementTree.Element, styles: set[str]) -> list[ElementTree.Element]:
    found = []
    for paragraph in root.iter(W + "p"):
        style = paragraph.find(f"{W}pPr/{W}pStyle")
        if style is not None and style.get(W + "val") in styles:
            found.append(paragraph)
    return found


def entries(document: Path) -> list[Entry]:
    """What the tables of contents of a document list."""
    with zipfile.ZipFile(document) as package:
        root, styles = ElementTree.fromstring(package.read(DOCUMENT)), _styles(package)
    found = []
    for paragraph in _paragraphs(root, styles):
        text = "".join(_texts(paragraph)).rstrip()
        page = re.search(r"[0-9ivxlc]+$", text.rpartition("\t")[2])
        if "\t" in text and page:
            found.append(Entry(letters(text.rpartition("\t")[0]), page.group()))
    return found


def _texts(element: ElementTree.Element):
    for child in element:
        if child.tag == W + "t":
            yield child.text or ""
        elif child.tag == W + "tab":
            yield "\t"
        elif child.tag not in SKIPPED:
            yield from _texts(child)


def emptied(document: Path, target: Path) -> None:
    """A copy whose entries say nothing. All other bytes of its text stay."""
    with zipfile.ZipFile(document) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as copy:
        text, styles = source.read(DOCUMENT).decode(), "|".join(map(re.escape, _styles(source)))
        is_entry = re.compile(rf'<w:pStyle w:val="(?:{styles})"/>')

        def without(paragraph: re.Match[str]) -> str:
            whole = paragraph.group()
            return re.sub(r"(<w:t(?: [^>]*)?>)[^<]*(</w:t>)", rf"\1{SIGN}\2", whole) if is_entry.search(whole) else whole

        changed = re.sub(r"<w:p(?: [^>]*)?>(?:(?!<w:p[ >]).)*?</w:p>", without, text, flags=re.DOTALL)
        for part in source.infolist():
            copy.writestr(part, changed.encode() if part.filename == DOCUMENT else source.read(part))
    target.chmod(0o644)


def _by_libreoffice(documents: list[Path], folder: Path) -> None:
    command = [PYTHON_WITH_UNO, str(PEER), str(folder), *map(str, documents)]
    subprocess.run(command, timeout=PATIENCE + 10 * len(documents), check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure(binary: Path, documents: list[Document], scratch: Path) -> tuple[Shares, Shares, int]:
    worker, ours, theirs = Worker(binary, scratch), Shares(), Shares()
    made: dict[Path, list[Entry]] = {}
    for document in documents:
        in_word, given, out = entries(document.fetch()), scratch / f"{document.sha256}.docx", scratch / f"{document.sha256}.ours.docx"
        emptied(document.file, given)
        try:
            worker.convert("convert-office", given, out, {"format": "docx", "updateFields": True})
        except (Failed, Lost) as problem:
            print(f"NOT MEASURED: {document.name}: {problem}")
            continue
        ours.add(in_word, entries(out))
        made[given] = in_word
    worker.lines.stop()
    folder = scratch / "libreoffice"
    folder.mkdir()
    _by_libreoffice(list(made), folder)
    for given, in_word in made.items():
        theirs.add(in_word, entries(found) if (found := folder / given.name).exists() else [])
    return ours, theirs, len(made)


def main() -> None:
    parser = argparse.ArgumentParser(prog="fidelity.contents")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--part", choices=[part.value for part in Part], default=Part.JUDGE.value)
    parser.add_argument("--most", type=int, default=10_000, help="measure so many documents, the first by their digests")
    arguments = parser.parse_args()
    chosen = sorted((one for one in all_documents() if one.part.value == arguments.part), key=lambda one: one.sha256)
    listing = [one for one in chosen if len(entries(one.fetch())) >= LEAST_ENTRIES][: arguments.most]
    with TemporaryDirectory(prefix="docmill-contents-") as scratch:
        ours, theirs, count = measure(arguments.worker, listing, Path(scratch))
    print(f"{count} documents, LibreOffice {version()}")
    print("| | entries | Word's text | text and page |", "|---|---|---|---|", ours.row("Docmill"), theirs.row("LibreOffice"), sep="\n")


if __name__ == "__main__":
    main()
