"""The benchmark's documents, and the expected contents of their results."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import check, peers

PROJECT = peers.HERE.parent.parent
SAMPLES, FIXTURES = PROJECT / "samples", PROJECT / "tests/fixtures/office"
MARKER = "Last line of the benchmark"


@dataclass(frozen=True)
class Document:
    """The PDF must contain `text` and at least `pages` pages. `size`: small, medium or large."""

    path: Path
    size: str
    text: str
    pages: int = 1

    suffix = ".pdf"

    @property
    def label(self) -> str:
        return f"{self.size} {self.path.suffix[1:]}"

    def check(self, out: Path) -> int:
        """The pages of a correct result; otherwise raises check.Wrong."""
        return check.pdf(out, self.text, self.pages)


def generate(python: Path) -> Path:
    """The folder of generated documents, written once."""
    folder = python.parent.parent.parent / "documents"
    newest, script = folder / "random.docx", peers.HERE / "generate_documents.py"
    if not newest.exists() or newest.stat().st_mtime < script.stat().st_mtime:
        subprocess.run([python, "-m", "bench.generate_documents", folder], check=True, cwd=peers.HERE.parent)
    return folder


def office(folder: Path) -> list[Document]:
    return [
        Document(SAMPLES / "small.docx", "small", "Small doc"),
        Document(SAMPLES / "small.xlsx", "small", "Col 3"),
        Document(SAMPLES / "small.pptx", "small", "Slide 1", 3),
        Document(folder / "medium.docx", "medium", MARKER, 8),
        Document(folder / "medium.xlsx", "medium", MARKER, 5),
        Document(folder / "medium.pptx", "medium", MARKER, 15),
        Document(folder / "large.docx", "large", MARKER, 40),
        Document(folder / "large.xlsx", "large", MARKER, 50),
        Document(folder / "large.pptx", "large", MARKER, 80),
    ]


def html(folder: Path) -> list[Document]:
    return [
        Document(SAMPLES / "invoice.html", "small", "INVOICE"),
        Document(folder / "medium.html", "medium", MARKER, 15),
        Document(folder / "large.html", "large", MARKER, 15),
    ]


@dataclass(frozen=True)
class Job:
    """A job of a stream. `document` is None for a bad one, which may have any answer."""

    source: Path
    tool: str
    options: dict
    document: Document | None

    @staticmethod
    def good(document: Document, tool: str = "office-to-pdf", options: dict | None = None) -> "Job":
        return Job(document.path, tool, options or {}, document)

    @staticmethod
    def bad(source: Path, tool: str = "office-to-pdf", options: dict | None = None) -> "Job":
        return Job(source, tool, options or {}, None)


def bad_office(folder: Path) -> list[Job]:
    broken = [folder / "random.docx", folder / "empty.docx", folder / "cut.xlsx"]
    return [Job.bad(path) for path in [*broken, FIXTURES / "trunc.docx", FIXTURES / "protected.xlsx"]]


def bad_of_all_kinds(folder: Path) -> list[Job]:
    office_too = [Job.bad(FIXTURES / "extimg-file.docx"), Job.bad(FIXTURES / "macro.odt")]
    pages = [folder / "deep.html", folder / "dialogs.html", folder / "memory.html"]
    modes = [{"renderMode": "basic"}, {"renderMode": "browser"}]
    return bad_office(folder) + office_too + [Job.bad(page, "html-to-pdf", mode) for page in pages for mode in modes]


def endless(folder: Path) -> Job:
    """Uses all the time that a conversion may take: two minutes."""
    return Job.bad(folder / "endless.html", "html-to-pdf", {"renderMode": "browser"})


def small_office() -> list[Job]:
    table = Document(FIXTURES / "table.ods", "small", "", 1)
    letter = Document(SAMPLES / "small.odt", "small", "Small doc")
    return [Job.good(document) for document in [*office(Path())[:3], letter, table]]


def small_of_all_kinds() -> list[Job]:
    page = html(Path())[0]
    modes = [{"renderMode": "basic"}, {"renderMode": "browser"}]
    pages = [Job.good(page, "html-to-pdf", mode) for mode in modes]
    turned = {"rotate": [{"pages": "1", "degrees": 90}]}
    file = Document(FIXTURES.parent / "pdf/text.pdf", "small", "", 5)
    return small_office() + [*pages, Job.good(file, "organize-pdf", turned), Job.good(file, "compress-pdf")]


def stream(good: list[Job], bad: list[Job], count: int) -> list[Job]:
    """`count` jobs, of which every tenth is bad, with all kinds in turn."""
    return [
        bad[index // 10 % len(bad)] if index % 10 == 7 else good[index % len(good)] for index in range(count)
    ]
