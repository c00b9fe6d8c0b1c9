"""What must be true of the repository before it is released, and the tag."""

import re
import subprocess
from pathlib import Path

from local.errors import Problem


def git(root: Path, *arguments: str) -> str:
    said = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if said.returncode != 0:
        raise Problem(f"git {arguments[0]} failed: {said.stderr.strip()}")
    return said.stdout.strip()


def version(root: Path) -> str:
    """The workspace's version, which every program has."""
    found = re.search(r'^version = "(\d+\.\d+\.\d+)"$', (root / "Cargo.toml").read_text(), re.M)
    if not found:
        raise Problem("Cargo.toml has no version like 0.1.0.")
    return found.group(1)


def epoch(root: Path) -> int:
    """The time of the commit."""
    return int(git(root, "log", "-1", "--format=%ct"))


def require_releasable(root: Path) -> None:
    """Raises `Problem` if this would not be what the tag names, or if nobody is told what it is."""
    number = version(root)
    if changed := git(root, "status", "--porcelain"):
        raise Problem(f"A release is of a commit, and {changed.split()[-1]} is not committed.")
    changelog = (root / "CHANGELOG.md").read_text()
    if not re.search(rf"^## {re.escape(number)} \(\d{{4}}-\d\d-\d\d\)$", changelog, re.M):
        raise Problem(f"CHANGELOG.md has no section `## {number} (date)`: give that of Unreleased this name.")
    unreleased = re.search(r"^## Unreleased\n(.*?)(?=^## |\Z)", changelog, re.M | re.S)
    if unreleased and unreleased.group(1).strip():
        raise Problem(f"CHANGELOG.md has lines under Unreleased: move them under {number}, or raise the version in Cargo.toml.")
    tagged = subprocess.run(["git", "rev-parse", "--verify", "--quiet", f"v{number}^{{commit}}"], cwd=root, capture_output=True, text=True, check=False).stdout.strip()
    if tagged and tagged != git(root, "rev-parse", "HEAD"):
        raise Problem(f"v{number} is another commit already: raise the version in Cargo.toml.")


def tag(root: Path) -> str:
    """Tags the commit, if it is not tagged yet, and returns the tag."""
    name = f"v{version(root)}"
    if not git(root, "tag", "--list", name):
        git(root, "tag", "--annotate", name, "--message", f"Docmill {name.removeprefix('v')}")
    return name
