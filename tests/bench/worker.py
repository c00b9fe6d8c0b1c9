"""The worker's release binary as on Lambda, serving lines like a Lambda environment serves jobs."""

import os
import shutil
from enum import Enum
from pathlib import Path

from .lines import LineProcess

LIKE_LAMBDA = Path(__file__).resolve().parents[2] / "infra/worker/like-lambda.sh"
# The harness's default.
MEMORY_MIB = "2048"
# As long as a service would wait for one document.
PATIENCE = 180


class Platform(Enum):
    """Where a worker runs, which decides by what it confines converters."""

    LAMBDA = "Lambda"
    # An ordinary user on a machine whose kernel has seccomp and Landlock.
    MACHINE = "one machine"
    # The same, as the current user and without limits.
    ROOT = "root"


class Worker:
    """`shared` is the only directory of ours that it can see and write to: sources and results pass through it."""

    def __init__(self, binary: Path, scratch: Path, platform: Platform = Platform.LAMBDA):
        self.shared = scratch / "tmp"
        self.shared.mkdir(exist_ok=True)
        if platform is not Platform.ROOT:
            binary = _for_all(binary.resolve(), scratch)
        environment = {"LIKE_LAMBDA_SCRATCH": str(self.shared), "LIKE_LAMBDA_READS": str(binary.resolve().parent)}
        command = [str(binary.resolve()), "convert-each"]
        if platform is Platform.MACHINE:
            environment["LIKE_LAMBDA_FILTER"] = "none"
        if platform is Platform.ROOT:
            environment = {"TMPDIR": str(self.shared), "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": MEMORY_MIB}
        else:
            command.insert(0, str(LIKE_LAMBDA))
        self.lines = LineProcess(command, scratch / "log", environment)

    def convert(self, tool: str, source: Path | list[Path], out: Path, options: dict, more: dict | None = None) -> dict:
        """The worker's answer. `more`: further entries of the line. Raises Failed if it refuses the document, Lost if it has exited."""
        sources = source if isinstance(source, list) else [source]
        given = [self.shared / (f"{number}-{path.name}" if number else path.name) for number, path in enumerate(sources)]
        made = self.shared / f"made{out.suffix}"
        for path, place in zip(sources, given, strict=True):
            link_or_copy(path, place)
        several = given[0] if len(given) == 1 else given
        try:
            answer = self.lines.ask({"tool": tool, "in": several, "out": made, "options": options, **(more or {})}, PATIENCE)
            shutil.move(made, out)
            return answer
        finally:
            for place in given:
                place.unlink()
            made.unlink(missing_ok=True)


def _for_all(binary: Path, scratch: Path) -> Path:
    """The binary, or a copy if only its owner may start it: as on Lambda, the worker is an ordinary user who owns nothing."""
    if _may(binary.parent, 0o5) and _may(binary, 0o5):
        return binary
    place = scratch / "bin"
    place.mkdir(exist_ok=True)
    copy = Path(shutil.copyfile(binary, place / binary.name))
    for path in (place, copy):
        path.chmod(0o755)
    return copy


def _may(path: Path, bits: int) -> bool:
    """Whether all users have these permissions."""
    return path.stat().st_mode & bits == bits


def link_or_copy(source: Path, target: Path) -> None:
    """All users can read the target."""
    try:
        if _may(source, 0o4):
            os.link(source, target)
            return
    except OSError:
        pass
    shutil.copyfile(source, target)
    target.chmod(0o644)
