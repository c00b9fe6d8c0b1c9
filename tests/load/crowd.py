"""An account that asks for as much as it may: a thousand jobs that wait for one, a job with a hundred sources, sources that send
their bytes slowly, and four keys whose requests all wait for the end of a job."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from load.clients import POLL_SECONDS, TERMINAL
from load.stack import Stack

SOURCES = 100
MOST_WAITERS = 1000
# The awaited job takes as long as a page may, so that most others are created before it ends.
AWAITED = {"html": "<h1>Awaited", "options": {"waitFor": {"delayMs": 20_000}}}
SLOW_JOBS = 10
KEYS, REQUESTS_OF_A_KEY = 4, 10


class SlowSource(BaseHTTPRequestHandler):
    """Sends a byte a second, for longer than a source may take."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "1000")
        self.end_headers()
        try:
            for _ in range(1000):
                self.wfile.write(b" ")
                time.sleep(1)
        except OSError:
            pass

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


class Crowd:
    def __init__(self, stack: Stack, waiters: int):
        self.stack, self.waiters = stack, waiters
        self.account, self.key = stack.make_account(waiters + SLOW_JOBS + 10)
        self.ids: list[str] = []
        self.slow: list[str] = []
        self.problems: list[str] = []
        self.asked = 0

    @contextmanager
    def keep_asking(self, slow_port: int) -> Iterator[None]:
        """Slow sources, and requests that wait, for as long as the context lasts."""
        server = ThreadingHTTPServer(("127.0.0.1", slow_port), SlowSource)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        source = {"sourceUrl": f"http://127.0.0.1:{slow_port}/slow.docx"}
        self.slow = [self.create("/v1/convert/office-to-pdf", source) for _ in range(SLOW_JOBS)]
        self.ids = [id for id in self.ids if id not in self.slow]
        ended = threading.Event()
        keys = [self.key, *(self.stack.make_key(self.account) for _ in range(KEYS - 1))]
        threads = [threading.Thread(target=self.wait_until, args=(key, ended)) for key in keys for _ in range(REQUESTS_OF_A_KEY)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            ended.set()
            for id in self.slow:
                self.stack.ask("POST", f"/v1/jobs/{id}/cancel", self.key, {})
            for thread in threads:
                thread.join()
            server.shutdown()

    def wait_until(self, key: str, ended: threading.Event) -> None:
        """Asks to wait for the last of the slow jobs, which does not end before they are canceled."""
        while not ended.is_set():
            answer = self.stack.ask("GET", f"/v1/jobs/{self.slow[-1]}?wait=25", key)
            self.asked += 1
            if answer.status not in (200, 429):
                self.problems.append(f"a request that waits was answered {answer.status}: {answer.body.get('error')}")
            ended.wait(answer.retry_after if answer.status == 429 else 1)

    def gather(self) -> None:
        awaited = self.create("/v1/convert/html-to-pdf", AWAITED)
        self.create("/v1/tools/merge-pdf/jobs", {"sources": [{"html": f"<p>{number}"} for number in range(SOURCES)]})
        too_many = {"sources": [{"html": "<p>x"}] * (SOURCES + 1)}
        self.refuse("a job of 101 sources", "/v1/tools/merge-pdf/jobs", too_many)
        waiting = {"sources": [{"jobId": awaited}]}
        for _ in range(self.waiters):
            self.create("/v1/tools/merge-pdf/jobs", waiting)
        # Once a job has ended, no more jobs wait for it.
        if self.waiters >= MOST_WAITERS and not self.has_ended(awaited):
            self.refuse("one more waiting job", "/v1/tools/merge-pdf/jobs", waiting)

    def create(self, path: str, body: dict[str, Any]) -> str:
        while (answer := self.stack.ask("POST", path, self.key, body)).status in (0, 429, 500, 502, 503, 504):
            time.sleep(answer.retry_after)
        if answer.status != 202:
            self.problems.append(f"the crowd's request was answered {answer.status}: {answer.body.get('error')}")
            return ""
        self.ids.append(answer.body["job"]["id"])
        return self.ids[-1]

    def refuse(self, what: str, path: str, body: dict[str, Any]) -> None:
        answer = self.stack.ask("POST", path, self.key, body)
        if answer.status != 422:
            self.problems.append(f"{what} was answered {answer.status}")

    def has_ended(self, id: str) -> bool:
        answer = self.stack.ask("GET", f"/v1/jobs/{id}", self.key)
        return answer.status == 200 and answer.body["job"]["status"] in TERMINAL

    def end(self, deadline: float) -> list[str]:
        """Problems with the crowd's own jobs, once they have ended."""
        open_ids = set(self.ids)
        while open_ids and time.monotonic() < deadline:
            for id in sorted(open_ids)[:50]:
                answer = self.stack.ask("GET", f"/v1/jobs/{id}", self.key)
                if answer.status == 200 and answer.body["job"]["status"] in TERMINAL:
                    open_ids.discard(id)
                    if answer.body["job"]["status"] != "completed":
                        self.problems.append(f"the crowd's job {id} {answer.body['job']['status']}: {answer.body['job'].get('error')}")
            time.sleep(POLL_SECONDS)
        return self.problems + [f"the crowd's job {id} never ended" for id in open_ids]
