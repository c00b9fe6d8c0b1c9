"""The generators and compilers, installed by infra/setup.sh where they are first needed."""

from __future__ import annotations

import os
import subprocess
from functools import cached_property
from pathlib import Path

from local.settings import ROOT

HERE = Path(__file__).parent


class Failure(Exception):
    """A client could not be made, or did not do what it should."""


class Tools:
    """Commands find each other in `shims`, a folder of small scripts with the names that the guide uses."""

    def __init__(self, shims: Path) -> None:
        self.shims = shims
        self.cache = Path(os.environ.get("DOCMILL_CACHE") or Path.home() / ".cache" / "docmill") / "generators"
        shims.mkdir(exist_ok=True)

    @cached_property
    def python(self) -> str:
        return setup("python", "generators")

    @cached_property
    def node(self) -> Path:
        return Path(setup("python", "node")).with_name("node")

    @cached_property
    def node_modules(self) -> Path:
        return Path(setup("node", str(HERE)))

    @cached_property
    def go(self) -> str:
        return setup("go")

    @cached_property
    def jars(self) -> Path:
        return Path(setup("openapi-generator"))

    @cached_property
    def java_libraries(self) -> str:
        """A class path. The generator's own jar contains other versions of the same classes."""
        return ":".join(str(jar) for jar in sorted(self.jars.glob("*.jar")) if "generator" not in jar.name)

    def provide(self, command: str) -> None:
        """Installs what the guide calls by this name."""
        if command == "openapi-generator-cli":
            self.shim(command, f'java -jar "{next(self.jars.glob("openapi-generator-cli-*.jar"))}"')
        elif command in ("oapi-codegen", "ogen"):
            self.shim(command, f'"{self.go}" tool {command}')
        elif command == "openapi-python-client":
            # It calls its formatter by name.
            self.shim(command, f'PATH="{Path(self.python).parent}:$PATH" "{Path(self.python).with_name(command)}"')
        elif command in ("openapi-typescript", "tsc"):
            self.shim(command, f'"{self.node}" "{(self.node_modules / ".bin" / command).resolve()}"')
        elif command == "cargo":
            # `cargo progenitor` finds it here.
            self.shim("cargo-progenitor", f'"{setup("progenitor")}"')

    def shim(self, name: str, command: str) -> None:
        script = self.shims / name
        script.write_text(f'#!/bin/sh\n{command} "$@"\n')
        script.chmod(0o755)

    def run(self, folder: Path, command: list[str], **environment: str) -> None:
        """Runs a command that must succeed without warnings about what a client lacks."""
        environment = {**os.environ, **environment, "PATH": f"{self.shims}:{os.environ['PATH']}"}
        ran = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if ran.returncode != 0 or "some pieces may be missing" in ran.stdout:
            raise Failure(f"{' '.join(command[:3])} in {folder}\n{ran.stdout[-3000:]}")


def setup(*what: str) -> str:
    ran = subprocess.run([ROOT / "infra" / "setup.sh", *what], text=True, stdout=subprocess.PIPE)
    if ran.returncode != 0:
        raise Failure(f"infra/setup.sh {' '.join(what)} failed")
    return ran.stdout.strip()
