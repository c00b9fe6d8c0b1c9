"""Pages for people, with the blocks that `extract-document` finds drawn on them: `python -m extract.drawn PDF OUT.pdf --worker PATH`.

Each box is that of a block, in the colour of its role, with its number in the order of reading and its role. Cells of tables have thin boxes.
"""

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.worker import Platform, Worker

OPTIONS = {"format": "json", "headersFooters": "keep", "ocr": "never"}
COLOURS = {
    "title": (0.8, 0, 0),
    "heading": (0.8, 0, 0),
    "paragraph": (0, 0.4, 0.8),
    "listItem": (0, 0.55, 0.3),
    "table": (0.6, 0.2, 0.7),
    "figure": (0.9, 0.5, 0),
    "caption": (0.7, 0.5, 0),
    "header": (0.5, 0.5, 0.5),
    "footer": (0.5, 0.5, 0.5),
}
OTHERS = (0.2, 0.2, 0.2)


def to_page(page: "pikepdf.Page") -> str:
    """The matrix from points below the upper left corner of the page as shown to those of its content."""
    left, bottom, right, top = (float(value) for value in page.cropbox)
    match int(page.obj.get("/Rotate", 0)) % 360:
        case 90:
            return f"0 1 1 0 {left} {bottom}"
        case 180:
            return f"-1 0 0 1 {right} {bottom}"
        case 270:
            return f"0 -1 -1 0 {right} {top}"
        case _:
            return f"1 0 0 -1 {left} {top}"


def marks(document: dict, number: int) -> str:
    """The boxes of a page, as its content."""
    drawn = []
    for at, block in enumerate(document["blocks"], 1):
        for place in block["places"]:
            if place["page"] != number:
                continue
            x0, y0, x1, y1 = place["box"]
            role = f"{block['role']} {block['level']}" if "level" in block else block["role"]
            colour = " ".join(map(str, COLOURS.get(block["role"], OTHERS)))
            drawn.append(f"{colour} RG {colour} rg 1 w {x0} {y0} {x1 - x0} {y1 - y0} re S")
            drawn.append(f"BT /DocmillBoxes 6 Tf 1 0 0 -1 {x0} {y0 - 1} Tm ({at} {role}) Tj ET")
    for table in document["tables"]:
        for cell in table["cells"]:
            for place in cell.get("places", []):
                if place["page"] == number:
                    x0, y0, x1, y1 = place["box"]
                    drawn.append(f"0.6 0.2 0.7 RG 0.3 w {x0} {y0} {x1 - x0} {y1 - y0} re S")
    return "\n".join(drawn)


def draw(pdf: Path, document: dict, out: Path) -> None:
    import pikepdf

    with pikepdf.open(pdf) as made:
        font = made.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica))
        for number, page in enumerate(made.pages, 1):
            page.add_resource(font, pikepdf.Name.Font, pikepdf.Name("/DocmillBoxes"))
            page.contents_add(b"q", prepend=True)
            page.contents_add(f"Q q {to_page(page)} cm\n{marks(document, number)}\nQ".encode())
        made.save(out)


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.drawn")
    parser.add_argument("pdf", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--worker", type=Path, required=True)
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        worker, read = Worker(arguments.worker, Path(name), Platform.ROOT), Path(name) / "read.json"
        try:
            worker.convert("extract-document", arguments.pdf, read, OPTIONS)
            draw(arguments.pdf, json.loads(read.read_text()), arguments.out)
        finally:
            worker.lines.stop()


if __name__ == "__main__":
    main()
