"""Serves a folder on loopback, as a stand-in for the internet that workers fetch from.

Usage: python -m local.samples_server FOLDER PORT
"""

import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

OFFICE = "application/vnd.openxmlformats-officedocument"


class SampleHandler(SimpleHTTPRequestHandler):
    # Explicit, because workers also use the content type to identify a file.
    extensions_map = {
        "": "application/octet-stream",
        ".docx": f"{OFFICE}.wordprocessingml.document",
        ".xlsx": f"{OFFICE}.spreadsheetml.sheet",
        ".pptx": f"{OFFICE}.presentationml.presentation",
        ".odt": "application/vnd.oasis.opendocument.text",
        ".csv": "text/csv; charset=utf-8",
        ".txt": "text/plain; charset=utf-8",
        ".html": "text/html; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".png": "image/png",
        ".svg": "image/svg+xml",
    }

    def log_request(self, code="-", size="-"):
        """Does not log requests, only errors."""


def serve(folder: str, port: int) -> None:
    handler = partial(SampleHandler, directory=folder)
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
