"""Scores of new documents of a class, with seeds that are in no half: to look for faults that the half `rules` does not show, and to
measure with seeds that nobody has looked at: `python -m extract.fresh "long tables" --worker PATH --seeds 101-120 [--scans] [--keep FOLDER]`.
"""

import argparse
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from . import corpus, kinds, readers, scores
from .truth import Document

WHAT = ("overall", "order", "tables", "headings")


def seeds(text: str) -> list[int]:
    """Such as `101-120,205`. Those up to 40 are the corpus's own."""
    ends = (part.partition("-") for part in text.split(","))
    found = [number for first, _, last in ends for number in range(int(first), int(last or first) + 1)]
    if min(found) <= 40:
        raise argparse.ArgumentTypeError("seeds up to 40 are in the corpus")
    return found


def make(kind: str, numbers: list[int], worker: Path, folder: Path, scanned: bool) -> list[tuple[Document, Path]]:
    """The documents, printed or scanned in a folder with their truth."""
    documents = []
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        printer = corpus.Printer(worker, Path(scratch), folder)
        for number in numbers:
            document = kinds.write(kind, number)
            if scanned:
                printer.scan(document)
            else:
                printer.page(document)
            documents.append((document, folder / f"{document.name}.pdf"))
        printer.worker.lines.stop()
    return documents


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.fresh")
    parser.add_argument("kinds", nargs="+", choices=list(kinds.KINDS))
    parser.add_argument("--seeds", type=seeds, required=True)
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--scans", action="store_true", help="scans of them")
    parser.add_argument("--peers", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder for the documents and what was read")
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        folder = arguments.keep or Path(scratch) / "printed"
        folder.mkdir(parents=True, exist_ok=True)
        running = readers.start(arguments.worker, Path(scratch), alone=not arguments.peers)
        for kind in arguments.kinds:
            documents = make(kind, arguments.seeds, arguments.worker, folder, arguments.scans)
            for reader in running:
                texts = reader.read(documents)
                found = {document.name: scores.score(document.markdown(), texts[document.name]) for document, _ in documents}
                for name, text in texts.items() if arguments.keep else ():
                    (folder / f"{name}.{reader.name}.md").write_text(text)
                for name, one in sorted(found.items(), key=lambda item: item[1].overall) if reader.name == "docmill" else ():
                    print(f"{name:28} {_line([one])}")
                print(f"{kind}, {len(found)} documents, {reader.name}: {_line(list(found.values()))}", flush=True)
        for reader in running:
            reader.stop()


def _line(found: list[scores.Scores]) -> str:
    means = {what: [value for one in found if (value := getattr(one, what)) is not None] for what in WHAT}
    return " ".join(f"{what} {mean(values):.3f}" for what, values in means.items() if values)


if __name__ == "__main__":
    main()
