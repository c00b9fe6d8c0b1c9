"""Clients that create jobs in parallel, and repeat a request with its idempotency key until they know the result."""

import queue
import threading
import time
from typing import Any

from load.stack import Answer, Stack

TERMINAL = {"completed", "failed", "expired", "canceled"}
# Mostly the fast lane; now and then a document for LibreOffice, and one that fails and is refunded.
OFFICE_EVERY, FAILING_EVERY, REPEATED_EVERY = 10, 25, 7
POLL_SECONDS = 0.5


class Clients:
    def __init__(self, stack: Stack, key: str, jobs: int, clients: int):
        self.stack, self.key, self.count, self.clients = stack, key, jobs, clients
        self.numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.ids: dict[int, str] = {}
        self.seconds: list[float] = []
        self.ended: dict[str, dict[str, Any]] = {}
        self.repeated = self.throttled = self.unanswered = 0
        self.problems: list[str] = []
        self.creating_seconds = 0.0

    def create_all(self) -> None:
        for number in range(self.count):
            self.numbers.put(number)
        started = time.monotonic()
        threads = [threading.Thread(target=self.create_some) for _ in range(self.clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.creating_seconds = time.monotonic() - started

    def create_some(self) -> None:
        while True:
            try:
                number = self.numbers.get_nowait()
            except queue.Empty:
                return
            started = time.monotonic()
            first = self.create(number)
            with self.lock:
                self.seconds.append(time.monotonic() - started)
            if first is None:
                continue
            # An unnecessary repetition must return the same job.
            again = self.create(number) if number % REPEATED_EVERY == 0 else first
            with self.lock:
                self.ids[number] = first
                if again != first:
                    self.problems.append(f"request {number} made two jobs: {first} and {again}")

    def create(self, number: int) -> str | None:
        path, body = self.request(number)
        for _ in range(60):
            answer = self.stack.ask("POST", path, self.key, body, {"idempotency-key": f"load-{number}"})
            if answer.status == 202:
                return answer.body["job"]["id"]
            if not self.is_worth_repeating(answer):
                break
            time.sleep(answer.retry_after)
        with self.lock:
            self.problems.append(f"request {number} was answered {answer.status}: {answer.body.get('error')}")
        return None

    def is_worth_repeating(self, answer: Answer) -> bool:
        with self.lock:
            self.repeated += 1
            self.throttled += answer.status == 429
            self.unanswered += answer.status in (0, 500, 502, 503, 504)
        return answer.status in (0, 409, 429, 500, 502, 503, 504)

    def request(self, number: int) -> tuple[str, dict[str, Any]]:
        if number % FAILING_EVERY == FAILING_EVERY - 1:
            return "/v1/convert/office-to-pdf", {"sourceUrl": f"{self.stack.samples}/no-such-file.docx"}
        if number % OFFICE_EVERY == OFFICE_EVERY - 1:
            return "/v1/convert/office-to-pdf", {"sourceUrl": f"{self.stack.samples}/small.docx"}
        html = f"<h1>Job {number}</h1><p>One of many."
        return "/v1/convert/html-to-pdf", {"html": html, "renderMode": "basic"}

    def is_to_fail(self, number: int) -> bool:
        return number % FAILING_EVERY == FAILING_EVERY - 1

    def open_jobs(self) -> int:
        """How many of the created jobs are unfinished, as far as known. Each call polls a few of them."""
        with self.lock:
            waiting = [id for id in self.ids.values() if id not in self.ended]
        for id in waiting[:20]:
            self.look(id)
        return len([id for id in waiting if id not in self.ended])

    def look(self, id: str) -> None:
        answer = self.stack.ask("GET", f"/v1/jobs/{id}", self.key)
        if answer.status == 200 and answer.body["job"]["status"] in TERMINAL:
            self.ended[id] = answer.body["job"]

    def wait_for_ends(self, deadline: float) -> dict[str, dict[str, Any]]:
        """The jobs that ended before the deadline, as the API shows them."""
        while self.open_jobs() > 0 and time.monotonic() < deadline:
            time.sleep(POLL_SECONDS)
        return self.ended
