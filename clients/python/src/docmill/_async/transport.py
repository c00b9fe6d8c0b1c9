"""Sends requests to the API, and repeats what may go away by itself."""

from __future__ import annotations

from typing import Optional

import httpx

from docmill._async.platform import sleep
from docmill._retries import Retries
from docmill._wire import Request, Response, Settings, logger
from docmill.errors import ApiError, NetworkError, api_error


class AsyncTransport:
    def __init__(self, settings: Settings, client: Optional[httpx.AsyncClient]) -> None:
        self.settings = settings
        self.retries = Retries(settings.max_retries)
        # Shared with links, so it has no key of its own.
        self.http = client or httpx.AsyncClient(timeout=httpx.Timeout(settings.timeout))

    async def send(self, request: Request) -> Response:
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
                response = await self.attempt(request)
            except httpx.TransportError as failure:
                broken = failure
            else:
                logger.debug("%s %s: %s", request.method, request.path, response.status)
                if response.status < 400:
                    return response
                fault = api_error(response.status, response.headers, response.content)
            pause = self.retries.pause(attempt, fault, request.repeatable)
            if pause is None:
                raise fault or network_error(broken, attempt)
            await sleep(pause)
            attempt += 1

    async def attempt(self, request: Request) -> Response:
        settings = self.settings
        response = await self.http.request(
            request.method,
            settings.url + request.path,
            content=request.content(),
            params=request.query or None,
            headers={**request.all_headers(), **settings.headers()},
            timeout=httpx.Timeout(settings.timeout, read=settings.timeout + request.wait),
            follow_redirects=False,
        )
        return Response(response.status_code, {name.lower(): value for name, value in response.headers.items()}, response.content)


def network_error(failure: Optional[Exception], attempt: int) -> NetworkError:
    return NetworkError(f"no answer after {attempt + 1} tries: {type(failure).__name__}")
