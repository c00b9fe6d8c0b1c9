"""A receiver of webhooks on this machine."""

import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from uuid import UUID


class Receiver:
    """Notes how long after its event each request arrives."""

    def __init__(self) -> None:
        self.delays: list[float] = []
        arrived = self.arrived = threading.Semaphore(0)
        delays = self.delays

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                delays.append(time.time() - recorded_at(self.headers["webhook-id"]))
                self.rfile.read(int(self.headers["content-length"]))
                self.send_response(204)
                self.end_headers()
                arrived.release()

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"

    def __enter__(self) -> "Receiver":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()

    def wait(self) -> None:
        """Until one more request has arrived."""
        assert self.arrived.acquire(timeout=60), "no webhook arrives"


def recorded_at(event: str) -> float:
    """The time in an event's id, a UUID of version 7: its first 48 bits are milliseconds since 1970 (RFC 9562)."""
    return (UUID(event.removeprefix("evt_")).int >> 80) / 1000
