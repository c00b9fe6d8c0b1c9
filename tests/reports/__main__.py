"""Runs all reports: `make reports`, or `make reports NAME=part-of-a-name`. Fails if one result is not right."""

import argparse
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.lines import Failed, Lost
from bench.worker import Worker

from . import result
from .case import Case, Check, Malformed, read_all


def run(worker: Worker, case: Case, check: Check, out: Path) -> list[str]:
    """What is wrong with the result of one check."""
    sources = [case.folder / name for name in check.inputs]
    more = {"then": check.then} if check.then else {}
    if check.password is not None:
        more["password"] = check.password
    try:
        answer = worker.convert(check.tool, sources, out, check.options, more)
    except Failed as failed:
        code = json.loads(str(failed))["code"]
        return [] if code == check.error else [f"ended with {failed}"]
    return result.wrong(check, answer, out.read_bytes())


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worker", type=Path, required=True, help="the worker's binary")
    arguments.add_argument("--only", default="", help="a part of the reports' names")
    given = arguments.parse_args()
    try:
        cases = read_all(given.only)
    except Malformed as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1
    if given.only and not cases:
        print(f"Error: no report's name contains {given.only}", file=sys.stderr)
        return 1
    failed, started = 0, time.monotonic()
    with TemporaryDirectory() as scratch:
        worker = Worker(given.worker, Path(scratch))
        for case in cases:
            for check in case.checks:
                try:
                    wrong = run(worker, case, check, Path(scratch) / "result")
                except Lost as lost:
                    wrong = [f"the worker is lost: {lost}"]
                    worker.lines.stop()
                    worker = Worker(given.worker, Path(scratch))
                failed += bool(wrong)
                for each in wrong:
                    print(f"{case.folder.name}: {check.tool} {json.dumps(check.options)}: {each}", flush=True)
        worker.lines.stop()
    checks = sum(len(case.checks) for case in cases)
    print(f"{len(cases)} reports, {checks} checks, {failed} wrong, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
