"""Writes the types of the clients in Go and Rust: `python3 -m models`, or with `--check`, says whether they are up to date.

Costs two seconds.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from models import describe, golang, rust

CLIENTS = describe.ROOT / "clients"


def main() -> int:
    arguments = argparse.ArgumentParser(prog="models", description=__doc__)
    arguments.add_argument("--check", action="store_true")
    check = arguments.parse_args().check
    models = describe.models()
    with tempfile.TemporaryDirectory() as folder:
        written = {
            CLIENTS / "go/models.go": golang.write(models, Path(folder)),
            CLIENTS / "rust/src/models/types.rs": rust.write_types(models, Path(folder)),
            CLIENTS / "rust/src/models/names.rs": rust.write_names(models),
        }
    stale = [path for path, text in written.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        if check:
            print(f"Error: {path.relative_to(CLIENTS.parent)} is out of date: run clients/models/generate.sh", file=sys.stderr)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(written[path])
    return 1 if check and stale else 0


sys.exit(main())
