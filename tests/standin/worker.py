"""A worker of the stack, whose place the stand-in for Lambda takes."""

import json
import time
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from load.stack import Stack
from local.settings import REGION
from standin.emulator import Emulator


class Worker:
    """A worker's function, its queue, and a key."""

    def __init__(self, stack: Stack, key: str, kind: str, more: dict[str, str] | None = None) -> None:
        """Of the kind `office`, `html` or `pdf`, with further variables."""
        self.stack, self.key, self.kind = stack, key, kind
        self.functions, self.queue = stack.client("lambda"), stack.client("sqs")
        name = f"{kind.capitalize()}Worker"
        self.function = next(each for each in self.functions.list_functions()["Functions"] if name in each["FunctionName"])
        self.variables = self.function["Environment"]["Variables"] | (more or {})
        self.queue_url = self.variables[f"{kind.upper()}_QUEUE_URL"]

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
            "AWS_SECRET_ACCESS_KEY": "test", "AWS_LAMBDA_FUNCTION_NAME": f"{self.kind}-worker", "AWS_LAMBDA_FUNCTION_TIMEOUT": "240",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(self.function["MemorySize"]), "LOG_LEVEL": "info",
        }

    def create_job(self, tool: str, body: dict[str, Any]) -> str:
        answer = self.stack.ask("POST", f"/v1/tools/{tool}/jobs", self.key, body, {"idempotency-key": str(uuid.uuid4())})
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

    def convert(self, emulator: Emulator, tool: str, body: dict[str, Any], result: Path) -> tuple[dict[str, Any], float]:
        """Has a job done and its result stored. Returns the job and the seconds of the invocation."""
        job = self.create_job(tool, body)
        event = self.event_of(job)
        started = time.monotonic()
        answer = emulator.invoke(event)
        seconds = time.monotonic() - started
        assert answer == {"batchItemFailures": []}, answer
        ended = self.stack.ask("GET", f"/v1/jobs/{job}", self.key).body["job"]
        assert ended["status"] == "completed", ended
        link = self.stack.ask("GET", f"/v1/jobs/{job}/download", self.key).body["download"]["url"]
        with urllib.request.urlopen(link, timeout=60) as response:
            result.write_bytes(response.read())
        return ended, seconds
