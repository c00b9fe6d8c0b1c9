"""The service over HTTP, with nothing but the standard library."""

import http.cookiejar
import json
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any

# A request that waits for a job takes up to 25 seconds.
SECONDS = 40


class Failure(Exception):
    """What does not work, and what to do about it."""

    def __init__(self, what: str, advice: str):
        super().__init__(what)
        self.what, self.advice = what, advice


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes
    url: str = ""

    def json(self) -> dict[str, Any]:
        try:
            return json.loads(self.body)
        except ValueError as error:
            raise Failure(f"{self.url} answered {self.status} without JSON.", LOGS) from error

    def code(self) -> str:
        """The error's code, or nothing."""
        try:
            return json.loads(self.body)["error"]["code"]
        except (ValueError, KeyError, TypeError):
            return ""


LOGS = "Look at the log group /docmill/<stack>/endpoints, or that of the function behind the page, at the time of the request."


class Follow(urllib.request.HTTPRedirectHandler):
    """Redirects of the sign-in, in which no browser's header is needed."""


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def fetch(
    url: str, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None, follow: bool = False
) -> Answer:
    """Any status is an answer. Raises `Failure` if there is none."""
    jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    opener = urllib.request.build_opener(jar, Follow() if follow else Stay())
    request = urllib.request.Request(url, method=method, data=body, headers=headers or {})
    try:
        with opener.open(request, timeout=SECONDS) as response:
            return Answer(response.status, lowered(response.headers), response.read(), response.url)
    except urllib.error.HTTPError as error:
        return Answer(error.code, lowered(error.headers), error.read(), url)
    except OSError as error:
        host = urllib.parse.urlsplit(url).netloc
        raise Failure(f"{host} does not answer: {getattr(error, 'reason', error)}.", "Check the address, its DNS record and its certificate.") from error


def lowered(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


@dataclass(frozen=True)
class Service:
    """The API with a key."""

    url: str
    key: str

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Answer:
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        return fetch(self.url + path, method, None if body is None else json.dumps(body).encode(), headers)

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None, advice: str = LOGS) -> dict[str, Any]:
        """The answer to a request that must succeed."""
        answer = self.call(method, path, body)
        if answer.status >= 300:
            raise Failure(f"{method} {path} answered {answer.status} {answer.code()} (request {answer.headers.get('x-request-id', 'unknown')}).", advice)
        return answer.json()
