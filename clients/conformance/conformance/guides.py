"""Runs the samples of the guides to the clients, as they stand and in their order, as one program each."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from conformance.runner import ROOT

# Of the language's blocks in the guide, and of the program.
ENDINGS = {"python": "py", "typescript": "ts", "go": "go", "rust": "rs"}
BLOCK = re.compile(r"^```(python|ts|go|rust)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# Stands for the reader's files.
PLACE = "https://files.example.com"
# The last file on a line that converts or saves.
SAVED = re.compile(r"""(?:[Cc]onvert|[Ss]ave)\w*\(.*"([\w-]+\.(?:pdf|txt))\"""")
# The sample for errors names it, and must not save it.
NEVER_SAVED = "none.pdf"
# With the compilation of a first run.
SECONDS = 300


def has_samples(language: str) -> bool:
    return guide(language).exists() and program(language).exists()


def guide(language: str) -> Path:
    return ROOT / "functions/api-docs/guides" / f"{language}.md"


def program(language: str) -> Path:
    return ROOT / "clients" / language / "conformance/program.sh"


def failures(language: str, folder: Path, stack: dict[str, str]) -> list[str]:
    """What went wrong: the program fails, or does not save what it says."""
    folder.mkdir()
    shutil.copy(ROOT / "samples/small.docx", folder / "report.docx")
    text = guide(language).read_text()
    code = "\n\n".join(block for _, block in BLOCK.findall(text))
    code = code.replace(f"{PLACE}/report.docx", f"{stack['SAMPLES_URL']}/small.docx").replace(PLACE, stack["SAMPLES_URL"])
    file = folder / f"guide.{ENDINGS[language]}"
    file.write_text(code)
    environment = os.environ | {"DOCMILL_URL": stack["DOCMILL_URL"], "DOCMILL_KEY": stack["DOCMILL_LIVE_KEY"]}
    command = ["timeout", str(SECONDS), str(program(language)), str(file)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    said = f"{done.stdout}{done.stderr}"
    if done.returncode != 0:
        return [f"exit code {done.returncode}: {said[-1500:]}"]
    lines = [] if "source_unreachable" in done.stdout else [f"the sample for errors says nothing about its error: {said[-500:]}"]
    return lines + [line for name in sorted(set(SAVED.findall(code))) if (line := wrong_file(folder / name))]


def wrong_file(path: Path) -> str | None:
    if path.name == NEVER_SAVED:
        return f"{path.name} exists" if path.exists() else None
    if not path.exists():
        return f"{path.name} does not exist"
    begins = path.read_bytes()[:5]
    return f"{path.name} begins with {begins!r}" if path.suffix == ".pdf" and begins != b"%PDF-" else None
