"""Gotenberg with the programs of its image, called over HTTP."""

import http.client
import os
import subprocess
import time
import uuid
from pathlib import Path

from . import peers, processes
from .contenders import Contender, free_port
from .lines import Failed, Lost


# Gotenberg embeds Markdown in a page.
MARKDOWN_PAGE = b'<!doctype html><html><body>{{ toHTML "%s" }}</body></html>'


def _file(boundary: str, name: str, content: bytes) -> bytes:
    disposition = f'Content-Disposition: form-data; name="files"; filename="{name}"'
    return f"--{boundary}\r\n{disposition}\r\n\r\n".encode() + content + b"\r\n"


class Gotenberg(Contender):
    """Gotenberg's own binary, asked as its users do: a form for each job.

    Its image has a fork of unoconv, which the registries do not; the same calls reach Debian's.
    """

    name = "gotenberg"

    def __init__(self, route: str, fields: dict[str, str] | None = None):
        self.route, self.fields = route, fields or {}

    def start(self, scratch: Path) -> None:
        self.port = free_port()
        unoconv = scratch / "unoconv"
        # UNO's module only works with the system's Python.
        unoconv.write_text('#!/bin/sh\nexec /usr/bin/python3 /usr/bin/unoconv "$@"\n')
        unoconv.chmod(0o755)
        environment = {
            **os.environ,
            "CHROMIUM_BIN_PATH": str(peers.browser() or "/bin/false"),
            "CHROMIUM_HYPHEN_DATA_DIR_PATH": str(scratch),
            "LIBREOFFICE_BIN_PATH": "/usr/lib/libreoffice/program/soffice.bin",
            "UNOCONVERTER_BIN_PATH": str(unoconv),
            "PDFTK_BIN_PATH": "/usr/bin/pdftk",
            "QPDF_BIN_PATH": "/usr/bin/qpdf",
            "EXIFTOOL_BIN_PATH": "/usr/bin/exiftool",
            "PDFCPU_BIN_PATH": str(peers.go_program("pdfcpu")),
            "TMPDIR": str(scratch),
        }
        command = [peers.go_program("gotenberg"), f"--api-port={self.port}", "--api-bind-ip=127.0.0.1"]
        with (scratch / "log").open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        until = time.monotonic() + 30
        while time.monotonic() < until and self.process.poll() is None:
            try:
                if self._ask("GET", "/version", b"", {}):
                    return
            except (OSError, Failed):
                time.sleep(0.05)
        raise Lost("gotenberg did not start")

    def convert(self, source: Path | list[Path], out: Path) -> None:
        sources = source if isinstance(source, list) else [source]
        boundary = uuid.uuid4().hex
        head = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        try:
            out.write_bytes(self._ask("POST", self.route, self._form(boundary, sources), head))
        except OSError as error:
            raise Lost(str(error)) from error

    def _form(self, boundary: str, sources: list[Path]) -> bytes:
        form = bytearray()
        for name, value in self.fields.items():
            form += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for number, path in enumerate(sources):
            # Merged in the order of names. A page to print must have this one.
            alone = "index.html" if path.suffix == ".html" else path.name
            form += _file(boundary, alone if len(sources) == 1 else f"{number:03}{path.suffix}", path.read_bytes())
            if path.suffix == ".md":
                form += _file(boundary, "index.html", MARKDOWN_PAGE % path.name.encode())
        return bytes(form) + f"--{boundary}--\r\n".encode()

    def _ask(self, method: str, path: str, body: bytes, head: dict) -> bytes:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=180)
        try:
            connection.request(method, path, body, head)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise Failed(f"{answer.status}: {content[:200].decode('utf-8', 'replace')}")
        return content

    def stop(self) -> None:
        processes.kill_tree(self.process.pid)
        self.process.wait()

    def root(self) -> int | None:
        return self.process.pid
