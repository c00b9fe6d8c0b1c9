"""The worker's release binary as on Lambda, serving lines like a Lambda environment serves jobs."""

import os
import shutil
from pathlib import Path

from .lines import LineProcess

LIKE_LAMBDA = Path(__file__).resolve().parents[2] / "infra/worker/like-lambda.sh"
# The harness's default.
MEMORY_MIB = "2048"
# As long as a service would wait for one document.
PATIENCE = 180


class Worker:
    """`shared` is the only directory of ours that it can see and write to: sources and results pass through it."""

    def __init__(self, binary: Path, scratch: Path, privileged: bool = False):
        """`privileged`: as the current user, without Lambda's restrictions."""
        self.shared = scratch / "tmp"
        self.shared.mkdir(exist_ok=True)
        environment = {"LIKE_LAMBDA_SCRATCH": str(self.shared), "LIKE_LAMBDA_READS": str(binary.resolve().parent)}
        command = [str(binary.resolve()), "convert-each"]
        if privileged:
            environment = {"TMPDIR": str(self.shared), "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": MEMORY_MIB}
        else:
            command.insert(0, str(LIKE_LAMBDA))
        self.lines = LineProcess(command, scratch / "log", environment)

    def convert(self, tool: str, source: Path | list[Path], out: Path, options: dict) -> dict:
        """The worker's answer. Raises Failed if it refuses the document, Lost if it has exited."""
        sources = source if isinstance(source, list) else [source]
        given = [self.shared / (f"{number}-{path.name}" if number else path.name) for number, path in enumerate(sources)]
        made = self.shared / f"made{out.suffix}"
        for path, place in zip(sources, given, strict=True):
            link_or_copy(path, place)
        several = given[0] if len(given) == 1 else given
        try:
            answer = self.lines.ask({"tool": tool, "in": several, "out": made, "options": options}, PATIENCE)
            shutil.move(made, out)
            return answer
        finally:
            for place in given:
                place.unlink()
            made.unlink(missing_ok=True)


def link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
