"""Makes clients with the guide's own commands, compiles them, and keeps them until something that they are made of changes."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from pathlib import Path

from generators.kinds import OPENAPI, OPENAPI_30, Kind, plain
from generators.tools import HERE, Failure, Tools
from local.settings import ROOT

DESCRIPTIONS = ROOT / "functions" / "api-docs"
GUIDE = DESCRIPTIONS / "guides" / "generators.md"
# What pins the versions of generators and of what their clients need.
PINS = (
    ROOT / "infra" / "setup.sh", ROOT / "infra" / "openapi-generator" / "pom.xml", ROOT / "infra" / "requirements-generators.txt",
    ROOT / "infra" / "requirements-node.txt", HERE / "package-lock.json",
)
# How clients are made from them.
MAKERS = (HERE / "building.py", HERE / "kinds.py", HERE / "tools.py")
# Clients of descriptions that nobody used for so long are deleted.
KEPT_SECONDS = 14 * 24 * 3600


def build_all(tools: Tools, kinds: list[Kind]) -> None:
    check_versions()
    for kind in kinds:
        started = time.monotonic()
        folder = place(tools, kind)
        if (folder / "complete").exists():
            (folder / "complete").touch()
            continue
        build(tools, kind, folder)
        print(f"  {time.monotonic() - started:6.0f} s  {kind.folder}: generated and compiled", flush=True)
    remove_old(tools)


def build(tools: Tools, kind: Kind, folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(HERE / kind.folder, folder)
    for name in (OPENAPI, OPENAPI_30):
        shutil.copy(DESCRIPTIONS / name, folder)
    script = command(kind)
    # The last line that is not indented calls the generator.
    tools.provide([line for line in script.splitlines() if not line.startswith(" ")][-1].split()[0])
    tools.run(folder, ["sh", "-euc", script])
    lacks = missing(kind, folder)
    if lacks:
        raise Failure(f"{kind.folder}: the client lacks {', '.join(lacks)}")
    kind.compile(tools, folder)
    (folder / "complete").touch()


def missing(kind: Kind, folder: Path) -> list[str]:
    """The operations of the description that the generated client does not have."""
    paths = json.loads((folder / kind.description).read_text())["paths"]
    methods = (operation for item in paths.values() for operation in item.values() if isinstance(operation, dict))
    names = [operation["operationId"] for operation in methods]
    found = kind.operations(folder)
    return [name for name in names if plain(name) not in found]


def command(kind: Kind) -> str:
    """The command of the guide: the code below its paragraph, in the section of its language."""
    section = GUIDE.read_text().partition(f"\n## {kind.section}\n")[2].partition("\n## ")[0]
    code = re.search(rf"^{re.escape(kind.paragraph)}\b[^\n]*:\n\n```shell\n(.*?)```", section, re.MULTILINE | re.DOTALL)
    if code is None:
        raise Failure(f"{GUIDE.name} has no command for {kind.folder}")
    return code[1]


def check_versions() -> None:
    """The guide names the versions that are tested."""
    pins = "".join(path.read_text() for path in (*PINS, *HERE.glob("*/go.mod")))
    rows = re.findall(r"^\| \[([\w-]+)\]\(\S+\) \| ([\d.]+) \|", GUIDE.read_text(), re.MULTILINE)
    if len(rows) < 6:
        raise Failure(f"{GUIDE.name} has no table of versions")
    for generator, version in rows:
        if not re.search(rf"{generator}(-cli</artifactId>\s*<version>|/v2 v| v|==|\": \{{\s*\"version\": \"|_version=)"
                         rf"{re.escape(version)}\b", pins):
            raise Failure(f"{GUIDE.name} names {generator} {version}, which is not the tested version")


def place(tools: Tools, kind: Kind) -> Path:
    """Where the client is kept, by the digest of all it is made of."""
    own = sorted(path for path in (HERE / kind.folder).rglob("*") if path.is_file())
    digest = hashlib.sha256(command(kind).encode())
    for path in (DESCRIPTIONS / kind.description, *PINS, *MAKERS, *own):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return tools.cache / f"{kind.folder}-{digest.hexdigest()[:12]}"


def remove_old(tools: Tools) -> None:
    for marker in tools.cache.glob("*/complete"):
        if time.time() - marker.stat().st_mtime > KEPT_SECONDS:
            shutil.rmtree(marker.parent)
