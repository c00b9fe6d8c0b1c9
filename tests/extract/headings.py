"""Which blocks are headings, and of which level: `python -m extract.headings train SETS … --worker PATH --out FOLDER`.

SETS are folders that `extract.stripped make` has made. What their tags call a heading is the truth. Articles that `extract.jats` reads teach, too.
`pdf-to-text` tells the lines, type and places of the blocks that rules find in the PDFs without tags, from which this module knows the same of a block as
`text/src/headings` does. `--onto` keeps the trees that are there, and adds trees for headings that these get wrong. It needs lightgbm.
"""

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

from . import stripped
from .forest import Forest
from .jats import Article
from .relations import plain

OPTIONS = {"format": "json", "ocr": "never"}
LINES, CHARACTERS, FAR = 3, 150, 20.0
KINDS = {"heading": 1, "paragraph": 2, "listItem": 3, "table": 4, "code": 5}
TEXTS = ("heading", "paragraph", "listItem")
CHAPTER = re.compile(r"^[^\W\d]+ (\d+|[IVX]+)\b")
NUMBERED = re.compile(r"^\(?(\d+(?:\.\d+)*)[.)]?(?=\s|$)")
ROMAN = re.compile(r"^[IVX]+[.)](?=\s)")
LETTER = re.compile(r"^[A-Za-z][.)](?=\s)")


@dataclass
class Candidate:
    page: int
    text: str
    words: list[dict]
    size: float
    bold: bool
    italic: bool
    is_rule: bool
    local: dict[str, float] = field(default_factory=dict)
    features: dict[str, float] = field(default_factory=dict)

    @property
    def group(self) -> tuple:
        """What looks alike, and is numbered or an item alike."""
        local = self.local
        return *self.style, local["caps"] > 0.9, min(local["number"], 6.0), local["item"] > 0

    @property
    def style(self) -> tuple[int, bool, bool]:
        return key(self.size), self.bold, self.italic


def key(size: float) -> int:
    """Half points."""
    return int(size * 2 + 0.5)


def line_size(line: dict) -> float:
    sizes: list[list[float]] = []
    for word in line["words"]:
        size = int(word["size"] * 2 + 0.5) / 2
        known = next((one for one in sizes if abs(one[0] - size) < 0.1), None)
        if known:
            known[1] += len(word["text"].encode())
        else:
            sizes.append([size, len(word["text"].encode())])
    best = (0.0, -1)
    for size, count in sizes:
        if count >= best[1]:
            best = (size, count)
    return best[0]


def letters(text: str) -> str:
    """The text from its first letter on, without what is neither letter nor digit."""
    return re.sub(r"^[^a-z\u0080-\U0010ffff]*", "", re.sub(r"[\W_]", "", text.lower()))


def is_entry(text: str) -> bool:
    rest = re.sub(r"[\d\s]+$", "", text)
    dots = 0
    for c in reversed(rest):
        if c not in ".…·_ ":
            break
        dots += {" ": 0, "…": 3}.get(c, 1)
    return dots >= 4


def entry_title(text: str) -> str:
    return letters(re.sub(r"[\d\s.…·_]+$", "", text))


def numbering(text: str) -> float:
    """How deep the number of a section is; 10 for Roman ones, 11 for letters, and 12 for words such as chapter."""
    if match := NUMBERED.match(text):
        return float(min(5, match[1].count(".") + 1))
    if ROMAN.match(text):
        return 10.0
    if LETTER.match(text):
        return 11.0
    return 12.0 if CHAPTER.match(text) else 0.0


def _style(block: dict) -> tuple[float, bool, bool]:
    words = [word for line in block["lines"] for word in line["words"]]
    return line_size(block["lines"][0]), all(word["bold"] for word in words), all(word["italic"] for word in words)


def candidates(document: dict) -> list[Candidate]:
    found: list[Candidate] = []
    sizes: Counter = Counter()
    bold_bytes = all_bytes = 0
    entries: dict[str, float] = {}
    blocks_count = 0
    for page in document["pages"]:
        blocks = [block for block in page["blocks"] if block["type"] != "aside" and (block["type"] == "table" or block["lines"] and block["lines"][0]["words"])]
        blocks_count += len(blocks)
        text_blocks = [block for block in blocks if block["type"] in TEXTS]
        left = min((block["box"][0] for block in text_blocks), default=0.0)
        right = max((block["box"][2] for block in text_blocks), default=page["width"])
        for at, block in enumerate(blocks):
            if block["type"] not in TEXTS:
                continue
            lines = block["lines"]
            for line in lines:
                length = sum(len(word["text"].encode()) for word in line["words"])
                if block["type"] != "heading":
                    sizes[key(line_size(line))] += length
                all_bytes += length
                if all(word["bold"] for word in line["words"]):
                    bold_bytes += length
                text = " ".join(word["text"] for word in line["words"])
                if is_entry(text):
                    entries.setdefault(entry_title(text), line["box"][0])
            text = " ".join(word["text"] for line in lines for word in line["words"])
            number = block.get("number")
            if block["type"] == "listItem" and number is not None:
                text = f"{number}. {text}"
            if len(lines) > LINES or len(text) > CHARACTERS or not any(c.isalpha() for c in text):
                continue
            size, bold, italic = _style(block)
            em = max(size, 1.0)
            count = sum(c.isalpha() for c in text)
            first = [word[0] for word in text.split() if word[0].isalpha()]
            before = blocks[at - 1] if at else None
            after = blocks[at + 1] if at + 1 < len(blocks) else None
            x0, y0, x1, y1 = block["box"]
            one = Candidate(page["number"], text, [], size, bold, italic, block["type"] == "heading")
            one.local = {
                "rule": float(one.is_rule),
                "item": 0.0 if block["type"] != "listItem" else 1.0 if number is None else 2.0,
                "lines": float(len(lines)),
                "words": float(len(text.split())),
                "chars": float(len(text)),
                "bold": float(bold),
                "italic": float(italic),
                "caps": sum(c.isupper() for c in text) / max(1, count),
                "titled": sum(c.isupper() for c in first) / max(1, len(first)),
                "digits": sum(c in "0123456789" for c in text) / max(1, len(text)),
                "ends": float(text.endswith((".", "!", "?", "…", "。"))),
                "colon": float(text.endswith((":", "："))),
                "comma": float(text.endswith((",", ";"))),
                "lower": float(text[0].islower()),
                "number": numbering(text),
                "entry": float(is_entry(text)),
                "top": y0 / max(1.0, page["height"]),
                "indent": max(-FAR, min(FAR, (x0 - left) / em)),
                "centre": max(-FAR, min(FAR, ((x0 + x1) - (left + right)) / 2 / em)),
                "wide": (x1 - x0) / max(1.0, right - left),
                "first": float(page["number"] == document["pages"][0]["number"]),
                "landscape": float(page["width"] > page["height"]),
                **_near(block, before, "above", em),
                **_near(block, after, "below", em),
            }
            found.append(one)
    _whole(found, document, sizes, entries, bold_bytes / max(1, all_bytes), blocks_count)
    return found


def _near(block: dict, other: dict | None, name: str, em: float) -> dict[str, float]:
    if other is None:
        return {f"{name}_gap": FAR, f"{name}_kind": 0.0, f"{name}_same": 0.0, f"{name}_words": 0.0, f"{name}_size": 0.0}
    gap = block["box"][1] - other["box"][3] if name == "above" else other["box"][1] - block["box"][3]
    kind = float(KINDS[other["type"]])
    known = {f"{name}_gap": max(-FAR, min(FAR, gap / em)), f"{name}_kind": kind, f"{name}_same": 0.0, f"{name}_words": 0.0, f"{name}_size": 0.0}
    if other["type"] in (*TEXTS, "code"):
        size, bold, italic = _style(other)
        own, own_bold, own_italic = _style(block)
        known[f"{name}_same"] = float(abs(size - own) < 0.3 and bold == own_bold and italic == own_italic)
        known[f"{name}_words"] = float(min(60, sum(len(line["words"]) for line in other["lines"])))
        known[f"{name}_size"] = size / em
    return known


def _whole(found: list[Candidate], document: dict, sizes: Counter, entries: dict[str, float], bold: float, blocks: int) -> None:
    """What the rest of the document tells of each."""
    body = max(sizes.items(), key=lambda item: (item[1], item[0]))[0] / 2 if sizes else 0.0
    pages = max(1, len(document["pages"]))
    of_style: dict[tuple, list[Candidate]] = defaultdict(list)
    of_group: dict[tuple, list[Candidate]] = defaultdict(list)
    for one in found:
        of_style[one.style].append(one)
        of_group[one.group].append(one)
    larger = sorted({key(one.size) for one in found}, reverse=True)
    ruled = sorted({one.style[:2] for one in found if one.is_rule}, reverse=True)
    above_body = sum(one.size > body * 1.12 for one in found) / pages
    rules = sum(one.is_rule for one in found)
    repeated = Counter(letters(one.text) for one in found)
    steps: list[float] = []
    for x in sorted(entries.values()):
        if not steps or x > steps[-1] + 4:
            steps.append(x)
    is_listed = len(entries) >= 3
    for one in found:
        one.local["listed"] = float(is_listed and letters(one.text) in entries)
    means = {group: _means(members, pages) for group, members in of_group.items()}
    for one in found:
        alike = of_style[one.style]
        name = letters(one.text)
        entry = entries.get(name) if name else None
        one.features = one.local | means[one.group] | {
            "ratio": one.size / body if body else 1.0,
            "style": len(alike) / pages,
            "style_pages": len({other.page for other in alike}) / pages,
            "larger": float(min(9, larger.index(key(one.size)))),
            "ruled": float(min(9, sum(style > one.style[:2] for style in ruled))),
            "ruled_styles": float(min(9, len(ruled))),
            "rules": rules / pages,
            "larger_share": above_body,
            "repeated": float(min(9, repeated[name])),
            "listed": float(entry is not None) if is_listed else -1.0,
            "step": float(min(5, sum(step <= entry + 0.01 for step in steps) - 1)) if is_listed and entry is not None else -1.0,
            "bold_share": bold,
            "pages": float(min(99, pages)),
            "density": min(99.0, blocks / pages),
        }


MEANS = ("chars", "ends", "colon", "lower", "titled", "below_words", "below_same", "above_same", "above_gap", "below_gap", "lines", "indent", "first", "listed")


def _means(members: list[Candidate], pages: int) -> dict[str, float]:
    """Of what looks alike."""
    count = len(members)
    known = {f"of_{name}": sum(one.local[name] for one in members) / count for name in MEANS}
    known["of_count"] = float(min(99, count))
    known["of_page"] = count / pages
    known["of_pages"] = len({one.page for one in members}) / pages
    for name, kind in (("items", 3.0), ("tables", 4.0), ("headings", 1.0), ("texts", 2.0)):
        known[f"of_below_{name}"] = sum(one.local["below_kind"] == kind for one in members) / count
    return known


# Headings among each other.


def title(found: list[Candidate], words: int = 0, larger: float = 1.12) -> Candidate | None:
    """The only block of the largest type, on the first page, larger than the text. A single word may be a journal's name. The metadata are not known here."""
    sizes = sorted(((key(one.size), at) for at, one in enumerate(found) if one.local["words"] >= words), reverse=True)[:2]
    if not sizes or len({size for size, _ in sizes}) < len(sizes):
        return None
    one = found[sizes[0][1]]
    is_name = words == 0 and one.local["words"] < 2 and not one.local["landscape"]
    alone = one if one.local["first"] and one.features["ratio"] > larger else None
    return title(found, 4, 1.3) or alone if is_name and alone else alone


def depth(one: Candidate) -> float:
    return one.local["number"] if one.local["number"] <= 5 else 0.0


def among(headings: list[Candidate], has_title: bool) -> list[dict[str, float]]:
    """What is known of each heading among the others."""
    types = Counter(one.style[:2] for one in headings)
    styles = Counter(one.style for one in headings)
    depths = [depth(one) for one in headings if depth(one)]
    seen: list[tuple] = []
    known = []
    for at, one in enumerate(headings):
        own = one.style[:2]
        if own not in seen:
            seen.append(own)
        before = headings[at - 1] if at else None
        after = headings[at + 1] if at + 1 < len(headings) else None
        known.append({
            "size_rank": float(sum(other > own for other in types)),
            "styles": float(len(types)),
            "size_share": sum(count for other, count in types.items() if other > own) / len(headings),
            "depth": depth(one),
            "min_depth": min(depths, default=0.0),
            "max_depth": max(depths, default=0.0),
            "numbered_share": len(depths) / len(headings),
            "is_first": float(at == 0),
            "prev_size": (before.size - one.size) / max(1.0, one.size) if before else 0.0,
            "next_size": (after.size - one.size) / max(1.0, one.size) if after else 0.0,
            "prev_depth": depth(before) - depth(one) if before else 0.0,
            "prev_same": float(before is not None and before.style == one.style),
            "count": styles[one.style] / len(headings),
            "first_style": float(seen[0] == own),
            "first_rank": float(seen.index(own)),
            "below_is_heading": float(after is not None and one.local["below_kind"] == 1.0),
            "has_title": float(has_title),
        })
    return known


# Training.

HEADINGS = {"objective": "binary", "num_leaves": 15, "learning_rate": 0.05, "min_data_in_leaf": 60}
RANKS = {"objective": "multiclass", "num_class": 5, "num_leaves": 8, "learning_rate": 0.08, "min_data_in_leaf": 40}
ROUNDS, RANK_ROUNDS = 120, 40
# What is added to trees that are there. With more, the documents that choose get worse.
MORE_ROUNDS = 30
# From a share of 0.35 on, a block is a heading: `text/src/headings/mod.rs` has the same logarithm of its odds.
LEAST_ODDS = math.log(0.35 / 0.65)
# Documents teach if they have so many headings, and those of the same looks are headings so consistently that looks could tell them.
LEAST, CONSISTENT = 3, 0.7
LEVELS = ("ratio", "bold", "italic", "caps", "centre", "number", "step", "listed", "larger", "of_count", "indent", "pages", "item", "top", "above_gap")


@dataclass
class Truth:
    """A document: its candidates, its headings with their ranks, and which candidates are among these."""

    name: str
    found: list[Candidate]
    wanted: list[tuple[int, str]]
    is_heading: list[bool]
    title: Candidate | None

    @property
    def teaches(self) -> bool:
        return len(self.wanted) >= LEAST and self.consistency >= CONSISTENT

    @property
    def consistency(self) -> float:
        """F of the best choice of looks."""
        looks: dict[tuple, list[int]] = defaultdict(lambda: [0, 0])
        for one, is_heading in zip(self.found, self.is_heading):
            looks[one.group][0] += is_heading
            looks[one.group][1] += 1
        best = right = count = 0.0
        for hits, members in sorted(looks.values(), key=lambda pair: -pair[0] / pair[1]):
            right, count = right + hits, count + members
            best = max(best, 2 * right / (len(self.wanted) + count))
        return best


def truth_of(name: str, read: dict, truth: dict) -> Truth:
    found, wanted = candidates(read), stripped.headings(truth)
    left = Counter(text for _, text in wanted)
    is_heading = []
    for one in found:
        text = plain(one.text)
        is_heading.append(left[text] > 0)
        left[text] -= 1
    return Truth(name, found, wanted, is_heading, title(found))


def grow_headings(taught: list[Truth], headings: Forest, rounds: int) -> None:
    """Adds trees that tell headings."""
    rows, answers, weights = [], [], []
    for document in taught:
        weight = 10 / (10 + sum(document.is_heading))
        for one, is_heading in zip(document.found, document.is_heading):
            rows.append(one.features)
            answers.append(is_heading)
            # Word tags titles as paragraphs.
            weights.append(0.0 if one is document.title and not is_heading else weight)
    headings.add(rows, answers, weights, HEADINGS, rounds)


def grow_levels(taught: list[Truth], headings: Forest, levels: Forest) -> None:
    """Adds trees that tell the level among all headings."""
    rows, answers, weights = [], [], []
    for document in taught:
        found = found_by(headings, document)
        for one, known, rank in zip(found, among(found, document.title is not None), _ranks(document, found)):
            if rank is not None:
                rows.append({name: one.features[name] for name in LEVELS} | known)
                answers.append(rank)
                weights.append(1 / (5 + len(found)))
    levels.add(rows, answers, weights, RANKS, RANK_ROUNDS)


def found_by(forest: Forest, document: Truth) -> list[Candidate]:
    """The headings below the title."""
    return [one for one in document.found if forest.sums(one.features, 1)[0] > LEAST_ODDS and one is not document.title]


def _ranks(document: Truth, headings: list[Candidate]) -> list[int | None]:
    """The rank of each below the title, if the truth has it."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for rank, text in document.wanted:
        ranks[text].append(rank)
    highest = [text for rank, text in document.wanted if rank == 0]
    below = int(document.title is not None and highest == [plain(document.title.text)])
    found = []
    for one in headings:
        waiting = ranks[plain(one.text)]
        found.append(max(0, min(4, waiting.pop(0) - below)) if waiting else None)
    return found


def read(folders: list[Path], worker: Worker, scratch: Path) -> list[Truth]:
    found, out = [], scratch / "read.json"
    for pdf in (pdf for folder in folders for pdf in sorted(folder.glob("*.pdf"))):
        article, tags = pdf.with_suffix(".xml"), pdf.with_suffix(".json")
        truth = Article(article).truth() if article.exists() else json.loads(tags.read_text())
        try:
            worker.convert("pdf-to-text", pdf, out, OPTIONS)
        except (Failed, Lost) as error:
            print(f"{pdf.name}: {error}")
            continue
        document = truth_of(pdf.stem, json.loads(out.read_text()), truth)
        if document.wanted and document.found:
            found.append(document)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.headings")
    parser.add_argument("what", choices=("train",))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="functions/worker/pdf/text/src/headings")
    parser.add_argument("--onto", action="store_true", help="keep the trees that are there")
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        worker = Worker(arguments.worker, Path(name), Platform.ROOT)
        try:
            documents = read(arguments.folders, worker, Path(name))
        finally:
            worker.lines.stop()
    taught = [document for document in documents if document.teaches]
    file = arguments.out / "headings.trees"
    headings, levels = Forest(file.read_text() if arguments.onto else ""), Forest()
    grow_headings(taught, headings, MORE_ROUNDS if arguments.onto else ROUNDS)
    file.write_text(headings.written())
    if not arguments.onto:
        grow_levels(taught, headings, levels)
        (arguments.out / "levels.trees").write_text(levels.written())
    print(f"{len(documents)} documents, of which {len(taught)} teach")


if __name__ == "__main__":
    main()
