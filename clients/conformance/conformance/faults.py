"""A server that answers as the API does, but with the faults that a scenario orders. Each scenario has a space of its own, the
first part of every path."""

import hashlib
import json
import os
import re
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from conformance.space import BLOCK, REQUEST_NUMBERS, Job, Space, Upload

# Part of every signed link. Nothing that a client says may contain it.
SIGNATURE = "X-Amz-Signature=5ec7e7"
# Of a file whose lines are kept.
MOST_LINES = 4 << 20
ENDED_WITH_RESULT = "completed"
OPERATIONS = [
    ("create", "POST", re.compile(r"/v1/jobs|/v1/tools/(?P<tool>[^/]+)/jobs|/v1/convert/(?P<short>[^/]+)")),
    ("announce", "POST", re.compile(r"/v1/uploads")),
    ("put", "PUT", re.compile(r"/links/(?P<id>upl_[0-9a-f]+)")),
    ("list", "GET", re.compile(r"/v1/jobs")),
    ("job", "GET", re.compile(r"/v1/jobs/(?P<id>[^/]+)")),
    ("link", "GET", re.compile(r"/v1/jobs/(?P<id>[^/]+)/download")),
    ("file", "GET", re.compile(r"/links/(?:result|archive)")),
    ("batchCreate", "POST", re.compile(r"/v1/batches")),
    ("batchList", "GET", re.compile(r"/v1/batches")),
    ("batch", "GET", re.compile(r"/v1/batches/(?P<id>bat_[0-9a-f]+)")),
    ("batchResults", "GET", re.compile(r"/v1/batches/(?P<id>bat_[0-9a-f]+)/download")),
    ("events", "GET", re.compile(r"/v1/events")),
]


class Lost(Exception):
    """The connection is to be reset instead of an answer."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: "Server"

    def log_message(self, *_: Any) -> None:
        """Does not log."""

    def handle_any(self) -> None:
        parts = urlsplit(self.path)
        _, name, *rest = parts.path.split("/")
        self.space = self.server.spaces[name]
        self.place = f"http://{self.headers['host']}/{name}"
        self.query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.request_id = f"req-{next(REQUEST_NUMBERS)}"
        operation, found = self.operation_of("/" + "/".join(rest))
        self.fault = self.space.notice(operation)
        try:
            self.notice_secrets("/" + "/".join(rest))
            self.answer(operation, found)
        except (Lost, ConnectionError):
            self.reset()

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = handle_any

    def operation_of(self, path: str) -> tuple[str, dict[str, Any]]:
        for operation, method, pattern in OPERATIONS:
            if self.command == method and (match := pattern.fullmatch(path)):
                return operation, match.groupdict()
        return "other", {"path": path}

    def notice_secrets(self, path: str) -> None:
        with self.space.lock:
            if path.startswith("/links/") and "authorization" in self.headers:
                self.space.counts["keyedLinks"] += 1
            if self.waits():
                self.space.counts["waited"] += 1
            if "idempotency-key" in self.headers:
                self.space.keys.add(self.headers["idempotency-key"])
            if self.headers.get("docmill-strict") == "true":
                self.space.counts["strict"] += 1

    def waits(self) -> bool:
        return "wait=" in self.headers.get("prefer", "") or "wait" in self.query

    def answer(self, operation: str, found: dict[str, Any]) -> None:
        lost = self.fault.get("lose")
        body = self.read_body(operation, whole=lost != "request")
        if lost == "request":
            raise Lost
        if "status" in self.fault:
            self.refuse(operation, self.fault)
        elif not self.path_is_link() and not self.headers.get("authorization", "").startswith("Bearer "):
            self.refuse(operation, {"status": 401, "code": "missing_api_key"})
        else:
            getattr(self, operation)(body, **found)

    def path_is_link(self) -> bool:
        return "/links/" in self.path

    def read_body(self, operation: str, whole: bool) -> Any:
        length = int(self.headers.get("content-length") or 0)
        if not whole:
            self.rfile.read(min(length, len(BLOCK)))
            return None
        if operation == "put":
            digest, kept = hashlib.sha256(), b""
            left = length
            while left and (part := self.rfile.read(min(left, 1 << 20))):
                digest.update(part)
                left -= len(part)
                # Lines of a batch are read; large files are not kept.
                kept = kept + part if length <= MOST_LINES else b""
            return length - left, digest.hexdigest(), kept.splitlines()
        text = self.rfile.read(length)
        return json.loads(text) if text else {}

    def reset(self) -> None:
        """Closes the connection at once with a RST, not with a FIN as at an orderly end."""
        self.close_connection = True
        with suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            os.close(self.connection.detach())

    # The operations

    def create(self, body: dict[str, Any], tool: str | None, short: str | None) -> None:
        body |= {"toolSlug": tool or short or body.get("toolSlug")}
        job = self.space.create(self.headers.get("idempotency-key"), body)
        if self.waits():
            self.show_after_wait(job, unfinished=202)
        else:
            self.say(202, {"job": self.space.shown(job, False, "queued")})

    def job(self, _: Any, id: str) -> None:
        if job := self.space.jobs.get(id):
            self.show_after_wait(job, unfinished=200)
        else:
            self.refuse("job", {"status": 404, "code": "job_not_found"})

    def show_after_wait(self, job: Job, unfinished: int) -> None:
        """The waits of the account are used up, so an unfinished job is shown at once, without Preference-Applied."""
        if not self.space.has_ended(job):
            return self.say(unfinished, {"job": self.space.shown(job, False, "processing")})
        answer: dict[str, Any] = {"job": self.space.shown(job, True, "")}
        if self.waits() and answer["job"]["status"] == ENDED_WITH_RESULT:
            answer["download"] = self.space.download(self.result_link())
        self.say(200, answer, {"preference-applied": "wait"} if self.waits() else {})

    def link(self, _: Any, id: str) -> None:
        job = self.space.jobs[id]
        if not self.space.has_ended(job):
            return self.say(202, {"job": self.space.shown(job, False, "processing")}, {"retry-after": "1"})
        shown = self.space.shown(job, True, "")
        if shown["status"] != ENDED_WITH_RESULT:
            return self.refuse("link", {"status": 409, "code": f"job_{shown['status']}", "job": shown})
        self.say(200, {"job": shown, "download": self.space.download(self.result_link())})

    def result_link(self) -> str:
        return f"{self.place}/links/result?{SIGNATURE}"

    def announce(self, body: dict[str, Any]) -> None:
        with self.space.lock:
            upload = f"upl_{len(self.space.uploads):032x}"
            self.space.uploads[upload] = Upload(body["bytes"], body.get("sha256"))
        headers = {"content-type": body["contentType"], "if-none-match": "*"}
        times = {"urlExpiresAt": "2099-01-01T00:00:00.000Z", "expiresAt": "2099-01-01T00:00:00.000Z"}
        self.say(200, {"upload": {"id": upload, "url": f"{self.place}/links/{upload}?{SIGNATURE}", "method": "PUT", "headers": headers} | times})

    def put(self, body: tuple[int, str, list[bytes]], id: str) -> None:
        upload = self.space.uploads[id]
        if "transfer-encoding" in self.headers or self.headers.get("if-none-match") != "*":
            return self.refuse("put", {"status": 403})
        if upload.arrived:
            return self.refuse("put", {"status": 412})
        if body[0] != upload.size or upload.sha256 not in (None, body[1]):
            return self.refuse("put", {"status": 400})
        upload.arrived, upload.lines = True, body[2]
        self.send(200, b"", {"content-type": "application/xml"})

    def list(self, _: Any) -> None:
        pages = self.space.scenario["pages"]
        number = int(self.query.get("cursor", "0"))
        more = {"nextCursor": str(number + 1)} if number + 1 < len(pages) else {}
        self.say(200, {"jobs": [self.space.shown(Job(id, {"toolSlug": "html-to-pdf"}, 0), True, "") for id in pages[number]]} | more)

    def events(self, _: Any) -> None:
        pages = self.space.scenario["events"]
        after = self.query.get("after")
        number = next((n + 1 for n, page in enumerate(pages) if after and page and page[-1] == after), 0)
        page = pages[number] if number < len(pages) else []
        events = [{"id": id, "type": "job.completed", "timestamp": "2026-11-25T00:00:00.000Z", "data": {}} for id in page]
        self.say(200, {"events": events, "hasMore": number + 1 < len(pages), "nextCursor": page[-1] if page else after})

    def other(self, _: Any, path: str) -> None:
        if self.command == "GET" and path == "/v1/account/usage":
            return self.say(200, {"usage": {"plan": "demo"}})
        if self.command == "POST" and path == "/v1/webhooks":
            return self.say(201, {"webhook": {"id": "wh_1", "secret": "whsec_c2VjcmV0"}})
        self.refuse("other", {"status": 404, "code": "route_not_found"})

    def batchCreate(self, body: dict[str, Any]) -> None:
        self.say(202, {"batch": self.space.create_batch(self.headers.get("idempotency-key"), body).shown()})

    def batchList(self, _: Any) -> None:
        self.say(200, {"batches": [batch.shown() for batch in self.space.batches.values()]})

    def batch(self, _: Any, id: str) -> None:
        batch = self.space.batches[id]
        batch.done = min(batch.done + 1, len(batch.items))
        self.say(200, {"batch": batch.shown()})

    def batchResults(self, _: Any, id: str) -> None:
        """Two items a page."""
        batch = self.space.batches[id]
        start = int(self.query.get("cursor", "0"))
        more: dict[str, Any] = {"nextCursor": str(start + 2)} if start + 2 < len(batch.items) else {}
        if start == 0 and batch.has_archive:
            link = {"url": f"{self.place}/links/archive?{SIGNATURE}", "expiresAt": "2099-01-01T00:00:00.000Z"}
            more["archive"] = {"files": [{"filename": f"{id}.zip", "bytes": self.space.story["bytes"], "results": len(batch.items)} | link], "leftOut": 0}
        self.say(200, {"results": batch.results()[start : start + 2]} | more)

    def file(self, _: Any) -> None:
        size = self.space.story["bytes"]
        start = int((re.fullmatch(r"bytes=(\d+)-", self.headers.get("range", "")) or ["", "0"])[1])
        partial = {"content-range": f"bytes {start}-{size - 1}/{size}"} if start else {}
        self.begin(206 if start else 200, {"content-type": "application/pdf", "content-length": str(size - start), "etag": '"1"'} | partial)
        parts = 20
        step = size // parts if "dribbleSeconds" in self.fault else 1 << 20
        stop = self.fault.get("cutAfter", size)
        for begin in range(start, stop, step):
            end = min(begin + step, stop)
            self.wfile.write(self.part(begin, end))
            self.space.counts["served"] += end - begin
            time.sleep(self.fault.get("dribbleSeconds", 0) / parts)
        if stop < size:
            raise Lost

    def part(self, begin: int, end: int) -> bytes:
        offset = begin % len(BLOCK)
        repeated = BLOCK * ((end - begin) // len(BLOCK) + 2)
        part = repeated[offset : offset + end - begin]
        return b"\xff" + part[1:] if self.fault.get("damage") and begin == 0 else part

    # Answers

    def refuse(self, operation: str, fault: dict[str, Any]) -> None:
        headers = {"retry-after": str(fault["retryAfter"])} if "retryAfter" in fault else {}
        if self.path_is_link():
            return self.send(fault["status"], b"<Error><Code>Refused</Code></Error>", headers | {"content-type": "application/xml"})
        if fault.get("gateway"):
            return self.send(fault["status"], b'{"message":"Service Unavailable"}', headers | {"content-type": "application/json"})
        error = {"code": fault.get("code", "internal"), "message": "This is what to do.", "status": fault["status"]} | fault.get("error", {})
        more = {"job": fault["job"]} if "job" in fault else {}
        self.say(fault["status"], {"ok": False, "error": error} | more, headers)

    def say(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        text = json.dumps({"ok": status < 400, "requestId": self.request_id} | body).encode()
        own = {"content-type": "application/json", "ratelimit": '"read";r=99;t=1', "ratelimit-policy": '"read";q=600;w=60'}
        self.send(status, text, own | (headers or {}))

    def send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.begin(status, headers | {"content-length": str(len(body))})
        self.wfile.write(body)

    def begin(self, status: int, headers: dict[str, str]) -> None:
        """Whatever the request does has been done: only now, the answer may be late or lost."""
        if self.fault.get("lose") == "answer":
            raise Lost
        time.sleep(self.fault.get("delaySeconds", 0))
        self.send_response_only(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("x-request-id", self.request_id)
        self.end_headers()


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.spaces: dict[str, Space] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the scenarios; everything else is printed."""
        if not isinstance(sys.exc_info()[1], (OSError, ValueError)):
            super().handle_error(request, client_address)


@contextmanager
def running() -> Iterator[Server]:
    server = Server()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
