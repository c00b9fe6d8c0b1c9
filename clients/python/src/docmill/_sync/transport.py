# Generated from _async by scripts/generate_sync.py.
"""Sends requests to the API, and repeats what may go away by itself."""

from __future__ import annotations

import os
from typing import Optional

import httpx

from docmill._sync.platform import sleep
from docmill._retries import Retries
from docmill._wire import Request, Response, Settings, logger, origin
from docmill.errors import ApiError, NetworkError, api_error


class Transport:
    def __init__(self, settings: Settings, client: Optional[httpx.Client]) -> None:
        self.settings = settings
        self.retries = Retries(settings.max_retries)
        # Shared with links, so it has no key of its own.
        self.http = client or httpx.Client(timeout=httpx.Timeout(settings.timeout))

    def send(self, request: Request) -> Response:
        """A response below 400.

        Raises:
            ApiError: the last answer, if it was another.
            NetworkError: there was none.
        """
        attempt = 0
        while True:
            fault: Optional[ApiError] = None
            broken: Optional[httpx.TransportError] = None
            try:
                response = self.attempt(request)
            except httpx.TransportError as failure:
                broken = failure
            else:
                logger.debug("%s %s: %s", request.method, request.path, response.status)
                if response.status < 400:
                    return response
                fault = api_error(response.status, response.headers, response.content)
            pause = self.retries.pause(attempt, fault, request.repeatable)
            if pause is None:
                raise fault or network_error(broken, attempt, self.settings.url)
            sleep(pause)
            attempt += 1

    def attempt(self, request: Request) -> Response:
        settings = self.settings
        response = self.http.request(
            request.method,
            settings.url + request.path,
            content=request.content(),
            params=request.query or None,
            headers={**request.all_headers(), **settings.headers()},
            timeout=httpx.Timeout(settings.timeout, read=settings.timeout + request.wait),
            follow_redirects=False,
        )
        return Response(response.status_code, {name.lower(): value for name, value in response.headers.items()}, response.content)


def network_error(failure: Optional[Exception], attempt: int, address: str) -> NetworkError:
    tries = "1 try" if attempt == 0 else f"{attempt + 1} tries"
    return NetworkError(f"no answer from {origin(address)} after {tries}: {reason_of(failure)}")


def reason_of(failure: Optional[BaseException]) -> str:
    """What happened, in the words of the system if it has some: the texts of libraries may name links."""
    words = type(failure).__name__
    while failure is not None:
        if isinstance(failure, OSError) and failure.strerror:
            # Event loops have words of their own, but the system's numbers. Those of look-ups are negative.
            return os.strerror(failure.errno) if failure.errno and failure.errno > 0 else failure.strerror
        failure = failure.__cause__ or failure.__context__
    return words
