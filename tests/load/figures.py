"""The results of a run."""

from datetime import datetime
from typing import Any

from load.clients import Clients
from load.killer import Killer


def print_figures(clients: Clients, jobs: dict[str, dict[str, Any]], killer: Killer, seconds: float) -> None:
    waits = queue_times(jobs)
    ends = sorted(seconds_between(job, "createdAt", "finishedAt") for job in jobs.values() if job.get("finishedAt"))
    retried = sum(1 for job in jobs.values() if job.get("attempts", 1) > 1)
    rows = {
        "jobs": f"{len(jobs)} of {clients.count}, by {clients.clients} clients, in {seconds:.0f} s",
        "creates": f"{len(clients.ids) / max(clients.creating_seconds, 0.001):.1f}/s, {percentiles(clients.seconds)}",
        "requests repeated": f"{clients.repeated} ({clients.throttled} throttled, {clients.unanswered} without an answer)",
        "completions": f"{len(jobs) / seconds:.1f}/s",
        "wait in the queue": percentiles(waits),
        "creation to end": percentiles(ends),
        "workers killed": str(killer.killed),
        "jobs with more than one attempt": str(retried),
    }
    for name, value in rows.items():
        print(f"  {name:<33}{value}", flush=True)


def queue_times(jobs: dict[str, dict[str, Any]]) -> list[float]:
    return sorted(seconds_between(job, "createdAt", "startedAt") for job in jobs.values() if job.get("startedAt"))


def percentiles(values: list[float]) -> str:
    ordered = sorted(values)
    if not ordered:
        return "none"
    at = lambda share: ordered[min(len(ordered) - 1, int(len(ordered) * share))]  # noqa: E731
    return f"p50 {at(0.5):.2f} s, p95 {at(0.95):.2f} s, p99 {at(0.99):.2f} s, longest {ordered[-1]:.2f} s"


def seconds_between(job: dict[str, Any], first: str, second: str) -> float:
    return (moment(job[second]) - moment(job[first])).total_seconds()


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))
