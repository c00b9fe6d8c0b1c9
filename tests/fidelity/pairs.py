"""The pairs: public documents, each with the PDF that Microsoft Office made of it. They lie in the repositories that published
them, and are fetched by commit and checked by digest."""

import hashlib
import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).with_name("pairs.json")
CACHE = Path(os.environ.get("DOCMILL_CACHE", Path.home() / ".cache/docmill")) / "fidelity"
# Bare clones, each in a folder `owner+name`, for machines that can't reach the repositories.
MIRRORS = os.environ.get("MIRRORS")


@dataclass(frozen=True)
class Pair:
    repository: str
    commit: str
    document: str
    document_sha256: str
    pdf: str
    pdf_sha256: str

    @property
    def name(self) -> str:
        return f"{self.repository.split('/')[1]}/{Path(self.document).name}"

    @property
    def kind(self) -> str:
        return Path(self.document).suffix[1:].lower()

    def files(self) -> tuple[Path, Path]:
        """Where the document and Office's PDF lie after `fetch`."""
        return CACHE / f"{self.document_sha256}.{self.kind}", CACHE / f"{self.pdf_sha256}.pdf"


class Unreachable(Exception):
    """A pair that can't be fetched, with the reason."""


def all_pairs() -> list[Pair]:
    return [Pair(**pair) for pair in json.loads(LIST.read_text())]


def fetch(pair: Pair) -> tuple[Path, Path]:
    """The document and Office's PDF. Raises Unreachable."""
    document, pdf = pair.files()
    for path, digest, file in [(pair.document, pair.document_sha256, document), (pair.pdf, pair.pdf_sha256, pdf)]:
        fetch_file(pair.repository, f"{pair.commit}:{path}", digest, file)
    return document, pdf


def fetch_file(repository: str, name: str, digest: str, file: Path) -> None:
    """`name`: commit and path. Raises Unreachable."""
    if file.exists():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    data = _blob(_clone(repository), name)
    if hashlib.sha256(data).hexdigest() != digest:
        raise Unreachable(f"{repository}: {name} is not the file that the list names")
    file.write_bytes(data)


def _clone(repository: str) -> Path:
    """A clone without any file's content, which git fetches when it is asked for."""
    folder = repository.replace("/", "+")
    if MIRRORS:
        return _mirror(Path(MIRRORS) / folder)
    clone = CACHE / "clones" / folder
    if not clone.exists():
        url = f"https://github.com/{repository}.git"
        _git(["clone", "--quiet", "--bare", "--filter=blob:none", url, str(clone)])
    return clone


def _mirror(folder: Path) -> Path:
    heads = [folder / "HEAD", *folder.glob("*/HEAD"), *folder.glob("*/*/HEAD")]
    found = next((head.parent for head in heads if (head.parent / "objects").is_dir()), None)
    if found is None:
        raise Unreachable(f"there is no clone in {folder}")
    return found


def _blob(clone: Path, name: str) -> bytes:
    return _git(["-C", str(clone), "cat-file", "blob", name])


def _git(arguments: list[str]) -> bytes:
    done = subprocess.run(["git", *arguments], capture_output=True)
    if done.returncode:
        raise Unreachable(done.stderr.decode(errors="replace").strip())
    return done.stdout
