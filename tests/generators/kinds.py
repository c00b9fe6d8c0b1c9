"""The generators: the command of the guide that makes a client, how it is compiled and run, and where its operations are."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from generators.tools import Tools

OPENAPI_30 = "openapi-3.0.json"
OPENAPI = "openapi.json"


@dataclass(frozen=True)
class Kind:
    """`folder` is the name of its small program's folder here, and of what is kept in the cache."""

    folder: str
    # The guide's heading, and how the paragraph above the command begins.
    section: str
    paragraph: str
    description: str
    # Files of the client, and what finds the operations' names in them.
    files: str
    operation: str
    # Compiles the program with its client in a folder.
    compile: Callable[[Tools, Path], None]
    # The command that runs it.
    program: Callable[[Tools, Path], list[str]]

    def operations(self, folder: Path) -> set[str]:
        """The names of the operations in the generated client, without their language's style."""
        names: set[str] = set()
        for path in folder.glob(self.files):
            for found in re.finditer(self.operation, path.read_text(), re.MULTILINE):
                # Without a group in the expression, each operation is a module.
                names.add(plain(found[1] if found.re.groups else path.stem))
        return names


def plain(name: str) -> str:
    return name.replace("_", "").lower()


def compile_go(tools: Tools, folder: Path) -> None:
    tools.run(folder, [tools.go, "build", "-o", "program", "."])


def run_go(_tools: Tools, folder: Path) -> list[str]:
    return [str(folder / "program")]


def compile_python(tools: Tools, folder: Path) -> None:
    # Importing every module also evaluates the types of its models.
    code = "import pkgutil, importlib, docmill_client as client\n" \
        "for module in pkgutil.walk_packages(client.__path__, 'docmill_client.'): importlib.import_module(module.name)"
    tools.run(folder, [tools.python, "-W", "error::SyntaxWarning", "-c", code], PYTHONPATH="client")


def run_python(tools: Tools, folder: Path) -> list[str]:
    return ["env", f"PYTHONPATH={folder / 'client'}", tools.python, str(folder / "convert.py")]


def compile_typescript(tools: Tools, folder: Path) -> None:
    tools.provide("tsc")
    (folder / "node_modules").symlink_to(tools.node_modules)
    tools.run(folder, ["tsc", "--project", "tsconfig.json"])


def run_typescript(tools: Tools, folder: Path) -> list[str]:
    return [str(tools.node), str(folder / "out" / "convert.js")]


def compile_java(tools: Tools, folder: Path) -> None:
    sources = [*map(str, folder.glob("client/src/main/java/**/*.java")), "Convert.java"]
    tools.run(folder, ["javac", "-nowarn", "-classpath", tools.java_libraries, "-d", "classes", *sources])


def run_java(tools: Tools, folder: Path) -> list[str]:
    return ["java", "-classpath", f"{folder / 'classes'}:{tools.java_libraries}", "Convert"]


def compile_rust(tools: Tools, folder: Path) -> None:
    # Dependencies stay compiled when the client changes.
    target = tools.cache / "rust-target"
    tools.run(folder, ["cargo", "build", "--locked"], CARGO_TARGET_DIR=str(target), CARGO_PROFILE_DEV_DEBUG="0")
    shutil.copy2(target / "debug" / "convert", folder / "program")


def run_rust(_tools: Tools, folder: Path) -> list[str]:
    return [str(folder / "program")]


KINDS = (
    Kind("openapi-generator-go", "Go", "With openapi-generator", OPENAPI_30,
         "client/api_*.go", r"^func \(a \*\w+\) (\w+)Execute\(", compile_go, run_go),
    Kind("oapi-codegen", "Go", "With oapi-codegen", OPENAPI_30,
         "client/client.go", r"^func \(c \*Client\) (\w+)\(ctx ", compile_go, run_go),
    Kind("ogen", "Go", "With ogen", OPENAPI_30,
         "client/oas_client_gen.go", r"^func \(c \*Client\) (\w+)\(ctx ", compile_go, run_go),
    Kind("openapi-generator-typescript", "TypeScript", "With openapi-generator", OPENAPI_30,
         "client/apis/*.ts", r"^    async (\w+)Raw\(", compile_typescript, run_typescript),
    Kind("openapi-typescript", "TypeScript", "With openapi-typescript", OPENAPI,
         "client.ts", r"^    (\w+): \{$", compile_typescript, run_typescript),
    Kind("openapi-generator-python", "Python", "With openapi-generator", OPENAPI_30,
         "client/docmill_client/api/*.py", r"^    def (\w+)_with_http_info\(", compile_python, run_python),
    Kind("openapi-python-client", "Python", "With openapi-python-client", OPENAPI_30,
         "client/docmill_client/api/*/*.py", r"^def sync_detailed\(", compile_python, run_python),
    Kind("openapi-generator-java", "Java", "With openapi-generator", OPENAPI_30,
         "client/src/main/java/**/api/*.java", r"^  public ApiResponse<\w+> (\w+)WithHttpInfo\(", compile_java, run_java),
    Kind("progenitor", "Rust", "With progenitor", OPENAPI_30,
         "client/src/lib.rs", r"^    pub fn (\w+)\(&self\) -> builder::", compile_rust, run_rust),
)
