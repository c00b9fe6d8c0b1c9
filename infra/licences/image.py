"""The packages in the worker's image and their licences, read from the copyright files of a root directory."""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# Libraries that are loaded into the worker's own processes, with everything that they link to. All others are separate programs.
LOADED = {
    "office": ("usr/lib/libreoffice/program/*.so", "usr/lib/*/libjemalloc.so.2"),
    "pdf": ("usr/lib/libreoffice/program/libpdfiumlo.so", "usr/lib/*/libqpdf.so.*", "usr/lib/*/libtesseract.so.*"),
}
# Files without licence fields: a quoted text, and the licence it stands for.
QUOTED = {
    r"/usr/share/common-licenses/([A-Za-z]+(?:-\d+(?:\.\d+)*)?)": r"\1",
    r"Permission is hereby granted, free of charge": "MIT",
    r"Permission to use, copy, modify, (?:and )?distribut": "HPND",
    r"Redistribution and use in source and binary forms": "BSD",
    r"GCC\s+RUNTIME\s+LIBRARY\s+EXCEPTION": "GCC-exception-3.1",
    r"Licensed under the Apache License": "Apache-2.0",
}


@dataclass(frozen=True)
class Source:
    """A Debian source package: its installed packages, and all licences in their copyright files."""

    name: str
    packages: tuple[str, ...]
    licences: tuple[str, ...]
    # The engines that load a part of it: `office`, `pdf`.
    loaded: tuple[str, ...]


def read(root: Path) -> list[Source]:
    loaded = {engine: set(_packages(root, patterns)) for engine, patterns in LOADED.items()}
    groups: dict[str, list[str]] = {}
    for package, source in _installed(root):
        groups.setdefault(source, []).append(package)
    return [
        Source(
            name,
            tuple(sorted(packages)),
            tuple(sorted({licence for package in packages for licence in _licences(root, package)}, key=_alphabetic)),
            tuple(engine for engine, those in loaded.items() if not those.isdisjoint(packages)),
        )
        for name, packages in sorted(groups.items())
    ]


def _alphabetic(name: str) -> tuple[str, str]:
    return name.lower(), name


def _installed(root: Path) -> Iterable[tuple[str, str]]:
    """Each package with its source."""
    for paragraph in (root / "var/lib/dpkg/status").read_text().split("\n\n"):
        fields = dict(re.findall(r"^(Package|Source|Status): (\S+.*)$", paragraph, re.MULTILINE))
        if fields.get("Status", "").endswith(" installed"):
            yield fields["Package"], fields.get("Source", fields["Package"]).split()[0]


def _licences(root: Path, package: str) -> set[str]:
    text = (root / "usr/share/doc" / package / "copyright").read_text("utf-8", "replace")
    # Expressions, as `GPL-2+ or MIT, and Zlib`.
    named = re.findall(r"^License:[ \t]*(\S.*)$", text, re.MULTILINE | re.IGNORECASE)
    parts = {part.strip(" ,()") for line in named for part in re.split(r"\band\b|\bor\b|[,|/]", line)}
    if parts:
        return {part for part in parts if part}
    return {match.expand(name) for pattern, name in QUOTED.items() for match in re.finditer(pattern, text)}


def _packages(root: Path, patterns: Iterable[str]) -> Iterable[str]:
    """The packages of these libraries, and of those that they link to."""
    names = [f"/{path.relative_to(root)}" for pattern in patterns for path in root.glob(pattern)]
    said = subprocess.run(["chroot", root, "ldd", *names], capture_output=True, text=True).stdout
    # Compared by name, because a directory may be a link to the package's.
    files = {Path(name).name for name in names} | {Path(name).name for name in re.findall(r"=> (/\S+)", said)}
    files -= _replaced(root)
    for listing in (root / "var/lib/dpkg/info").glob("*.list"):
        if any(Path(line).name in files for line in listing.read_text().splitlines()):
            yield listing.stem.split(":")[0]


def _replaced(root: Path) -> set[str]:
    """Packaged files that the image replaces by others (`dpkg-divert`)."""
    diversions = root / "var/lib/dpkg/diversions"
    # Three lines per diversion: the file, its new place, and its owner.
    return {Path(line).name for line in diversions.read_text().splitlines()[::3]} if diversions.exists() else set()
