"""How well extract-document's boxes and roles agree with the truth of one half of the corpus: `python -m extract.boxes rules --worker PATH`."""

import argparse
import json
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.worker import Worker

from . import measure
from .truth import Block, Box, Document, Role

# Their boxes are unknown, or those of before the pages were turned.
WITHOUT = {"scans", "Word", "rotated"}
ENOUGH = 0.9
ROLES = {
    Role.HEADING: {"heading", "title"},
    Role.PARAGRAPH: {"paragraph"},
    Role.ITEM: {"listItem"},
    Role.TABLE: {"table"},
    Role.CAPTION: {"caption"},
    Role.CODE: {"code"},
    Role.FOOTNOTE: {"footnote"},
    Role.FIELD: {"formField"},
}


def overlap(one: Box | list[float], other: Box | list[float]) -> float:
    """The shared area of two boxes (left, top, right, bottom) to that of both."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    shared = max(width, 0) * max(height, 0)
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])  # noqa: E731
    return shared / (area(one) + area(other) - shared) if shared else 0


def compare(document: Document, found: dict) -> list[tuple[Block, dict | None, list[float]]]:
    """Each block that has text and boxes, with the block that says the same, and how their boxes on each page overlap."""
    by_text: dict[str, list[dict]] = defaultdict(list)
    for block in found["blocks"]:
        by_text[_plain(block.get("mark", "") + block["text"])].append(block)
    compared = []
    for block in document.blocks:
        if block.boxes and (text := _text(block)):
            same = by_text.get(text)
            match = same.pop(0) if same else None
            places = {place["page"]: place["box"] for place in match["places"]} if match else {}
            overlaps = [overlap(box, places[page]) if page in places else 0.0 for page, *box in block.boxes]
            compared.append((block, match, overlaps))
    return compared


def _text(block: Block) -> str:
    return _plain("".join(cell.text for row in block.rows for cell in row) or block.text)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", "".join(text.split()).replace("-", ""))


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.boxes")
    parser.add_argument("half", choices=["rules", "measured", "all"])
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--show", action="store_true", help="the blocks that differ, for the half `rules`")
    arguments = parser.parse_args()
    overlaps: dict[str, list[float]] = defaultdict(list)
    missing, roles = Counter(), Counter()
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        worker = Worker(arguments.worker, Path(scratch))
        out = Path(scratch) / "found.json"
        for kind, documents in measure.of_half(arguments.worker, arguments.half).items():
            for document, path in documents if kind not in WITHOUT else []:
                worker.convert("extract-document", path, out, {})
                for block, match, found in compare(document, json.loads(out.read_text())):
                    is_missing, role = match is None, match["role"] if match else "none"
                    missing[kind] += is_missing
                    overlaps[kind] += [] if is_missing else found
                    if match:
                        roles[block.role.value, role] += 1
                    is_wrong = is_missing or min(found) < ENOUGH or role not in ROLES[block.role]
                    if arguments.show and is_wrong and arguments.half == "rules":
                        print(f"{document.name}: {block.role.value} is {role}, {found}: {_text(block)[:60]}")
        worker.lines.stop()
    for kind, found in overlaps.items():
        good = sum(one >= ENOUGH for one in found)
        print(f"{kind:16} {good} of {len(found)} boxes, mean {sum(found) / max(len(found), 1):.3f}; {missing[kind]} blocks in other parts")
    for (truth, role), count in sorted(roles.items()):
        print(f"{truth:10} {role:10} {count}")


if __name__ == "__main__":
    main()
