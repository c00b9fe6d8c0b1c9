"""Strangers' PDFs with pictures through compress-pdf, beside Ghostscript's presets and qpdf.

`python -m bench.pictures --worker PATH --documents FOLDER [--most N]`, with the interpreter of `bench.peers`. For each result
of another program, ours counts at the lowest setting that is at least as similar to the source, found by bisection.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from bisect import bisect_left
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from . import similarity
from .lines import Failed, Lost
from .worker import Worker

GHOSTSCRIPT = ("screen", "ebook")
PRESETS = ("small", "balanced", "high", "lossless")
# Resolution and quality that a caller may ask for, in the order of what they lose. The last keep the pixels, and all.
SETTINGS: list[dict] = [
    *({"maxImageDpi": dpi, "imageQuality": quality} for dpi, quality in (
        (72, 30), (72, 40), (72, 50), (84, 55), (96, 55), (108, 60), (120, 60), (120, 66), (135, 70), (150, 72), (150, 80),
        (180, 82), (220, 85), (300, 88), (300, 94), (1200, 94),
    )),
    {"preset": "lossless"},
]
# Ghostscript needs longer for some.
PATIENCE = 120
# A rounding of similarity.
ALIKE = 0.0005


@dataclass
class Made:
    bytes: int
    similarity: float


@dataclass
class Document:
    name: str
    bytes: int
    presets: dict[str, Made] = field(default_factory=dict)
    # By the other program: its result, and the bytes of ours that is as similar.
    theirs: dict[str, Made] = field(default_factory=dict)
    matching: dict[str, int] = field(default_factory=dict)
    failure: str | None = None


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.pictures")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--documents", type=Path, required=True)
    parser.add_argument("--most", type=int, default=300)
    parser.add_argument("--json", type=Path, default=Path("target/bench-pictures.json"))
    arguments = parser.parse_args()
    paths = [path for path in sorted(arguments.documents.rglob("*.pdf")) if _has_pictures(path)]
    random.Random(49).shuffle(paths)
    with TemporaryDirectory(prefix="docmill-pictures-") as folder:
        scratch = Path(folder)
        documents = _measure(Worker(arguments.worker, scratch), paths[: arguments.most], scratch)
    arguments.json.write_text(json.dumps([asdict(document) for document in documents], indent=1))
    _tell(documents)
    return 0


def _has_pictures(path: Path) -> bool:
    try:
        listed = subprocess.run(["pdfimages", "-list", path], capture_output=True, text=True, errors="replace", timeout=30)
    except subprocess.TimeoutExpired:
        return False
    return len(listed.stdout.splitlines()) > 2


def _measure(worker: Worker, paths: list[Path], scratch: Path) -> list[Document]:
    documents = []
    for path in paths:
        document = Document(path.name, path.stat().st_size)
        ours = Ours(worker, Path(shutil.copyfile(path, scratch / "source.pdf")), scratch / "ours.pdf")
        try:
            document.presets = {preset: ours.made({"preset": preset}) for preset in PRESETS}
            for name, command in _others(ours.source, scratch / "theirs.pdf").items():
                if made := _by_another(command, ours.source, scratch / "theirs.pdf"):
                    document.theirs[name] = made
                    document.matching[name] = ours.as_similar_as(made)
        except (Failed, Lost, subprocess.CalledProcessError, ValueError) as error:
            document.failure = str(error) or type(error).__name__
        documents.append(document)
    return documents


class Ours:
    """One document's results, each made once."""

    def __init__(self, worker: Worker, source: Path, out: Path):
        self.worker, self.source, self.out = worker, source, out
        self.known: dict[str, Made] = {}

    def made(self, options: dict) -> Made:
        key = json.dumps(options)
        if key not in self.known:
            self.worker.convert("compress-pdf", self.source, self.out, options)
            self.known[key] = Made(self.out.stat().st_size, similarity.of_pdfs(self.source, self.out))
        return self.known[key]

    def as_similar_as(self, theirs: Made) -> int:
        """The bytes at the lowest setting that is as similar. The source itself always is."""
        wanted = theirs.similarity - ALIKE
        bisect_left(SETTINGS, True, key=lambda options: self.made(options).similarity >= wanted)
        alike = [made.bytes for made in self.known.values() if made.similarity >= wanted]
        # Settings are not quite in order: each that was tried on the way may be the smallest.
        return min([self.source.stat().st_size, *alike])


def _others(source: Path, out: Path) -> dict[str, list]:
    ghostscript = ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=pdfwrite"]
    others = {preset: [*ghostscript, f"-dPDFSETTINGS=/{preset}", f"-sOutputFile={out}", source] for preset in GHOSTSCRIPT}
    return others | {"qpdf": ["qpdf", "--recompress-flate", "--object-streams=generate", "--optimize-images", source, out]}


def _by_another(command: list, source: Path, out: Path) -> Made | None:
    """Nothing if the program fails, or if its result has other pages."""
    out.unlink(missing_ok=True)
    try:
        subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False)
        return Made(out.stat().st_size, similarity.of_pdfs(source, out))
    except (subprocess.SubprocessError, OSError, ValueError):
        return None


def _tell(documents: list[Document]) -> None:
    good = [document for document in documents if document.failure is None]
    print(f"{len(good)} of {len(documents)} documents were compressed.")
    for name in PRESETS:
        made = [document.presets[name] for document in good]
        whole = sum(document.bytes for document in good)
        lowest = min((result.similarity for result in made), default=1.0)
        print(f"{name}: {sum(result.bytes for result in made) / max(whole, 1):.3f} of the bytes, lowest similarity {lowest:.4f}")
    for name in (*GHOSTSCRIPT, "qpdf"):
        both = [document for document in good if name in document.theirs]
        theirs = sum(document.theirs[name].bytes for document in both)
        ours = sum(document.matching[name] for document in both)
        print(f"beside {name} on {len(both)}: {ours} of {theirs} bytes = {ours / max(theirs, 1):.3f} at the same similarity")
    for document in good:
        for preset, made in document.presets.items():
            if made.bytes > document.bytes * 1.02:
                print(f"larger: {document.name} with {preset}: {made.bytes} of {document.bytes}")


if __name__ == "__main__":
    sys.exit(main())
