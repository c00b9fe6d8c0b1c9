"""`python -m bench.generate_pdfs FOLDER`: PDFs that are too large to be committed."""

import random
import shutil
import subprocess
import sys
from email.message import EmailMessage
from pathlib import Path

import pikepdf
from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

from . import peers
from .pdf_cases import (
    FIXTURES,
    FORM,
    FORM_FIELDS,
    FORM_LONG,
    FORM_LONG_FIELDS,
    LETTERS,
    LOCKED,
    LOCKED_LONG,
    LONG_MESSAGE,
    PASSWORD,
    PICTURES,
    REPORT_PAGES,
    REPORT_PART,
    REPORT_REVISED,
    REVISED,
    REVISED_PAGE,
    SCAN,
    SCAN_PAGES,
    SCANNED_LONG,
    SCANNED_LONG_WORDS,
    SCANNED_PAGES,
    SCANNED_TEXT,
    SCANNED_WORDS,
    field,
)

FONT = "/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf"
WORDS = "the river carries stones and sand from mountains to the plain where towns were built along its banks".split()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(7)
    _letters(folder)
    _revised(folder)
    _long_text(folder)
    _report(folder)
    _scan(folder)
    _scanned_text(folder)
    _long_message(folder)
    _long_scan(folder)
    _parts_of_report(folder)
    _form(folder / FORM, FORM_FIELDS)
    _form(folder / FORM_LONG, FORM_LONG_FIELDS)
    _locked(FIXTURES / "text.pdf", folder / LOCKED)
    _locked(folder / "report.pdf", folder / LOCKED_LONG)


def _letters(folder: Path) -> None:
    """Separate files, because a program that gets the same file a hundred times opens it once."""
    for number in range(LETTERS):
        shutil.copyfile(FIXTURES / "text.pdf", folder / f"letter-{number:03}.pdf")


def _revised(folder: Path) -> None:
    """Another version of a text, with a box on one page."""
    with pikepdf.open(FIXTURES / "text.pdf") as text:
        text.pages[REVISED_PAGE - 1].contents_add(b"q 1 0 0 1 0 0 cm 0 g 200 300 60 40 re f Q")
        text.save(folder / REVISED)


def _report(folder: Path) -> None:
    """Tagged pages with an outline, links and tables, as Chromium prints them."""
    chapters = []
    for number in range(1, REPORT_PAGES + 1):
        text = " ".join(random.choices(WORDS, k=280))
        row = "".join(f"<td>{random.randrange(10000)}</td>" for _ in range(5))
        link = f'<a href="#c{random.randrange(1, REPORT_PAGES + 1)}">see there</a>'
        chapters.append(f'<h2 id="c{number}">Chapter {number}</h2><p>{text} {link}</p><table><tr>{row}</tr></table>')
    page = folder / "report.html"
    style = "<style>h2 { break-before: page } h2:first-of-type { break-before: auto }</style>"
    page.write_text(f"<!doctype html><html lang=en><title>Report</title>{style}{''.join(chapters)}")
    printing = ["--no-sandbox", "--no-pdf-header-footer", "--generate-pdf-document-outline", "--export-tagged-pdf"]
    target = f"--print-to-pdf={folder / 'report.pdf'}"
    subprocess.run([peers.browser(), *printing, target, page.as_uri()], check=True, capture_output=True)


def _scan(folder: Path) -> None:
    """Pages of 180 KB, all different: the grain of a scanner."""
    pictures = []
    for number in range(SCAN_PAGES):
        grain = Image.effect_noise((310, 438), 5 + number % 3).resize((1240, 1754), Image.Resampling.BICUBIC)
        path = folder / f"scan-{number}.jpg"
        grain.save(path, "JPEG", quality=80, dpi=(150, 150))
        pictures.append(path)
    subprocess.run(["img2pdf", *pictures, "-o", folder / SCAN], check=True)
    for path in pictures[PICTURES:]:
        path.unlink()


def _scanned_text(folder: Path) -> None:
    """A4 pages of text at 300 dpi, grainy and slightly blurred, every other one half a degree askew."""
    font = ImageFont.truetype(FONT, 46)
    pictures, words = [], []
    for number in range(SCANNED_PAGES):
        page = Image.new("L", (2480, 3508), 250)
        draw = ImageDraw.Draw(page)
        for line in range(44):
            text = " ".join(random.choices(WORDS, k=13))
            draw.text((260, 260 + 66 * line), text, font=font, fill=25)
            words.append(text)
        page = page.rotate(0.5 * (number % 2), Image.Resampling.BICUBIC, fillcolor=250)
        page = ImageChops.add(page, Image.effect_noise(page.size, 30), scale=1, offset=-128)
        path = folder / f"scanned-text-{number}.jpg"
        page.filter(ImageFilter.GaussianBlur(0.7)).save(path, "JPEG", quality=75, dpi=(300, 300))
        pictures.append(path)
    (folder / SCANNED_WORDS).write_text("\n".join(words))
    subprocess.run(["img2pdf", *pictures, "-o", folder / SCANNED_TEXT], check=True)
    for path in pictures:
        path.unlink()


def _long_text(folder: Path) -> None:
    """Markdown with headings, tables and lists, about fifteen pages."""
    parts = ["# Report\n"]
    for chapter in range(1, 41):
        text = " ".join(random.choices(WORDS, k=120))
        rows = "".join(f"| {word} | {random.randrange(10000)} |\n" for word in random.choices(WORDS, k=4))
        items = "".join(f"- {word}\n" for word in random.choices(WORDS, k=3))
        parts.append(f"## Chapter {chapter}\n\n{text}\n\n| Part | Count |\n|---|---|\n{rows}\n{items}")
    (folder / "long.md").write_text("\n".join(parts))


def _long_scan(folder: Path) -> None:
    with pikepdf.open(folder / SCANNED_TEXT) as scan:
        pages = list(scan.pages)
        for _ in range(2):
            scan.pages.extend(pages)
        scan.save(folder / SCANNED_LONG)
    (folder / SCANNED_LONG_WORDS).write_text("\n".join([(folder / SCANNED_WORDS).read_text()] * 3))


def _parts_of_report(folder: Path) -> None:
    """A hundred pages, and another version of them with a box on one page."""
    with pikepdf.open(folder / "report.pdf") as report, pikepdf.new() as part:
        part.pages.extend(list(report.pages)[:100])
        part.save(folder / REPORT_PART)
        part.pages[REVISED_PAGE - 1].contents_add(b"q 1 0 0 1 0 0 cm 0 g 200 300 60 40 re f Q")
        part.save(folder / REPORT_REVISED)


def _form(path: Path, count: int) -> None:
    """Text fields, ten on each page."""
    with pikepdf.new() as form:
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        fields = pikepdf.Array()
        for number in range(count):
            if number % 10 == 0:
                page = form.add_blank_page(page_size=(595, 842))
                page.Annots = pikepdf.Array()
            top = 800 - 40 * (number % 10)
            widget = pikepdf.Dictionary(
                Type=pikepdf.Name.Annot,
                Subtype=pikepdf.Name.Widget,
                FT=pikepdf.Name.Tx,
                T=field(number)[0],
                F=4,
                Rect=[40, top - 20, 300, top],
                DA="/Helv 11 Tf 0 g",
                P=page.obj,
            )
            widget = form.make_indirect(widget)
            page.Annots.append(widget)
            fields.append(widget)
        resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(Helv=font))
        form.Root.AcroForm = form.make_indirect(pikepdf.Dictionary(Fields=fields, DR=resources, DA="/Helv 11 Tf 0 g"))
        form.save(path)


def _locked(source: Path, target: Path) -> None:
    subprocess.run(["qpdf", "--encrypt", PASSWORD, "own", "256", "--", source, target], check=True)


def _long_message(folder: Path) -> None:
    """A newsletter of many chapters, with a file attached."""
    message = EmailMessage()
    message["From"], message["To"] = "Editors <editors@example.com>", "reader@example.com"
    message["Subject"], message["Date"] = "The long newsletter", "Sun, 22 Nov 2026 10:00:00 +0000"
    message.set_content("Only in HTML.")
    chapters = []
    for chapter in range(1, 61):
        text = " ".join(random.choices(WORDS, k=250))
        rows = "".join(f"<tr><td>{word}</td><td>{random.randrange(10000)}</td></tr>" for word in random.choices(WORDS, k=4))
        chapters.append(f"<h2>Chapter {chapter}</h2><p>{text}</p><table border=1>{rows}</table>")
    style = "<style>body { font-family: Georgia, serif } td { padding: 4px }</style>"
    message.add_alternative(f"<html><head>{style}</head><body>{''.join(chapters)}</body></html>", subtype="html")
    message.add_attachment(random.randbytes(2_000_000), "application", "octet-stream", filename="data.bin")
    (folder / LONG_MESSAGE).write_bytes(message.as_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
