"""Reading order, headings with their levels, tables and running lines of tagged PDFs whose tags were removed: `python -m extract.stripped collect CLONES SOURCE`, `make SOURCE FOLDER --worker PATH`, then `score FOLDER PART --worker PATH [--peer NAME …]`.

`collect` takes up to twenty tagged PDFs of each bare repository under CLONES, by what their tags say alone. The truth is what `extract-document` reads by the
tags of each PDF under SOURCE, where these are sound. The hash of a PDF's repository, the first folder under SOURCE, decides which part it is in: `train`,
`choose` or `judged`. A document counts once, however long it is. A peer's Markdown is read for the same: it tells no running lines.

It can't tell whether authors tagged well: many tag headings as paragraphs in bold type, or skip levels. So levels count by their order within each document.
"""

import argparse
import hashlib
import io
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.worker import Platform, Worker
from rapidfuzz import fuzz

from . import grits, scores
from .calibration import _tells_structure
from .reader import ONE_BY_ONE
from .relations import plain
from .strangers import _without_tags

# Tags tell no text in pictures, and peers read without OCR.
OPTIONS = {"format": "json", "headersFooters": "keep", "ocr": "never"}
# Files beyond it take minutes to compare.
MOST_BYTES = 5_000_000
MOST_BLOCKS = 3_000
MOST_CELLS = 1_500
MOST_PAGES = 150
MOST_ELEMENTS = 60_000
# So many PDFs of a repository are opened, and taken.
TRIED = 150
OF_REPOSITORY = 20
WORST = 12
MARGINS = ("header", "footer")
# Blocks that count by their words: where they are parted is the author's taste.
ROLES = {"margins": MARGINS, "items": ("listItem",), "captions": ("caption",), "notes": ("footnote",)}
# Markdown tells none of them.
NO_ROLES = dict.fromkeys(ROLES)


@dataclass(frozen=True)
class Score:
    """`None` where the truth has nothing of the kind. `tables` is TEDS, `cells` GriTS of contents, all others but `order` are F."""

    order: float
    headings: float | None
    levels: float | None
    # The same by the order of levels among the headings that both have: many authors tag no title.
    shared: float | None
    tables: float | None
    cells: float | None
    margins: float | None
    items: float | None
    captions: float | None
    notes: float | None


@dataclass(frozen=True)
class Reading:
    """What a reader has read: its text, its headings with the ranks of their levels, its tables, which can be too many to compare, and how good its blocks of other roles are."""

    text: str
    headings: list[tuple[int, str]]
    tables: str | None
    roles: dict[str, float | None]


Reader = Callable[[Path, dict], Score]


def make(source: Path, folder: Path, worker: Worker) -> None:
    for document in sorted(source.rglob("*.pdf")):
        if document.stat().st_size > MOST_BYTES or not _is_tagged(document):
            continue
        place = document.relative_to(source)
        half = folder / part(place.parts[0])
        half.mkdir(parents=True, exist_ok=True)
        name = f"{hashlib.sha256(place.parts[0].encode()).hexdigest()[:4]}-{document.stem}"
        truth, pdf = half / f"{name}.json", half / f"{name}.pdf"
        if pdf.exists():
            continue
        try:
            worker.convert("extract-document", document, truth, OPTIONS)
            read = json.loads(truth.read_text())
            if _tells_structure(read) and len(read["blocks"]) < MOST_BLOCKS:
                shutil.copy(document, pdf)
                _without_tags(pdf)
                continue
        except Exception as error:  # Strangers' files can raise anything.
            print(f"{document.name}: {type(error).__name__}: {str(error)[:80]}")
        for made in (truth, pdf):
            made.unlink(missing_ok=True)


def part(repository: str) -> str:
    """Half of all repositories judge. A quarter of the others choose between ways that the rest has taught."""
    first, second, *_ = hashlib.sha256(repository.encode()).digest()
    return "judged" if first % 2 else "train" if second % 4 else "choose"


def _is_tagged(document: Path) -> bool:
    import pikepdf

    try:
        with pikepdf.open(document) as pdf:
            return "/StructTreeRoot" in pdf.Root
    except Exception:  # Strangers' files can raise anything.
        return False


def text(document: dict) -> str:
    tables = {table["id"]: table for table in document["tables"]}
    parts = []
    for block in document["blocks"]:
        if block["role"] == "table":
            parts += [cell["text"] for cell in sorted(tables[block["table"]]["cells"], key=lambda cell: (cell["row"], cell["column"]))]
        elif block["role"] not in (*MARGINS, "figure"):
            parts.append(block["text"])
    return re.sub(r"\s+", " ", " ".join(parts)).strip()


def headings(document: dict) -> list[tuple[int, str]]:
    """Each heading with its level: the title is above all, and levels that no heading has don't count."""
    found = [(0 if block["role"] == "title" else block["level"], plain(block["text"])) for block in document["blocks"] if block["role"] in ("title", "heading")]
    levels = sorted({level for level, _ in found})
    return [(levels.index(level), words) for level, words in found if words]


def _shared(wanted: list[tuple[int, str]], found: list[tuple[int, str]]) -> float | None:
    both = Counter(words for _, words in wanted) & Counter(words for _, words in found)
    if not wanted:
        return None
    same = (Counter(_among(wanted, both)) & Counter(_among(found, both))).total()
    return 2 * same / (len(wanted) + len(found))


def _among(headings: list[tuple[int, str]], chosen: Counter) -> list[tuple[int, str]]:
    """The first so many headings of each wording, with the ranks of their levels among these."""
    left = chosen.copy()
    kept = []
    for level, words in headings:
        if left[words]:
            left[words] -= 1
            kept.append((level, words))
    levels = sorted({level for level, _ in kept})
    return [(levels.index(level), words) for level, words in kept]


def _f(wanted: Counter, found: Counter) -> float | None:
    if not wanted:
        return None
    return 2 * (wanted & found).total() / (wanted.total() + found.total())


def html(document: dict) -> str:
    tables = []
    for table in document["tables"]:
        rows: list[list[str]] = [[] for _ in range(table["rows"])]
        for cell in sorted(table["cells"], key=lambda cell: (cell["row"], cell["column"])):
            written = scores.html.escape(cell["text"])
            rows[cell["row"]].append(f'<td rowspan="{cell["rowSpan"]}" colspan="{cell["columnSpan"]}">{written}</td>')
        lines = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
        tables.append(f"<table>{lines}</table>")
    return "\n".join(tables)


def _words(document: dict, roles: tuple[str, ...]) -> Counter:
    words = (word for block in document["blocks"] if block["role"] in roles for word in block["text"].split())
    return Counter(filter(None, map(plain, words)))


def _roles_of(truth: dict, read: dict) -> dict[str, float | None]:
    return {name: _f(_words(truth, roles), _words(read, roles)) for name, roles in ROLES.items()}


def score(truth: dict, read: dict) -> Score:
    cells = max(sum(len(table["cells"]) for table in one["tables"]) for one in (truth, read))
    # The distance of trees takes the square of their nodes.
    return _score(truth, Reading(text(read), headings(read), html(read) if cells < MOST_CELLS else None, _roles_of(truth, read)))


def _score(truth: dict, read: Reading) -> Score:
    wanted = headings(truth)
    asked = {words for _, words in wanted}
    found = [one for one in read.headings if one[1] in asked or one[1] not in truth.get("printed", ())]
    return Score(
        fuzz.ratio(text(truth), read.text) / 100,
        _f(Counter(words for _, words in wanted), Counter(words for _, words in found)),
        _f(Counter(wanted), Counter(found)),
        _shared(wanted, found),
        None if read.tables is None else scores.tables(html(truth), read.tables),
        None if read.tables is None else grits.score(html(truth), read.tables),
        **read.roles,
    )


def of_markdown(truth: dict, markdown: str) -> Score:
    """The same of a peer's Markdown."""
    with_html = scores.html_tables(markdown)
    found = [(len(signs), plain(re.sub(r"[*_`\\]", "", words))) for signs, words in re.findall(r"^(#{1,6})\s+(.+)$", with_html, re.MULTILINE)]
    levels = sorted({level for level, _ in found})
    ranked = [(levels.index(level), words) for level, words in found if words]
    only_text = scores.html.unescape(re.sub(r"<[^>]+>|!\[[^\]]*\]\([^)]*\)|[*_`#\\]|^\s*[-+] ", " ", with_html, flags=re.MULTILINE))
    cells = max(sum(len(table["cells"]) for table in truth["tables"]), with_html.count("<td"))
    return _score(truth, Reading(re.sub(r"\s+", " ", only_text).strip(), ranked, with_html if cells < MOST_CELLS else None, NO_ROLES))


def of_peer(name: str) -> Reader:
    read = ONE_BY_ONE[name]()
    return lambda pdf, truth: of_markdown(truth, read(pdf))


def of_worker(worker: Worker, scratch: Path, keep: Path | None) -> Reader:
    def read(pdf: Path, truth: dict) -> Score:
        out = scratch / "read.json"
        worker.convert("extract-document", pdf, out, OPTIONS)
        if keep:
            shutil.copy(out, keep / f"{pdf.stem}.json")
        return score(truth, json.loads(out.read_text()))

    return read


def measured(folder: Path, read: Reader) -> dict[str, Score]:
    found = {}
    for pdf in sorted(folder.glob("*.pdf")):
        truth = json.loads(pdf.with_suffix(".json").read_text())
        try:
            found[pdf.stem] = read(pdf, truth)
        except Exception as error:  # Peers raise what they like, and count as nothing read.
            print(f"{pdf.name}: {type(error).__name__}: {str(error)[:80]}")
            found[pdf.stem] = _score(truth, Reading("", [], "", _roles_of(truth, {"blocks": []})))
    return found


def shown(name: str, found: dict[str, Score], worst: bool) -> None:
    print(f"{name}: {len(found)} documents")
    for what in Score.__dataclass_fields__:
        known = {name: value for name, one in found.items() if (value := getattr(one, what)) is not None}
        print(f"{what:9} {sum(known.values()) / max(1, len(known)):.3f} of {len(known)} documents", flush=True)
        if worst:
            least = sorted(known.items(), key=lambda item: item[1])[:WORST]
            print("         ", ", ".join(f"{name} {value:.2f}" for name, value in least))


# Repositories.


def collect(clones: Path, source: Path) -> None:
    import pikepdf

    for clone in sorted(clones.glob("*/*")):
        listing = subprocess.run(["git", "-C", clone, "ls-tree", "-r", "-l", "-z", "HEAD"], capture_output=True, check=False, timeout=60)
        files = [line.split("\t", 1) for line in listing.stdout.decode(errors="replace").split("\0") if line.lower().endswith(".pdf")]
        # Of files that a snapshot lacks, the size is a word.
        blobs = sorted((meta.split()[2], Path(name)) for meta, name in files if meta.split()[3].isdigit() and int(meta.split()[3]) < MOST_BYTES)
        taken = 0
        for blob, name in blobs[:TRIED]:
            data = subprocess.run(["git", "-C", clone, "cat-file", "blob", blob], capture_output=True, check=True).stdout
            try:
                with pikepdf.open(io.BytesIO(data)) as pdf:
                    is_taken = len(pdf.pages) <= MOST_PAGES and not pdf.is_encrypted and _is_structured(_roles(pdf))
            except Exception:  # Strangers' files can raise anything.
                continue
            if is_taken:
                place = source / clone.parent.name
                place.mkdir(parents=True, exist_ok=True)
                short = re.sub(r"[^\w-]", "-", name.stem)[:50]
                (place / f"{short}-{blob[:6]}.pdf").write_bytes(data)
                taken += 1
            if taken == OF_REPOSITORY:
                break


def _is_structured(roles: Counter) -> bool:
    """Whether authors tagged three headings or a table of two rows, and some paragraphs."""
    is_parted = sum(roles[f"/H{level}"] for level in range(1, 7)) >= 3
    return (is_parted or roles["/Table"] >= 1 and roles["/TR"] >= 2) and roles["/P"] >= 3


def _roles(pdf: "pikepdf.Pdf") -> Counter:
    import pikepdf

    root = pdf.Root.get("/StructTreeRoot", pikepdf.Dictionary())
    mapped = root.get("/RoleMap", pikepdf.Dictionary())
    found: Counter = Counter()
    waiting = [root.get("/K")]
    while waiting and found.total() < MOST_ELEMENTS:
        one = waiting.pop()
        if isinstance(one, pikepdf.Array):
            waiting.extend(one)
        elif isinstance(one, pikepdf.Dictionary):
            role = str(one.get("/S", ""))
            found[str(mapped.get(role, role)) if role else ""] += 1
            waiting.append(one.get("/K"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.stripped")
    parser.add_argument("what", choices=("collect", "make", "score"))
    parser.add_argument("first", type=Path, help="the folder of repositories or PDFs, or of what was made of them")
    parser.add_argument("second", help="the folder to make, or the part to score")
    parser.add_argument("--worker", type=Path)
    parser.add_argument("--peer", action="append", default=[], choices=ONE_BY_ONE, help="also what it reads; without --worker, it alone")
    parser.add_argument("--keep", type=Path, help="where what was read is kept, to be looked at")
    arguments = parser.parse_args()
    if arguments.what == "collect":
        collect(arguments.first, Path(arguments.second))
        return
    folder = arguments.first / arguments.second
    if arguments.worker:
        with TemporaryDirectory() as name:
            worker = Worker(arguments.worker, Path(name), Platform.ROOT)
            try:
                if arguments.what == "make":
                    make(arguments.first, Path(arguments.second), worker)
                    return
                shown("docmill", measured(folder, of_worker(worker, Path(name), arguments.keep)), worst=arguments.second != "judged")
            finally:
                worker.lines.stop()
    for peer in arguments.peer:
        shown(peer, measured(folder, of_peer(peer)), worst=False)


if __name__ == "__main__":
    main()
