"""Strangers' PDFs with pictures through compress-pdf, beside Ghostscript's presets and qpdf.

`python -m bench.pictures --worker PATH --documents FOLDER [--most N]`, with the interpreter of `bench.peers`. For each of
Ghostscript's results, the smallest of ours that is at least as similar to the source counts.
"""

import argparse
import json
import random
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from . import similarity
from .lines import Failed, Lost
from .worker import Worker

GHOSTSCRIPT = ("screen", "ebook")
# Ours: the presets, and what Ghostscript's `screen` asks for.
OPTIONS = {
    "72 dpi": {"maxImageDpi": 72, "imageQuality": 40},
    **{preset: {"preset": preset} for preset in ("small", "balanced", "high", "lossless")},
}
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
    ours: dict[str, Made] = field(default_factory=dict)
    theirs: dict[str, Made] = field(default_factory=dict)
    failure: str | None = None

    def matching(self, preset: str) -> int:
        """The bytes of our smallest result that is as similar as Ghostscript's. The source itself always is."""
        wanted = self.theirs[preset].similarity - ALIKE
        return min([self.bytes, *(made.bytes for made in self.ours.values() if made.similarity >= wanted)])


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
        source = Path(shutil.copyfile(path, scratch / "source.pdf"))
        try:
            for name, options in OPTIONS.items():
                out = scratch / "ours.pdf"
                worker.convert("compress-pdf", source, out, options)
                document.ours[name] = Made(out.stat().st_size, similarity.of_pdfs(source, out))
        except (Failed, Lost, subprocess.CalledProcessError, ValueError) as error:
            document.failure = str(error) or type(error).__name__
        else:
            for name, command in _others(source, scratch / "theirs.pdf").items():
                if made := _by_another(command, source, scratch / "theirs.pdf"):
                    document.theirs[name] = made
        documents.append(document)
    return documents


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
    for name in OPTIONS:
        made = [document.ours[name] for document in good]
        whole = sum(document.bytes for document in good)
        lowest = min((result.similarity for result in made), default=1.0)
        print(f"{name}: {sum(result.bytes for result in made) / max(whole, 1):.3f} of the bytes, lowest similarity {lowest:.4f}")
    for name in (*GHOSTSCRIPT, "qpdf"):
        both = [document for document in good if name in document.theirs]
        theirs = sum(document.theirs[name].bytes for document in both)
        ours = sum(document.matching(name) for document in both)
        print(f"beside {name} on {len(both)}: {ours} of {theirs} bytes = {ours / max(theirs, 1):.3f} at the same similarity")
    for document in good:
        for preset, made in document.ours.items():
            if made.bytes > document.bytes * 1.02:
                print(f"larger: {document.name} with {preset}: {made.bytes} of {document.bytes}")


if __name__ == "__main__":
    sys.exit(main())
