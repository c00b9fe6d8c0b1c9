"""Writes the larger documents of the benchmark: `python -m bench.generate_documents DIRECTORY`.

Runs in the peers' environment. The same each time: the only randomness has a fixed seed. MARKER ends each of them.
"""

import random
import sys
from io import BytesIO
from pathlib import Path

import docx
import openpyxl
import pptx
from docx.shared import Cm
from PIL import Image
from pptx.util import Inches

from .documents import MARKER

WORDS = (
    "account river window silver method garden letter number stone bridge market signal paper winter copper engine "
    "harbour linen meadow orbit pencil quarry ribbon summit timber valley whistle yellow"
).split()


class Author:
    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def sentence(self, words: int = 14) -> str:
        return " ".join(self.random.choices(WORDS, k=words)).capitalize() + "."

    def paragraph(self, sentences: int = 6) -> str:
        return " ".join(self.sentence() for _ in range(sentences))

    def photo(self, width: int = 1600, height: int = 1200) -> BytesIO:
        """A JPEG with the detail of a photograph: coarse noise, enlarged."""
        noise = Image.frombytes("RGB", (width // 8, height // 8), self.random.randbytes(width * height * 3 // 64))
        file = BytesIO()
        noise.resize((width, height), Image.Resampling.BICUBIC).save(file, "JPEG", quality=88)
        file.seek(0)
        return file


def write_docx(path: Path, chapters: int, photos: int) -> None:
    author = Author(1)
    document = docx.Document()
    for chapter in range(chapters):
        document.add_heading(f"Chapter {chapter + 1}", level=1)
        for _ in range(5):
            document.add_paragraph(author.paragraph())
        table = document.add_table(rows=6, cols=4, style="Table Grid")
        for row in table.rows:
            for cell in row.cells:
                cell.text = author.sentence(3)
        if chapter < photos:
            document.add_picture(author.photo(), width=Cm(14))
    document.add_paragraph(MARKER)
    document.save(path)


def write_xlsx(path: Path, rows: int) -> None:
    author = Author(2)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Number", "Item", "Place", "Amount", "Price", "Sum"])
    for row in range(2, rows + 2):
        price = round(author.random.uniform(1, 500), 2)
        amount = author.random.randint(1, 90)
        sheet.append([row - 1, author.sentence(2), author.sentence(1), amount, price, f"=D{row}*E{row}"])
    sheet.append([MARKER])
    sheet.column_dimensions["B"].width = 24
    book.save(path)


def write_pptx(path: Path, slides: int, photos: int) -> None:
    author = Author(3)
    talk = pptx.Presentation()
    for number in range(slides):
        slide = talk.slides.add_slide(talk.slide_layouts[1])
        slide.shapes.title.text = MARKER if number == slides - 1 else author.sentence(4)
        slide.placeholders[1].text = "\n".join(author.sentence(7) for _ in range(5))
        if number < photos:
            slide.shapes.add_picture(author.photo(), Inches(5), Inches(4), width=Inches(4))
    talk.save(path)


STYLE = """
  @page { size: A4; margin: 18mm }
  body { font: 10.5pt/1.4 "Liberation Serif", serif; color: #222 }
  h1 { color: #204060; border-bottom: 2px solid #204060; page-break-before: always }
  table { border-collapse: collapse; width: 100% } td, th { border: 1px solid #999; padding: 3px 6px }
  tr:nth-child(even) { background: #eef2f6 }
  .note { background: #fff7e0; border-left: 4px solid #e0a800; padding: 6px 10px }
"""


def html(body: str) -> str:
    head = f"<meta charset=utf-8><title>Benchmark</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang=en>{head}{body}<p>{MARKER}</p></html>"


def html_table(author: Author, rows: int) -> str:
    lines = []
    for row in range(rows):
        item, place, amount = author.sentence(3), author.sentence(2), author.random.randint(1, 999)
        lines.append(f"<tr><td>{row + 1}<td>{item}<td>{place}<td>{amount}</tr>")
    head = "<thead><tr><th>Number<th>Item<th>Place<th>Sum</thead>"
    return f"<table>{head}<tbody>{''.join(lines)}</table>"


def write_report(path: Path, chapters: int) -> None:
    author = Author(4)
    parts = []
    for chapter in range(chapters):
        parts.append(f"<h1>Chapter {chapter + 1}</h1>")
        parts.extend(f"<p>{author.paragraph()}</p>" for _ in range(7))
        parts.append(f"<div class=note>{author.sentence()}</div>{html_table(author, 8)}")
    path.write_text(html("".join(parts)))


def write_table(path: Path, rows: int) -> None:
    path.write_text(html(html_table(Author(5), rows)))


def write_traps(directory: Path) -> None:
    """Pages that harm engines: nesting, dialogs that wait for an answer, more memory than there is, and no end."""
    (directory / "deep.html").write_text("<div>" * 5000 + "deep" + "</div>" * 5000)
    (directory / "dialogs.html").write_text("<p>before<script>for (let i = 9; i--;) confirm(prompt('?'))</script>")
    (directory / "endless.html").write_text("<p>before<script>for (;;);</script>")
    hoard = "const hoard = []; for (;;) hoard.push(new Array(1 << 20).fill(hoard.length))"
    (directory / "memory.html").write_text(f"<p>before<script>{hoard}</script>")


def main(directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    write_docx(directory / "medium.docx", chapters=10, photos=2)
    write_docx(directory / "large.docx", chapters=60, photos=12)
    write_xlsx(directory / "medium.xlsx", rows=500)
    write_xlsx(directory / "large.xlsx", rows=6000)
    write_pptx(directory / "medium.pptx", slides=15, photos=3)
    write_pptx(directory / "large.pptx", slides=80, photos=25)
    write_report(directory / "medium.html", chapters=20)
    write_table(directory / "large.html", rows=1000)
    write_traps(directory)
    (directory / "random.docx").write_bytes(random.Random(6).randbytes(3000))
    (directory / "empty.docx").write_bytes(b"")
    (directory / "cut.xlsx").write_bytes((directory / "medium.xlsx").read_bytes()[:9000])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
