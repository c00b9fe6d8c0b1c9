"""The file that tells other programs about the stack: `KEY=VALUE` lines for `set -a; . .local/env`."""

import os
import shlex
from pathlib import Path


def write(path: Path, values: dict[str, str]) -> None:
    """Replaces the file atomically. Only its owner may read it, since it contains keys."""
    text = "".join(f"{name}={shlex.quote(value)}\n" for name, value in sorted(values.items()))
    temporary = path.with_suffix(".new")
    with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    temporary.replace(path)


def read(path: Path) -> dict[str, str]:
    """The file's values, or none if there is no file."""
    if not path.is_file():
        return {}
    pairs = (line.partition("=") for line in path.read_text().splitlines() if line)
    return {name: "".join(shlex.split(value)) for name, _, value in pairs}
