"""Damaged PDFs beside other programs: `python -m bench.damaged --worker PATH FOLDER`, with the interpreter of `bench.peers`.

Each PDF that `qpdf --check` finds fault with is read by organize-pdf, qpdf, Ghostscript and PDFium. The table counts the pages that each finds;
files that another program reads and ours does not are listed with the kind of damage.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from .lines import Failed, Lost
from .worker import Worker

# Seconds for one program and one file.
PATIENCE = 20
MOST_BYTES = 20 << 20
TOOL = "organize-pdf"
# What qpdf says of files that nobody reads without a password.
LOCKED = "invalid password"
# `qpdf --check`: sound.
SOUND = 0
PDFIUM = """
import sys, pypdfium2
document = pypdfium2.PdfDocument(sys.argv[1])
print(sum(1 for index in range(len(document)) if document[index]))
"""


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
    def most(self) -> int:
        """The pages that at least two others find."""
        return sorted(self.theirs.values())[-2]


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.damaged")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--json", type=Path, default=Path("target/bench-damaged.json"))
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    with TemporaryDirectory(prefix="docmill-damaged-") as folder:
        read = _all(arguments.worker, arguments.folder, Path(folder), arguments.json)
    print(table(read))
    return 0


def _all(binary: Path, folder: Path, scratch: Path, results: Path) -> list[Read]:
    worker, read = Worker(binary, scratch), []
    results.unlink(missing_ok=True)
    for path in sorted(folder.rglob("*.pdf")):
        damage = _damage(path) if path.stat().st_size <= MOST_BYTES else None
        if damage is None:
            continue
        one = Read(str(path.relative_to(folder)), damage)
        try:
            answer = worker.convert(TOOL, path, scratch / "out.pdf", {"pages": "1-z"})
            one.ours = answer["output"].get("pages") or 0
            one.said = " ".join(warning["code"] for warning in answer["warnings"])
        except Failed as failed:
            one.said = json.loads(str(failed))["code"]
        except Lost:
            one.said = "lost"
            worker.lines.stop()
            worker = Worker(binary, scratch)
        one.theirs = {name: _pages(command) for name, command in _others(path).items()}
        read.append(one)
        with results.open("a") as lines:
            lines.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
    worker.lines.stop()
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


def _others(path: Path) -> dict[str, list]:
    return {
        "qpdf": ["qpdf", "--show-npages", path],
        "gs": ["gs", "-dNOPAUSE", "-dBATCH", "-dSAFER", "-sDEVICE=nullpage", path],
        "pdfium": [sys.executable, "-c", PDFIUM, path],
    }


def _pages(command: list) -> int:
    try:
        made = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return 0
    if command[0] == "gs":
        return len(re.findall(r"^Page \d+$", made.stdout, re.MULTILINE))
    lines = made.stdout.split()
    return int(lines[-1]) if lines and lines[-1].isdigit() else 0


def table(read: list[Read]) -> str:
    lines = [f"{len(read)} damaged files", "| | read | pages | read, but not by ours |", "|---|---|---|---|"]
    lines.append(f"| ours | {sum(one.ours > 0 for one in read)} | {sum(one.ours for one in read)} | |")
    for name in ("qpdf", "gs", "pdfium"):
        counts = [(one.theirs[name], one.ours) for one in read]
        only = sum(theirs > 0 and ours == 0 for theirs, ours in counts)
        lines.append(f"| {name} | {sum(theirs > 0 for theirs, _ in counts)} | {sum(theirs for theirs, _ in counts)} | {only} |")
    missed = [one for one in read if one.ours == 0 and any(one.theirs.values())]
    lines += ["", "Read by another program and not by ours, by kind of damage:"]
    lines += [f"- {count} × {kind}" for kind, count in Counter(one.damage for one in missed).most_common()]
    lines += [f"  - {one.document}: {one.theirs} ({one.said})" for one in missed]
    fewer = [one for one in read if 0 < one.ours < one.most]
    lines += ["", "Fewer pages than two others find:"]
    lines += [f"- {one.document}: {one.ours}, {one.theirs} ({one.damage})" for one in fewer]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
