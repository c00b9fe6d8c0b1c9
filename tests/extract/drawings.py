"""How charts and diagrams of lines and shapes are read: `python -m extract.drawings --worker PATH [--keep FOLDER]`.

Pages of text with one drawing each (SVG, printed by our own engine), a box with text and a table. A link around each drawing tells where
it is printed. Counts the drawings found, labels outside them, figures that are not drawings, and lost paragraphs.
"""

import argparse
import json
import math
import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pikepdf

from bench.worker import Worker

from .boxes import overlap
from .page import ADDRESS
from .prose import Prose

EACH = 8
ENOUGH = 0.75
WIDTH, HEIGHT = 360, 200
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug"]


def text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="9" text-anchor="{anchor}">{words}</text>'


def axes(names: list[str], grid: bool) -> str:
    """Numbers on the left, names below."""
    lines = [f'<path d="M40 10V180H{WIDTH - 5}" fill="none" stroke="#333"/>']
    for step in range(5):
        y = 180 - step * 40
        lines.append(text(34, y + 3, str(step * 25), "end"))
        if grid and step:
            lines.append(f'<path d="M40 {y}H{WIDTH - 5}" stroke="#ddd" fill="none"/>')
    width = (WIDTH - 50) / len(names)
    lines += [text(45 + width * (at + 0.5), 194, name) for at, name in enumerate(names)]
    return "".join(lines)


def bars(random: random.Random) -> str:
    names = MONTHS[: random.randint(3, 8)]
    width = (WIDTH - 50) / len(names)
    heights = [random.randint(20, 160) for _ in names]
    shapes = [
        f'<rect x="{45 + width * (at + 0.2):.1f}" y="{180 - height}" width="{width * 0.6:.1f}" height="{height}" fill="#469"/>'
        for at, height in enumerate(heights)
    ]
    return axes(names, random.random() < 0.5) + "".join(shapes)


def curve(random: random.Random, names: list[str]) -> str:
    width = (WIDTH - 50) / len(names)
    return " ".join(f"{45 + width * (at + 0.5):.1f},{random.randint(20, 175)}" for at in range(len(names)))


def lines(random: random.Random) -> str:
    names = MONTHS[: random.randint(5, 8)]
    colors = ["#c33", "#393", "#339"][: random.randint(1, 3)]
    drawn = [f'<polyline points="{curve(random, names)}" fill="none" stroke="{color}" stroke-width="2"/>' for color in colors]
    return axes(names, True) + "".join(drawn)


def pie(random: random.Random) -> str:
    parts = [random.randint(1, 5) for _ in range(random.randint(3, 6))]
    shapes, angle = [], 0.0
    for at, part in enumerate(parts):
        end = angle + part / sum(parts) * 2 * math.pi
        point = lambda turned, reach=95: (180 + reach * math.cos(turned), 100 + reach * math.sin(turned))  # noqa: E731
        (x1, y1), (x2, y2), large = point(angle), point(end), int(end - angle > math.pi)
        color = f"hsl({at * 60} 50% 60%)"
        shapes.append(f'<path d="M180 100L{x1:.1f} {y1:.1f}A95 95 0 {large} 1 {x2:.1f} {y2:.1f}Z" fill="{color}"/>')
        shapes.append(text(*point((angle + end) / 2, 60), MONTHS[at]))
        angle = end
    return "".join(shapes)


def scatter(random: random.Random) -> str:
    points = [(random.randint(45, WIDTH - 8), random.randint(14, 176)) for _ in range(40)]
    shapes = [f'<path d="M{x} {y - 3}L{x + 3} {y + 3}L{x - 3} {y + 3}Z" fill="#a52"/>' for x, y in points]
    return axes(MONTHS[:5], True) + "".join(shapes)


def flow(random: random.Random) -> str:
    """Named boxes with arrows between them."""
    shapes = []
    for at, name in enumerate(["Start", "Collect data", "Compare", "Write report"][: random.randint(3, 4)]):
        x, y = 10 + at % 2 * 190, 15 + at // 2 * 100
        shapes.append(f'<rect x="{x}" y="{y}" width="140" height="60" rx="{random.choice([0, 8])}" fill="none" stroke="#333"/>')
        shapes.append(text(x + 70, y + 33, name))
        if at:
            from_x, from_y = (150, y + 30) if at % 2 else (200, y - 40)
            to_x, to_y = (200, y + 30) if at % 2 else (150, y)
            shapes.append(f'<path d="M{from_x} {from_y}L{to_x} {to_y}" stroke="#333" fill="none"/>')
            shapes.append(f'<path d="M{to_x} {to_y}l-8 -4l3 9z" fill="#333"/>')
    return "".join(shapes)


KINDS = {"bars": bars, "lines": lines, "pie": pie, "scatter": scatter, "flow chart": flow}
# Left, top, width and height of what is drawn.
VIEWS = {"pie": (84, 4, 192, 192), "flow chart": (10, 14, 330, 162)}


def page(kind: str, number: int) -> tuple[str, list[str]]:
    """HTML, and its paragraphs."""
    chance = random.Random(f"{kind} {number}")
    prose = Prose(f"{kind} {number}")
    paragraphs = [prose.paragraph() for _ in range(4)]
    left, top, width, height = VIEWS.get(kind, (0, 0, WIDTH, HEIGHT))
    view = f'width="{width}" height="{height}" viewBox="{left} {top} {width} {height}"'
    drawing = f'<a href="{ADDRESS}0" class="d" style="width:{width}px;height:{height}px"><svg {view}>{KINDS[kind](chance)}</svg></a>'
    rows = "".join(f"<tr><td>{MONTHS[row]}</td><td>{chance.randint(1, 99)}</td><td>{chance.randint(1, 99)}</td></tr>" for row in range(4))
    radius = chance.choice([0, 10])
    return (
        f"<!DOCTYPE html><meta charset=utf-8><style>body{{font:11pt serif}}.d{{display:block;margin:14pt 20pt}}"
        f".n{{border:1px solid #555;border-radius:{radius}px;padding:8pt}}table{{border-collapse:collapse}}td{{border:1px solid #333;padding:3pt 12pt}}"
        f"</style><p>{paragraphs[0]}</p>{drawing}<p>{paragraphs[1]}</p><p class=n>{paragraphs[2]}</p><table>{rows}</table><p>{paragraphs[3]}</p>",
        paragraphs,
    )


def place(pdf: Path) -> tuple[int, list[float]]:
    """The page and the box of the drawing."""
    with pikepdf.open(pdf) as document:
        for number, one in enumerate(document.pages, 1):
            for annotation in one.get("/Annots", []):
                if str(annotation.get("/A", {}).get("/URI", "")).startswith(ADDRESS):
                    left, bottom, right, top = map(float, annotation.Rect)
                    height = float(one.mediabox[3])
                    return number, [left, height - top, right, height - bottom]
    raise ValueError(f"{pdf.name} has no drawing")


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.drawings")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="a folder for the pages and what was read")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="docmill-drawings-") as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(exist_ok=True)
        worker = Worker(arguments.worker, Path(scratch))
        for kind in KINDS:
            counts = Counter()
            for number in range(EACH):
                html, paragraphs = page(kind, number)
                source, pdf, out = (folder / f"{kind}-{number}.{suffix}" for suffix in ("html", "pdf", "json"))
                source.write_text(html)
                worker.convert("html-to-pdf", source, pdf, {})
                worker.convert("extract-document", pdf, out, {})
                at, box = place(pdf)
                found = json.loads(out.read_text())
                inside = [figure for figure in found["figures"] if figure["place"]["page"] == at]
                counts["found"] += any(overlap(figure["place"]["box"], box) >= ENOUGH for figure in inside)
                counts["figures"] += len(found["figures"])
                texts = [" ".join(block["text"].replace("-", "").split()) for block in found["blocks"] if block["role"] != "figure"]
                counts["paragraphs"] += sum(" ".join(paragraph.replace("-", "").split()) in texts for paragraph in paragraphs)
                counts["labels outside"] += sum(len(text.split()) <= 3 for text in texts)
            print(f"{kind:12} {EACH} pages: " + ", ".join(f"{name} {count}" for name, count in counts.items()))
        worker.lines.stop()


if __name__ == "__main__":
    main()
