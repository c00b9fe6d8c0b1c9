"""Installs what Docmill is measured against: an environment and node_modules of their own, in the cache.

A peer that cannot be installed is reported with its reason, never left out in silence. Run as a program, this installs them and
prints the environment's interpreter, which the benchmarks need to run. `--alone` leaves out what is built or
taken from npm: `make soak` and `make bench-privileges` have no peers, and only need what generates their documents.
"""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Debian's packages, and a file that shows that each is installed. UNO's Python module only works with the system's Python.
DEBIAN_PACKAGES = {
    "python3-uno": Path("/usr/lib/python3/dist-packages/uno.py"),
    "wkhtmltopdf": Path("/usr/bin/wkhtmltopdf"),
    "qpdf": Path("/usr/bin/qpdf"),
    "ghostscript": Path("/usr/bin/gs"),
    "poppler-utils": Path("/usr/bin/pdftoppm"),
    "img2pdf": Path("/usr/bin/img2pdf"),
    # Used by diff-pdf-visually to compare pictures.
    "imagemagick": Path("/usr/bin/compare"),
    # Used by OCRmyPDF.
    "tesseract-ocr": Path("/usr/bin/tesseract"),
    # In Gotenberg's image besides LibreOffice, Chromium and qpdf.
    "unoconv": Path("/usr/bin/unoconv"),
    "pdftk-java": Path("/usr/bin/pdftk"),
    "libimage-exiftool-perl": Path("/usr/bin/exiftool"),
}
# Built from the Go module proxy, which has some versions of Gotenberg but lists none: this is the newest one found there. One
# that can't be built is reported as missing.
GO_PROGRAMS = {
    "pdfcpu": "github.com/pdfcpu/pdfcpu@v0.15.0",
    "gotenberg": "github.com/gotenberg/gotenberg/v8@v8.15.0",
}
BROWSERS = (Path("/usr/lib/chromium/chromium-headless-shell"), Path("/usr/bin/chromium-headless-shell"))


@dataclass
class Peers:
    """`missing`: why peers could not be installed, by name."""

    python: Path
    modules: Path
    missing: dict[str, str] = field(default_factory=dict)

    def version(self, name: str) -> str:
        """The version of a Python package or Node module."""
        module = self.modules / name / "package.json"
        if module.exists():
            return json.loads(module.read_text())["version"]
        command = [self.python, "-c", f"from importlib.metadata import version; print(version('{name}'))"]
        return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def cache() -> Path:
    return Path(os.environ.get("DOCMILL_CACHE", Path.home() / ".cache/docmill"))


def browser() -> Path | None:
    return next((path for path in BROWSERS if path.exists()), None)


@functools.cache
def home() -> Path:
    return cache() / f"bench-{_digest()}"


def go_program(name: str) -> Path:
    return home() / "go" / name


def install(alone: bool = False) -> Peers:
    place = home()
    place.mkdir(parents=True, exist_ok=True)
    peers = Peers(place / "venv/bin/python", place / "node_modules")
    _install_debian(peers, place / "apt.log")
    _install_python(peers, place / "pip.log")
    if not alone:
        _install_node(peers, place / "npm.log")
        _install_go(peers, place / "go.log")
    return peers


def _digest() -> str:
    """A digest of everything that determines the installation."""
    content = b"".join((HERE / name).read_bytes() for name in ("requirements.txt", "package-lock.json", "peers.py"))
    return hashlib.sha256(content).hexdigest()[:12]


def _install_debian(peers: Peers, log: Path) -> None:
    wanted = [name for name, proof in DEBIAN_PACKAGES.items() if not proof.exists()]
    if not wanted:
        return
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") is None or (prefix and shutil.which("sudo") is None):
        reason = "its Debian package is missing, and cannot be installed here"
    else:
        install = [*prefix, "apt-get", "install", "-y", "--no-install-recommends", *wanted]
        reason = _run(install, log) and f"apt-get could not install its package: {log}"
    for name in wanted:
        if reason:
            peers.missing["unoserver" if name == "python3-uno" else name] = reason


def _install_python(peers: Peers, log: Path) -> None:
    """Includes the system's packages, which UNO's Python module needs."""
    venv = peers.python.parent.parent
    if (venv / "complete").exists():
        return
    shutil.rmtree(venv, ignore_errors=True)
    failed = _run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", venv], log) or _run(
        [peers.python, "-m", "pip", "install", "--quiet", "--requirement", HERE / "requirements.txt"], log
    )
    if failed:
        raise SystemExit(f"Error: the Python packages of the benchmark could not be installed: {log}")
    (venv / "complete").touch()


def _install_node(peers: Peers, log: Path) -> None:
    marker = peers.modules / "complete"
    if marker.exists() and browser():
        return
    reason = None if shutil.which("npm") else "node and npm are missing"
    reason = reason or (None if browser() else "chromium-headless-shell is missing")
    if not reason:
        for name in ("package.json", "package-lock.json", ".npmrc"):
            shutil.copy(HERE / name, peers.modules.parent / name)
        failed = _run(["npm", "ci", "--no-audit", "--no-fund"], log, cwd=peers.modules.parent)
        reason = f"npm could not install it: {log}" if failed else None
    if reason:
        peers.missing |= {"puppeteer-core": reason, "playwright-core": reason}
    else:
        marker.touch()


def _install_go(peers: Peers, log: Path) -> None:
    go = shutil.which("go") or shutil.which("/usr/local/go/bin/go")
    for name, module in GO_PROGRAMS.items():
        if not go:
            peers.missing[name] = "Go is missing"
        elif not go_program(name).exists() and not _build_go(go, name, module, log):
            peers.missing[name] = f"Go could not build it: {log}"


def _build_go(go: str, name: str, module: str, log: Path) -> bool:
    """In the module's own folder, so that its own versions apply, and the proxy need not list any."""
    with log.open("ab") as file:
        said = subprocess.run([go, "mod", "download", "-json", module], stdout=subprocess.PIPE, stderr=file)
    folder = json.loads(said.stdout or "{}").get("Dir")
    return bool(folder) and not _run([go, "build", "-o", go_program(name), f"./cmd/{name}"], log, cwd=Path(folder))


def _run(command: list, log: Path, cwd: Path | None = None) -> bool:
    """Whether the command failed. Its output goes to the log."""
    with log.open("ab") as file:
        variables = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        return subprocess.run(command, stdout=file, stderr=file, cwd=cwd, env=variables).returncode != 0


if __name__ == "__main__":
    print(install(alone="--alone" in sys.argv[1:]).python)
