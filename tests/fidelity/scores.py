"""How alike two PDFs of one document are: their page counts, and where their words stand."""

import subprocess
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

# Scripts that don't separate words: each letter counts as one.
UNSEPARATED = (("\u2e80", "\u9fff"), ("\uf900", "\ufaff"), ("\uac00", "\ud7a3"))


@dataclass(frozen=True)
class Score:
    """`same_page`, `found`: of the words of Office's PDF, the share that is on the page of the same number, and in the PDF."""

    office_pages: int
    pages: int
    same_page: float
    found: float
    # The first page on which fewer than nine tenths of the words match, counted from 1. 0: no page differs so much.
    differs_at: int

    @property
    def is_equal(self) -> bool:
        return self.pages == self.office_pages


def score(office: Path, ours: Path) -> Score:
    return of_pages(pages(office), pages(ours))


def of_pages(office: list[Counter[str]], ours: list[Counter[str]]) -> Score:
    expected = sum(page.total() for page in office)
    empty: Counter[str] = Counter()
    padded = ours + [empty] * (len(office) - len(ours))
    same = [(page & other).total() for page, other in zip(office, padded, strict=False)]
    found = (sum(office, empty) & sum(ours, empty)).total()
    shares = [both / page.total() if page else 1.0 for both, page in zip(same, office, strict=True)]
    differs_at = next((number for number, share in enumerate(shares, 1) if share < 0.9), 0)
    # Nothing is missing of a document without words.
    same_page, all_found = (sum(same) / expected, found / expected) if expected else (1.0, 1.0)
    return Score(len(office), len(ours), same_page, all_found, differs_at)


def pages(pdf: Path) -> list[Counter[str]]:
    """The words of each page, as `pdftotext` reads them."""
    read = subprocess.run(["pdftotext", "-enc", "UTF-8", str(pdf), "-"], capture_output=True, check=True)
    return [words(page) for page in read.stdout.decode(errors="replace").split("\f")[:-1]]


def words(text: str) -> Counter[str]:
    """Without punctuation and case: ligatures, bullets and quotation marks differ between fonts."""
    found: Counter[str] = Counter()
    for word in unicodedata.normalize("NFKC", text).casefold().split():
        separate = [letter for letter in word if _is_unseparated(letter)]
        found.update(separate)
        rest = "".join(letter for letter in word if letter.isalnum() and not _is_unseparated(letter))
        if rest:
            found[rest] += 1
    return found


def _is_unseparated(letter: str) -> bool:
    return any(first <= letter <= last for first, last in UNSEPARATED)
