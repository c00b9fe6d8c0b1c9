"""Cases for the PDF tools: sources, peers, and the expected contents of results."""

import base64
import dataclasses
import json
import os
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

from . import check, pdf_peers, peers, templates
from .contenders import Contender
from .documents import MARKER, PROJECT, SAMPLES

FIXTURES = PROJECT / "tests/fixtures/pdf"
SIGNED = PROJECT / "functions/worker/pdf/signatures/tests/fixtures"
LETTERS, REPORT_PAGES, SCAN_PAGES = 100, 500, 500
# Renamed when its content changes, because generated files are kept.
SCAN = "different-scans-500.pdf"
REVISED, REVISED_PAGE = "revised.pdf", 3
# Pages that were printed and scanned: the text of each, and the largest share that may be read wrong.
SCANNED_TEXT, SCANNED_WORDS, SCANNED_PAGES, MOST_WRONG = "scanned-text.pdf", "scanned-text.txt", 4, 0.01
LONG_MESSAGE = "long.eml"
INVOICE, INVOICE_LINES = SAMPLES / "invoice.xml", 1000
# The same scans three times, a long report twice, and a form of many fields, small and large.
SCANNED_LONG, SCANNED_LONG_WORDS = "scanned-text-12.pdf", "scanned-text-12.txt"
REPORT_PART, REPORT_REVISED = "report-100.pdf", "report-100-revised.pdf"
FORM, FORM_FIELDS, FORM_LONG, FORM_LONG_FIELDS = "form.pdf", 10, "form-1000.pdf", 1000
# Scanned pages as separate files.
PICTURES = 100
# A short text and the long report, both with a password.
KEY = {"pkcs12": base64.b64encode((SIGNED / "keys" / "p256.p12").read_bytes()).decode(), "password": "secret"}
LOCKED, LOCKED_LONG, PASSWORD = "locked.pdf", "locked-500.pdf", "open"
LAST = LOCKED_LONG


@dataclasses.dataclass(frozen=True)
class Case:
    """`verify`: raises check.Wrong, or returns the pages or files of a correct result."""

    label: str
    tool: str
    path: list[Path]
    suffix: str
    verify: Callable[[Path], int]
    rivals: Callable[[peers.Peers], list[Contender]]
    options: dict = dataclasses.field(default_factory=dict)
    size: str = "small"

    def check(self, out: Path) -> int:
        if not out.exists():
            raise check.Wrong("no output")
        return self.verify(out)


def generate(folder: Path, python: Path) -> Path:
    """Documents that are too large to be committed: 500 tagged pages, and 500 different scanned pages of 92 MB. Written once."""
    # The last file to be written.
    if not (folder / LAST).exists():
        subprocess.run([python, "-m", "bench.generate_pdfs", folder], check=True, cwd=peers.HERE.parent)
    if not (folder / templates.JINJA).exists():
        write = "import pathlib, sys; from bench import templates; templates.write(pathlib.Path(sys.argv[1]))"
        subprocess.run([python, "-c", write, folder], check=True, cwd=peers.HERE.parent)
    return folder


def long_invoice(made: Path) -> Path:
    """An invoice of many lines."""
    path = made / "invoice-1000.xml"
    if not path.exists():
        before, *lines = INVOICE.read_text().split("  <cac:InvoiceLine>")
        line, end = "  <cac:InvoiceLine>" + lines[0], "</Invoice>\n"
        path.write_text(before + line * INVOICE_LINES + end)
    return path


def archive(pages: int) -> Callable[[Path], int]:
    """A PDF with this many pages that veraPDF accepts as PDF/A-2b."""

    def verify(out: Path) -> int:
        jars = subprocess.check_output([PROJECT / "infra/setup.sh", "validators"], text=True).strip()
        judge = PROJECT / "functions/worker/pdf/tests/pdfa/Judge.java"
        said = subprocess.check_output(["java", "-cp", f"{jars}/*", judge, f"2b={out}"], text=True).strip()
        if said != "pass":
            raise check.Wrong(f"not PDF/A: {said[:200]}")
        return pdf(pages)(out)

    return verify


def pdf(pages: int, password: str = "") -> Callable[[Path], int]:
    """A PDF with exactly this many pages whose last one can be drawn. qpdf may warn of small faults."""

    def verify(out: Path) -> int:
        shown = subprocess.run(["qpdf", f"--password={password}", "--show-npages", out], capture_output=True, text=True)
        if shown.returncode not in (0, 3):
            raise check.Wrong("qpdf can't read it")
        if int(shown.stdout) != pages:
            raise check.Wrong(f"{shown.stdout.strip()} pages instead of {pages}")
        drawing = ["pdftoppm", "-r", "20", "-f", str(pages), "-singlefile", "-upw", password, out]
        drawn = subprocess.run(drawing, capture_output=True)
        if drawn.returncode != 0 or not drawn.stdout.startswith(b"P6"):
            raise check.Wrong("its last page can't be drawn")
        return pages

    return verify


def reads(words: Path, pages: int) -> Callable[[Path], int]:
    """A PDF with this many pages and the file's text, except for a small share of characters."""

    def verify(out: Path) -> int:
        said = subprocess.run(["pdftotext", "-raw", out, "-"], capture_output=True, text=True).stdout
        expected = words.read_text().split()
        rate = check.error_rate(said.split(), expected)
        if rate > MOST_WRONG:
            raise check.Wrong(f"{rate:.2%} of the characters are wrong")
        return pdf(pages)(out)

    return verify


def at_least(pages: int) -> Callable[[Path], int]:
    """A PDF with at least this many pages, depending on the layout."""

    def verify(out: Path) -> int:
        made = _pages(out)
        if made < pages:
            raise check.Wrong(f"{made} pages instead of {pages}")
        return pdf(made)(out)

    return verify


def files(count: int, head: bytes) -> Callable[[Path], int]:
    """A folder or ZIP with this many files that begin like this."""

    def verify(out: Path) -> int:
        if out.is_dir():
            heads = [path.read_bytes()[: len(head)] for path in out.iterdir()]
        elif zipfile.is_zipfile(out):
            with zipfile.ZipFile(out) as archive:
                heads = [archive.open(name).read(len(head)) for name in archive.namelist()]
        else:
            heads = [out.read_bytes()[: len(head)]]
        if heads != [head] * count:
            raise check.Wrong(f"{len(heads)} files instead of {count}, or of another kind")
        return count

    return verify


def package(part: str, *words: str) -> Callable[[Path], int]:
    """An office file with these words in a part."""

    def verify(out: Path) -> int:
        if not zipfile.is_zipfile(out):
            raise check.Wrong("not a package")
        with zipfile.ZipFile(out) as archive:
            text = archive.read(part).decode()
        missing = [word for word in words if word not in text]
        if missing:
            raise check.Wrong(f"{missing} is missing")
        return 1

    return verify


def says(*words: str) -> Callable[[Path], int]:
    def verify(out: Path) -> int:
        text = out.read_text("utf-8", "replace")
        missing = [word for word in words if word not in text]
        if missing:
            raise check.Wrong(f"{missing} is missing")
        return 1

    return verify


def invoice(rows: int) -> dict:
    """The options for the template of an invoice with this many rows."""
    items = [{"name": f"Item {row}", "price": row} for row in range(1, rows + 1)]
    return {"data": {"customer": "Ada Lovelace", "date": "2026-11-25", "items": items}}


def _any_json(out: Path) -> int:
    """Ours is JSON, the peer's is lines."""
    text = out.read_text("utf-8", "replace")
    if text.startswith("{"):
        json.loads(text)
    elif "Pages:" not in text:
        raise check.Wrong("no number of pages")
    return 1


def _finds_the_change(out: Path) -> int:
    """Ours lists all pages, the peer's only those that differ."""
    found = json.loads(out.read_text())
    pages = found if isinstance(found, list) else [page["after"] for page in found["pages"] if page["areas"]]
    if pages != [REVISED_PAGE]:
        raise check.Wrong(f"changes on pages {pages}")
    return 1


def scans(made: Path, count: int) -> list[Path]:
    return [made / f"scan-{number}.jpg" for number in range(count)]


def field(number: int) -> tuple[str, str]:
    """Name and value of a field of the forms."""
    return f"field{number}", f"Value {number}"


def values(count: int) -> dict:
    return {"fields": dict(field(number) for number in range(count))}


def filled(count: int) -> Callable[[Path], int]:
    """A form whose last page shows its last field's value."""

    def verify(out: Path) -> int:
        pages = _pages(out)
        shown = subprocess.run(["pdftotext", "-f", str(pages), out, "-"], capture_output=True, text=True).stdout
        if field(count - 1)[1] not in shown:
            raise check.Wrong("the last field is empty")
        return pages

    return verify


def small(made: Path) -> list[Case]:
    text, form, pictures = FIXTURES / "text.pdf", FIXTURES / "forms.pdf", FIXTURES / "pictures.pdf"
    png = b"\x89PNG"
    letters = sorted(made.glob("letter-*.pdf"))
    pages = _pages(pictures)
    return [
        Case("merge 2 small", "merge-pdf", [text, form], ".pdf", pdf(5 + _pages(form)), pdf_peers.merge),
        Case("merge 100 small", "merge-pdf", letters, ".pdf", pdf(5 * LETTERS), pdf_peers.merge),
        Case("split into pages", "split-pdf", [text], "", files(5, b"%PDF"), pdf_peers.split, {"mode": "every"}),
        Case("reverse", "organize-pdf", [text], ".pdf", pdf(5), pdf_peers.organize, {"pages": "z-1"}),
        Case("compress pictures", "compress-pdf", [pictures], ".pdf", pdf(pages), pdf_peers.compress),
        Case("PNG, 150 dpi", "pdf-to-images", [pictures], "", files(pages, png), pdf_peers.images),
        Case("thumbnail", "thumbnail", [pictures], ".png", files(1, png), pdf_peers.thumbnail, {"format": "png"}),
        Case("10 JPEGs to PDF", "images-to-pdf", scans(made, 10), ".pdf", pdf(10), pdf_peers.from_images),
        Case("text", "pdf-to-text", [text], ".txt", says("the"), pdf_peers.text),
        Case("text of pictures", "pdf-to-text", [pictures], ".txt", says("余英時"), pdf_peers.text),
        Case("Markdown", "pdf-to-text", [text], ".md", says("the"), pdf_peers.markdown, {"format": "markdown"}),
        Case("to Word", "pdf-to-office", [text], ".docx", package("word/document.xml", "the"), _none),
        Case("extract", "extract-document", [text], ".json", says("the"), _none),
        Case(
            "OCR of 4 scans",
            "ocr-pdf",
            [made / SCANNED_TEXT],
            ".pdf",
            reads(made / SCANNED_WORDS, SCANNED_PAGES),
            pdf_peers.ocr,
        ),
        Case("watermark", "watermark-pdf", [text], ".pdf", pdf(5), pdf_peers.watermark, {"text": "Draft"}),
        Case(
            "protect",
            "protect-pdf",
            [text],
            ".pdf",
            pdf(5, PASSWORD),
            pdf_peers.protect,
            {"userPassword": PASSWORD, "ownerPassword": "own"},
        ),
        Case("unlock", "unlock-pdf", [made / LOCKED], ".pdf", pdf(5), pdf_peers.unlock, {"password": PASSWORD}),
        Case("flatten", "flatten-pdf", [form], ".pdf", pdf(_pages(form)), pdf_peers.flatten),
        Case("set the title", "edit-metadata", [text], ".pdf", pdf(5), pdf_peers.metadata, {"set": {"title": "New"}}),
        Case("PDF/A", "pdf-to-pdfa", [text], ".pdf", archive(5), pdf_peers.archive),
        Case("tag", "tag-pdf", [text], ".pdf", pdf(5), _none, {"ocr": "never", "existing": "replace"}),
        Case("check accessibility", "check-accessibility", [text], ".json", _any_json, _none),
        Case("inspect", "inspect-document", [text], ".json", _any_json, pdf_peers.inspect),
        Case("read an invoice", "read-invoice", [INVOICE], ".json", _any_json, _none),
        Case("validate an invoice", "validate-invoice", [INVOICE], ".json", _any_json, _none),
        Case("sign", "sign-pdf", [text], ".pdf", pdf(5), _none, {"key": KEY}),
        Case("verify a signature", "verify-signatures", [SIGNED / "approval.pdf"], ".json", _any_json, pdf_peers.verify),
        Case(
            "compare",
            "compare-documents",
            [text, made / REVISED],
            ".json",
            _finds_the_change,
            pdf_peers.compare,
            {"format": "json"},
        ),
        Case("fill 10 fields", "fill-form", [made / FORM], ".pdf", filled(FORM_FIELDS), pdf_peers.fill, values(FORM_FIELDS)),
        Case(
            "redact a word",
            "redact-pdf",
            [text],
            ".pdf",
            pdf(5),
            _none,  # No other open tool proves what it removed, so a comparison would not be fair.
            {"text": [{"literal": "the", "wholeWords": True}]},
        ),
        Case("Markdown to PDF", "markdown-to-pdf", [PROJECT / "CONTRIBUTING.md"], ".pdf", at_least(1), pdf_peers.from_markdown),
        Case(
            "fill a template",
            "render-template",
            [SAMPLES / "invoice-template.docx"],
            ".docx",
            package("word/document.xml", "Item 50"),
            _none,
            invoice(50),
        ),
        Case(
            "fill 20 tags and 50 rows",
            "render-template",
            [made / templates.OURS],
            ".docx",
            templates.filled,
            templates.rivals,
            {"data": templates.data()},
        ),
        Case(
            "docx to odt",
            "convert-office",
            [SAMPLES / "small.docx"],
            ".odt",
            package("content.xml", "Small doc"),
            pdf_peers.to_odt,
            {"format": "odt"},
        ),
        Case("email", "email-to-pdf", [FIXTURES.parent / "email/figures.eml"], ".pdf", pdf(1), pdf_peers.from_email),
        Case("page to PNG", "html-to-image", [SAMPLES / "invoice.html"], ".png", files(1, png), pdf_peers.screenshot),
    ]


def large(made: Path) -> list[Case]:
    """Measured for their memory too: 500 tagged pages twice, and 500 scans, nearly as much
    as a source may have, in every tool that rewrites or reads them."""
    report, scan = made / "report.pdf", made / SCAN
    cases = [
        Case("merge 2 × 500 tagged", "merge-pdf", [report] * 2, ".pdf", pdf(2 * REPORT_PAGES), pdf_peers.merge),
        Case("PNG of 100 pages", "pdf-to-images", [report], "", files(100, b"\x89PNG"), pdf_peers.images_of_100, {"pages": "1-100"}),
        Case("text of 500 pages", "pdf-to-text", [report], ".txt", says("Chapter"), pdf_peers.text),
        Case("500 pages to Word", "pdf-to-office", [report], ".docx", package("word/document.xml", "Chapter"), _none),
        Case("extract 500 pages", "extract-document", [report], ".json", says("Chapter"), _none),
        Case("merge 500 scans", "merge-pdf", [scan, FIXTURES / "text.pdf"], ".pdf", pdf(SCAN_PAGES + 5), pdf_peers.merge),
        Case("split 500 scans", "split-pdf", [scan], "", files(5, b"%PDF"), pdf_peers.split_in_hundreds, {"mode": "every", "every": 100}),
        Case("reverse 500 scans", "organize-pdf", [scan], ".pdf", pdf(SCAN_PAGES), pdf_peers.organize, {"pages": "z-1"}),
        Case("compress 500 scans", "compress-pdf", [scan], ".pdf", pdf(SCAN_PAGES), pdf_peers.compress),
        Case("watermark 500 scans", "watermark-pdf", [scan], ".pdf", pdf(SCAN_PAGES), pdf_peers.watermark, {"text": "Draft"}),
        Case("flatten 500 scans", "flatten-pdf", [scan], ".pdf", pdf(SCAN_PAGES), pdf_peers.flatten),
        Case("title of 500 scans", "edit-metadata", [scan], ".pdf", pdf(SCAN_PAGES), pdf_peers.metadata, {"set": {"title": "New"}}),
        Case(
            "protect 500 scans",
            "protect-pdf",
            [scan],
            ".pdf",
            pdf(SCAN_PAGES, PASSWORD),
            pdf_peers.protect,
            {"userPassword": PASSWORD, "ownerPassword": "own"},
        ),
        Case(
            "unlock 500 pages",
            "unlock-pdf",
            [made / LOCKED_LONG],
            ".pdf",
            pdf(REPORT_PAGES),
            pdf_peers.unlock,
            {"password": PASSWORD},
        ),
        Case("100 JPEGs to PDF", "images-to-pdf", scans(made, PICTURES), ".pdf", pdf(PICTURES), pdf_peers.from_images),
        Case("thumbnail of 500 pages", "thumbnail", [report], ".png", files(1, b"\x89PNG"), pdf_peers.thumbnail),
        Case("tag 500 pages", "tag-pdf", [report], ".pdf", pdf(REPORT_PAGES), _none, {"ocr": "never", "existing": "replace"}),
        Case("PDF/A of 500 scans", "pdf-to-pdfa", [scan], ".pdf", pdf(SCAN_PAGES), _none),
        Case("inspect 500 scans", "inspect-document", [scan], ".json", _any_json, pdf_peers.inspect),
        Case("check accessibility of 500 pages", "check-accessibility", [report], ".json", _any_json, _none),
        Case("read 1000 lines", "read-invoice", [long_invoice(made)], ".json", _any_json, _none),
        Case("validate 1000 lines", "validate-invoice", [long_invoice(made)], ".json", _any_json, _none),
        Case("sign 500 scans", "sign-pdf", [scan], ".pdf", pdf(SCAN_PAGES), _none, {"key": KEY}),
        Case(
            "verify an archived signature", "verify-signatures", [SIGNED / "archived.pdf"], ".json", _any_json, pdf_peers.verify
        ),
        Case(
            "OCR of 12 scans",
            "ocr-pdf",
            [made / SCANNED_LONG],
            ".pdf",
            reads(made / SCANNED_LONG_WORDS, 3 * SCANNED_PAGES),
            pdf_peers.ocr,
        ),
        Case(
            "redact 4 scans",
            "redact-pdf",
            [made / SCANNED_TEXT],
            ".pdf",
            pdf(SCANNED_PAGES),
            _none,
            {"text": [{"literal": "towns", "wholeWords": True}]},
        ),
        Case(
            "compare 100 pages",
            "compare-documents",
            [made / REPORT_PART, made / REPORT_REVISED],
            ".json",
            _finds_the_change,
            pdf_peers.compare,
            {"format": "json"},
        ),
        Case(
            "fill 1,000 fields",
            "fill-form",
            [made / FORM_LONG],
            ".pdf",
            filled(FORM_LONG_FIELDS),
            pdf_peers.fill,
            values(FORM_LONG_FIELDS),
        ),
        Case("Markdown to PDF, large", "markdown-to-pdf", [made / "long.md"], ".pdf", at_least(15), pdf_peers.from_markdown),
        Case(
            "fill 1,000 rows",
            "render-template",
            [SAMPLES / "invoice-template.docx"],
            ".docx",
            package("word/document.xml", "Item 1000"),
            _none,
            invoice(1000),
        ),
        Case(
            "docx to odt, large",
            "convert-office",
            [made / "large.docx"],
            ".odt",
            package("content.xml", MARKER),
            pdf_peers.to_odt,
            {"format": "odt"},
        ),
        Case("email, large", "email-to-pdf", [made / LONG_MESSAGE], ".pdf", at_least(15), pdf_peers.from_email),
        Case("page to PNG, large", "html-to-image", [made / "large.html"], ".png", files(1, b"\x89PNG"), pdf_peers.screenshot),
    ]
    return [dataclasses.replace(case, size="large") for case in cases]


def compressible() -> list[Case]:
    """The PDFs in `$BENCH_PDFS`, a folder of real ones, or else the tests'."""
    folder = Path(os.environ.get("BENCH_PDFS", FIXTURES))
    readable = [path for path in sorted(folder.glob("*.pdf")) if _is_open(path)]
    return [
        Case(path.stem, "compress-pdf", [path], ".pdf", pdf(_pages(path)), pdf_peers.compress) for path in readable
    ]


def _is_open(path: Path) -> bool:
    return subprocess.run(["qpdf", "--requires-password", path], capture_output=True).returncode == 2


def _none(_: peers.Peers) -> list[Contender]:
    return []


def _pages(path: Path) -> int:
    return int(subprocess.run(["qpdf", "--show-npages", path], capture_output=True, text=True, check=True).stdout)
