"""Checks that API, tables, bucket and queues agree on every job."""

import time
from collections import Counter
from typing import Any

from load.clients import Clients
from load.stack import Stack

Item = dict[str, Any]

# Two runs of the sweeper.
COUNTING_SECONDS = 130


def audit(stack: Stack, account: str, key: str, clients: Clients, ended: dict[str, Item], killed: int) -> list[str]:
    """The contradictions, as sentences."""
    problems = list(clients.problems)
    if killed == 0:
        problems.append("no worker was killed: this run proves nothing")
    stored = jobs_of(stack, account)
    created = set(clients.ids.values())
    problems += [f"request {number} has no job" for number in range(clients.count) if number not in clients.ids]
    problems += [f"job {id} is stored, and no client knows it" for id in stored.keys() - created]
    problems += [f"job {id} is lost" for id in created - stored.keys()]
    problems += [f"job {id} never ended: {stored.get(id, {}).get('status')}" for id in created - ended.keys()]
    if len(created) != len(clients.ids):
        problems.append("two requests got the same job")
    outputs = outputs_of(stack, account)
    for number, id in clients.ids.items():
        if id in ended and id in stored:
            problems += [f"job {id}: {problem}" for problem in job_problems(
                ended[id], stored[id], outputs[id], clients.is_to_fail(number))]
    problems += usage_problems(stack, key, ended)
    return problems


def job_problems(shown: Item, stored: Item, outputs: set[str], is_to_fail: bool) -> list[str]:
    problems = []
    # After three lost workers in a row, a job's attempts are used up. It fails as our fault and is refunded.
    used_up = shown["status"] == "failed" and shown["error"]["code"] == "internal" and stored["attempts"] >= 3
    expected = "failed" if is_to_fail or used_up else "completed"
    if shown["status"] != expected or stored["status"] != expected:
        problems.append(f"ended as {shown['status']}, stored as {stored['status']}: {shown.get('error')}")
    charged, refunded = shown["credits"]["charged"], shown["credits"]["refunded"]
    if (charged, refunded) != (1, 1 if expected == "failed" else 0):
        problems.append(f"{charged} credits charged, {refunded} refunded")
    if "secret" in stored or "lease_until" in stored:
        problems.append("a secret or a lease is left")
    # A worker that died after storing leaves an attempt's output, which no job names and the lifecycle deletes.
    if expected == "completed" and stored.get("output_key") not in outputs:
        problems.append("the output that it names is not there")
    if len(outputs) > stored["attempts"] or expected == "failed" and shown["error"]["code"] != "internal" and outputs:
        problems.append(f"{len(outputs)} outputs after {stored['attempts']} attempts")
    return problems


def usage_problems(stack: Stack, key: str, ended: dict[str, Item]) -> list[str]:
    # The sweeper counts ended jobs once a minute.
    deadline = time.monotonic() + COUNTING_SECONDS
    while (problems := usage_now(stack, key, ended)) and time.monotonic() < deadline:
        time.sleep(5)
    return problems


def usage_now(stack: Stack, key: str, ended: dict[str, Item]) -> list[str]:
    statuses = Counter(job["status"] for job in ended.values())
    usage = stack.ask("GET", "/v1/account/usage", key).body["usage"]
    jobs = usage["jobs"]
    told = {
        "created": (jobs["created"], len(ended)),
        "completed": (jobs["completed"], statuses["completed"]),
        "failed": (jobs["failed"], statuses["failed"]),
        "credits used": (usage["credits"]["used"], statuses["completed"]),
    }
    return [f"usage says {said} {what}, the jobs say {true}" for what, (said, true) in told.items() if said != true]


def jobs_of(stack: Stack, account: str) -> dict[str, Item]:
    """All jobs of the account, by strongly consistent reads."""
    dynamodb = stack.client("dynamodb")
    pages = dynamodb.get_paginator("scan").paginate(
        TableName=stack.storage["JOBS_TABLE"], ConsistentRead=True, FilterExpression="account = :account",
        ExpressionAttributeValues={":account": {"S": account}},
    )
    items = [plain(item) for page in pages for item in page["Items"]]
    # The table also contains idempotency records.
    return {item["id"]: item for item in items if "status" in item}


def plain(item: Item) -> Item:
    read = {"S": str, "N": float}
    return {name: read.get(kind, lambda raw: raw)(raw) for name, value in item.items() for kind, raw in value.items()}


def outputs_of(stack: Stack, account: str) -> dict[str, set[str]]:
    s3 = stack.client("s3")
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=stack.storage["FILES_BUCKET"], Prefix=f"outputs/day/{account}/")
    keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
    by_job: dict[str, set[str]] = {}
    for key in keys:
        by_job.setdefault(key.split("/")[3], set()).add(key)
    return Outputs(by_job)


class Outputs(dict):
    def __missing__(self, _job: str) -> set[str]:
        return set()
