"""The Rust crates that are compiled into deployed programs, with the licences in their manifests."""

import json
import subprocess
from collections import deque
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Workspace members that are only tests.
NOT_SHIPPED = {"docmill-tests", "docmill-fuzz", "bench-api"}


def read() -> dict[str, str]:
    """Licences by name, without the project's own crates."""
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", "x86_64-unknown-linux-gnu"]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return shipped(json.loads(said))


def shipped(metadata: dict) -> dict[str, str]:
    return {each["name"]: licence(each) for each in packages(metadata)}


def packages(metadata: dict) -> list[dict]:
    """Cargo's description of each crate, by name."""
    known = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    members = [member for member in metadata["workspace_members"] if known[member]["name"] not in NOT_SHIPPED]
    seen, waiting = set(members), deque(members)
    while waiting:
        for dependency in nodes[waiting.popleft()]["deps"]:
            normal = any(kind["kind"] is None for kind in dependency["dep_kinds"])
            if normal and dependency["pkg"] not in seen:
                seen.add(dependency["pkg"])
                waiting.append(dependency["pkg"])
    others = [known[each] for each in seen if each not in metadata["workspace_members"]]
    return sorted(others, key=lambda each: (each["name"], each.get("version", "")))


def licence(package: dict) -> str:
    # Older manifests separate alternatives with a slash.
    return " OR ".join(part.strip() for part in (package["license"] or "in its own file").split("/"))
