"""Sends and receives files through signed links, a part at a time. The API key is never sent there."""

from __future__ import annotations

import hashlib
import io
import os
import uuid
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path
from typing import IO, Callable, Optional, Union

import httpx

from docmill import models
from docmill._async.platform import blocking, parts, sleep
from docmill._async.transport import AsyncTransport, network_error
from docmill._results import publish
from docmill._sources import File
from docmill._wire import Request, logger
from docmill.errors import ApiError, DocmillError, IntegrityError, UsageError, api_error

# Statuses of links.
PARTIAL, EXPIRED, ALREADY_THERE = 206, 403, 412
Renewal = Callable[[], Awaitable[models.Download]]


async def upload(transport: AsyncTransport, source: Union[str, os.PathLike[str], bytes, IO[bytes], File], filename: Optional[str]) -> str:
    """Announces a file, sends it, and returns the id by which jobs name it."""
    if isinstance(source, File):
        return await upload(transport, source.content, filename or source.name or None)
    if isinstance(source, bytes):
        return await send_file(transport, io.BytesIO(source), filename)
    if not isinstance(source, (str, os.PathLike)):
        return await send_file(transport, await rewindable(source), filename)
    path = Path(source)
    try:
        file = await blocking(lambda: path.open("rb"))
    except OSError as failure:
        raise UsageError(f"{path} can't be read: {failure.strerror}") from failure
    try:
        return await send_file(transport, file, filename or path.name)
    finally:
        file.close()


async def rewindable(file: IO[bytes]) -> IO[bytes]:
    """An open file that can be read twice, from its beginning on.

    Raises:
        UsageError: it is not open for reading bytes.
    """
    try:
        if not getattr(file, "seekable", lambda: False)():
            file = io.BytesIO(await blocking(file.read))
        file.seek(0)
        if isinstance(file.read(0), str):
            raise UsageError("The file is open as text: open it with mode 'rb'.")
    except (OSError, TypeError) as failure:
        raise UsageError(f"The file can't be read as bytes: {failure}") from failure
    return file


async def send_file(transport: AsyncTransport, file: IO[bytes], filename: Optional[str]) -> str:
    digest, size = hashlib.sha256(), 0
    async for part in parts(file):
        digest.update(part)
        size += len(part)
    announced = {"contentType": "application/octet-stream", "bytes": size, "sha256": digest.hexdigest()}
    if filename:
        announced["filename"] = filename
    # Repeating it announces another upload, which is harmless.
    response = await transport.send(Request("POST", "/v1/uploads", announced))
    link: models.Upload = response.json()["upload"]
    await put(transport, link, file, size)
    return link["id"]


async def put(transport: AsyncTransport, link: models.Upload, file: IO[bytes], size: int) -> None:
    """Sends the whole file again if the transfer breaks."""
    attempt = 0
    while True:
        fault: Optional[ApiError] = None
        broken: Optional[httpx.TransportError] = None
        file.seek(0)
        try:
            headers = {**link["headers"], "content-length": str(size)}
            response = await transport.http.put(link["url"], content=parts(file), headers=headers, timeout=transport.settings.timeout)
        except httpx.TransportError as failure:
            broken = failure
        else:
            # A link works once: an earlier try has arrived, but not its answer.
            if response.is_success or (attempt > 0 and response.status_code == ALREADY_THERE):
                return
            fault = api_error(response.status_code, response.headers, response.content)
        pause = transport.retries.pause(attempt, fault, True)
        if pause is None:
            raise fault or network_error(broken, attempt, link["url"])
        await sleep(pause)
        attempt += 1


async def download(transport: AsyncTransport, link: models.Download, target: Path, renew: Renewal, overwrite: bool) -> None:
    """Saves what is behind the link at `target`, which only exists once it is whole and as announced."""
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        file = await blocking(lambda: temporary.open("xb"))
    except OSError as failure:
        raise UsageError(f"{target} can't be written: {failure.strerror}") from failure
    try:
        with file:
            await AsyncDownload(transport, link, file, renew).run()
        await blocking(publish, temporary, target, overwrite)
    finally:
        temporary.unlink(missing_ok=True)


async def download_bytes(transport: AsyncTransport, link: models.Download, renew: Renewal) -> bytes:
    """What is behind the link, whole and as announced."""
    content = io.BytesIO()
    await AsyncDownload(transport, link, content, renew).run()
    return content.getvalue()


class AsyncDownload:
    """One transfer: what has arrived so far, and the link for the rest."""

    def __init__(self, transport: AsyncTransport, link: models.Download, file: IO[bytes], renew: Renewal) -> None:
        self.transport, self.link, self.file, self.renew = transport, link, file, renew
        self.start_over()

    def start_over(self) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.digest = hashlib.sha256()
        self.size = 0

    async def run(self) -> None:
        attempt = 0
        while fault := await self.attempt(attempt):
            is_expired = isinstance(fault, ApiError) and fault.status == EXPIRED
            refusal = fault if isinstance(fault, ApiError) and not is_expired else None
            pause = self.transport.retries.pause(attempt, refusal, True)
            if pause is None:
                raise fault
            if is_expired:
                # A new link works at once.
                self.link = await self.renew()
            else:
                await sleep(pause)
            attempt += 1

    async def attempt(self, number: int) -> Optional[DocmillError]:
        """What is wrong with the file after this attempt, or None."""
        try:
            # A connection can also break after the last byte.
            fault = await self.receive_rest() if self.size < self.link["bytes"] else None
        except httpx.TransportError as failure:
            return network_error(failure, number, self.link["url"])
        return fault or self.verdict()

    async def receive_rest(self) -> Optional[ApiError]:
        headers = {"range": f"bytes={self.size}-"} if self.size else {}
        async with self.transport.http.stream("GET", self.link["url"], headers=headers, timeout=self.transport.settings.timeout) as response:
            logger.debug("GET result: %s", response.status_code)
            if not response.is_success:
                return api_error(response.status_code, response.headers, await response.aread())
            if response.status_code != PARTIAL:
                self.start_over()
            await self.receive(response.aiter_raw())
        return None

    async def receive(self, received: AsyncIterator[bytes]) -> None:
        async for part in received:
            await blocking(self.file.write, part)
            self.digest.update(part)
            self.size += len(part)

    def verdict(self) -> Optional[DocmillError]:
        # Of archives, only the size is known.
        if self.size == self.link["bytes"] and self.link["sha256"] in ("", self.digest.hexdigest()):
            return None
        size = self.size
        self.start_over()
        return IntegrityError(f"the download has {size} bytes and is not the result of {self.link['bytes']} bytes")
