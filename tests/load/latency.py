"""How long a client waits for a small document: in one request, and by creating a job and polling it. Also, how long after a
cancellation a worker is free again, and how long after a job's end its webhook arrives.

The two ways alternate, so that the machine's load affects both. Only correct results count."""

import argparse
import sys
import time
import urllib.request

from load.figures import percentiles
from load.receiver import Receiver
from load.stack import Stack

PATH = "/v1/convert/office-to-pdf"
POLL_SECONDS = 0.1
ENDLESS = {"html": "<p>x<script>for(;;){}</script>"}


def main() -> int:
    arguments = argparse.ArgumentParser(prog="python -m load.latency", description=__doc__.partition("\n")[0])
    arguments.add_argument("--rounds", type=int, default=50)
    arguments.add_argument("--cancellations", type=int, default=5)
    settings = arguments.parse_args()
    stack = Stack.of_environment()
    _, key = stack.make_account(3 * settings.rounds + 4 * settings.cancellations + 10)
    body = {"sourceUrl": f"{stack.samples}/small.docx"}
    ways = {"one request": in_one_request, "create and poll": by_polling}
    for convert in ways.values():
        convert(stack, key, body)
    seconds = {name: [] for name in ways}
    for _ in range(settings.rounds):
        for name, convert in ways.items():
            started = time.monotonic()
            convert(stack, key, body)
            seconds[name].append(time.monotonic() - started)
    for name, values in seconds.items():
        print(f"  {name:<24}{percentiles(values)}")
    freed = [canceled(stack, key) for _ in range(settings.cancellations)]
    print(f"  {'next page after cancel':<24}{percentiles(freed)}")
    print(f"  {'webhook after the end':<24}{percentiles(webhook_delays(stack, key, settings.rounds))}")
    return 0


def in_one_request(stack: Stack, key: str, body: dict, path: str = PATH) -> None:
    answer = stack.ask("POST", f"{path}?wait=25", key, body)
    assert answer.status == 200, answer
    fetch(answer.body["download"]["url"])


def by_polling(stack: Stack, key: str, body: dict) -> None:
    job = stack.ask("POST", PATH, key, body).body["job"]
    while True:
        answer = stack.ask("GET", f"/v1/jobs/{job['id']}/download", key)
        if answer.status == 200:
            return fetch(answer.body["download"]["url"])
        assert answer.status == 202, answer
        time.sleep(POLL_SECONDS)


def fetch(url: str) -> None:
    with urllib.request.urlopen(url, timeout=60) as response:
        assert response.read(5) == b"%PDF-"


def canceled(stack: Stack, key: str) -> float:
    """Seconds from the cancellation of an endless page to the end of the next page in the same queue."""
    path = "/v1/convert/html-to-pdf"
    job = stack.ask("POST", path, key, ENDLESS).body["job"]
    while stack.ask("GET", f"/v1/jobs/{job['id']}", key).body["job"]["status"] == "queued":
        time.sleep(POLL_SECONDS)
    time.sleep(1)
    started = time.monotonic()
    assert stack.ask("POST", f"/v1/jobs/{job['id']}/cancel", key, {}).status == 200
    assert stack.ask("POST", f"{path}?wait=25", key, {"html": "<p>next"}).body["job"]["status"] == "completed"
    return time.monotonic() - started


def webhook_delays(stack: Stack, key: str, rounds: int) -> list[float]:
    """Seconds from the time that a job's end is written to the first request about it. The first job only shows that the endpoint works."""
    with Receiver() as receiver:
        answer = stack.ask("POST", "/v1/webhooks", key, {"url": receiver.url, "events": ["job.completed"]})
        assert answer.status == 201, answer
        for _ in range(1 + rounds):
            in_one_request(stack, key, {"html": "<p>x", "renderMode": "basic"}, "/v1/convert/html-to-pdf")
            receiver.wait()
    return receiver.delays[1:]


if __name__ == "__main__":
    sys.exit(main())
