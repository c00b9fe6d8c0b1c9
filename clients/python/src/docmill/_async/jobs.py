"""Jobs: how they are made, waited for and saved."""

from __future__ import annotations

import builtins
import os
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Optional, Union, cast

from docmill import models
from docmill._async.files import download, download_bytes, upload
from docmill._async.platform import sleep
from docmill._async.transport import AsyncTransport
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
class AsyncConversion:
    """A job to be: add steps, then start it, wait for it or save its result."""

    _transport: AsyncTransport
    tool: str
    source: Sources
    options: Mapping[str, Any]
    steps: tuple[models.FurtherStep, ...] = ()
    output: Optional[models.JobOutput] = None
    metadata: Optional[Mapping[str, str]] = None
    webhook: Optional[Mapping[str, str]] = None
    idempotency_key: Optional[str] = None

    def then(self, tool: str, options: Optional[Mapping[str, Any]] = None) -> AsyncConversion:
        """Adds a step, which takes the result of the step before. A job has up to five."""
        step = cast(models.FurtherStep, {"toolSlug": tool, **({"options": dict(options)} if options else {})})
        return replace(self, steps=(*self.steps, step))

    async def start(self) -> AsyncJob:
        """Creates the job, and returns at once."""
        return await self._create(0)

    async def wait(self, seconds: float = JOB_SECONDS) -> AsyncJob:
        """Creates the job, and returns it once it has completed.

        Raises:
            JobFailedError, JobCanceledError: it ended without a result.
            WaitTimeoutError: it goes on for longer than `seconds`.
        """
        deadline = time.monotonic() + seconds
        job = await self._create(seconds)
        return await job.wait(max(0.0, deadline - time.monotonic()), _bound=seconds)

    async def save(self, path: Union[str, os.PathLike[str]], seconds: float = JOB_SECONDS, *, overwrite: bool = False) -> Saved:
        """Creates the job, waits until it has completed, and saves its result as a file, or its files in a folder ("pages/").

        A file that exists is only replaced if you allow it with `overwrite`. This is checked before the job is created.

        Raises:
            UsageError: the file exists, or its name says another format than the result has.
        """
        if not is_folder(path):
            check_target(path, overwrite)
            if not self.steps and self.tool in MAKE_PDF:
                check_name(path, "result.pdf")
        job = await self.wait(seconds)
        return await job.save(path, overwrite=overwrite)

    async def bytes(self, seconds: float = JOB_SECONDS) -> builtins.bytes:
        """Creates the job, waits until it has completed, and returns its result in memory. Several files are a ZIP."""
        job = await self.wait(seconds)
        return await job.bytes()

    async def _create(self, seconds: float) -> AsyncJob:
        body = await self._body()
        response = await self._transport.send(creation(body, self.idempotency_key, seconds))
        return AsyncJob._told(self._transport, response)

    async def _body(self) -> dict[str, Any]:
        more = {"output": self.output, "metadata": self.metadata, "webhook": self.webhook, "then": list(self.steps)}
        body = {"toolSlug": self.tool, "input": await self._input(), "options": dict(self.options)}
        return body | {name: value for name, value in more.items() if value}

    async def _input(self) -> dict[str, Any]:
        if not is_list(self.source):
            return await available(self._transport, cast(Source, self.source), self.tool)
        return {"sources": [await available(self._transport, each, self.tool) for each in cast(Sequence[Source], self.source)]}


async def available(transport: AsyncTransport, source: Source, tool: str) -> dict[str, Any]:
    """A source that the service can get. Files are uploaded."""
    file = local_file(source)
    if file is None:
        return as_object(source, tool)
    return {"uploadId": await upload(transport, file, None)} | beside_path(source)


class AsyncJob:
    """A job, as the API last told it."""

    def __init__(self, transport: AsyncTransport, data: models.Job, request_id: str) -> None:
        self._transport = transport
        self.data = data
        self.request_id = request_id
        """Of the response that told `data`."""
        self._link: Optional[models.Download] = None
        self._is_held = False

    @classmethod
    def _told(cls, transport: AsyncTransport, response: Response) -> AsyncJob:
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

    async def refresh(self) -> AsyncJob:
        """Asks for the job again."""
        self._take(await self._transport.send(Request("GET", f"/v1/jobs/{self.id}")))
        return self

    async def wait(self, seconds: float = JOB_SECONDS, *, _bound: Optional[float] = None) -> AsyncJob:
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
            self._take(await self._transport.send(Request("GET", f"/v1/jobs/{self.id}", wait=wait_of(left))))
            if not self.has_ended and not self._is_held:
                await sleep(max(0.0, min(pause, deadline - time.monotonic())))
                pause = min(pause * POLL_GROWTH, LONGEST_POLL)
        if self.status == "failed":
            raise JobFailedError(self.data, self.request_id)
        if self.status == "canceled":
            raise JobCanceledError(self.data, self.request_id)
        return self

    async def save(
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
        await self.wait(seconds)
        if output is None and is_folder(path):
            return await self._save_all(Path(path), overwrite)
        link = await self._result(output)
        if is_folder(path):
            path = paths_in(Path(path), [link["filename"]])[0]
            check_target(path, overwrite)
        check_name(path, link["filename"])
        await download(self._transport, link, Path(path), lambda: self.link(output), overwrite)
        log_warnings(self.data)
        return Saved(Path(path), link["bytes"], link["sha256"], self.data)

    async def _save_all(self, folder: Path, overwrite: bool) -> Saved:
        links = await self.links()
        folder.mkdir(parents=True, exist_ok=True)
        paths = paths_in(folder, [link["filename"] for link in links])
        for path in paths:
            check_target(path, overwrite)
        for index, (link, path) in enumerate(zip(links, paths)):
            await download(self._transport, link, path, partial(self.link, index if len(links) > 1 else None), overwrite)
        log_warnings(self.data)
        return Saved(folder, sum(link["bytes"] for link in links), "", self.data, tuple(paths))

    async def bytes(self, seconds: float = JOB_SECONDS, *, output: Optional[int] = None) -> builtins.bytes:
        """Waits until the job has completed, and returns its result in memory, or the file with the number `output` of several."""
        await self.wait(seconds)
        content = await download_bytes(self._transport, await self._result(output), lambda: self.link(output))
        log_warnings(self.data)
        return content

    async def _result(self, output: Optional[int]) -> models.Download:
        return self._link if output is None and self._link else await self.link(output)

    async def link(self, output: Optional[int] = None) -> models.Download:
        """A signed link to the result, which works for ten minutes, without a key. Keep it secret."""
        path = f"/v1/jobs/{self.id}/download"
        response = await self._transport.send(Request("GET", path, query=query(output=output)))
        answer = response.json()
        if "download" not in answer:
            raise WaitTimeoutError(self.id, 0)
        return cast(models.Download, answer["download"])

    async def links(self) -> list[models.Download]:
        """A signed link to each file of the result."""
        response = await self._transport.send(Request("GET", f"/v1/jobs/{self.id}/download"))
        answer = response.json()
        return cast("list[models.Download]", answer.get("downloads") or [answer["download"]])

    async def cancel(self) -> AsyncJob:
        """Ends the job and refunds it.

        Raises:
            ConflictError: it has ended.
        """
        self._take(await self._transport.send(Request("POST", f"/v1/jobs/{self.id}/cancel")))
        return self

    async def receipt(self) -> models.Receipt:
        """The signed receipt of the job once it has ended, for `docmill verify-receipt`."""
        response = await self._transport.send(Request("GET", f"/v1/jobs/{self.id}/receipt"))
        return cast(models.Receipt, response.json()["receipt"])

    async def delete(self) -> None:
        """Deletes the result and everything that describes the document, now."""
        await self._transport.send(Request("DELETE", f"/v1/jobs/{self.id}"))

    def __repr__(self) -> str:
        return f"<Job {self.id} {self.status} {self.data['toolSlug']}>"


class AsyncJobs:
    """The jobs of your account."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, job_id: str) -> AsyncJob:
        return AsyncJob._told(self._transport, await self._transport.send(Request("GET", f"/v1/jobs/{job_id}")))

    async def list(
        self,
        *,
        status: Optional[str] = None,
        tool: Optional[str] = None,
        created_after: Optional[str] = None,
        created_before: Optional[str] = None,
        metadata: Optional[Mapping[str, str]] = None,
        page_size: Optional[int] = None,
    ) -> AsyncIterator[AsyncJob]:
        """All jobs that match, newest first. Asks for the next page when it is needed. Times are RFC 3339."""
        filters = query(
            status=status, toolSlug=tool, createdAfter=created_after, createdBefore=created_before, metadata=metadata, limit=page_size
        )
        cursor: Optional[str] = None
        while True:
            response = await self._transport.send(Request("GET", "/v1/jobs", query={**filters, **query(cursor=cursor)}))
            page: models.JobsResponse = response.json()
            for job in page["jobs"]:
                yield AsyncJob(self._transport, job, response.request_id)
            cursor = page.get("nextCursor")
            if cursor is None:
                return
