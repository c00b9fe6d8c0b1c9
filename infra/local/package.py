"""Function packages for the emulator: a launcher each, which runs the binary where it lies and logs to a file.

A debug binary is too large to be worth zipping, uploading and keeping in the emulator's memory as often as there are functions. The
launcher names the binary's size and time, so a package changes exactly when its binary does.
"""

import functools
import io
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from shlex import quote

from local.errors import Problem
from local.settings import ROOT

LIKE_LAMBDA = ROOT / "infra/worker/like-lambda.sh"
UNCONFINED = "workers run without Lambda's limits: these take root, bubblewrap, and a machine that allows namespaces"

# The oldest time that a zip entry can have: the same input gives the same bytes.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
EXECUTABLE = 0o755 << 16


@functools.cache
def can_confine() -> bool:
    """Whether programs can run here as on Lambda: this needs root, and fails in some containers."""
    if os.geteuid() != 0:
        return False
    return subprocess.run([LIKE_LAMBDA, "true"], stdin=subprocess.DEVNULL, capture_output=True).returncode == 0


def confinement(binary: Path) -> str:
    """Lines of a launcher that run its program like Lambda, with its whole environment and this machine's network."""
    return (
        "export LIKE_LAMBDA_NETWORK=host\n"
        f"export LIKE_LAMBDA_READS={quote(str(binary.parent))}\n"
        "LIKE_LAMBDA_PASS=$(env | sed -nE '/^(PATH|HOME|TMPDIR|LANG)=/d; s/^([A-Za-z_][A-Za-z_0-9]*)=.*/\\1/p' | paste -sd ' ')\n"
        "export LIKE_LAMBDA_PASS\n"
        f"run={quote(str(LIKE_LAMBDA))}\n"
    )


def install(binary: Path, folder: Path, name: str | None = None) -> Path:
    """Copies a binary next to the stack's data, so that later builds don't change a running stack. With a `name` other than its own,
    it is found there under that."""
    if not binary.is_file():
        raise Problem(f"{binary.name} is not built: run `make build` (looked in {binary.parent}).")
    folder.mkdir(parents=True, exist_ok=True)
    installed = folder / (name or binary.name)
    # A new file each time: a running process keeps the old one, and a running executable can't be overwritten.
    installed.unlink(missing_ok=True)
    try:
        os.link(binary, installed)
    except OSError:
        shutil.copy2(binary, installed)
    return installed


def install_functions(names: set[str], built: Path, folder: Path) -> dict[str, Path]:
    """Installs the binaries of these functions, by name. All but the worker are one program, which acts by the name that it has."""
    worker = {name: install(built / name, folder) for name in names & {"worker"}}
    others = install(built / "local-functions", folder)
    return worker | {name: install(others, folder, name) for name in names - {"worker"}}


def launcher(binary: Path, log: Path, confined: bool = False) -> bytes:
    """A zip whose `bootstrap` runs the binary and appends its output to `log`. `confined`: as on Lambda."""
    stat = binary.stat()
    script = (
        "#!/bin/sh\n"
        f"# {stat.st_size} bytes, built at {stat.st_mtime_ns}\n"
        f"{confinement(binary) if confined else ''}exec $run {quote(str(binary))} >>{quote(str(log))} 2>&1\n"
    )
    entry = zipfile.ZipInfo("bootstrap", ZIP_EPOCH)
    entry.external_attr = EXECUTABLE
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, script)
    return buffer.getvalue()
