"""Runs all suites of `make test` with the stack in the environment, and says at the end how long each took.

The tests of PDF tools only compute: they run beside the others, which mostly wait, and give way to them.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.settings import ROOT

BESIDE = "docmill-pdf"
# How much the suite beside gives way to the others.
NICENESS = 10
# A suite that takes longer hangs: it is ended and named, before the machine's own limit ends everything without a word.
LONGEST_SECONDS = 40 * 60


@dataclass(frozen=True)
class Suite:
    name: str
    command: list[str]


@dataclass(frozen=True)
class Ran:
    name: str
    code: int
    seconds: float


def suites(packages: list[dict[str, Any]]) -> tuple[Suite, list[Suite]]:
    """The suite that runs beside the others, and the others in their order. Together they have every test of the workspace."""
    names = {package["name"]: sorted(integration_tests(package)) for package in packages}
    beside = cargo("PDF tools", names.pop(BESIDE))
    # `it` needs the stack and comes last of cargo's, since it takes longest to fail.
    own = [cargo(f"tests of {package}", tests) for package, tests in names.items() if tests and tests != ["it"]]
    units = Suite("unit tests", ["cargo", "test", "--workspace", "--lib", "--bins"])
    examples = Suite("tests in documentation", ["cargo", "test", "--workspace", "--doc"])
    journeys = Suite("journeys in a browser", ["tests/browser/run.sh"])
    clients = Suite("conformance of clients", ["clients/conformance/run.sh"])
    return beside, [units, examples, *own, cargo("integration tests", ["it"]), journeys, clients]


def integration_tests(package: dict[str, Any]) -> Iterator[str]:
    return (target["name"] for target in package["targets"] if target["kind"] == ["test"] and target["test"])


def cargo(name: str, tests: list[str]) -> Suite:
    # Always of the whole workspace: for a part of it, cargo would build the dependencies again with fewer features.
    return Suite(name, ["cargo", "test", "--workspace", *(part for test in tests for part in ("--test", test))])


def run(suite: Suite) -> Ran:
    started = time.monotonic()
    return Ran(suite.name, run_bounded(suite.command), time.monotonic() - started)


def run_beside(suite: Suite, output: Path) -> Ran:
    started = time.monotonic()
    with output.open("w") as lines:
        code = run_bounded(["nice", "-n", str(NICENESS), *suite.command], stdout=lines, stderr=lines)
    return Ran(suite.name, code, time.monotonic() - started)


def run_bounded(command: list[str], **outputs: Any) -> int:
    """The command's exit code. Ends it with all its processes after LONGEST_SECONDS, and with this process."""
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True, **outputs) as process:
        try:
            return process.wait(LONGEST_SECONDS)
        except subprocess.TimeoutExpired:
            print(f"Error: still running after {LONGEST_SECONDS} s: {' '.join(command)}", file=sys.stderr, flush=True)
            return 124
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)


def run_all(beside: Suite, others: list[Suite], output: Path) -> list[Ran]:
    """Runs the others up to the first that fails."""
    with ThreadPoolExecutor(1) as threads:
        pending = threads.submit(run_beside, beside, output)
        ran = []
        for suite in others:
            ran.append(run(suite))
            if ran[-1].code != 0:
                break
        ran.append(pending.result())
    print(output.read_text(), flush=True)
    return ran


def report(ran: list[Ran]) -> str:
    return "\n".join(f"  {each.seconds:6.0f} s  {each.name}{'' if each.code == 0 else ' FAILED'}" for each in ran)


def main() -> int:
    metadata = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True)
    build = run(Suite("compiling the tests", ["cargo", "test", "--workspace", "--no-run"]))
    ran = [build]
    if build.code == 0:
        target = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
        ran += run_all(*suites(json.loads(metadata.stdout)["packages"]), target / "pdf-tools.log")
    print(f"Seconds of each suite:\n{report(ran)}", flush=True)
    return next((each.code for each in ran if each.code != 0), 0)


if __name__ == "__main__":
    sys.exit(main())
