"""Checks like those of olmOCR-bench, of single pages cut from strangers' PDFs: `python -m extract.single make SOURCE FOLDER`, then `score FOLDER HALF --worker PATH`.

A whole document shows what its pages repeat: such lines must be absent from what is read of one page alone. The lines of its text must be present,
and lines that follow each other in a column must do so in what is read. Texts are compared by their letters and digits alone.

`make` takes up to three pages of each PDF under SOURCE with at least six pages, into FOLDER/HALF: the hash of the name of a PDF's folder decides which half it is in,
`looked` or `judged`. It needs poppler's pdftotext, which finds lines and columns in its own way, and pikepdf. Scans and pages without running lines are left out.
"""

import argparse
import hashlib
import html
import json
import random
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Platform, Worker

PAGES = 3
LEAST_PAGES = 6
MOST_PAGES = 400
# The share of a page's height at the top and at the bottom where lines may repeat.
EDGE = 0.12
# Lines within so many points are at the same height.
NEAR = 3
REPEATED = 3
# A page has at least that many words of text.
WORDS = 80
# More running lines are those of a table or form that repeats.
MOST_HEADS = 6
# Most checks of one kind of a page.
CHECKS = 3
# A shorter text, such as a number, may be in the text, too: it must not be a line of its own.
SHORT = 4
KINDS = ("absent", "edges", "present", "order")


@dataclass(frozen=True)
class Line:
    block: int
    y: float
    text: str


@dataclass(frozen=True)
class Check:
    """`order`: both texts, one right after the other. `edges`: as `present`, for the first and the last line of the text."""

    kind: str
    text: str
    then: str = ""


def plain(text: str) -> str:
    return re.sub(r"[\W_]", "", text).lower()


def _pages(pdf: Path) -> Iterator[tuple[float, list[Line]]]:
    """The height and the lines of each page, as pdftotext finds them."""
    command = ["pdftotext", "-bbox-layout", "-l", str(MOST_PAGES), pdf, "-"]
    found = subprocess.run(command, capture_output=True, check=True, timeout=30).stdout.decode(errors="replace")
    for page in found.split("<page ")[1:]:
        height = float(re.search(r'height="([\d.]+)"', page)[1])
        lines = []
        for number, block in enumerate(page.split("<block ")[1:]):
            for line in block.split("<line ")[1:]:
                top, bottom = (float(re.search(rf'yM{end}="(-?[\d.]+)"', line)[1]) for end in ("in", "ax"))
                text = " ".join(html.unescape(word) for word in re.findall(r"<word [^>]*>(.*?)</word>", line))
                lines.append(Line(number, (top + bottom) / 2, text))
        yield height, lines


def _keys(line: Line, height: float) -> list[tuple[bool, int, str]]:
    is_top = line.y < height / 2
    place = round((line.y if is_top else height - line.y) / NEAR)
    text = re.sub(r"\d+", "#", line.text.lower().replace(" ", ""))
    # Roman numbers count pages, too.
    text = "#" if re.fullmatch(r"[ivxl]+", text) else text
    return [(is_top, at, text) for at in (place - 1, place, place + 1)]


def _running(pages: list[tuple[float, list[Line]]]) -> list[set[int]]:
    """Which lines of each page repeat in its margins."""
    seen: Counter = Counter()
    at_edge = [[at for at, line in enumerate(lines) if min(line.y, height - line.y) < height * EDGE] for height, lines in pages]
    for (height, lines), edge in zip(pages, at_edge, strict=True):
        seen.update({_keys(lines[at], height)[1] for at in edge})
    counts = lambda line, height: sum(seen[key] for key in _keys(line, height))
    return [
        {at for at in edge if counts(lines[at], height) >= REPEATED}
        for (height, lines), edge in zip(pages, at_edge, strict=True)
    ]


def _checks(lines: list[Line], running: set[int], height: float, chosen: random.Random) -> list[Check]:
    body = [line for at, line in enumerate(lines) if at not in running]
    long = [line for line in body if len(line.text.split()) >= 5]
    if sum(len(line.text.split()) for line in body) < WORDS or len(long) < 2 * CHECKS:
        return []
    known = [plain(line.text) for line in body]
    heads = [lines[at].text for at in sorted(running) if (text := plain(lines[at].text)) and not any(text in other for other in known if len(text) > SHORT)]
    if len(heads) > MOST_HEADS:
        return []
    checks = [Check("absent", text) for text in heads]
    # Text at the edge might be taken for a running line.
    by_height = sorted((line for line in body if len(plain(line.text)) >= 4), key=lambda line: line.y)
    checks += [Check("edges", line.text) for line in (by_height[0], by_height[-1])]
    checks += [Check("present", line.text) for line in chosen.sample(long, CHECKS)]
    pairs = [(one, two) for one, two in zip(body, body[1:]) if one.block == two.block and one in long and two in long]
    checks += [Check("order", one.text, two.text) for one, two in chosen.sample(pairs, min(CHECKS, len(pairs)))]
    return checks


def make(source: Path, folder: Path) -> None:
    import pikepdf

    for pdf in sorted(source.rglob("*.pdf")):
        chosen = random.Random(pdf.name)
        try:
            pages = list(_pages(pdf))
            if len(pages) < LEAST_PAGES:
                continue
            running = _running(pages)
            texts = [_checks(lines, of, height, chosen) for (height, lines), of in zip(pages, running, strict=True)]
            usable = [number for number, checks in enumerate(texts) if checks and checks[0].kind == "absent"]
            taken = sorted(chosen.sample(usable, min(PAGES, len(usable))))
            half = ("looked", "judged")[hashlib.sha256(pdf.parent.name.encode()).digest()[0] % 2]
            (folder / half).mkdir(parents=True, exist_ok=True)
            with pikepdf.open(pdf) as whole:
                for number in taken:
                    name = f"{hashlib.sha256(str(pdf.relative_to(source)).encode()).hexdigest()[:4]}-{number + 1}-{re.sub(r'[^a-zA-Z0-9]+', '-', pdf.stem)[:40]}"
                    _alone(whole, number, folder / half / f"{name}.pdf")
                    (folder / half / f"{name}.json").write_text(json.dumps([asdict(check) for check in texts[number]], indent=1))
        except Exception as error:  # Strangers' files can raise anything.
            print(f"{pdf.name}: {type(error).__name__}: {str(error)[:80]}")


def _alone(whole: "pikepdf.Pdf", number: int, out: Path) -> None:
    import pikepdf

    with pikepdf.new() as page:
        page.pages.append(whole.pages[number])
        for name in ("/StructParents", "/Thumb", "/B"):
            if name in page.pages[0].obj:
                del page.pages[0].obj[name]
        page.save(out)


def is_met(check: Check, read: str) -> bool:
    text = plain(check.text)
    if check.kind != "absent":
        return text + plain(check.then) in plain(read)
    if len(text) > SHORT:
        return text not in plain(read)
    return not any(plain(line) == text for line in read.splitlines())


def score(folder: Path, read: Callable[[Path], str]) -> tuple[dict[str, tuple[int, int]], dict[str, list[Check]]]:
    """How many checks of each kind are met, of how many, and which of each page are not."""
    met: dict[str, tuple[int, int]] = {kind: (0, 0) for kind in KINDS}
    failed: dict[str, list[Check]] = defaultdict(list)
    for path in sorted(folder.glob("*.pdf")):
        text = read(path)
        for check in (Check(**one) for one in json.loads(path.with_suffix(".json").read_text())):
            good = is_met(check, text)
            met[check.kind] = (met[check.kind][0] + good, met[check.kind][1] + 1)
            if not good:
                failed[path.stem].append(check)
    return met, failed


def ours(worker: Worker, folder: Path) -> Callable[[Path], str]:
    def read(path: Path) -> str:
        out = folder / "read.md"
        try:
            worker.convert("extract-document", path, out, {"format": "markdown"})
        except (Failed, Lost) as error:
            print(f"{path.name}: {error}")
            return ""
        return out.read_text()

    return read


def shown(name: str, met: dict[str, tuple[int, int]]) -> str:
    shares = [f"{kind} {good / max(1, count):.3f} of {count}" for kind, (good, count) in met.items()]
    good, count = (sum(values) for values in zip(*met.values(), strict=True))
    return f"{name:14} {good / max(1, count):.3f} of {count}: {', '.join(shares)}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.single")
    parser.add_argument("what", choices=["make", "score"])
    parser.add_argument("first", type=Path, help="the folder of PDFs, or of what was made of them")
    parser.add_argument("second", help="the folder to make, or the half to score")
    parser.add_argument("--worker", type=Path)
    parser.add_argument("--peer", action="append", default=[], help="a name of extract/reader.py that is installed here")
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.first, Path(arguments.second))
        return
    folder = arguments.first / arguments.second
    if arguments.worker:
        with TemporaryDirectory() as name:
            worker = Worker(arguments.worker, Path(name), Platform.ROOT)
            try:
                met, failed = score(folder, ours(worker, Path(name)))
            finally:
                worker.lines.stop()
        if arguments.second == "looked":
            for page, checks in failed.items():
                print(page, *(f"\n  {check.kind}: {check.text[:90]}" for check in checks))
        print(shown("docmill", met))
    for peer in arguments.peer:
        from .reader import ONE_BY_ONE

        print(shown(peer, score(folder, ONE_BY_ONE[peer]())[0]))


if __name__ == "__main__":
    main()
