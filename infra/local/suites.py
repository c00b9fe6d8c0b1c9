"""Runs all suites of `make test` with the stack in the environment, and says at the end how long each took.

Tests that need no stack run beside those of the whole stack, which mostly wait. Those that only compute give way to them.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.settings import ROOT

BESIDE = "docmill-pdf"
# How much the suites that only compute give way to the others.
NICENESS = 10
# The tests of the whole stack mostly wait, for leases, queues and functions.
STACK_THREADS = 3
# A suite that takes longer hangs: it is ended and named, before the machine's own limit ends everything without a word.
LONGEST_SECONDS = 40 * 60


@dataclass(frozen=True)
class Suite:
    name: str
    command: list[str]
    niceness: int = 0


@dataclass(frozen=True)
class Ran:
    name: str
    code: int
    seconds: float


def suites(packages: list[dict[str, Any]]) -> tuple[list[Suite], list[Suite]]:
    """The suites that run beside the others, and the others, both in their order. Together they have every test of the workspace."""
    names = {package["name"]: sorted(integration_tests(package)) for package in packages}
    pdf_tools = cargo("PDF tools", names.pop(BESIDE), NICENESS)
    own = [cargo(f"tests of {package}", tests) for package, tests in names.items() if tests and tests != ["it"]]
    # `--bins` would link the programs without tests, too, which are most.
    programs = [part for package in packages for target in package["targets"] if is_tested_program(target) for part in ("--bin", target["name"])]
    units = Suite("unit tests", ["cargo", "test", "--workspace", "--lib", *programs], NICENESS)
    stack = cargo("integration tests", ["it"])
    stack = Suite(stack.name, ["env", f"RUST_TEST_THREADS={STACK_THREADS}", *stack.command])
    journeys = Suite("journeys in a browser", ["tests/browser/run.sh"])
    clients = Suite("conformance of clients", ["clients/conformance/run.sh"])
    standin = Suite("the stand-in for Lambda", ["env", "PYTHONPATH=infra:tests", sys.executable, "-m", "standin"])
    # As after a deployment, and first: where it fails, little else succeeds.
    smoke = Suite("smoke test", ["env", f"PYTHONPATH={ROOT / 'infra'}", sys.executable, "-m", "smoke"])
    return [*own, units, pdf_tools, reports()], [smoke, isolated(smoke), stack, journeys, clients, standin]


def isolated(smoke: Suite) -> Suite:
    """The same with workers that reach nothing but bucket and tables, as on AWS: on a stack of its own, not that of the environment."""
    stack = ["env", "-u", "AWS_ENDPOINT_URL", "CONVERTER_NETWORK=isolated", f"PYTHONPATH={ROOT / 'infra'}", sys.executable, "-m", "local"]
    return Suite("smoke test of isolated workers", [*stack, "with-stack", "--", *smoke.command])


def reports() -> Suite:
    """Other people's reports, with the worker that `make test` has built."""
    environment = ["env", f"PYTHONPATH={ROOT / 'tests'}", "PYTHONDONTWRITEBYTECODE=1"]
    return Suite("reports", [*environment, sys.executable, "-m", "reports", "--worker", str(target() / "debug/worker")], NICENESS)


def target() -> Path:
    return Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")


def is_tested_program(target: dict[str, Any]) -> bool:
    return target["kind"] == ["bin"] and target["test"]


def integration_tests(package: dict[str, Any]) -> Iterator[str]:
    return (target["name"] for target in package["targets"] if target["kind"] == ["test"] and target["test"])


def cargo(name: str, tests: list[str], niceness: int = 0) -> Suite:
    # Always of the whole workspace: for a part of it, cargo would build the dependencies again with fewer features.
    return Suite(name, ["cargo", "test", "--workspace", *(part for test in tests for part in ("--test", test))], niceness)


def run(suite: Suite, **outputs: Any) -> Ran:
    started = time.monotonic()
    command = ["nice", "-n", str(suite.niceness), *suite.command]
    return Ran(suite.name, run_bounded(command, **outputs), time.monotonic() - started)


def run_beside(beside: list[Suite], output: Path) -> list[Ran]:
    """Runs them up to the first that fails."""
    with output.open("w") as lines:
        return up_to_the_first_failure(beside, lambda suite: run(suite, stdout=lines, stderr=lines))


def run_all(beside: list[Suite], others: list[Suite], output: Path) -> list[Ran]:
    with ThreadPoolExecutor(1) as threads:
        pending = threads.submit(run_beside, beside, output)
        ran, ran_beside = up_to_the_first_failure(others, run), pending.result()
    # Nothing comes between the output of a suite that failed and the end.
    if any(each.code != 0 for each in ran_beside):
        print(output.read_text(), flush=True)
    return ran + ran_beside


def up_to_the_first_failure(suites: list[Suite], run_one: Callable[[Suite], Ran]) -> list[Ran]:
    ran: list[Ran] = []
    for suite in suites:
        ran.append(run_one(suite))
        if ran[-1].code != 0:
            break
    return ran


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


def report(ran: list[Ran]) -> str:
    return "\n".join(f"  {each.seconds:6.0f} s  {each.name}{'' if each.code == 0 else ' FAILED'}" for each in ran)


def main() -> int:
    metadata = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True)
    build = run(Suite("compiling the tests", ["cargo", "test", "--workspace", "--no-run"]))
    ran = [build]
    if build.code == 0:
        ran += run_all(*suites(json.loads(metadata.stdout)["packages"]), target() / "beside.log")
    print(f"Seconds of each suite:\n{report(ran)}", flush=True)
    return next((each.code for each in ran if each.code != 0), 0)


if __name__ == "__main__":
    sys.exit(main())
