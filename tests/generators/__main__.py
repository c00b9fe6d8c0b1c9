"""Makes a client with each generator that the guide names, and converts a document with each.

`build` generates and compiles what is not in the cache. `run` needs a stack in its environment, as `make test-generators` gives it.
Each client creates a job, waits for its end and downloads the result, and its request must have arrived as it was written."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from generators.building import build_all, place
from generators.kinds import KINDS, Kind
from generators.tools import Failure, Tools

# On the first page of samples/small.docx.
TEXT = "Amet aliqua dolor"
SECONDS = 120


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m generators", description=__doc__.partition("\n")[0])
    parser.add_argument("action", choices=["build", "run"])
    parser.add_argument("--only", nargs="*", metavar="FOLDER", choices=[kind.folder for kind in KINDS], help="some of the clients")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(Path(folder) / "shims")
        try:
            kinds = [kind for kind in KINDS if kind.folder in arguments.only] if arguments.only else list(KINDS)
            {"build": build_all, "run": run_all}[arguments.action](tools, kinds)
        except Failure as failure:
            print(f"Error: {failure}", file=sys.stderr)
            return 1
    return 0


def run_all(tools: Tools, kinds: list[Kind]) -> None:
    started = time.monotonic()
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda kind: run(tools, kind), kinds))
    print(f"  {time.monotonic() - started:6.0f} s  {len(kinds)} generated clients converted a document", flush=True)


def run(tools: Tools, kind: Kind) -> None:
    folder = place(tools, kind)
    if not (folder / "complete").exists():
        raise Failure(f"{kind.folder} is not built")
    with tempfile.TemporaryDirectory() as results:
        target = Path(results) / "result.pdf"
        source = f"{os.environ['SAMPLES_URL']}/small.docx"
        ran = subprocess.run([*kind.program(tools, folder), source, target], text=True, capture_output=True, timeout=SECONDS)
        if ran.returncode != 0:
            raise Failure(f"{kind.folder}: {ran.stdout}{ran.stderr}")
        check_result(kind, target)
        check_job(kind, ran.stdout.strip())


def check_result(kind: Kind, target: Path) -> None:
    text = subprocess.run(["pdftotext", target, "-"], text=True, capture_output=True)
    if not target.read_bytes().startswith(b"%PDF-") or TEXT not in text.stdout:
        raise Failure(f"{kind.folder}: the result is no PDF with the document's text: {text.stdout[:200]}{text.stderr}")


def check_job(kind: Kind, job_id: str) -> None:
    """The service got every part of the request, and nothing that the program did not write."""
    request = urllib.request.Request(f"{os.environ['DOCMILL_URL']}/v1/jobs/{job_id}")
    request.add_header("Authorization", f"Bearer {os.environ['DOCMILL_LIVE_KEY']}")
    with urllib.request.urlopen(request, timeout=30) as answer:
        job = json.load(answer)["job"]
    seen = (job["toolSlug"], job["options"], job["metadata"], job.get("warnings", []))
    if seen != ("office-to-pdf", {"pageRange": "1"}, {"client": kind.folder}, []):
        raise Failure(f"{kind.folder}: the service got another request: {seen}")


if __name__ == "__main__":
    sys.exit(main())
