# Generated from _async by scripts/generate_sync.py.
"""The client."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Optional, cast

import httpx

from docmill import models
from docmill._sync.batches import Batches
from docmill._sync.jobs import Conversion, Jobs
from docmill._sync.resources import Events, Fonts, Templates, Tools, Uploads, Webhooks
from docmill._sync.transport import Transport
from docmill._sources import Source, Sources, is_list, tool_for
from docmill._wire import MOST_RETRIES, TIMEOUT, Request, Response, settings
from docmill.errors import UsageError


class Docmill:
    """Talks to Docmill.

    Args:
        url: the address of the API; DOCMILL_URL by default.
        key: your API key; DOCMILL_KEY by default.
        timeout: seconds that one request may take, besides the time that it asks the API to wait.
        max_retries: how often a request is repeated after a broken connection, 429, 500, 502, 503 or 504.
        http_client: an HTTP client of your own, for a proxy or certificates.
    """

    def __init__(
        self,
        url: Optional[str] = None,
        key: Optional[str] = None,
        *,
        timeout: float = TIMEOUT,
        max_retries: int = MOST_RETRIES,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        self._transport = Transport(settings(url, key, timeout, max_retries), http_client)
        self.jobs = Jobs(self._transport)
        self.batches = Batches(self._transport)
        self.tools = Tools(self._transport)
        self.uploads = Uploads(self._transport)
        self.events = Events(self._transport)
        self.webhooks = Webhooks(self._transport)
        self.templates = Templates(self._transport)
        self.fonts = Fonts(self._transport)

    def convert(
        self,
        source: Source,
        options: Optional[Mapping[str, Any]] = None,
        *,
        output: Optional[models.JobOutput] = None,
        metadata: Optional[Mapping[str, str]] = None,
        webhook: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Conversion:
        """A PDF of a document: a path, a URL, or a source such as `{"html": "<h1>Hello</h1>"}`.

        The tool follows from the extension; `run` takes any other tool. Nothing is sent yet: go on with `then`, `save`, `wait` or `start`.
        """
        if is_list(source):
            raise UsageError("convert() takes one source: use run() for several.")
        return self.run(
            tool_for(source), source, options, output=output, metadata=metadata, webhook=webhook, idempotency_key=idempotency_key
        )

    def run(
        self,
        tool: str,
        source: Sources,
        options: Optional[Mapping[str, Any]] = None,
        *,
        output: Optional[models.JobOutput] = None,
        metadata: Optional[Mapping[str, str]] = None,
        webhook: Optional[Mapping[str, str]] = None,
        idempotency_key: Optional[str] = None,
    ) -> Conversion:
        """A job of any tool, with one source or a list of them.

        Args:
            options: as the tool's page describes them, for example `{"pageRange": "1-3"}`; `docmill.models` has their types.
            output: how the result is named, kept and delivered.
            metadata: labels of your own.
            webhook: where this job's events are sent.
            idempotency_key: names this job for 24 hours, so that asking again returns it. A random one by default.
        """
        return Conversion(
            self._transport, tool, source, options or {}, output=output, metadata=metadata, webhook=webhook, idempotency_key=idempotency_key
        )

    def usage(self) -> models.Usage:
        """Credits and jobs of this month."""
        response = self._transport.send(Request("GET", "/v1/account/usage"))
        return cast(models.Usage, response.json()["usage"])

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Optional[Mapping[str, str]] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> Response:
        """Any request to the API, with your key and the usual retries, and its raw response.

        Without an `idempotency-key` header, a POST is only repeated after 429 and 503.
        """
        given = {name.lower(): value for name, value in (headers or {}).items()}
        repeatable = method.upper() != "POST" or "idempotency-key" in given
        return self._transport.send(Request(method.upper(), path, body, given, query or {}, repeatable=repeatable))

    def close(self) -> None:
        """Closes the connections."""
        self._transport.http.close()

    def __enter__(self) -> Docmill:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], failure: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._transport.settings.url}>"
