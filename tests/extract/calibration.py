"""How often blocks are right whose confidence says so: `python -m extract.calibration make SOURCE FOLDER --worker PATH`.

SOURCE is a folder of documents that strangers made: Word files, or PDFs with tags. `make` gives FOLDER the printed or stripped NAME.pdf, and NAME.json,
what `extract-document` reads in the source itself, which is the truth. It needs pikepdf.

`score FOLDER --worker PATH` reads the PDFs and prints, for each tenth of confidence, how many blocks have it and how many of them are right.
`train FOLDER… --worker PATH --out FILE` makes the trees of `extract/src/pdf/confidence/trees.rs`; it needs scikit-learn.

A block is right if a block of the truth has its role (a title is a heading, and levels make no difference) and its text, or, at the end or the beginning
of a page, a part of the text. A table is right if nine of ten relations of its cells are those of one of the truth (`relations.py`).
"""

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

from .relations import _cell, relations
from .strangers import _without_tags

# A text is that of the truth if both have so much of the other.
SAME = 0.9
# Blocks of one document that count in full: documents with thousands would outweigh all others.
BLOCKS = 60
# The same of one repository. Its hash begins the names of its documents, up to a hyphen.
REPOSITORY = 300
# Documents with fewer blocks say little.
LEAST = 4
OF_TABLES = {"rows", "columns", "filled", "spans", "single", "cellWords", "numbers", "first"}
# Others are too rare, and few authors give captions the style of one.
ROLES = ("heading", "paragraph", "item", "table", "code")
TEXTS = {"title": "heading", "heading": "heading", "paragraph": "paragraph", "listItem": "item", "caption": "caption", "code": "code", "footnote": "footnote"}


@dataclass(frozen=True)
class Seen:
    """A block that was read."""

    document: str
    role: str
    stated: float
    right: bool
    features: dict[str, float]
    weight: float


@dataclass(frozen=True)
class Test:
    """Goes on with `then` if the feature is at most so much."""

    feature: str
    most: float
    then: "Tree"
    otherwise: "Tree"


# At its ends, the share that was right.
Tree = Test | float


def plain(text: str) -> str:
    """Without space and signs, and without the number that begins it."""
    return re.sub(r"\W", "", re.sub(r"^\W*(\d+[.)]?)*\W*", "", text)).lower()


def is_right(block: dict, tables: dict[str, dict], truth: dict, at_edge: bool) -> bool:
    if block["role"] == "table":
        found = relations([_cell(cell) for cell in tables[block["table"]]["cells"]])
        wanted = [relations([_cell(cell) for cell in table["cells"]]) for table in truth["tables"]]
        best = max(((found & other).total() * 2 / max(1, found.total() + other.total()) for other in wanted), default=0)
        return best >= SAME
    text = plain(block["text"])
    for other in truth["blocks"]:
        if TEXTS.get(other["role"]) != TEXTS.get(block["role"]):
            continue
        whole = plain(other["text"])
        if text == whole or at_edge and text and text in whole:
            return True
        shorter, longer = sorted((text, whole), key=len)
        if shorter and shorter in longer and len(shorter) >= len(longer) * SAME:
            return True
    return False


def _is_text(block: dict) -> bool:
    return block["role"] not in ("header", "footer", "figure", "formField", "formula")


def features(document: dict) -> Iterator[tuple[dict, dict[str, float]]]:
    """What the trees know of each block: the same as `extract/src/pdf/confidence/seen.rs`, of the same values."""
    tables = {table["id"]: table for table in document["tables"]}
    blocks = [block for block in document["blocks"] if _is_text(block) and block["places"]]
    for at, block in enumerate(blocks):
        before, after = (blocks[other] if 0 <= other < len(blocks) else None for other in (at - 1, at + 1))
        text = block["text"].strip()
        words = text.split()
        letters = sum(c.isalpha() for c in text)
        spans = block.get("spans", [])
        known = {
            "rule": block["confidence"],
            "words": len(words),
            "digits": sum(c in "0123456789" for c in text) / max(1, len(text)),
            "letters": letters / max(1, len(text)),
            "ends": float(text.endswith((".", "!", "?", "…", "。"))),
            "colon": float(text.endswith((":", "："))),
            "lower": float(text[:1].islower()),
            "capital": float(text[:1].isupper()),
            "capitals": sum(c.isupper() for c in text) / max(1, letters),
            "styled": float(bool(spans)),
            "bold": float(bool(spans) and all(span.get("bold", False) for span in spans)),
            "pages": len(block["places"]),
            **_near(block, before, "before"),
            **_near(block, after, "after"),
        }
        if block["role"] == "table":
            known |= _of_table(tables[block["table"]])
        yield block, known


def _near(block: dict, other: dict | None, name: str) -> dict[str, float]:
    """The gap to a neighbour on the same page, in tenths of an inch, or -100, and whether it has the same role, or is a table."""
    none = {f"{name}Gap": -100.0, f"{name}Same": 0.0, f"{name}Table": 0.0}
    if other is None:
        return none
    here, there = (block["places"][0], other["places"][-1]) if name == "before" else (block["places"][-1], other["places"][0])
    if here["page"] != there["page"]:
        return none
    gap = here["box"][1] - there["box"][3] if name == "before" else there["box"][1] - here["box"][3]
    return {
        f"{name}Gap": max(-99.0, gap / 7.2),
        f"{name}Same": float(block["role"] == other["role"]),
        f"{name}Table": float(other["role"] == "table"),
    }


def _of_table(table: dict) -> dict[str, float]:
    cells, places = table["cells"], max(1, table["rows"] * table["columns"])
    filled = [cell for cell in cells if cell["text"]]
    rows = Counter(cell["row"] for cell in filled)
    return {
        "rows": table["rows"],
        "columns": table["columns"],
        "filled": len(filled) / places,
        "spans": sum(cell["rowSpan"] > 1 or cell["columnSpan"] > 1 for cell in cells) / max(1, len(cells)),
        "single": sum(count == 1 for count in rows.values()) / max(1, table["rows"]),
        "cellWords": sum(len(cell["text"].split()) for cell in filled) / max(1, len(filled)),
        "numbers": sum(not any(c.isalpha() for c in cell["text"]) for cell in filled) / max(1, len(filled)),
        "first": sum(cell["column"] == 0 for cell in filled) / max(1, table["rows"]),
    }


def _at_edge(blocks: list[dict], at: int) -> bool:
    """Whether a page begins or ends with it."""
    page = blocks[at]["places"][0]["page"]
    return any(not 0 <= other < len(blocks) or blocks[other]["places"][0]["page"] != page for other in (at - 1, at + 1))


def seen(folder: Path, worker: Worker, scratch: Path) -> list[Seen]:
    found = []
    out = scratch / "read.json"
    for pdf in sorted(folder.glob("*.pdf")):
        truth = json.loads(pdf.with_suffix(".json").read_text())
        try:
            worker.convert("extract-document", pdf, out, {"format": "json"})
        except (Failed, Lost):
            continue
        document = json.loads(out.read_text())
        tables = {table["id"]: table for table in document["tables"]}
        all_of_it = list(features(document))
        blocks = [block for block, _ in all_of_it]
        weight = min(1.0, BLOCKS / max(1, len(blocks)))
        for at, (block, known) in enumerate(all_of_it):
            right = is_right(block, tables, truth, _at_edge(blocks, at))
            role = TEXTS.get(block["role"], block["role"])
            found.append(Seen(pdf.stem, role, block["confidence"], right, known, weight))
    return found


# Scores.


def table(blocks: list[Seen]) -> str:
    """Stated against true confidence, by tenths."""
    lines = ["| confidence | blocks | stated | right |", "|---|---|---|---|"]
    off = total = 0.0
    for tenth in range(11):
        group = [one for one in blocks if min(10, int(one.stated * 10 + 1e-4)) == tenth]
        if not group:
            continue
        weight = sum(one.weight for one in group)
        stated, right = (sum(value(one) * one.weight for one in group) / weight for value in (lambda one: one.stated, lambda one: one.right))
        off, total = off + abs(stated - right) * weight, total + weight
        lines.append(f"| {tenth / 10:.1f} | {len(group)} | {stated:.3f} | {right:.3f} |")
    brier = sum((one.stated - one.right) ** 2 * one.weight for one in blocks) / max(1e-9, total)
    return "\n".join([*lines, f"mean distance {off / max(1e-9, total):.3f}, Brier score {brier:.3f}, apart {_apart(blocks):.3f}"])


def _apart(blocks: list[Seen]) -> float:
    """How often a right block has more confidence than a wrong one (the area under the curve); equal ones count half."""
    ordered = sorted(blocks, key=lambda one: one.stated)
    right_below = pairs = 0.0
    rights, wrongs = (sum(one.weight for one in blocks if one.right is right) for right in (True, False))
    wrong_so_far, at = 0.0, 0
    while at < len(ordered):
        end = at
        while end < len(ordered) and ordered[end].stated == ordered[at].stated:
            end += 1
        wrong = sum(one.weight for one in ordered[at:end] if not one.right)
        right_below += sum(one.weight for one in ordered[at:end] if one.right) * (wrong_so_far + wrong / 2)
        wrong_so_far, at = wrong_so_far + wrong, end
    pairs = rights * wrongs
    return right_below / pairs if pairs else 0.5


def by_role(blocks: list[Seen]) -> str:
    lines = []
    for role, count in Counter(one.role for one in blocks).most_common():
        group = [one for one in blocks if one.role == role]
        weight = sum(one.weight for one in group)
        stated, right = (sum(value(one) * one.weight for one in group) / weight for value in (lambda one: one.stated, lambda one: one.right))
        lines.append(f"{role:10} {count:6} blocks, stated {stated:.3f}, right {right:.3f}")
    return "\n".join(lines)


# Trees.

# Found by leaving repositories out of the training and choosing parts, like the features: places on the page make trees worse, since they
# are those of a few documents.
DEPTH = 4
LEAF = 0.02
LEAST_LEAF = 8.0
FOLDS = 6
# Blocks as most of their role that a leaf is filled up with: a small leaf is less sure than a large one.
UNSEEN = 20.0


def trees(blocks: list[Seen]) -> dict[str, Tree]:
    """A tree for each role. Its shares are as far from one half as those of repositories that a tree has not seen."""
    blocks = _balanced(blocks)
    folds = {name: number % FOLDS for number, name in enumerate(sorted({_repository(one) for one in blocks}))}
    unseen = []
    for fold in range(FOLDS):
        grown = {role: _grown([one for one in blocks if one.role == role and folds[_repository(one)] != fold]) for role in ROLES}
        tested = [one for one in blocks if one.role in ROLES and folds[_repository(one)] == fold]
        unseen += [replace(one, stated=judged(grown[one.role], one.features)) for one in tested]
    scale = _scale(unseen)
    return {role: _scaled(_grown([one for one in blocks if one.role == role]), scale) for role in ROLES}


def _repository(one: Seen) -> str:
    return one.document.split("-")[0]


def _balanced(blocks: list[Seen]) -> list[Seen]:
    """No repository counts for more than so many blocks."""
    weights: dict[str, float] = defaultdict(float)
    for one in blocks:
        weights[_repository(one)] += one.weight
    return [replace(one, weight=one.weight * min(1, REPOSITORY / weights[_repository(one)])) for one in blocks]


def _grown(blocks: list[Seen]) -> Tree:
    from sklearn.tree import DecisionTreeClassifier

    names = list(blocks[0].features)
    weights = [one.weight for one in blocks]
    least = max(LEAST_LEAF / sum(weights), LEAF)
    tree = DecisionTreeClassifier(max_depth=DEPTH, min_weight_fraction_leaf=min(0.4, least), random_state=0)
    tree.fit(_values(blocks, names), [one.right for one in blocks], sample_weight=weights)
    mean = sum(one.weight for one in blocks if one.right) / sum(weights)
    inner, right = tree.tree_, list(tree.classes_).index(True)
    shares = (inner.value[:, 0, right] * inner.weighted_n_node_samples + UNSEEN * mean) / (inner.weighted_n_node_samples + UNSEEN)
    return _tree(inner, shares, names, 0)


def _scale(unseen: list[Seen]) -> tuple[float, float]:
    """What makes shares those of repositories that a tree has not seen: a factor and a term for their logits."""
    from sklearn.linear_model import LogisticRegression

    found = LogisticRegression(C=1e6).fit(
        [[_logit(one.stated)] for one in unseen], [one.right for one in unseen], sample_weight=[one.weight for one in unseen]
    )
    return float(found.coef_[0][0]), float(found.intercept_[0])


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _scaled(tree: Tree, scale: tuple[float, float]) -> Tree:
    if not isinstance(tree, Test):
        factor, term = scale
        return round(1 / (1 + math.exp(-(factor * _logit(tree) + term))), 2)
    then, otherwise = (_scaled(branch, scale) for branch in (tree.then, tree.otherwise))
    return then if then == otherwise else replace(tree, then=then, otherwise=otherwise)


def _values(blocks: list[Seen], names: list[str]) -> list[list[float]]:
    return [[one.features[name] for name in names] for one in blocks]


def _tree(inner: Any, shares: Any, names: list[str], at: int) -> Tree:
    if inner.children_left[at] < 0:
        return float(shares[at])
    then, otherwise = (_tree(inner, shares, names, int(child[at])) for child in (inner.children_left, inner.children_right))
    return Test(names[inner.feature[at]], round(float(inner.threshold[at]), 3), then, otherwise)


def judged(tree: Tree, known: dict[str, float]) -> float:
    while isinstance(tree, Test):
        tree = tree.then if known[tree.feature] <= tree.most else tree.otherwise
    return tree


def source(made: dict[str, Tree]) -> str:
    """The trees in Rust."""
    lines = ["//! Made by `tests/extract/calibration.py`: don't edit.", ""]
    lines.append("use super::{Feature as F, Near as N, OfTable as T, Tree, Tree::If, Tree::Is};")
    for role, tree in made.items():
        lines += ["", f"pub(super) static {role.upper()}: Tree = {_rust(tree)};"]
    return "\n".join(lines) + "\n"


def _rust(tree: Tree) -> str:
    if not isinstance(tree, Test):
        return f"Is({tree})"
    return f"If({_feature(tree.feature)}, {tree.most!r}, &{_rust(tree.then)}, &{_rust(tree.otherwise)})"


def _feature(name: str) -> str:
    for side in ("before", "after"):
        if name.startswith(side):
            return f"F::{side.title()}(N::{'IsTable' if name.endswith('Table') else name.removeprefix(side)})"
    variant = name[:1].upper() + name[1:]
    return f"F::Table(T::{variant})" if name in OF_TABLES else f"F::{variant}"


# Documents.


def make(source: Path, folder: Path, worker: Worker) -> None:
    for document in sorted({*source.rglob("*.docx"), *source.rglob("*.pdf")}):
        truth, pdf = folder / f"{document.stem}.json", folder / f"{document.stem}.pdf"
        try:
            worker.convert("extract-document", document, truth, {"format": "json"})
            if document.suffix == ".pdf":
                pdf.write_bytes(document.read_bytes())
            else:
                worker.convert("office-to-pdf", document, pdf, {})
            if _tells_structure(json.loads(truth.read_text())):
                _without_tags(pdf)
                continue
        except (Failed, Lost) as error:
            print(f"{document.name}: {error}")
        for made in (truth, pdf):
            made.unlink(missing_ok=True)


def _tells_structure(document: dict) -> bool:
    """Whether the source itself says what its blocks are: no PDF without tags, and more than a line or two."""
    told = [block for block in document["blocks"] if block["reason"] == "structure" and _is_text(block)]
    return len(told) >= LEAST and len(told) * 2 > len(document["blocks"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.calibration")
    parser.add_argument("what", choices=("make", "score", "train"))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--out", type=Path, help="where `train` writes the trees")
    arguments = parser.parse_args()
    with TemporaryDirectory() as name:
        worker = Worker(arguments.worker, Path(name), Platform.ROOT)
        try:
            if arguments.what == "make":
                source, folder = arguments.folders
                folder.mkdir(parents=True, exist_ok=True)
                make(source, folder, worker)
                return
            blocks = [one for folder in arguments.folders for one in seen(folder, worker, Path(name))]
        finally:
            worker.lines.stop()
    if arguments.what == "train":
        arguments.out.write_text(source(trees(blocks)))
        return
    print(f"{len({one.document for one in blocks})} documents", table(blocks), by_role(blocks), sep="\n\n")


if __name__ == "__main__":
    main()
