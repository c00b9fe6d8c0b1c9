"""A large batch while workers and the runner of batches are killed: each row becomes one job with one result, for one credit."""

import argparse
import json
import threading
import time
import urllib.request
from collections import Counter
from typing import Any

from load.audit import Item, jobs_of, outputs_of, usage_problems
from load.killer import Killer
from load.stack import Stack

ENDED = {"completed", "canceled", "paused"}
POLL_SECONDS = 2
PAGE = 1000


def kill_during_a_batch(stack: Stack, settings: argparse.Namespace) -> int:
    """Exit code 1 if something contradicts "each row once"."""
    account, key = stack.make_account(settings.batch)
    started = time.monotonic()
    batch = Batch(stack, key, settings.batch)
    batch.create()
    kills = {"worker": settings.kills, "batch-runner": settings.runner_kills}
    # Kills are spread over the time of large batches.
    killer = Killer(stack, kills, settings.seed, longest_pause=max(3, settings.batch / 1000))
    killing = threading.Thread(target=killer.kill_while, args=(batch.is_open, started + settings.patience))
    killing.start()
    ended = batch.wait_for_end(started + settings.patience)
    killing.join()
    seconds = time.monotonic() - started
    problems = batch.problems(ended, account)
    unharmed = [name for name, count in kills.items() if count > 0 and killer.by_program[name] == 0]
    problems += [f"no {name} was killed: this run proves nothing" for name in unharmed]
    print(f"  {settings.batch} rows in {seconds:.0f} s, killed: {dict(killer.by_program)}")
    print(f"  jobs by attempts: {dict(sorted(batch.attempts.items()))}")
    for problem in problems[:50]:
        print(f"  wrong: {problem}")
    print(json.dumps({"rows": settings.batch, "wrong": len(problems)}))
    return 1 if problems else 0


class Batch:
    def __init__(self, stack: Stack, key: str, rows: int):
        self.stack, self.key, self.rows = stack, key, rows
        self.id = ""
        self.ended = threading.Event()
        self.attempts: Counter[int] = Counter()

    def create(self) -> None:
        rows = (json.dumps({
            "input": {"html": "<p>Row {row}.</p>"}, "options": {"data": {"row": row}}, "metadata": {"row": str(row)},
            "filename": f"row-{row}.html",
        }) for row in range(self.rows))
        lines = "\n".join(rows).encode()
        announced = {"contentType": "application/jsonl", "bytes": len(lines), "filename": "rows.jsonl"}
        upload = self.stack.ask("POST", "/v1/uploads", self.key, announced).body["upload"]
        put = urllib.request.Request(upload["url"], method="PUT", data=lines, headers=upload["headers"])
        urllib.request.urlopen(put, timeout=60).close()
        body = {"toolSlug": "render-template", "itemsUploadId": upload["id"], "output": {"archive": True}}
        answer = self.stack.ask("POST", "/v1/batches", self.key, body, {"idempotency-key": upload["id"]})
        if answer.status != 202:
            raise SystemExit(f"the batch was refused: {answer.body}")
        self.id = answer.body["batch"]["id"]

    def is_open(self) -> bool:
        return not self.ended.is_set()

    def wait_for_end(self, deadline: float) -> Item:
        """The batch, with its last state if it does not end in time."""
        batch: Item = {}
        while time.monotonic() < deadline:
            answer = self.stack.ask("GET", f"/v1/batches/{self.id}", self.key)
            batch = answer.body.get("batch", batch)
            if batch.get("status") in ENDED:
                break
            time.sleep(POLL_SECONDS)
        self.ended.set()
        return batch

    def results(self) -> list[Item]:
        rows: list[Item] = []
        cursor = ""
        while True:
            page = self.stack.ask("GET", f"/v1/batches/{self.id}/download?limit={PAGE}{cursor}", self.key).body
            rows += page["results"]
            if "nextCursor" not in page:
                return rows
            cursor = f"&cursor={page['nextCursor']}"

    def problems(self, ended: Item, account: str) -> list[str]:
        """What contradicts "each row once", as sentences."""
        problems = []
        expected = {"total": self.rows, "queued": 0, "processing": 0, "completed": self.rows, "failed": 0, "canceled": 0}
        told = {
            "status": (ended.get("status"), "completed"),
            "counts": (ended.get("counts"), expected),
            "credits": (ended.get("credits"), {"charged": self.rows, "refunded": 0}),
            "results in the archive": (ended.get("archive", {}).get("results"), self.rows),
        }
        problems += [f"the batch's {what}: {said}, not {true}" for what, (said, true) in told.items() if said != true]
        stored = jobs_of(self.stack, account)
        if len(stored) != self.rows:
            problems.append(f"{len(stored)} jobs are stored")
        results = self.results()
        if [row["index"] for row in results] != list(range(self.rows)):
            problems.append("not every item is listed once")
        files, bucket = outputs_of(self.stack, account), self.stack.storage["FILES_BUCKET"]
        s3: Any = self.stack.client("s3")
        for row in results:
            job = stored.get(row.get("jobId", ""), {})
            self.attempts[int(job.get("attempts", 0))] += 1
            if row["status"] != "completed" or job.get("output_key") not in files[row.get("jobId", "")]:
                problems.append(f"item {row['index']} has no result: {row}")
                continue
            content = s3.get_object(Bucket=bucket, Key=job["output_key"])["Body"].read().decode()
            if f"<p>Row {row['index']}.</p>" not in content:
                problems.append(f"item {row['index']} has another one's result: {content[:200]}")
        ids = {row["jobId"]: row for row in results if "jobId" in row}
        return problems + usage_problems(self.stack, self.key, ids)
