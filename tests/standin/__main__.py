"""The worker in the stand-in for Lambda, asked by AWS's own emulator of the Runtime API.

Takes the place of the stack's office worker, whose queue is read here meanwhile. Run by `make test-standin`, and by `make test` with
its stack."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from load.stack import Stack
from local.processes import wait_until
from local.settings import REGION, binaries
from standin.clock import JumpingClock
from standin.connections import Way
from standin.emulator import FAILED, ROOT, Emulator

# How long the environment is frozen. Lambda freezes for minutes: FROZEN_SECONDS=300 tries that.
FROZEN_SECONDS = float(os.environ.get("FROZEN_SECONDS", "5"))
ENDED, DISAGREE = "the environment starts afresh", "the environment's clock and the platform's disagree"
# Minutes by which the clock is wrong after a pause: more than a worker may run, in both directions.
JUMPS = (10, -10)


class Worker:
    """The office worker's function, its queue, and a key."""

    def __init__(self, stack: Stack, key: str) -> None:
        self.stack, self.key = stack, key
        self.functions, self.queue = stack.client("lambda"), stack.client("sqs")
        self.function = next(each for each in self.functions.list_functions()["Functions"] if "OfficeWorker" in each["FunctionName"])
        self.variables = self.function["Environment"]["Variables"]
        self.queue_url = self.variables["OFFICE_QUEUE_URL"]

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """The stack's own worker gets no messages."""
        mappings = self.functions.list_event_source_mappings()["EventSourceMappings"]
        own = [each["UUID"] for each in mappings if self.function["FunctionName"] in each["FunctionArn"]]
        assert own, "the worker's queue leads nowhere"
        for mapping in own:
            self.functions.update_event_source_mapping(UUID=mapping, Enabled=False)
        try:
            yield
        finally:
            for mapping in own:
                self.functions.update_event_source_mapping(UUID=mapping, Enabled=True)

    def environment(self, port: int) -> dict[str, str]:
        """The function's, with the way to the stack's services in place of their own address."""
        own = urlsplit(self.stack.endpoint).port
        through = {name: value.replace(f":{own}/", f":{port}/") for name, value in self.variables.items()}
        return through | {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_REGION": REGION, "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test", "AWS_LAMBDA_FUNCTION_NAME": "office-worker", "AWS_LAMBDA_FUNCTION_TIMEOUT": "240",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self.function["MemorySize"]), "LOG_LEVEL": "info",
        }

    def create_job(self) -> str:
        body = {"input": {"sourceUrl": f"{self.stack.samples}/small.docx"}}
        answer = self.stack.ask("POST", "/v1/tools/office-to-pdf/jobs", self.key, body, {"idempotency-key": str(uuid.uuid4())})
        assert answer.status == 202, answer
        return answer.body["job"]["id"]

    def event_of(self, job: str) -> dict[str, Any]:
        """The job's message, as Lambda passes it on. Messages of earlier jobs are dropped."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            for message in self.queue.receive_message(QueueUrl=self.queue_url, WaitTimeSeconds=1).get("Messages", []):
                self.queue.delete_message(QueueUrl=self.queue_url, ReceiptHandle=message["ReceiptHandle"])
                if job in message["Body"]:
                    return {"Records": [{
                        "messageId": message["MessageId"], "receiptHandle": message["ReceiptHandle"], "body": message["Body"],
                        "attributes": {}, "messageAttributes": {}, "eventSource": "aws:sqs", "awsRegion": REGION,
                    }]}
        raise AssertionError(f"no message for {job}")

    def convert(self, emulator: Emulator) -> float:
        """Has a document converted and looks into the PDF. Returns the seconds of the invocation."""
        job = self.create_job()
        event = self.event_of(job)
        started = time.monotonic()
        answer = emulator.invoke(event)
        seconds = time.monotonic() - started
        assert answer == {"batchItemFailures": []}, answer
        ended = self.stack.ask("GET", f"/v1/jobs/{job}", self.key).body["job"]
        assert ended["status"] == "completed", ended
        link = self.stack.ask("GET", f"/v1/jobs/{job}/download", self.key).body["download"]["url"]
        with tempfile.NamedTemporaryFile(suffix=".pdf") as pdf:
            with urllib.request.urlopen(link, timeout=60) as response:
                pdf.write(response.read())
            pdf.flush()
            text = subprocess.run(["pdftotext", pdf.name, "-"], check=True, capture_output=True, text=True).stdout
        assert text.startswith("Small doc\nAmet aliqua"), text
        return seconds


def processes_of(command: str) -> list[int]:
    listed = subprocess.run(["ps", "-eo", "pid=,args="], check=True, capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if command in line and str(binaries()) in line]


def convert_frozen_and_crashed(stack: Stack, rie: Path, log: Path) -> None:
    _, key = stack.make_account(20)
    worker = Worker(stack, key)
    endpoint = urlsplit(stack.endpoint)
    way, clock = Way(endpoint.hostname, endpoint.port), JumpingClock(log.parent)
    command = clock.command([str(binaries() / "worker")])
    with worker.replaced(), Emulator(rie, command, worker.environment(way.port), [binaries(), clock.folder], log) as emulator:
        wait_until(emulator.is_listening, 60)
        cold, warm = worker.convert(emulator), worker.convert(emulator)
        emulator.freeze()
        way.lose()
        time.sleep(FROZEN_SECONDS)
        emulator.thaw()
        thawed = worker.convert(emulator)
        print(f"  seconds: cold {cold:.2f}, warm {warm:.2f}, after {FROZEN_SECONDS:.0f} s frozen with dead connections {thawed:.2f}")
        for minutes in JUMPS:
            emulator.freeze()
            clock.put_ahead(minutes)
            emulator.thaw()
            seen = emulator.logged().count(DISAGREE)
            jumped = worker.convert(emulator)
            print(f"  seconds: with a clock that is {minutes:+} minutes off since it was frozen {jumped:.2f}")
            assert emulator.logged().count(DISAGREE) == seen + 1, "the clock did not jump"
        clock.put_ahead(0)
        assert ENDED not in emulator.logged(), emulator.logged()
        # What a document that crashes its converter leads to.
        for helper in processes_of("office-zygote"):
            os.kill(helper, 11)
        worker.convert(emulator)
        wait_until(lambda: ENDED in emulator.logged(), 30)
        print(f"  seconds: afresh, after a crash {worker.convert(emulator):.2f}")


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
        attempts = {"take over": lambda log: take_over(rie, log), "convert": lambda log: convert_frozen_and_crashed(Stack.of_environment(), rie, log)}
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
