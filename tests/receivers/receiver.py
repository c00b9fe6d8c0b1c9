"""Receives webhooks and verifies them with the library of Standard Webhooks.

Prints its port, reads the endpoint's secret from standard input, and prints the id and the type of each event it accepts.
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook, WebhookVerificationError


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = webhook.verify(body, {name.lower(): value for name, value in self.headers.items()})
        except (WebhookVerificationError, json.JSONDecodeError):
            self.answer(400)
            return
        print(self.headers["webhook-id"], event["type"], flush=True)
        self.answer(204)

    def answer(self, status: int) -> None:
        self.send_response(status)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Standard output is for events."""


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_port, flush=True)
webhook = Webhook(sys.stdin.readline().strip())
server.serve_forever()
