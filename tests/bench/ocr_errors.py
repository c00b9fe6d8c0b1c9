"""How many characters ocr-pdf and OCRmyPDF read wrong on scans of five scripts, and the time that they take."""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from . import check, generate_scans, measuring, peers
from .contenders import Contender, Ours
from .generate_scans import LOOK_NAMES, SCRIPTS, Script
from .pdf_peers import Program

# By script and contender: wrong characters of each page, and the CPU time in ms for all pages except the one in shade, of which
# OCRmyPDF reads next to nothing.
Errors = dict[str, dict[str, tuple[list[int], float]]]


def measure(worker: Path, installed: peers.Peers, folder: Path) -> Errors:
    generate_scans.generate(folder)
    found: Errors = {}
    for script in SCRIPTS:
        ours = Ours(worker, "ocr-pdf", {"languages": [script.language]})
        with measuring.started([ours, _ocrmypdf(installed, script)]) as (running, problems):
            for name, problem in problems.items():
                print(f"NOT MEASURED: {name}: {problem}")
            found[script.name] = {contender.name: _read(contender, script, folder) for contender in running}
    return found


def _ocrmypdf(installed: peers.Peers, script: Script) -> Program:
    program = installed.python.with_name("ocrmypdf")
    words = ["env", "OMP_THREAD_LIMIT=1", program, "--quiet", "--jobs", "1", "--output-type", "pdf", "-l", script.language]
    return Program("ocrmypdf", lambda source, out: [*words, source[0], out])


def _read(contender: Contender, script: Script, folder: Path) -> tuple[list[int], float]:
    clear, cpu = _said(contender, script.pdf(folder))
    shaded, _ = _said(contender, script.shaded_pdf(folder))
    expected = script.text(folder).read_text().split("\f")
    pages = zip([*clear, *shaded], expected, strict=True)
    return [check.wrong_characters(script.tokens(page), script.tokens(wanted)) for page, wanted in pages], cpu


def _said(contender: Contender, scans: Path) -> tuple[list[str], float]:
    """The text of each page, and the CPU time in ms."""
    with TemporaryDirectory(prefix="docmill-bench-") as scratch:
        out = Path(scratch) / "out.pdf"
        _, cpu = measuring.timed(contender, [scans], out)
        said = subprocess.run(["pdftotext", "-raw", out, "-"], capture_output=True, text=True, check=True).stdout
    return said.removesuffix("\f").split("\f"), cpu


def table(found: Errors, folder: Path) -> str:
    lines = ["", "### OCR: wrong characters on each page, and CPU seconds for all pages but the last", ""]
    lines += [f"| script, characters | | {' | '.join(LOOK_NAMES)} | all | CPU s |", "|---" * (len(LOOK_NAMES) + 4) + "|"]
    for script in SCRIPTS:
        characters = len(script.text(folder).read_text())
        for name, (wrong, cpu) in found[script.name].items():
            cells = " | ".join(map(str, [*wrong, sum(wrong), f"{cpu / 1000:.1f}"]))
            lines.append(f"| {script.name}, {characters} | {name} | {cells} |")
    return os.linesep.join(lines)
