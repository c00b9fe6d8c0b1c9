"""Damaged PDFs beside other programs: `make damaged DOCUMENTS=FOLDER`.

Each PDF that `qpdf --check` finds fault with is read by organize-pdf, libqpdf, PDFium, MuPDF and Ghostscript. The table counts the pages that each
finds; files that another program reads and ours does not are listed with the kind of damage, and those with other pages than most find.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from .lines import Failed, LineProcess, Lost
from .peer_damaged import READERS
from .worker import Worker

# Seconds for one program and one file.
PATIENCE = 20
MOST_BYTES = 20 << 20
TOOL = "organize-pdf"
GHOSTSCRIPT = ["gs", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=nullpage"]
PEERS = [*READERS, "gs"]
# What qpdf says of files that nobody reads without a password.
LOCKED = "invalid password"
# `qpdf --check`: sound.
SOUND = 0


@dataclass
class Read:
    document: str
    # What qpdf says first.
    damage: str
    ours: int = 0
    # The error of our tool, or its warnings.
    said: str = ""
    theirs: dict[str, int] = field(default_factory=dict)

    @property
    def usual(self) -> int | None:
        """The pages that at least two others find, and more than find any other number."""
        (pages, others), *rest = Counter(pages for pages in self.theirs.values() if pages).most_common(2) or [(0, 0)]
        return pages if others > 1 and all(others > fewer for _, fewer in rest) else None


class Reader:
    """A program of `peer_damaged`, and another one when it is lost."""

    def __init__(self, name: str, scratch: Path):
        self.name, self.log = name, scratch / f"{name}.log"
        self.lines = self._start()

    def pages(self, path: Path) -> int:
        try:
            return self.lines.ask({"path": path}, PATIENCE)["pages"]
        except Lost:
            self.lines.stop()
            self.lines = self._start()
            return 0

    def _start(self) -> LineProcess:
        return LineProcess([sys.executable, "-m", "bench.peer_damaged", self.name], self.log)


class Ours:
    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch
        self.worker = Worker(binary, scratch)

    def read(self, path: Path) -> tuple[int, str]:
        try:
            answer = self.worker.convert(TOOL, path, self.scratch / "out.pdf", {"pages": "1-z"})
            return answer["output"].get("pages") or 0, " ".join(warning["code"] for warning in answer["warnings"])
        except Failed as failed:
            return 0, json.loads(str(failed))["code"]
        except Lost:
            self.worker.lines.stop()
            self.worker = Worker(self.binary, self.scratch)
            return 0, "lost"


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.damaged")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--json", type=Path, default=Path("target/bench-damaged.jsonl"))
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    paths = [path for path in sorted(arguments.folder.rglob("*.pdf")) if path.stat().st_size <= MOST_BYTES]
    with TemporaryDirectory(prefix="docmill-damaged-") as folder, ThreadPoolExecutor(len(PEERS)) as pool:
        damages = {path: damage for path, damage in zip(paths, pool.map(_damage, paths), strict=True) if damage}
        read = _all(arguments.worker, arguments.folder, damages, Path(folder), pool)
    arguments.json.write_text("".join(json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in read))
    print(table(read))
    return 0


def _all(binary: Path, folder: Path, damages: dict[Path, str], scratch: Path, pool: ThreadPoolExecutor) -> list[Read]:
    ours, readers, read = Ours(binary, scratch), [Reader(name, scratch) for name in READERS], []
    for path, damage in damages.items():
        asked = [pool.submit(reader.pages, path.resolve()) for reader in readers] + [pool.submit(_ghostscript, path)]
        one = Read(str(path.relative_to(folder)), damage)
        one.ours, one.said = ours.read(path)
        one.theirs = dict(zip(PEERS, (answer.result() for answer in asked), strict=True))
        read.append(one)
    for lines in [ours.worker.lines, *(reader.lines for reader in readers)]:
        lines.stop()
    return read


def _damage(path: Path) -> str | None:
    """What is wrong with a file, without names and numbers; nothing for files that are sound or locked."""
    try:
        made = subprocess.run(["qpdf", "--check", path], capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return "takes qpdf too long"
    if made.returncode == SOUND or LOCKED in made.stderr:
        return None
    first = next((line for line in made.stderr.splitlines() if ".pdf" in line), made.stderr[:99])
    said = first.split(".pdf", 1)[-1].rsplit("): ", 1)[-1].lstrip(": ")
    return re.sub(r"\d+", "N", said)[:90] or "crashes qpdf"


def _ghostscript(path: Path) -> int:
    try:
        made = subprocess.run([*GHOSTSCRIPT, path], capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return 0
    return len(re.findall(r"^Page \d+$", made.stdout, re.MULTILINE))


def table(read: list[Read]) -> str:
    lines = [f"{len(read)} damaged files", "| | read | pages | read, but not by ours |", "|---|---|---|---|"]
    lines.append(f"| ours | {sum(one.ours > 0 for one in read)} | {sum(one.ours for one in read)} | |")
    for name in PEERS:
        counts = [(one.theirs[name], one.ours) for one in read]
        only = sum(theirs > 0 and ours == 0 for theirs, ours in counts)
        lines.append(f"| {name} | {sum(theirs > 0 for theirs, _ in counts)} | {sum(theirs for theirs, _ in counts)} | {only} |")
    refused = Counter(one.said for one in read if one.ours == 0)
    lines += ["", "Refused by ours: " + ", ".join(f"{count} {code}" for code, count in refused.most_common())]
    missed = [one for one in read if one.ours == 0 and any(one.theirs.values())]
    lines += ["", "Read by another program and not by ours, by kind of damage:"]
    lines += [f"- {count} × {kind}" for kind, count in Counter(one.damage for one in missed).most_common()]
    lines += [f"  - {one.document}: {one.theirs} ({one.said})" for one in missed]
    other = [one for one in read if one.ours and one.usual not in (None, one.ours)]
    lines += ["", "Other pages than most find:"]
    lines += [f"- {one.document}: {one.ours}, {one.theirs} ({one.damage}; {one.said})" for one in other]
    untold = [one for one in read if one.ours and "repaired" not in one.said]
    lines += ["", "Read without a warning, by kind of damage:"]
    lines += [f"- {count} × {kind}" for kind, count in Counter(one.damage for one in untold).most_common()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
