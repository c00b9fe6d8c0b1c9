"""Everything that is measured, with one interface: start, convert a file to PDF, stop."""

import os
import shutil
import socket
import subprocess
import time
import xmlrpc.client
from pathlib import Path

from . import peers, processes
from .lines import Failed, LineProcess, Lost
from .worker import PATIENCE, Platform, Worker

SEED = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse">
<value>{version}</value></prop></item>
</oor:items>
"""


class Contender:
    """`process` is the root of what runs between two conversions, if anything does."""

    name: str

    def start(self, scratch: Path) -> None:
        """Begins what stays between conversions. Logs and profiles go to `scratch`."""

    def convert(self, source: Path | list[Path], out: Path) -> None:
        """`source`: several files for some PDF tools. Raises Failed if the contender refuses the document, Lost if it has
        exited."""
        raise NotImplementedError

    def stop(self) -> None:
        pass

    def root(self) -> int | None:
        return None


class Ours(Contender):
    """The worker's release binary, unprivileged and confined as on Lambda. Its peers run as the current user."""

    platform = Platform.LAMBDA

    def __init__(self, worker: Path, tool: str, options: dict | None = None, name: str = "docmill"):
        self.worker, self.tool, self.options, self.name = worker, tool, options or {}, name

    def start(self, scratch: Path) -> None:
        self.process = Worker(self.worker, scratch, self.platform)

    def convert(self, source: Path, out: Path) -> None:
        self.process.convert(self.tool, source, out, self.options)

    def stop(self) -> None:
        self.process.lines.stop()

    def root(self) -> int | None:
        return self.process.lines.pid


class Build(Ours):
    """One of two builds. Earlier ones don't run under what Lambda denies, so both run as on one machine."""

    platform = Platform.MACHINE


class Lines(Contender):
    """A peer that one of our small scripts keeps warm."""

    def __init__(self, name: str, command: list[str]):
        self.name, self.command = name, command

    def start(self, scratch: Path) -> None:
        self.lines = LineProcess(self.command, scratch / "log", {"TMPDIR": str(scratch)})

    def convert(self, source: Path, out: Path) -> None:
        self.lines.ask({"in": str(source), "out": str(out)}, PATIENCE)

    def stop(self) -> None:
        self.lines.stop()

    def root(self) -> int | None:
        return self.lines.pid


class Command(Contender):
    """A process for each document. `running`: the current one's id; `cpu_ms`: the time of the last one."""

    def __init__(self, name: str):
        self.name = name
        self.running: int | None = None
        self.cpu_ms = 0.0

    def start(self, scratch: Path) -> None:
        self.scratch = scratch

    def command(self, source: Path, out: Path) -> list[str]:
        raise NotImplementedError

    def convert(self, source: Path, out: Path) -> None:
        command = self.command(source, out)
        with (self.scratch / "log").open("ab") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            process = subprocess.Popen(command, **streams, start_new_session=True)
        self.running = process.pid
        try:
            _, status, used = os.wait4(process.pid, 0)
        finally:
            self.running = None
        process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu_ms = (used.ru_utime + used.ru_stime) * 1000
        if process.returncode != 0:
            raise Failed(f"exit code {process.returncode}")

    def root(self) -> int | None:
        return self.running


class Soffice(Command):
    """A process for each document. `seeded`: with one profile, which is kept; else each document gets a new one.

    The kept one names LibreOffice's version, without which each start tests itself for a second.
    """

    def __init__(self, seeded: bool, to: str = "pdf"):
        super().__init__("soffice, seeded profile" if seeded else "soffice, fresh")
        self.seeded, self.to = seeded, to

    def start(self, scratch: Path) -> None:
        super().start(scratch)
        if self.seeded:
            user = scratch / "profile/user"
            user.mkdir(parents=True)
            (user / "registrymodifications.xcu").write_text(SEED.format(version=_libreoffice_version()))

    def command(self, source: Path, out: Path) -> list[str]:
        profile = self.scratch / "profile"
        if not self.seeded:
            shutil.rmtree(profile, ignore_errors=True)
        installation = f"-env:UserInstallation={profile.as_uri()}"
        return ["soffice", installation, "--headless", "--convert-to", self.to, "--outdir", str(out.parent), str(source)]

    def convert(self, source: Path, out: Path) -> None:
        super().convert(source, out)
        made = out.parent / f"{source.stem}.{self.to}"
        if not made.exists():
            raise Failed("no output")
        made.replace(out)


class Wkhtmltopdf(Command):
    def __init__(self) -> None:
        super().__init__("wkhtmltopdf")

    def command(self, source: Path, out: Path) -> list[str]:
        return ["wkhtmltopdf", "--quiet", "--page-size", "A4", str(source), str(out)]


class Unoserver(Contender):
    """unoserver, called over XML-RPC by this process, so that no client's start is counted."""

    name = "unoserver"

    def __init__(self, python: Path, to: str = "pdf"):
        self.python, self.to = python, to

    def start(self, scratch: Path) -> None:
        port, uno_port = free_port(), free_port()
        ports = ["--port", str(port), "--uno-port", str(uno_port)]
        profile = ["--user-installation", str(scratch / "profile"), "--executable", "soffice"]
        command = [self.python, "-m", "unoserver.server", *ports, *profile]
        with (scratch / "log").open("ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        self.server = xmlrpc.client.ServerProxy(f"http://127.0.0.1:{port}", allow_none=True)
        self._wait(port, time.monotonic() + 60)

    def _wait(self, port: int, until: float) -> None:
        """Until it listens, which it does once it can convert."""
        while time.monotonic() < until and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                self.server.info()
                return
            except (OSError, xmlrpc.client.Error):
                time.sleep(0.02)
        raise Lost("unoserver did not start")

    def convert(self, source: Path, out: Path) -> None:
        try:
            self.server.convert(str(source), None, str(out), self.to)
        except xmlrpc.client.Fault as fault:
            raise Failed(fault.faultString) from fault
        except OSError as error:
            raise Lost(str(error)) from error

    def stop(self) -> None:
        processes.kill_tree(self.process.pid)
        self.process.wait()

    def root(self) -> int | None:
        return self.process.pid


def _libreoffice_version() -> str:
    """The first two numbers: `7.4`."""
    said = subprocess.run(["soffice", "--version"], capture_output=True, text=True).stdout.split()
    return ".".join(said[1].split(".")[:2])


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
