"""What the fault server knows of one scenario in one language: jobs, uploads, faults to come, and what it has seen."""

import hashlib
import json
import threading
import time
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import count
from typing import Any

RESULT_BYTES = 300_000
# Of one request that creates a batch.
MOST_ITEMS, MOST_ITEM_BYTES = 1000, 1 << 20
# Files are repetitions of this.
BLOCK = bytes(range(256)) * 256
REQUEST_NUMBERS = count(1)


def content_of(size: int) -> bytes:
    """The first `size` bytes of every result."""
    return (BLOCK * (size // len(BLOCK) + 1))[:size]


def sha256_of(size: int) -> str:
    digest = hashlib.sha256()
    for _ in range(size // len(BLOCK)):
        digest.update(BLOCK)
    digest.update(BLOCK[: size % len(BLOCK)])
    return digest.hexdigest()


@dataclass
class Job:
    """`reads`: how many more answers show it as unfinished."""

    id: str
    request: dict[str, Any]
    reads: int


@dataclass
class Upload:
    size: int
    sha256: str | None
    arrived: bool = False
    lines: list[bytes] = field(default_factory=list)


@dataclass
class Batch:
    """`done`: how many items have ended. Each look at it ends one more."""

    id: str
    tool: str
    items: list[dict[str, Any]]
    has_archive: bool
    done: int = 0

    def shown(self) -> dict[str, Any]:
        total = len(self.items)
        counts = {"total": total, "queued": total - self.done, "processing": 0, "completed": self.done, "failed": 0, "canceled": 0}
        return {
            "id": self.id, "status": "completed" if self.done == total else "processing", "toolSlug": self.tool, "testMode": False,
            "onError": "continue", "createdAt": "2026-11-25T00:00:00.000Z", "counts": counts, "credits": {"charged": self.done, "refunded": 0},
        }

    def results(self) -> list[dict[str, Any]]:
        return [
            {"index": index, "jobId": str(uuid.UUID(int=index)), "status": "completed" if index < self.done else "queued",
             "filename": item.get("filename", f"result-{index}.pdf")}
            for index, item in enumerate(self.items)
        ]


@dataclass
class Space:
    """A scenario's orders, and what happened. `lock` guards everything, since clients may send requests at once."""

    scenario: dict[str, Any]
    jobs: dict[str, Job] = field(default_factory=dict)
    by_key: dict[str, str] = field(default_factory=dict)
    uploads: dict[str, Upload] = field(default_factory=dict)
    batches: dict[str, Batch] = field(default_factory=dict)
    seen: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    keys: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.faults = {name: list(faults) for name, faults in self.scenario.get("faults", {}).items()}
        self.story = {"reads": 0, "status": "completed", "bytes": RESULT_BYTES} | self.scenario.get("job", {})
        self.sha256 = sha256_of(self.story["bytes"])

    def notice(self, operation: str) -> dict[str, Any]:
        """Records a request, and takes the fault that is ordered for it."""
        with self.lock:
            self.seen[operation].append(time.monotonic())
            faults = self.faults.get(operation)
            return faults.pop(0) if faults else {}

    def create(self, key: str | None, request: dict[str, Any]) -> Job:
        with self.lock:
            if key is None:
                self.counts["keyless"] += 1
            if key in self.by_key:
                return self.jobs[self.by_key[key]]
            job = Job(str(uuid.uuid4()), request, self.story["reads"])
            self.jobs[job.id] = job
            if key is not None:
                self.by_key[key] = job.id
            return job

    def create_batch(self, key: str | None, request: dict[str, Any]) -> Batch:
        with self.lock:
            if key is None:
                self.counts["keyless"] += 1
            self.counts["compressions"] += sum(step["toolSlug"] == "compress-pdf" and step["options"]["preset"] == "small" for step in request.get("then", []))
            batch = Batch(f"bat_{uuid.uuid4().hex}", request["toolSlug"], self.items(request), request.get("output", {}).get("archive", False))
            return self.batches.setdefault(self.by_key.setdefault(key or batch.id, batch.id), batch)

    def items(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """Of the request, or of the upload that it names."""
        if "itemsUploadId" in request:
            return [json.loads(line) for line in self.uploads[request["itemsUploadId"]].lines]
        items: list[dict[str, Any]] = request["items"]
        if len(items) > MOST_ITEMS or len(json.dumps(items)) > MOST_ITEM_BYTES:
            raise KeyError("too many items for a request")
        return items

    def has_ended(self, job: Job) -> bool:
        """Whether an answer shows the job's end. Each unfinished answer brings it nearer."""
        with self.lock:
            if job.reads > 0:
                job.reads -= 1
                return False
            return True

    def shown(self, job: Job, ended: bool, unfinished: str) -> dict[str, Any]:
        request = job.request
        status = self.story["status"] if ended else self.story.get("meanwhile", unfinished)
        shown = {
            "id": job.id, "status": status, "version": 1, "toolSlug": request.get("toolSlug"), "mode": "live", "testMode": False,
            "createdAt": "2026-11-25T00:00:00.000Z", "attempts": 1, "input": request.get("input", {}),
            "options": request.get("options", {}), "metadata": request.get("metadata", {}), "then": request.get("then", []),
            "credits": {"charged": 1, "refunded": 0}, "somethingNew": {"unknown": True},
        }
        if ended and status == "completed":
            shown["warnings"] = self.story.get("warnings", [])
            shown["output"] = {key: value for key, value in self.download("").items() if key not in ("url", "expiresAt")} | {"format": "pdf"}
        if ended and "error" in self.story:
            shown["error"] = self.story["error"]
        return shown

    def download(self, url: str) -> dict[str, Any]:
        return {
            "url": url, "expiresAt": "2099-01-01T00:00:00.000Z", "filename": "result.pdf", "contentType": "application/pdf",
            "bytes": self.story["bytes"], "sha256": self.sha256,
        }

    def counted(self) -> dict[str, Any]:
        """The figures that a scenario compares."""
        pauses = {name: [later - earlier for earlier, later in zip(times, times[1:])] for name, times in self.seen.items()}
        requests = {name: len(times) for name, times in self.seen.items()}
        return defaultdict(int, self.counts | requests | {"jobs": len(self.jobs), "keys": len(self.keys), "pauses": pauses})
