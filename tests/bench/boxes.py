"""Prints boxes that are longer than a page, of each kind and of each kind in each, and counts the words that are there, by Docmill without a
browser and by WeasyPrint.

`python -m bench.boxes --worker PATH`: `make setup` and `python3 -m bench.peers` install what it needs, and the peers' interpreter runs it.
"""

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from . import peers, processes
from .lines import Failed, LineProcess, Lost
from .worker import Worker

BOXES = Path(__file__).parents[1] / "fixtures/html/boxes.json"
WORDS = [f"w{number:04}" for number in range(1, 1201)]
# In seconds.
PATIENCE = 60
Print = Callable[[Path, Path], object]


def pages() -> Iterator[tuple[str, str]]:
    boxes = json.loads(BOXES.read_text())
    single = [(name, f"{start}{' '.join(WORDS)}{end}") for name, start, end in boxes]
    yield from single
    for outer, start, end in boxes:
        yield from ((f"{inner} in {outer}", f"{start}{html}{end}") for inner, html in single)


def verdict(pdf: Path) -> str:
    """`whole`, or what is wrong with the words."""
    if not pdf.exists():
        return "failed"
    found = re.findall(r"w\d{4}", subprocess.run(["pdftotext", "-raw", pdf, "-"], capture_output=True, text=True).stdout)
    if found == WORDS:
        return "whole"
    missing = len(set(WORDS) - set(found))
    return f"{missing} words missing" if missing else "out of order or twice"


class WeasyPrint:
    """Started again where it does not answer."""

    def __init__(self, log: Path):
        self.log = log
        self.process = self._started()

    def _started(self) -> LineProcess:
        return LineProcess([sys.executable, str(peers.HERE / "peer_weasyprint.py")], self.log)

    def convert(self, source: Path, out: Path) -> None:
        try:
            self.process.ask({"in": source, "out": out}, PATIENCE)
        except Lost as error:
            processes.kill_tree(self.process.pid)
            self.process.stop()
            self.process = self._started()
            raise Failed(str(error)) from error


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worker", type=Path, required=True)
    worker = arguments.parse_args().worker
    with TemporaryDirectory(prefix="docmill-boxes-") as name:
        folder = Path(name)
        # The worker's children have another user.
        folder.chmod(0o755)
        ours, theirs = Worker(worker, folder), WeasyPrint(folder / "weasyprint.log")
        printers: dict[str, Print] = {
            "Docmill": lambda source, out: ours.convert("html-to-pdf", source, out, {"renderMode": "basic"}),
            "WeasyPrint": theirs.convert,
        }
        count(folder, printers)
        ours.lines.stop()
        theirs.process.stop()


def count(folder: Path, printers: dict[str, Print]) -> None:
    source, out = folder / "page.html", folder / "out.pdf"
    whole = dict.fromkeys(printers, 0)
    for number, (name, html) in enumerate(pages(), 1):
        source.write_text(html)
        for printer, convert in printers.items():
            out.unlink(missing_ok=True)
            try:
                convert(source, out)
            except Failed as error:
                print(f"{printer}: {error}")
            said = verdict(out)
            whole[printer] += said == "whole"
            if said != "whole":
                print(f"{name}: {printer}: {said}")
    print(", ".join(f"{printer}: {right} of {number} whole" for printer, right in whole.items()))


if __name__ == "__main__":
    main()
