"""Writes a document as a Word file, in one of python-docx's built-in styles."""

import random
from pathlib import Path

import docx
from docx.enum.table import WD_TABLE_ALIGNMENT
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Pt

from .truth import Block, Document, Role

FONTS = ["Liberation Serif", "Carlito", "Caladea", "Liberation Sans"]
TABLES = ["Table Grid", "Light Grid Accent 1", "Light List", "Medium Shading 1", "Plain Table 2", "Table Normal"]
LISTS = {False: ["List Bullet", "List Bullet 2", "List Bullet 3"], True: ["List Number", "List Number 2", "List Number 3"]}


def write(document: Document, path: Path) -> None:
    chance = random.Random(document.name)
    file = docx.Document()
    normal = file.styles["Normal"]
    normal.font.name, normal.font.size = chance.choice(FONTS), Pt(chance.choice([10, 10.5, 11, 12]))
    table_style = chance.choice([name for name in TABLES if name in file.styles])
    _columns(file.sections[0], document.layout.get("columns", 1))
    file.sections[0].header.paragraphs[0].text = document.header
    if document.footer or document.header:
        _page_number(file.sections[0].footer.paragraphs[0], document.footer)
    for block in document.blocks:
        _block(file, block, table_style)
    file.save(str(path))


def _block(file, block: Block, table_style: str) -> None:
    match block.role:
        case Role.HEADING:
            file.add_heading(block.text, block.level)
        case Role.PARAGRAPH | Role.FOOTNOTE | Role.FIELD:
            file.add_paragraph(block.text)
        case Role.CAPTION:
            file.add_paragraph(block.text, "Caption")
        case Role.CODE:
            for line in block.text.split("\n"):
                paragraph = file.add_paragraph()
                paragraph.paragraph_format.space_after = Pt(0)
                paragraph.add_run(line).font.name = "Liberation Mono"
        case Role.ITEM:
            # A list's number follows from the text, so that each list begins at 1.
            marker = f"{block.number}. " if block.number else ""
            style = "List Paragraph" if block.number else LISTS[False][min(block.depth, 2)]
            paragraph = file.add_paragraph(marker + block.text, style)
            if block.number:
                paragraph.paragraph_format.left_indent = Pt(18 + 18 * block.depth)
        case Role.TABLE:
            _table(file, block, table_style)


def _table(file, block: Block, style: str) -> None:
    width = sum(cell.columns for cell in block.rows[0])
    table = file.add_table(len(block.rows), width, style)
    table.alignment = WD_TABLE_ALIGNMENT.LEFT
    taken: set[tuple[int, int]] = set()
    for row, cells in enumerate(block.rows):
        column = 0
        for cell in cells:
            while (row, column) in taken:
                column += 1
            last = table.cell(row + cell.rows - 1, column + cell.columns - 1)
            place = table.cell(row, column)
            if cell.rows > 1 or cell.columns > 1:
                place = place.merge(last)
            place.text = cell.text
            taken |= {(row + down, column + right) for down in range(cell.rows) for right in range(cell.columns)}
    repeated = OxmlElement("w:tblHeader")
    table.rows[0]._tr.get_or_add_trPr().append(repeated)


def _columns(section, count: int) -> None:
    if count > 1:
        section._sectPr.xpath("./w:cols")[0].set(qn("w:num"), str(count))


def _page_number(paragraph, text: str) -> None:
    paragraph.add_run(f"{text} ".lstrip())
    run = paragraph.add_run()
    for kind, value in (("begin", ""), ("", "PAGE"), ("end", "")):
        if kind:
            part = OxmlElement("w:fldChar")
            part.set(qn("w:fldCharType"), kind)
        else:
            part = OxmlElement("w:instrText")
            part.text = value
        run._r.append(part)
