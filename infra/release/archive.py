"""The archive of a release: the same bytes whenever the same build is packed."""

import gzip
import hashlib
import io
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from local.errors import Problem

# What a deployment needs of the repository, each a file or a pattern.
TAKEN = (
    ".dockerignore", "CHANGELOG.md", "LICENSE", "LICENSES.md", "samconfig.toml", "template.yaml",
    "infra/deploy.mk", "infra/deployer-policy.json", "infra/deployment/*.py", "infra/insights.sh", "infra/local/__init__.py", "infra/local/errors.py",
    "infra/local/localize.py", "infra/local/settings.py", "infra/local/stacks.py", "infra/*.md", "infra/preflight/*.py", "infra/release/unpack.sh",
    "infra/requirements-check.txt", "infra/restore-table.sh", "infra/setup.sh", "infra/smoke/*.py",
    "infra/stack-env.sh", "infra/worker/Dockerfile", "infra/worker/fonts/*.t*", "infra/worker/install.sh", "infra/worker/jbig.c",
    "infra/worker/packages", "samples/small.docx",
)  # fmt: skip
# The archive's own front page and commands.
RENAMED = {"infra/release/archive.mk": "Makefile", "infra/release/ARCHIVE.md": "README.md"}
EXECUTABLE, ORDINARY = 0o755, 0o644

Body = bytes | Path


@dataclass(frozen=True)
class Build:
    """What was compiled, and for which release."""

    # The repository.
    root: Path
    # `bootstrap` of each function, in a folder of its name.
    functions: Path
    # `docmill-admin` and `docmill`, for the machine of whoever deploys.
    programs: tuple[Path, ...]
    version: str
    architecture: str
    # Seconds since 1970, the only time in the archive.
    epoch: int
    sbom: bytes

    @property
    def name(self) -> str:
        return f"docmill-{self.version}-{self.architecture}"


def pack(build: Build, folder: Path) -> Path:
    """Writes the archive and its checksum into the folder, and returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{build.name}.tar.gz"
    entries = contents(build)
    sums = "".join(f"{digest(body)}  {name}\n" for name, (body, _) in sorted(entries.items()))
    entries["SHA256SUMS"] = (sums.encode(), ORDINARY)
    with target.open("wb") as file, gzip.GzipFile("", "wb", 9, file, build.epoch) as zipped:
        with tarfile.open(fileobj=zipped, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for name, (body, mode) in sorted(entries.items()):
                with stream(body) as source:
                    archive.addfile(entry(f"{build.name}/{name}", size(body), mode, build.epoch), source)
    target.with_name(f"{target.name}.sha256").write_text(f"{digest(target)}  {target.name}\n")
    return target


def stream(body: Body) -> BinaryIO:
    return body.open("rb") if isinstance(body, Path) else io.BytesIO(body)


def size(body: Body) -> int:
    return body.stat().st_size if isinstance(body, Path) else len(body)


def digest(body: Body) -> str:
    with stream(body) as source:
        return hashlib.file_digest(source, "sha256").hexdigest()


def entry(name: str, size: int, mode: int, epoch: int) -> tarfile.TarInfo:
    """An entry without the names and times of this machine."""
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = size, mode, epoch
    return info


def contents(build: Build) -> dict[str, tuple[Body, int]]:
    """Content and mode of each file, by its path in the archive."""
    files: dict[str, tuple[Body, int]] = {name: (path, mode_of(path)) for name, path in (*of_repository(build.root), *of_build(build))}
    day = datetime.fromtimestamp(build.epoch, UTC).strftime("%F\n").encode()
    # `make deploy` writes both again. They are there so that SAM alone can build, too.
    stamp = hashlib.sha256(f"Architecture={build.architecture} {build.version}\n".encode()).hexdigest().encode() + b"\n"
    files |= {f"{Path(name).parent}/parameters": (stamp, ORDINARY) for name in list(files) if name.endswith("/bootstrap")}
    makefile = (build.root / "infra/release/archive.mk").read_bytes().replace(b"@ARCHITECTURE@", build.architecture.encode())
    return files | {
        "Makefile": (makefile, ORDINARY),
        "VERSION": (f"{build.version}\n".encode(), ORDINARY),
        "sbom.cdx.json": (build.sbom, ORDINARY),
        "target/lambda/built-on": (day, ORDINARY),
    }


def of_repository(root: Path) -> Iterator[tuple[str, Path]]:
    for pattern in TAKEN:
        found = [path for path in root.glob(pattern) if not path.name.endswith("tests.py")]
        if not found:
            raise Problem(f"{pattern} is not in the repository, and belongs into the archive.")
        yield from ((str(path.relative_to(root)), path) for path in found)
    yield from ((there, root / here) for here, there in RENAMED.items())


def of_build(build: Build) -> Iterator[tuple[str, Path]]:
    functions = sorted(build.functions.glob("*/bootstrap"))
    if missing := sorted(of_template(build.root) - {path.parent.name for path in functions}):
        raise Problem(f"{missing[0]}, which template.yaml deploys, is not in {build.functions}: run `make build-lambda`.")
    yield from ((f"target/lambda/{path.parent.name}/bootstrap", path) for path in functions)
    for path in build.programs:
        if not path.is_file():
            raise Problem(f"{path} is missing.")
        yield f"bin/{path.name}", path


def of_template(root: Path) -> set[str]:
    """The programs that a deployment takes from target/lambda. The worker's is in its image."""
    return {"worker", *re.findall(r"CodeUri: target/lambda/([\w-]+)/", (root / "template.yaml").read_text())}


def mode_of(path: Path) -> int:
    return EXECUTABLE if path.stat().st_mode & 0o100 else ORDINARY
