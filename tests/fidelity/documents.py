"""Documents that Word saved, in public repositories: `documents.json` has commits and digests by repository. `python -m fidelity.documents
FOLDER…` adds to it from folders of clones, named `owner+name`, by a rule that knows no result of ours. What is chosen stays in the cache."""

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from .pairs import CACHE, fetch_file
from .word_pages import pages

LIST = Path(__file__).with_name("documents.json")
# So that no repository counts for more than some others.
MOST_OF_ONE = 25
# These have documents that others judge by.
LEFT_OUT = ("nissl-lab/npoi", "dotnet/Open-XML-SDK", "plutext/docx4j", "PHPOffice/", "SheetJS/", "jgm/pandoc")
# Their documents are those of a repository that is listed, in part with changes.
COPIES = ("OfficeDev/Open-Xml-PowerTools", "danbetts/OpenXmlPowerTools2023")
LARGEST_BYTES = 20 << 20
# More would take most of the time.
MOST_PAGES = 150


class Part(Enum):
    """All documents of a repository are in the same part."""

    # Causes are looked for here,
    TRAIN = "train"
    # mends are chosen by these,
    CHOOSE = "choose"
    # and judged by these, which nobody looks at.
    JUDGE = "judge"

    @classmethod
    def of(cls, repository: str) -> "Part":
        return (cls.TRAIN, cls.JUDGE, cls.CHOOSE, cls.JUDGE)[hashlib.sha256(repository.encode()).digest()[0] % 4]


@dataclass(frozen=True)
class Document:
    repository: str
    commit: str
    path: str
    sha256: str

    @property
    def name(self) -> str:
        return f"{self.repository.split('/')[1]}/{Path(self.path).name}"

    @property
    def part(self) -> Part:
        return Part.of(self.repository)

    @property
    def file(self) -> Path:
        """Where it lies after `fetch`."""
        return CACHE / f"{self.sha256}{Path(self.path).suffix.lower()}"

    def fetch(self) -> Path:
        """Raises `pairs.Unreachable`."""
        fetch_file(self.repository, f"{self.commit}:{self.path}", self.sha256, self.file)
        return self.file


def all_documents() -> list[Document]:
    listed = json.loads(LIST.read_text())
    return [
        Document(repository, of["commit"], path, sha256)
        for repository, of in listed.items()
        for path, sha256 in of["documents"].items()
    ]


def _chosen(clone: Path, known: set[str]) -> dict[str, str]:
    """The documents of a clone that tell their pages in Word, from two on: those with the lowest digests. `known`: of other repositories,
    whose part they would be in too."""
    found: dict[str, str] = {}
    for path, blob in blobs(clone, (".docx", ".docm")):
        data = content(clone, blob)
        if data[:2] == b"PK" and len(data) <= LARGEST_BYTES and _is_paged(data):
            found.setdefault(hashlib.sha256(data).hexdigest(), path)
    new = sorted((digest, path) for digest, path in found.items() if digest not in known)
    return {path: digest for digest, path in new[:MOST_OF_ONE]}


def _listed(repository: str, clone: Path, known: set[str]) -> dict | None:
    documents = _chosen(clone, known)
    if not documents:
        return None
    commit = commit_of(clone)
    for path, digest in documents.items():
        file = Document(repository, commit, path, digest).file
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_git(clone, "cat-file", "blob", f"{commit}:{path}"))
    return {"commit": commit, "documents": documents}


def blobs(clone: Path, suffixes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The paths and digests of a clone's files with these suffixes."""
    for line in _git(clone, "ls-tree", "-r", "-z", "HEAD").decode(errors="replace").split("\0"):
        kind, _, path = line.partition("\t")
        if path.lower().endswith(suffixes):
            yield path, kind.split()[2]


def _is_paged(data: bytes) -> bool:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        return 1 < len(pages(Path(file.name)) or []) <= MOST_PAGES


def content(clone: Path, blob: str) -> bytes:
    """Empty if the clone does not have it."""
    return subprocess.run(["git", "-C", str(clone), "cat-file", "blob", blob], capture_output=True).stdout


def commit_of(clone: Path) -> str:
    return _git(clone, "rev-parse", "HEAD").decode().strip()


def _git(clone: Path, *arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", str(clone), *arguments], capture_output=True, check=True)
    return done.stdout


def clone_in(folder: Path) -> Path | None:
    heads = [*folder.glob("HEAD"), *folder.glob("*/HEAD"), *folder.glob("*/*/HEAD")]
    return next((head.parent for head in heads if (head.parent / "objects").is_dir()), None)


def main() -> None:
    listed = json.loads(LIST.read_text())
    for folder in sorted(place for given in sys.argv[1:] for place in Path(given).iterdir() if "+" in place.name):
        repository = folder.name.replace("+", "/", 1)
        clone = clone_in(folder)
        # The documents of a repository that is listed stay, so that figures can be compared.
        if not clone or repository in listed or repository.startswith(LEFT_OUT) or repository in COPIES:
            continue
        known = {digest for of in listed.values() for digest in of["documents"].values()}
        if chosen := _listed(repository, clone, known):
            listed[repository] = chosen
            print(f"{repository}: {len(chosen['documents'])}", file=sys.stderr)
    LIST.write_text(json.dumps(dict(sorted(listed.items())), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
