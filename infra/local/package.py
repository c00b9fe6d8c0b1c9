"""Function packages for the emulator: a launcher each, which runs the binary where it lies and logs to a file.

A debug binary is too large to be worth zipping, uploading and keeping in the emulator's memory as often as there are functions. The
launcher names the binary's size and time, so a package changes exactly when its binary does.
"""

import io
import os
import shutil
import zipfile
from pathlib import Path
from shlex import quote

from local.errors import Problem

# The oldest time that a zip entry can carry: the same input gives the same bytes.
ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
EXECUTABLE = 0o755 << 16


def install(binary: Path, folder: Path) -> Path:
    """Puts a binary beside the stack's data, so that a later build does not change a stack that runs."""
    if not binary.is_file():
        raise Problem(f"{binary.name} is not built: run `make build` (looked in {binary.parent}).")
    folder.mkdir(parents=True, exist_ok=True)
    installed = folder / binary.name
    # A new file each time: a running process keeps the old one, and an executable in use can't be written.
    installed.unlink(missing_ok=True)
    try:
        os.link(binary, installed)
    except OSError:
        shutil.copy2(binary, installed)
    return installed


def launcher(binary: Path, log: Path) -> bytes:
    """A zip whose `bootstrap` becomes the binary, with its output appended to `log`."""
    stat = binary.stat()
    script = (
        "#!/bin/sh\n"
        f"# {stat.st_size} bytes, built at {stat.st_mtime_ns}\n"
        f"exec {quote(str(binary))} >>{quote(str(log))} 2>&1\n"
    )
    entry = zipfile.ZipInfo("bootstrap", ZIP_EPOCH)
    entry.external_attr = EXECUTABLE
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(entry, script)
    return buffer.getvalue()
