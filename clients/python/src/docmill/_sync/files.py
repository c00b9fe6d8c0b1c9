# Generated from _async by scripts/generate_sync.py.
"""Sends and receives files through signed links, a part at a time. The API key is never sent there."""

from __future__ import annotations

import hashlib
import io
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Callable, Optional, Union

import httpx

from docmill import models
from docmill._sync.platform import blocking, parts, sleep
from docmill._sync.transport import Transport, network_error
from docmill._results import publish
from docmill._sources import File
from docmill._wire import Request, logger
from docmill.errors import ApiError, DocmillError, IntegrityError, UsageError, api_error

# Statuses of links.
PARTIAL, EXPIRED, ALREADY_THERE = 206, 403, 412
Renewal = Callable[[], models.Download]


def upload(transport: Transport, source: Union[str, os.PathLike[str], bytes, IO[bytes], File], filename: Optional[str]) -> str:
    """Announces a file, sends it, and returns the id by which jobs name it."""
    if isinstance(source, File):
        return upload(transport, source.content, filename or source.name or None)
    if isinstance(source, bytes):
        return send_file(transport, io.BytesIO(source), filename)
    if not isinstance(source, (str, os.PathLike)):
        return send_file(transport, rewindable(source), filename)
    path = Path(source)
    try:
        file = blocking(lambda: path.open("rb"))
    except OSError as failure:
        raise UsageError(f"{path} can't be read: {failure.strerror}") from failure
    try:
        return send_file(transport, file, filename or path.name)
    finally:
        file.close()


def rewindable(file: IO[bytes]) -> IO[bytes]:
    """An open file that can be read twice, from its beginning on.

    Raises:
        UsageError: it is not open for reading bytes.
    """
    try:
        if not getattr(file, "seekable", lambda: False)():
            file = io.BytesIO(blocking(file.read))
        file.seek(0)
        if isinstance(file.read(0), str):
            raise UsageError("The file is open as text: open it with mode 'rb'.")
    except (OSError, TypeError) as failure:
        raise UsageError(f"The file can't be read as bytes: {failure}") from failure
    return file


def send_file(transport: Transport, file: IO[bytes], filename: Optional[str]) -> str:
    digest, size = hashlib.sha256(), 0
    for part in parts(file):
        digest.update(part)
        size += len(part)
    announced = {"contentType": "application/octet-stream", "bytes": size, "sha256": digest.hexdigest()}
    if filename:
        announced["filename"] = filename
    # Repeating it announces another upload, which is harmless.
    response = transport.send(Request("POST", "/v1/uploads", announced))
    link: models.Upload = response.json()["upload"]
    put(transport, link, file, size)
    return link["id"]


def put(transport: Transport, link: models.Upload, file: IO[bytes], size: int) -> None:
    """Sends the whole file again if the transfer breaks."""
    attempt = 0
    while True:
        fault: Optional[ApiError] = None
        broken: Optional[httpx.TransportError] = None
        file.seek(0)
        try:
            headers = {**link["headers"], "content-length": str(size)}
            response = transport.http.put(link["url"], content=parts(file), headers=headers, timeout=transport.settings.timeout)
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
        sleep(pause)
        attempt += 1


def download(transport: Transport, link: models.Download, target: Path, renew: Renewal, overwrite: bool) -> None:
    """Saves what is behind the link at `target`, which only exists once it is whole and as announced."""
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex[:8]}.part")
    try:
        file = blocking(lambda: temporary.open("xb"))
    except OSError as failure:
        raise UsageError(f"{target} can't be written: {failure.strerror}") from failure
    try:
        with file:
            Download(transport, link, file, renew).run()
        blocking(publish, temporary, target, overwrite)
    finally:
        temporary.unlink(missing_ok=True)


def download_bytes(transport: Transport, link: models.Download, renew: Renewal) -> bytes:
    """What is behind the link, whole and as announced."""
    content = io.BytesIO()
    Download(transport, link, content, renew).run()
    return content.getvalue()


class Download:
    """One transfer: what has arrived so far, and the link for the rest."""

    def __init__(self, transport: Transport, link: models.Download, file: IO[bytes], renew: Renewal) -> None:
        self.transport, self.link, self.file, self.renew = transport, link, file, renew
        self.start_over()

    def start_over(self) -> None:
        self.file.seek(0)
        self.file.truncate()
        self.digest = hashlib.sha256()
        self.size = 0

    def run(self) -> None:
        attempt = 0
        while fault := self.attempt(attempt):
            is_expired = isinstance(fault, ApiError) and fault.status == EXPIRED
            refusal = fault if isinstance(fault, ApiError) and not is_expired else None
            pause = self.transport.retries.pause(attempt, refusal, True)
            if pause is None:
                raise fault
            if is_expired:
                # A new link works at once.
                self.link = self.renew()
            else:
                sleep(pause)
            attempt += 1

    def attempt(self, number: int) -> Optional[DocmillError]:
        """What is wrong with the file after this attempt, or None."""
        try:
            # A connection can also break after the last byte.
            fault = self.receive_rest() if self.size < self.link["bytes"] else None
        except httpx.TransportError as failure:
            return network_error(failure, number, self.link["url"])
        return fault or self.verdict()

    def receive_rest(self) -> Optional[ApiError]:
        headers = {"range": f"bytes={self.size}-"} if self.size else {}
        with self.transport.http.stream("GET", self.link["url"], headers=headers, timeout=self.transport.settings.timeout) as response:
            logger.debug("GET result: %s", response.status_code)
            if not response.is_success:
                return api_error(response.status_code, response.headers, response.read())
            if response.status_code != PARTIAL:
                self.start_over()
            self.receive(response.iter_raw())
        return None

    def receive(self, received: Iterator[bytes]) -> None:
        for part in received:
            blocking(self.file.write, part)
            self.digest.update(part)
            self.size += len(part)

    def verdict(self) -> Optional[DocmillError]:
        # Of archives, only the size is known.
        if self.size == self.link["bytes"] and self.link["sha256"] in ("", self.digest.hexdigest()):
            return None
        size = self.size
        self.start_over()
        return IntegrityError(f"the download has {size} bytes and is not the result of {self.link['bytes']} bytes")
