"""`python -m licences`: writes LICENSES.md. `--check` only compares it; `--image ROOT` reads an image's root directory again."""

import argparse
import json
import re
import sys
from dataclasses import asdict
from pathlib import Path

from . import crates, image, table

ROOT = crates.ROOT
TABLE, RECORD = ROOT / "LICENSES.md", Path(__file__).resolve().parent / "image.json"


def main() -> int:
    parser = argparse.ArgumentParser(prog="licences")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--image", type=Path)
    arguments = parser.parse_args()
    if arguments.image:
        lines = [json.dumps(asdict(source)) for source in image.read(arguments.image)]
        RECORD.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    sources = recorded()
    wanted = table.of_all(crates.read(), sources)
    faults = problems(sources)
    if not arguments.check:
        TABLE.write_text(wanted)
    elif TABLE.read_text() != wanted:
        faults.append(f"{TABLE.name} is not what Cargo.lock and {RECORD.name} come to: run `make licences`")
    for fault in faults:
        print(f"Error: {fault}", file=sys.stderr)
    return 1 if faults else 0


def recorded() -> list[image.Source]:
    return [
        image.Source(each["name"], *(tuple(each[key]) for key in ("packages", "licences", "loaded")))
        for each in json.loads(RECORD.read_text())
    ]


def problems(sources: list[image.Source]) -> list[str]:
    """Forbidden licences in the table, and unknown packages."""
    lines = (ROOT / "infra/worker/packages").read_text().splitlines()
    known = {package for source in sources for package in source.packages}
    found = [
        f"{name} is in no row: record an image with `make licences IMAGE_ROOT=…` (`make test-image` makes one)"
        for name in lines
        if name and not name.startswith("#") and name not in known
    ]
    if set(table.copyleft(sources)) != set(table.COPYLEFT):
        found.append(f"engines load libraries that are only under the GPL, of {table.copyleft(sources)}, and not of {[*table.COPYLEFT]}")
    # Their copyright files name the licence of files that are not installed. The introduction explains this.
    named = {source.name for source in sources if any(re.search("AGPL|Affero", each) for each in source.licences)}
    return found + [f"{name} names the AGPL" for name in sorted(named - {"libreoffice-dictionaries"})]


if __name__ == "__main__":
    sys.exit(main())
