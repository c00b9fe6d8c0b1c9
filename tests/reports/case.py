"""A report: what somebody found wrong, the document that shows it, and the right result as assertions."""

import json
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent


class Malformed(Exception):
    """A case.json that says something else than the README."""


@dataclass(frozen=True)
class Check:
    """One conversion, and what must be true of its result."""

    tool: str
    input: str | list[str]
    options: dict[str, Any] = field(default_factory=dict)
    then: list[dict[str, Any]] = field(default_factory=list)
    password: str | None = None
    # The error's code, if the right answer is an error.
    error: str | None = None
    textContains: list[str] = field(default_factory=list)
    textLacks: list[str] = field(default_factory=list)
    textInOrder: list[str] = field(default_factory=list)
    textCounts: dict[str, int] = field(default_factory=dict)
    pages: int | None = None
    # Codes that are among the warnings, those that are not, and parts of the warnings' messages.
    warnings: list[str] = field(default_factory=list)
    noWarnings: list[str] = field(default_factory=list)
    warningsSay: list[str] = field(default_factory=list)
    minBytes: int | None = None
    maxBytes: int | None = None
    # Values in a JSON result, and in what the worker says of the conversion, by paths like `pages.0.width`.
    json: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, Any] = field(default_factory=dict)

    @property
    def inputs(self) -> list[str]:
        return [self.input] if isinstance(self.input, str) else self.input


@dataclass(frozen=True)
class Case:
    folder: Path
    source: str
    checks: list[Check]


NAMES = {each.name for each in fields(Check)}
ASSERTIONS = NAMES - {"tool", "input", "options", "then", "password"}


def read(folder: Path) -> Case:
    """The case of a folder. Raises Malformed if it asserts nothing, names a file that is not there, or has an unknown entry."""
    described = json.loads((folder / "case.json").read_text())
    try:
        source, several = described.pop("source"), described.pop("checks", None)
        checks = [_check(each) for each in (several if several is not None else [described])]
    except (KeyError, TypeError) as error:
        raise Malformed(f"{folder.name}: {error}") from error
    if several is not None and described:
        raise Malformed(f"{folder.name}: {sorted(described)} beside `checks`")
    missing = [name for check in checks for name in check.inputs if not (folder / name).is_file()]
    if missing:
        raise Malformed(f"{folder.name}: there is no {missing[0]}")
    if not checks:
        raise Malformed(f"{folder.name}: nothing is checked")
    return Case(folder, source, checks)


def _check(described: dict[str, Any]) -> Check:
    if unknown := described.keys() - NAMES:
        raise TypeError(f"unknown: {sorted(unknown)}")
    if not described.keys() & ASSERTIONS:
        raise TypeError("a check asserts nothing")
    return Check(**described)


def read_all(only: str = "") -> list[Case]:
    """All cases whose folder's name contains `only`, in order."""
    return [read(path.parent) for path in sorted(HERE.glob("*/case.json")) if only in path.parent.name]
