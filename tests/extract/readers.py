"""What is measured: Docmill's pdf-to-text, and its peers in an environment of their own."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import peers, processes
from bench.lines import Failed, LineProcess, Lost
from bench.worker import Worker

from . import reader
from .truth import Document

HERE = Path(__file__).resolve().parent
# Tesseract's models, by language.
MODELS = {"en": "eng", "de": "deu", "ar": "ara", "he": "heb", "zh": "chi_sim", "ja": "jpn", "ko": "kor"}
PATIENCE = 120


class Reader:
    """Reads documents into Markdown. `cpu_ms` adds up, without what comes before the first document."""

    def __init__(self, name: str):
        self.name = name
        self.cpu_ms = 0.0

    def read(self, documents: list[tuple[Document, Path]]) -> dict[str, str]:
        """Markdown by the document's name. What fails is an empty text."""
        begin = processes.settled_cpu_ms(self.root())
        found = self._read(documents)
        self.cpu_ms = processes.settled_cpu_ms(self.root()) - begin
        return found

    def root(self) -> int:
        raise NotImplementedError

    def _read(self, documents: list[tuple[Document, Path]]) -> dict[str, str]:
        raise NotImplementedError


class Ours(Reader):
    def __init__(self, binary: Path, folder: Path):
        super().__init__("docmill")
        self.worker = Worker(binary, folder)
        self.out = folder / "read.md"

    def root(self) -> int:
        return self.worker.lines.pid

    def stop(self) -> None:
        self.worker.lines.stop()

    def _read(self, documents: list[tuple[Document, Path]]) -> dict[str, str]:
        found = {}
        for document, path in documents:
            options: dict = {"format": "markdown"}
            if document.kind == "scans":
                options |= {"ocr": "auto", "languages": [MODELS[document.language]]}
            try:
                self.worker.convert("pdf-to-text", path, self.out, options)
                found[document.name] = self.out.read_text()
            except Failed as error:
                print(f"FAILED: {self.name}: {document.name}: {error}")
                found[document.name] = ""
        return found


class Peer(Reader):
    """Asked for all documents of a class at once; after a crash, one by one."""

    def __init__(self, name: str, python: Path, folder: Path):
        super().__init__(name)
        self.command = [str(python), str(HERE / "reader.py"), name]
        self.log = folder / f"{name}.log"
        self._start()

    def _start(self) -> None:
        self.lines = LineProcess(self.command, self.log)

    def root(self) -> int:
        return self.lines.pid

    def stop(self) -> None:
        self.lines.stop()

    def _read(self, documents: list[tuple[Document, Path]]) -> dict[str, str]:
        with TemporaryDirectory(prefix="docmill-extract-") as out:
            try:
                said = self._ask([path for _, path in documents], out)
            except Lost as error:
                self._start_again()
                if len(documents) > 1:
                    return {name: text for one in documents for name, text in self._read([one]).items()}
                said = {documents[0][0].name: str(error)}
            for name, reason in said.items():
                print(f"FAILED: {self.name}: {name}: {reason[:200]}")
            return {document.name: _text(Path(out) / f"{document.name}.md") for document, _ in documents}

    def _ask(self, paths: list[Path], out: str) -> dict[str, str]:
        return self.lines.ask({"in": paths, "out": out}, PATIENCE + 10 * len(paths))["failed"]

    def _start_again(self) -> None:
        processes.kill_tree(self.lines.pid)
        self.lines.process.wait()
        self._start()


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""


def install() -> Path:
    """The interpreter of the peers' environment, in the cache."""
    requirements = HERE / "requirements.txt"
    venv = peers.cache() / f"extract-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]}"
    python = venv / "bin/python"
    if not (venv / "complete").exists():
        shutil.rmtree(venv, ignore_errors=True)
        subprocess.run(["/usr/bin/env", "python3", "-m", "venv", venv], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--requirement", requirements], check=True)
        (venv / "complete").touch()
    return python


def start(worker: Path, folder: Path, alone: bool) -> list[Ours | Peer]:
    ours = Ours(worker, folder)
    if alone:
        return [ours]
    python = install()
    return [ours, *(Peer(name, python, folder) for name in reader.ALL)]
