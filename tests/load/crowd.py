"""An account that asks for as much as it may: a thousand jobs that wait for one, and a job with a hundred sources."""

import time
from typing import Any

from load.clients import POLL_SECONDS, TERMINAL
from load.stack import Stack

SOURCES = 100
MOST_WAITERS = 1000
# The awaited job takes as long as a page may, so that most others are created before it ends.
AWAITED = {"html": "<h1>Awaited", "options": {"waitFor": {"delayMs": 20_000}}}


class Crowd:
    def __init__(self, stack: Stack, waiters: int):
        self.stack, self.waiters = stack, waiters
        self.account, self.key = stack.make_account(waiters + 10)
        self.ids: list[str] = []
        self.problems: list[str] = []

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
