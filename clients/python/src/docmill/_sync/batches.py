# Generated from _async by scripts/generate_sync.py.
"""Batches: many jobs of one tool, made by one request."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Callable, Optional, Union, cast

from docmill import models
from docmill._sync.files import download, upload
from docmill._sync.jobs import available
from docmill._sync.platform import sleep
from docmill._sync.transport import Transport
from docmill._results import check_target, is_folder, paths_in
from docmill._sources import Source
from docmill._wire import FIRST_POLL, LONGEST_POLL, POLL_GROWTH, Request, creating, query
from docmill.errors import UsageError, WaitTimeoutError

# A batch may take this long by default, in seconds.
BATCH_SECONDS = 3600.0
# What one request takes; the rest of it needs room, too.
MOST_ITEMS, MOST_ITEM_BYTES = 1000, 900_000
# A paused one waits for somebody to resume it.
AT_REST = frozenset({"completed", "canceled", "paused"})


class Batch:
    """A batch, as the API last told it."""

    def __init__(self, transport: Transport, data: models.Batch) -> None:
        self._transport = transport
        self.data = data

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def status(self) -> str:
        """`processing`, `paused`, `canceling`, `archiving`, `completed`, `canceled`, `deleting`, or one that was added later."""
        return self.data["status"]

    @property
    def counts(self) -> models.BatchCounts:
        """How many items there are in each state. A batch is `completed` when all have ended, also if some have failed."""
        return self.data["counts"]

    def refresh(self) -> Batch:
        """Asks for the batch again."""
        return self._ask("GET", "")

    def wait(self, seconds: float = BATCH_SECONDS, progress: Optional[Callable[[Batch], object]] = None) -> Batch:
        """Returns once the batch has completed, was canceled, or is paused: see its `status` and `counts`.

        Args:
            progress: is called with the batch whenever something has changed.

        Raises:
            WaitTimeoutError: it goes on for longer than `seconds`.
        """
        deadline = time.monotonic() + seconds
        pause = FIRST_POLL
        while True:
            before = self.data
            self.refresh()
            if progress and self.data != before:
                progress(self)
            if self.status in AT_REST:
                return self
            left = deadline - time.monotonic()
            if left <= 0:
                raise WaitTimeoutError(self.id, seconds, "batch")
            sleep(min(pause, left))
            pause = min(pause * POLL_GROWTH, LONGEST_POLL)

    def results(self, page_size: Optional[int] = None) -> Iterator[models.BatchResult]:
        """What became of each item, in their order: a link to its result, or why there is none."""
        cursor: Optional[str] = None
        while True:
            page = self._page(limit=page_size, cursor=cursor)
            for result in page["results"]:
                yield result
            cursor = page.get("nextCursor")
            if cursor is None:
                return

    def save_archive(self, path: Union[str, os.PathLike[str]], *, overwrite: bool = False) -> list[Path]:
        """Saves the ZIP of all results, of a batch that was created with `archive=True` and has completed.

        With a folder ("results/"), each ZIP is saved there by its own name: large batches have several.

        Raises:
            UsageError: there is no archive, it has several files but `path` names one, or a file exists.
        """
        if not is_folder(path):
            check_target(path, overwrite)
        files = self._archive()
        if is_folder(path):
            Path(path).mkdir(parents=True, exist_ok=True)
            paths = paths_in(Path(path), [file["filename"] for file in files])
        elif len(files) == 1:
            paths = [Path(path)]
        else:
            raise UsageError(f"{path} can't hold {len(files)} archives: give a folder, such as 'results/'.")
        for target in paths:
            check_target(target, overwrite)
        for number, (file, target) in enumerate(zip(files, paths)):
            download(self._transport, as_download(file), target, partial(self._archive_link, number), overwrite)
        return paths

    def _archive_link(self, number: int) -> models.Download:
        return as_download((self._archive())[number])

    def _archive(self) -> list[models.ArchiveFile]:
        archive = (self._page(limit=1)).get("archive")
        if not archive or not archive["files"]:
            raise UsageError(f"The batch {self.id} has no archive: create it with archive=True, and wait until it has completed.")
        return archive["files"]

    def _page(self, **parameters: Any) -> models.BatchResultsResponse:
        request = Request("GET", f"/v1/batches/{self.id}/download", query=query(**parameters))
        return cast(models.BatchResultsResponse, (self._transport.send(request)).json())

    def cancel(self) -> Batch:
        """Creates no more jobs, and cancels those that have not ended."""
        return self._ask("POST", "/cancel")

    def resume(self) -> Batch:
        """Continues a paused batch."""
        return self._ask("POST", "/resume")

    def delete(self) -> None:
        """Deletes the batch with all of its jobs."""
        self._ask("DELETE", "")

    def _ask(self, method: str, path: str) -> Batch:
        self.data = (self._transport.send(Request(method, f"/v1/batches/{self.id}{path}"))).json()["batch"]
        return self

    def __repr__(self) -> str:
        return f"<Batch {self.id} {self.status} {self.data['toolSlug']}>"


class Batches:
    """Batches: many jobs of one tool, made by one request."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        tool: str,
        items: Iterable[Union[Source, models.BatchItem]],
        options: Optional[Mapping[str, Any]] = None,
        *,
        then: Iterable[tuple[str, Optional[Mapping[str, Any]]]] = (),
        archive: bool = False,
        stop_on_error: bool = False,
        webhook: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Batch:
        """Creates a job for each item, and returns at once. All items are checked first.

        Args:
            items: up to 100,000. Each is a path, a URL, or what differs from job to job: `{"input": …, "options": …, "filename": …, "metadata": …}`,
                whose `input` may be a path, too.
            options: of all jobs. Those of an item count more.
            then: further tools for all jobs, each with its options: `[("compress-pdf", {"preset": "small"})]`.
            archive: whether a ZIP of all results is made.
            stop_on_error: whether the batch is canceled as soon as an item fails.
        """
        body: dict[str, Any] = {"toolSlug": tool} | self._sent([self._item(item, tool) for item in items])
        steps = [{"toolSlug": slug, **({"options": dict(own)} if own else {})} for slug, own in then]
        more = {"options": options, "then": steps, "output": {"archive": True} if archive else None, "webhook": webhook}
        body |= {name: value for name, value in more.items() if value} | ({"onError": "stop"} if stop_on_error else {})
        response = self._transport.send(Request("POST", "/v1/batches", body, creating(idempotency_key)))
        return Batch(self._transport, response.json()["batch"])

    def _sent(self, items: list[dict[str, Any]]) -> dict[str, Any]:
        """The items, or the upload with them if they are too many for a request."""
        lines = [json.dumps(item, ensure_ascii=False).encode() for item in items]
        if len(lines) <= MOST_ITEMS and sum(map(len, lines)) <= MOST_ITEM_BYTES:
            return {"items": items}
        return {"itemsUploadId": upload(self._transport, b"\n".join(lines), "items.jsonl")}

    def _item(self, item: Union[Source, models.BatchItem], tool: str) -> dict[str, Any]:
        if not isinstance(item, Mapping):
            return {"input": available(self._transport, item, tool)}
        if "input" not in item:
            return {"input": available(self._transport, cast(Source, item), tool)} if "path" in item else dict(item)
        return {**item, "input": available(self._transport, cast(Source, item["input"]), tool)}

    def get(self, batch_id: str) -> Batch:
        response = self._transport.send(Request("GET", f"/v1/batches/{batch_id}"))
        return Batch(self._transport, response.json()["batch"])

    def list(self, *, status: Optional[str] = None, page_size: Optional[int] = None) -> Iterator[Batch]:
        """Your batches, newest first."""
        cursor: Optional[str] = None
        while True:
            parameters = query(status=status, limit=page_size, cursor=cursor)
            page: models.BatchesResponse = (self._transport.send(Request("GET", "/v1/batches", query=parameters))).json()
            for batch in page["batches"]:
                yield Batch(self._transport, batch)
            cursor = page.get("nextCursor")
            if cursor is None:
                return


def as_download(file: models.ArchiveFile) -> models.Download:
    """Of a file whose digest the API does not tell."""
    return cast(models.Download, {**file, "sha256": "", "contentType": "application/zip"})
