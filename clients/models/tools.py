"""The generators, which `infra/setup.sh` installs."""

import subprocess

from models.describe import ROOT


def installed(name: str) -> str:
    """The path of a tool."""
    return run(["infra/setup.sh", name], "").strip()


def run(command: list[str], text: str) -> str:
    """What a command makes of `text`."""
    done = subprocess.run(command, cwd=ROOT, input=text, text=True, stdout=subprocess.PIPE, check=True)
    return done.stdout
