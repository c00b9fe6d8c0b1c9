"""Checks whether a file is the requested PDF."""

import difflib
import subprocess
from pathlib import Path


class Wrong(Exception):
    """An output that must not count."""


def pdf(path: Path, text: str, least_pages: int) -> int:
    """The number of pages of a PDF with at least this many and with this text; otherwise raises Wrong."""
    if not path.exists():
        raise Wrong("no output")
    with path.open("rb") as file:
        if not file.read(5).startswith(b"%PDF-"):
            raise Wrong("not a PDF")
    pages = _pages(path)
    if pages < least_pages:
        raise Wrong(f"{pages} pages instead of {least_pages}")
    if text not in _poppler("pdftotext", str(path), "-"):
        raise Wrong(f"the text “{text}” is missing")
    return pages


def words(path: Path) -> list[str]:
    """What pdftotext finds in a PDF: nothing if it can't read it. Dots and codes without a meaning are no words."""
    try:
        return [word for word in _poppler("pdftotext", str(path), "-").split() if any(letter.isalnum() for letter in word)]
    except (Wrong, subprocess.TimeoutExpired):
        return []


def error_rate(said: list[str], expected: list[str]) -> float:
    """The share of expected characters in words that differ: an upper bound of the usual error rate, which counts single
    characters."""
    blocks = difflib.SequenceMatcher(None, said, expected, autojunk=False).get_matching_blocks()
    right = sum(len(word) for block in blocks for word in expected[block.b : block.b + block.size])
    return 1 - right / sum(map(len, expected))


def wrong_characters(said: list[str], expected: list[str]) -> int:
    """The edits, spaces included, that make the one the other, counted where words differ."""
    edits = difflib.SequenceMatcher(None, said, expected, autojunk=False).get_opcodes()
    return sum(
        _distance(" ".join(said[a:b]), " ".join(expected[c:d])) for kind, a, b, c, d in edits if kind != "equal"
    )


def _distance(one: str, other: str) -> int:
    """Levenshtein's."""
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, 1):
        diagonal, row[0] = row[0], number
        for at, wanted in enumerate(other, 1):
            diagonal, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, diagonal + (letter != wanted))
    return row[-1]


def _pages(path: Path) -> int:
    for line in _poppler("pdfinfo", str(path)).splitlines():
        if line.startswith("Pages:"):
            return int(line.split()[1])
    raise Wrong("pdfinfo finds no pages")


def _poppler(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, timeout=120)
    if done.returncode != 0:
        raise Wrong(f"{command[0]} cannot read it")
    return done.stdout.decode("utf-8", "replace")
