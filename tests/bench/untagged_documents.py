"""Strangers' PDFs without tags, out of public repositories: `python -m bench.untagged_documents CLONES FOLDER [--add]`.

`CLONES` has bare repositories, named `owner+name`. Of each, at most six PDFs come into `FOLDER/opened` or `FOLDER/unopened`, by a rule that knows no result
of ours: those with the lowest digests. Causes are looked for in what is opened, which the digest of a repository's name decides. `untagged.json` lists the
repositories with their commits, so that the same PDFs can be had again; `--add` puts those of further repositories into it.
"""

import argparse
import hashlib
import io
import json
import sys
from pathlib import Path

import pikepdf

from fidelity.documents import LEFT_OUT, blobs, clone_in, commit_of, content

LIST = Path(__file__).with_name("untagged.json")
MOST_OF_ONE = 6
MOST_BYTES = 5 << 20
MOST_PAGES = 60
# So many of 256 repositories are opened.
OPENED = 102


def part(repository: str) -> str:
    return "opened" if hashlib.sha256(repository.encode()).digest()[0] < OPENED else "unopened"


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.untagged_documents")
    parser.add_argument("clones", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--add", action="store_true", help="take those of repositories that are not listed, too")
    arguments = parser.parse_args()
    listed: dict[str, str] = json.loads(LIST.read_text())
    known: set[str] = set()
    for folder in sorted(place for place in arguments.clones.iterdir() if "+" in place.name):
        repository = folder.name.replace("+", "/", 1)
        clone = clone_in(folder)
        if not clone or repository.startswith(LEFT_OUT) or not (arguments.add or repository in listed):
            continue
        chosen = untagged(clone, known)
        if not chosen:
            continue
        commit = commit_of(clone)
        if listed.setdefault(repository, commit) != commit:
            print(f"{repository}: {commit} instead of {listed[repository]}", file=sys.stderr)
        known |= chosen.keys()
        place = arguments.folder / part(repository) / folder.name
        place.mkdir(parents=True, exist_ok=True)
        for digest, data in chosen.items():
            (place / f"{digest[:16]}.pdf").write_bytes(data)
        print(f"{repository}: {len(chosen)}", file=sys.stderr)
    LIST.write_text(json.dumps(dict(sorted(listed.items())), indent=1) + "\n")


def untagged(clone: Path, known: set[str]) -> dict[str, bytes]:
    """PDFs by their digests. `known`: of other repositories, whose part they would be in too."""
    # Git's own digests spare reading what is there twice.
    found = {}
    for blob in {blob for _, blob in blobs(clone, (".pdf",))}:
        data = content(clone, blob)
        if data.startswith(b"%PDF-") and len(data) <= MOST_BYTES:
            found[hashlib.sha256(data).hexdigest()] = data
    chosen: dict[str, bytes] = {}
    for digest, data in sorted(found.items()):
        if len(chosen) == MOST_OF_ONE:
            break
        if digest not in known and is_untagged(data):
            chosen[digest] = data
    return chosen


def is_untagged(data: bytes) -> bool:
    try:
        with pikepdf.open(io.BytesIO(data)) as pdf:
            return not pdf.is_encrypted and "/StructTreeRoot" not in pdf.Root and len(pdf.pages) <= MOST_PAGES
    except Exception:  # Strangers' files can raise anything.
        return False


if __name__ == "__main__":
    main()
