"""Requests and responses, apart from how they travel."""

from __future__ import annotations

import json
import logging
import os
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Optional
from urllib.parse import urlsplit

from docmill.errors import ApiError, UsageError

# Of one request, in seconds. A request that waits may take longer by as much.
TIMEOUT = 60.0
MOST_RETRIES = 4
# The longest that the API holds a request.
LONGEST_WAIT = 25
# Pauses between requests for a job, where the API does not hold them.
FIRST_POLL, LONGEST_POLL, POLL_GROWTH = 1.0, 10.0, 1.5
# A job may take this long by default, in seconds.
JOB_SECONDS = 180.0
# How much of a file is in memory at a time.
PART = 1 << 18
ENDED = frozenset({"completed", "failed", "canceled", "expired", "deleted"})
VERSION = "0.1.0"
logger = logging.getLogger("docmill")


@dataclass(frozen=True)
class Settings:
    """Where the API is, and how it is asked."""

    url: str
    key: str = field(repr=False)
    timeout: float
    max_retries: int

    def headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.key}", "user-agent": f"docmill-python/{VERSION}"}


def settings(url: Optional[str], key: Optional[str], timeout: float, max_retries: int) -> Settings:
    """Completed from the environment: DOCMILL_URL and DOCMILL_KEY."""
    url = url or os.environ.get("DOCMILL_URL")
    key = key or os.environ.get("DOCMILL_KEY")
    if not url or not key:
        raise UsageError("Set DOCMILL_URL and DOCMILL_KEY in the environment, or give url and key.")
    address = urlsplit(url)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise UsageError("The address of the API must begin with https:// or http://, such as https://api.example.com.")
    return Settings(url.rstrip("/"), key, timeout, max_retries)


def origin(address: str) -> str:
    """The host of an address, without its path and query, which may be secret."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}"


@dataclass(frozen=True)
class Request:
    """A request to the API. `repeatable`: whether it may be sent again if the answer was lost."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    wait: int = 0
    repeatable: bool = True

    def all_headers(self) -> dict[str, str]:
        headers = dict(self.headers)
        if self.wait:
            headers["prefer"] = f"wait={self.wait}"
        if self.body is not None:
            headers["content-type"] = "application/json"
        return headers

    def content(self) -> Optional[bytes]:
        return None if self.body is None else json.dumps(self.body).encode()


@dataclass(frozen=True)
class Response:
    """A raw response. Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes = field(repr=False)

    @property
    def request_id(self) -> str:
        return self.headers.get("x-request-id", "")

    def json(self) -> Any:
        """The body as JSON.

        Raises:
            ApiError: it is something else, for example the page of a proxy.
        """
        try:
            return json.loads(self.content) if self.content else None
        except ValueError:
            error = {"code": "invalid_answer", "message": "The answer is not JSON: is the address that of the API?"}
            raise ApiError(self.status, self.request_id, None, error) from None


def creation(body: Mapping[str, Any], idempotency_key: Optional[str], seconds: float) -> Request:
    """The request that creates a job, always with a key, so that all tries are one job."""
    return Request("POST", "/v1/jobs", body, creating(idempotency_key), wait=wait_of(seconds))


def creating(idempotency_key: Optional[str]) -> dict[str, str]:
    """Headers of whatever is charged: a misspelled option is an error, not ignored."""
    return {"idempotency-key": idempotency_key or str(uuid.uuid4()), "docmill-strict": "true"}


def wait_of(seconds: float) -> int:
    return max(0, min(LONGEST_WAIT, int(seconds)))


def query(**values: Any) -> dict[str, str]:
    """Without what is not given; labels as `metadata.NAME`."""
    metadata = values.pop("metadata", None) or {}
    given = {name: str(value) for name, value in values.items() if value is not None}
    return given | {f"metadata.{name}": value for name, value in metadata.items()}


class WithoutSignatures(logging.Filter):
    """Keeps the signatures of links out of httpx's log of requests."""

    SIGNED = re.compile(r"\?\S*X-Amz-Signature\S*", re.IGNORECASE)

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(self.hide(each) for each in record.args)
        return True

    def hide(self, value: Any) -> Any:
        text = str(value)
        return self.SIGNED.sub("?[signed]", text) if "x-amz-signature" in text.lower() else value


logging.getLogger("httpx").addFilter(WithoutSignatures())
