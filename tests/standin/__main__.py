"""The worker in the stand-in for Lambda, asked by AWS's own emulator of the Runtime API.

Takes the place of the stack's office worker, and then of its worker for PDFs, whose queues are read here meanwhile. Run by
`make test-standin`, and by `make test` with its stack."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlsplit

from load.stack import Stack
from local.processes import wait_until
from local.settings import binaries
from standin.clock import JumpingClock
from standin.connections import Way
from standin.emulator import FAILED, ROOT, Emulator
from standin.signing import sign
from standin.worker import Worker

# How long the environment is frozen. Lambda freezes for minutes: FROZEN_SECONDS=300 tries that.
FROZEN_SECONDS = float(os.environ.get("FROZEN_SECONDS", "5"))
ENDED, DISAGREE = "the environment starts afresh", "the environment's clock and the platform's disagree"
# Minutes by which the clock is wrong after a pause: more than a worker may run, in both directions.
JUMPS = (10, -10)


def convert(worker: Worker, emulator: Emulator) -> float:
    """Has a document converted and looks into the PDF. Returns the seconds of the invocation."""
    with tempfile.TemporaryDirectory() as folder:
        pdf = Path(folder) / "result.pdf"
        _, seconds = worker.convert(emulator, "office-to-pdf", {"input": {"sourceUrl": f"{worker.stack.samples}/small.docx"}}, pdf)
        text = subprocess.run(["pdftotext", pdf, "-"], check=True, capture_output=True, text=True).stdout
    assert text.startswith("Small doc\nAmet aliqua"), text
    return seconds


def processes_of(command: str) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,args="], check=True, capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if command in line and str(binaries()) in line]


def convert_frozen_and_crashed(stack: Stack, rie: Path, log: Path) -> None:
    _, key = stack.make_account(20)
    worker = Worker(stack, key, "office")
    endpoint = urlsplit(stack.endpoint)
    way, clock = Way(endpoint.hostname, endpoint.port), JumpingClock(log.parent)
    command = clock.command([str(binaries() / "worker")])
    with worker.replaced(), Emulator(rie, command, worker.environment(way.port), [binaries(), clock.folder], log) as emulator:
        wait_until(emulator.is_listening, 60)
        cold, warm = convert(worker, emulator), convert(worker, emulator)
        emulator.freeze()
        way.lose()
        time.sleep(FROZEN_SECONDS)
        emulator.thaw()
        thawed = convert(worker, emulator)
        print(f"  seconds: cold {cold:.2f}, warm {warm:.2f}, after {FROZEN_SECONDS:.0f} s frozen with dead connections {thawed:.2f}")
        for minutes in JUMPS:
            emulator.freeze()
            clock.put_ahead(minutes)
            emulator.thaw()
            seen = emulator.logged().count(DISAGREE)
            jumped = convert(worker, emulator)
            print(f"  seconds: with a clock that is {minutes:+} minutes off since it was frozen {jumped:.2f}")
            assert emulator.logged().count(DISAGREE) == seen + 1, "the clock did not jump"
        clock.put_ahead(0)
        assert ENDED not in emulator.logged(), emulator.logged()
        # What a document that crashes its converter leads to.
        for helper in processes_of("office-zygote"):
            os.kill(helper, 11)
        convert(worker, emulator)
        wait_until(lambda: ENDED in emulator.logged(), 30)
        print(f"  seconds: afresh, after a crash {convert(worker, emulator):.2f}")


def take_over(rie: Path, log: Path) -> None:
    """What a converter gets of the Runtime API, and what follows if it answers in the worker's place."""
    program = ROOT / "tests/standin/taken_over.py"
    with Emulator(rie, [sys.executable, str(program)], {"AWS_LAMBDA_FUNCTION_TIMEOUT": "10"}, [Path(sys.prefix), Path(sys.base_prefix)], log) as emulator:
        wait_until(emulator.is_listening, 60)
        got = emulator.invoke({"document": 1})
        statuses = {name: status for name, (status, _) in got.items()}
        assert statuses == {"event": 200, "answer": 400, "failure": 400, "failed start": 403, "credentials": 404}, got
        assert json.loads(got["event"][1]) == {"document": 1}, "more than the event of its own document"
        assert emulator.invoke({"document": 2, "answers": True}) in ("false", FAILED)
        wait_until(lambda: "the answer was refused" in emulator.logged(), 30)
        answer = emulator.invoke({"document": 3})
        if answer == FAILED:
            # The converter's request for the next event was still open and took it. Its time ran out, and the queue sends it again.
            answer = emulator.invoke({"document": 3})
        assert json.loads(answer["event"][1]) == {"document": 3}, "the fresh environment serves"
    print("  a converter gets its own document's event and can answer it, after which the environment starts afresh; nothing else")


def main() -> int:
    if os.geteuid() != 0:
        print("The stand-in for Lambda needs root: nothing was tried.", file=sys.stderr)
        return 0
    rie = Path(subprocess.run([ROOT / "infra/setup.sh", "rie"], check=True, capture_output=True, text=True).stdout.strip())
    with tempfile.TemporaryDirectory() as logs:
        attempts = {
            "take over": lambda log: take_over(rie, log), "convert": lambda log: convert_frozen_and_crashed(Stack.of_environment(), rie, log),
            "sign": lambda log: sign(Stack.of_environment(), rie, log),
        }
        for name, attempt in attempts.items():
            log = Path(logs) / f"{name}.log"
            try:
                attempt(log)
            except BaseException:
                print(re.sub(r"(?m)^", "    ", log.read_text(errors="replace")[-6000:]) if log.exists() else "no log", file=sys.stderr)
                raise
    return 0


if __name__ == "__main__":
    sys.exit(main())
