"""Files of clones, printed by ours and by plain LibreOffice of the same version."""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.lines import Failed, Lost
from bench.worker import Worker

from . import plain
from .documents import LARGEST_BYTES, blobs, clone_in, content

# So that no repository counts for more than some others.
MOST_OF_ONE = 6


def arguments() -> argparse.Namespace:
    """The `worker`, and the `folders` of clones."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("folders", type=Path, nargs="+")
    return parser.parse_args()


@dataclass(frozen=True)
class Printed:
    name: str
    source: Path
    ours: Path
    theirs: Path


def printed(worker: Path, folders: list[Path], suffixes: tuple[str, ...], is_wanted: Callable[[Path], bool]) -> Iterator[Printed]:
    """Of each clone in the folders, named `owner+name`, the wanted files that come first. What only one of both prints is left out."""
    with tempfile.TemporaryDirectory(prefix="docmill-both-") as scratch:
        place = Path(scratch)
        ours = Worker(worker, place)
        for name, source in _wanted(folders, suffixes, is_wanted, place):
            out = place / "ours.pdf"
            try:
                ours.convert("office-to-pdf", source, out, {})
                yield Printed(name, source, out, plain.plain(source))
            except Failed as failed:
                print(f"NOT PRINTED: {name}: {str(failed)[:80]}", flush=True)
            except Lost:
                print(f"LOST: {name}", flush=True)
                ours.lines.stop()
                ours = Worker(worker, place)
            source.unlink()
        ours.lines.stop()


def _wanted(
    folders: list[Path], suffixes: tuple[str, ...], is_wanted: Callable[[Path], bool], place: Path
) -> Iterator[tuple[str, Path]]:
    seen: set[str] = set()
    for folder in sorted(clone for given in folders for clone in given.iterdir() if "+" in clone.name):
        if not (clone := clone_in(folder)):
            continue
        found = 0
        for path, blob in blobs(clone, suffixes):
            if found == MOST_OF_ONE:
                break
            data = b"" if blob in seen else content(clone, blob)
            seen.add(blob)
            file = place / f"source{Path(path).suffix.lower()}"
            file.write_bytes(data)
            if data[:2] == b"PK" and len(data) <= LARGEST_BYTES and is_wanted(file):
                found += 1
                yield f"{folder.name}/{Path(path).name}", file
