# Generated from _async by scripts/generate_sync.py.
"""Jobs: how they are made, waited for and saved."""

from __future__ import annotations

import builtins
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Optional, Union, cast

from docmill import models
from docmill._sync.files import download, download_bytes, upload
from docmill._sync.platform import sleep
from docmill._sync.transport import Transport
from docmill._results import check_name, check_target, is_folder, log_warnings, paths_in
from docmill._sources import EXTENSIONS, Source, Sources, as_object, beside_path, is_list, local_file
from docmill._wire import ENDED, FIRST_POLL, JOB_SECONDS, LONGEST_POLL, POLL_GROWTH, Request, Response, creation, query, wait_of
from docmill.errors import JobCanceledError, JobFailedError, WaitTimeoutError


# The tools of `convert`: each makes a PDF.
MAKE_PDF = frozenset(EXTENSIONS)


@dataclass(frozen=True)
class Saved:
    """A saved result. `job` is how it was made."""

    path: Path
    bytes: int
    sha256: str
    job: models.Job
    files: tuple[Path, ...] = ()
    """Each file, if they are in a folder. `path` is the folder then, and `sha256` is empty."""


@dataclass(frozen=True)
class Conversion:
    """A job to be: add steps, then start it, wait for it or save its result."""

    _transport: Transport
    tool: str
    source: Sources
    options: Mapping[str, Any]
    steps: tuple[models.FurtherStep, ...] = ()
    output: Optional[models.JobOutput] = None
    metadata: Optional[Mapping[str, str]] = None
    webhook: Optional[Mapping[str, str]] = None
    idempotency_key: Optional[str] = None

    def then(self, tool: str, options: Optional[Mapping[str, Any]] = None) -> Conversion:
        """Adds a step, which takes the result of the step before. A job has up to five."""
        step = cast(models.FurtherStep, {"toolSlug": tool, **({"options": dict(options)} if options else {})})
        return replace(self, steps=(*self.steps, step))

    def start(self) -> Job:
        """Creates the job, and returns at once."""
        return self._create(0)

    def wait(self, seconds: float = JOB_SECONDS) -> Job:
        """Creates the job, and returns it once it has completed.

        Raises:
            JobFailedError, JobCanceledError: it ended without a result.
            WaitTimeoutError: it goes on for longer than `seconds`.
        """
        deadline = time.monotonic() + seconds
        job = self._create(seconds)
        return job.wait(max(0.0, deadline - time.monotonic()), _bound=seconds)

    def save(self, path: Union[str, os.PathLike[str]], seconds: float = JOB_SECONDS, *, overwrite: bool = False) -> Saved:
        """Creates the job, waits until it has completed, and saves its result as a file, or its files in a folder ("pages/").

        A file that exists is only replaced if you allow it with `overwrite`. This is checked before the job is created.

        Raises:
            UsageError: the file exists, or its name says another format than the result has.
        """
        if not is_folder(path):
            check_target(path, overwrite)
            if not self.steps and self.tool in MAKE_PDF:
                check_name(path, "result.pdf")
        job = self.wait(seconds)
        return job.save(path, overwrite=overwrite)

    def bytes(self, seconds: float = JOB_SECONDS) -> builtins.bytes:
        """Creates the job, waits until it has completed, and returns its result in memory. Several files are a ZIP."""
        job = self.wait(seconds)
        return job.bytes()

    def _create(self, seconds: float) -> Job:
        body = self._body()
        response = self._transport.send(creation(body, self.idempotency_key, seconds))
        return Job._told(self._transport, response)

    def _body(self) -> dict[str, Any]:
        more = {"output": self.output, "metadata": self.metadata, "webhook": self.webhook, "then": list(self.steps)}
        body = {"toolSlug": self.tool, "input": self._input(), "options": dict(self.options)}
        return body | {name: value for name, value in more.items() if value}

    def _input(self) -> dict[str, Any]:
        if not is_list(self.source):
            return available(self._transport, cast(Source, self.source), self.tool)
        return {"sources": [available(self._transport, each, self.tool) for each in cast(Sequence[Source], self.source)]}


def available(transport: Transport, source: Source, tool: str) -> dict[str, Any]:
    """A source that the service can get. Files are uploaded."""
    file = local_file(source)
    if file is None:
        return as_object(source, tool)
    return {"uploadId": upload(transport, file, None)} | beside_path(source)


class Job:
    """A job, as the API last told it."""

    def __init__(self, transport: Transport, data: models.Job, request_id: str) -> None:
        self._transport = transport
        self.data = data
        self.request_id = request_id
        """Of the response that told `data`."""
        self._link: Optional[models.Download] = None
        self._is_held = False

    @classmethod
    def _told(cls, transport: Transport, response: Response) -> Job:
        job = cls(transport, response.json()["job"], response.request_id)
        job._take(response)
        return job

    def _take(self, response: Response) -> None:
        answer = response.json()
        self.data, self.request_id = answer["job"], response.request_id
        self._link = answer.get("download")
        self._is_held = "preference-applied" in response.headers

    @property
    def id(self) -> str:
        return self.data["id"]

    @property
    def status(self) -> str:
        """`queued`, `processing`, `completed`, `failed`, `canceled`, `expired`, `deleted`, or one that was added later."""
        return self.data["status"]

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED

    def refresh(self) -> Job:
        """Asks for the job again."""
        self._take(self._transport.send(Request("GET", f"/v1/jobs/{self.id}")))
        return self

    def wait(self, seconds: float = JOB_SECONDS, *, _bound: Optional[float] = None) -> Job:
        """Returns once the job has completed.

        Raises:
            JobFailedError, JobCanceledError: it ended without a result.
            WaitTimeoutError: it goes on for longer than `seconds`.
        """
        deadline = time.monotonic() + seconds
        pause = FIRST_POLL
        while not self.has_ended:
            left = deadline - time.monotonic()
            if left <= 0:
                raise WaitTimeoutError(self.id, _bound or seconds)
            self._take(self._transport.send(Request("GET", f"/v1/jobs/{self.id}", wait=wait_of(left))))
            if not self.has_ended and not self._is_held:
                sleep(max(0.0, min(pause, deadline - time.monotonic())))
                pause = min(pause * POLL_GROWTH, LONGEST_POLL)
        if self.status == "failed":
            raise JobFailedError(self.data, self.request_id)
        if self.status == "canceled":
            raise JobCanceledError(self.data, self.request_id)
        return self

    def save(
        self,
        path: Union[str, os.PathLike[str]],
        seconds: float = JOB_SECONDS,
        *,
        output: Optional[int] = None,
        overwrite: bool = False,
    ) -> Saved:
        """Waits until the job has completed, and saves its result as a file, or the one with the number `output` of several.

        With a folder ("pages/"), each file of the result is saved there by its own name. Files that exist are only replaced if you
        allow it with `overwrite`.

        Raises:
            UsageError: a file exists, or the name says another format than the result has.
        """
        if not is_folder(path):
            check_target(path, overwrite)
        self.wait(seconds)
        if output is None and is_folder(path):
            return self._save_all(Path(path), overwrite)
        link = self._result(output)
        if is_folder(path):
            path = paths_in(Path(path), [link["filename"]])[0]
            check_target(path, overwrite)
        check_name(path, link["filename"])
        download(self._transport, link, Path(path), lambda: self.link(output), overwrite)
        log_warnings(self.data)
        return Saved(Path(path), link["bytes"], link["sha256"], self.data)

    def _save_all(self, folder: Path, overwrite: bool) -> Saved:
        links = self.links()
        folder.mkdir(parents=True, exist_ok=True)
        paths = paths_in(folder, [link["filename"] for link in links])
        for path in paths:
            check_target(path, overwrite)
        for index, (link, path) in enumerate(zip(links, paths)):
            download(self._transport, link, path, partial(self.link, index if len(links) > 1 else None), overwrite)
        log_warnings(self.data)
        return Saved(folder, sum(link["bytes"] for link in links), "", self.data, tuple(paths))

    def bytes(self, seconds: float = JOB_SECONDS, *, output: Optional[int] = None) -> builtins.bytes:
        """Waits until the job has completed, and returns its result in memory, or the file with the number `output` of several."""
        self.wait(seconds)
        content = download_bytes(self._transport, self._result(output), lambda: self.link(output))
        log_warnings(self.data)
        return content

    def _result(self, output: Optional[int]) -> models.Download:
        return self._link if output is None and self._link else self.link(output)

    def link(self, output: Optional[int] = None) -> models.Download:
        """A signed link to the result, which works for ten minutes, without a key. Keep it secret."""
        path = f"/v1/jobs/{self.id}/download"
        response = self._transport.send(Request("GET", path, query=query(output=output)))
        answer = response.json()
        if "download" not in answer:
            raise WaitTimeoutError(self.id, 0)
        return cast(models.Download, answer["download"])

    def links(self) -> list[models.Download]:
        """A signed link to each file of the result."""
        response = self._transport.send(Request("GET", f"/v1/jobs/{self.id}/download"))
        answer = response.json()
        return cast("list[models.Download]", answer.get("downloads") or [answer["download"]])

    def cancel(self) -> Job:
        """Ends the job and refunds it.

        Raises:
            ConflictError: it has ended.
        """
        self._take(self._transport.send(Request("POST", f"/v1/jobs/{self.id}/cancel")))
        return self

    def receipt(self) -> models.Receipt:
        """The signed receipt of the job once it has ended, for `docmill verify-receipt`."""
        response = self._transport.send(Request("GET", f"/v1/jobs/{self.id}/receipt"))
        return cast(models.Receipt, response.json()["receipt"])

    def delete(self) -> None:
        """Deletes the result and everything that describes the document, now."""
        self._transport.send(Request("DELETE", f"/v1/jobs/{self.id}"))

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.status} {self.data['toolSlug']}>"


class Jobs:
    """The jobs of your account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, job_id: str) -> Job:
        return Job._told(self._transport, self._transport.send(Request("GET", f"/v1/jobs/{job_id}")))

    def list(
        self,
        *,
        status: Optional[str] = None,
        tool: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        page_size: Optional[int] = None,
    ) -> Iterator[Job]:
        """All jobs that match, newest first. Asks for the next page when it is needed. Times are RFC 3339."""
        filters = query(
            status=status, toolSlug=tool, createdAfter=created_after, createdBefore=created_before, metadata=metadata, limit=page_size
        )
        cursor: Optional[str] = None
        while True:
            response = self._transport.send(Request("GET", "/v1/jobs", query={**filters, **query(cursor=cursor)}))
            page: models.JobsResponse = response.json()
            for job in page["jobs"]:
                yield Job(self._transport, job, response.request_id)
            cursor = page.get("nextCursor")
            if cursor is None:
                return
