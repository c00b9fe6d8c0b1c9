"""`python -m release check | pack | tag`, as `make release` calls it."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from licences import __main__ as licences
from local.errors import Problem
from local.settings import ROOT

from release import archive, repository, sbom


def pack(options: argparse.Namespace) -> Path:
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or repository.epoch(ROOT))
    version = repository.version(ROOT)
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", f"{options.architecture.replace('arm64', 'aarch64')}-unknown-linux-gnu"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    versions = sbom.installed(options.image / "var/lib/dpkg/status") if options.image else {}
    bill = sbom.of_release(ROOT, version, epoch, metadata, licences.recorded(), versions)
    build = archive.Build(ROOT, options.functions, tuple(options.programs), version, options.architecture, epoch, bill)
    return archive.pack(build, options.out)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="release")
    actions = parser.add_subparsers(dest="action", required=True)
    actions.add_parser("check")
    actions.add_parser("tag")
    packing = actions.add_parser("pack")
    packing.add_argument("--architecture", default="x86_64")
    packing.add_argument("--functions", type=Path, default=ROOT / "target/lambda")
    packing.add_argument("--out", type=Path, default=ROOT / "target")
    packing.add_argument("--image", type=Path, help="the root directory of a worker's image, for the versions of its packages")
    packing.add_argument("programs", type=Path, nargs="+")
    options = parser.parse_args(arguments)
    match options.action:
        case "check":
            repository.require_releasable(ROOT)
        case "pack":
            print(pack(options))
        case _:
            print(f"Tagged {repository.tag(ROOT)}. Publish it with: git push origin {repository.tag(ROOT)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        sys.exit(f"Error: {problem}")
