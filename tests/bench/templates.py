"""A page with twenty tags and a table of fifty rows, for engines of templates."""

import json
import re
import zipfile
from pathlib import Path

from . import check, peers
from .contenders import Contender, Lines

FIELDS, ROWS = 20, 50
# Renamed when their content changes, because generated files are kept. Ours has docxtemplater's tags; docxtpl has its own.
OURS, JINJA, DATA = "fields.docx", "fields.jinja.docx", "fields.json"


def data() -> dict:
    fields = {f"field{number}": f"Value of field {number}" for number in range(1, FIELDS + 1)}
    items = [
        {"no": row, "name": f"Garden chair {row}", "count": row % 7 + 1, "price": f"{row * 3 + 0.5:.2f}"}
        for row in range(1, ROWS + 1)
    ]
    return {**fields, "items": items}


def filled(out: Path) -> int:
    """A document with all values in their order."""
    with zipfile.ZipFile(out) as archive:
        xml = archive.read("word/document.xml").decode()
    paragraphs = ["".join(re.findall(r"<w:t(?: [^>]*)?>([^<]*)", text)) for text in xml.split("</w:p>")]
    given = data()
    expected = [f"Field {number}: {given[f'field{number}']}" for number in range(1, FIELDS + 1)]
    expected += [str(value) for row in given["items"] for value in row.values()]
    found = [text for text in paragraphs if text and text not in ("No", "Name", "Count", "Price")]
    if found != expected:
        raise check.Wrong(f"{len(found)} texts instead of {len(expected)}, or other ones")
    return 1


class OfFirst(Lines):
    """A peer that takes a template, whose data lies beside it."""

    def convert(self, source: list[Path], out: Path) -> None:
        super().convert(source[0], out)


def rivals(installed: peers.Peers) -> list[Contender]:
    scripts = peers.HERE
    node = ["node", str(scripts / "peer_docxtemplater.mjs"), str(installed.modules)]
    python = [str(installed.python), str(scripts / "peer_docxtpl.py")]
    return [OfFirst("docxtemplater", node), OfFirst("docxtpl", python)]


def write(folder: Path) -> None:
    """Runs in the peers' environment."""
    (folder / DATA).write_text(json.dumps(data()))
    _document(folder / OURS, "{%s}", [], ("{#items}{no}", "{name}", "{count}", "{price}{/items}"), [])
    cells = tuple("{{ item.%s }}" % name for name in ("no", "name", "count", "price"))
    _document(folder / JINJA, "{{ %s }}", ["{%tr for item in items %}"], cells, ["{%tr endfor %}"])


def _document(path: Path, tag: str, before: list[str], cells: tuple[str, ...], after: list[str]) -> None:
    import docx

    document = docx.Document()
    document.styles["Normal"].font.size = docx.shared.Pt(6)
    for number in range(1, FIELDS + 1):
        paragraph = document.add_paragraph(f"Field {number}: {tag % f'field{number}'}")
        paragraph.paragraph_format.space_after = docx.shared.Pt(0)
    rows = [("No", "Name", "Count", "Price"), *[(text,) for text in before], cells, *[(text,) for text in after]]
    table = document.add_table(rows=len(rows), cols=4)
    for row, texts in zip(table.rows, rows, strict=True):
        for cell, text in zip(row.cells, texts, strict=False):
            cell.text = text
    document.save(path)
