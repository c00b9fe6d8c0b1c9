"""Compares what was observed with what a scenario expects, and fills references into steps."""

import re
from typing import Any

REFERENCE = re.compile(r"\$\{([a-zA-Z0-9.]+)\}")
UUID = r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
# `${any.…}`: what matters is that it is there.
ANY = {"uuid": {"$matches": UUID}, "text": {"$matches": "."}, "texts": {"$texts": True}}


def fill(value: Any, known: dict[str, Any]) -> Any:
    """The value with each `${name.path}` replaced. If that is all of a text, the type of what it names is kept."""
    if isinstance(value, dict):
        return {key: fill(each, known) for key, each in value.items()}
    if isinstance(value, list):
        return [fill(each, known) for each in value]
    if not isinstance(value, str):
        return value
    if whole := REFERENCE.fullmatch(value):
        return look_up(whole[1], known)
    return REFERENCE.sub(lambda found: str(look_up(found[1], known)), value)


def look_up(path: str, known: dict[str, Any]) -> Any:
    value: Any = known
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            raise KeyError(f"nothing is known as {path}")
        value = value[name]
    return value


def differences(expected: Any, found: Any, place: str = "") -> list[str]:
    """What differs. Objects may have more than is expected; lists may not."""
    if isinstance(expected, dict) and expected and all(key.startswith("$") for key in expected):
        return [f"{place}: {found!r} {why}" for name, wanted in expected.items() if (why := unmet(name, wanted, found))]
    if isinstance(expected, dict):
        if not isinstance(found, dict):
            return [f"{place}: {found!r} is not an object"]
        return [line for key, each in expected.items() for line in differences(each, found.get(key), f"{place}.{key}")]
    if isinstance(expected, list):
        if not isinstance(found, list) or len(found) != len(expected):
            return [f"{place}: {found!r} instead of {len(expected)} elements {expected!r}"]
        return [line for n, (each, own) in enumerate(zip(expected, found)) for line in differences(each, own, f"{place}[{n}]")]
    same = expected == found and isinstance(expected, bool) == isinstance(found, bool)
    return [] if same else [f"{place}: {found!r} instead of {expected!r}"]


def unmet(name: str, wanted: Any, found: Any) -> str | None:
    """Why a value does not meet a condition."""
    is_number, is_list = isinstance(found, (int, float)), isinstance(found, list)
    match name:
        case "$matches":
            met, why = isinstance(found, str) and re.search(wanted, found, re.DOTALL) is not None, f"does not match {wanted}"
        case "$not":
            met, why = found is not None and found != wanted, f"is missing or {wanted!r}"
        case "$in":
            met, why = found in wanted, f"is not in {wanted}"
        case "$min":
            met, why = is_number and found >= wanted, f"is below {wanted}"
        case "$max":
            met, why = is_number and found <= wanted, f"is above {wanted}"
        case "$length":
            met, why = is_list and len(found) == wanted, f"does not have {wanted} elements"
        case "$contains":
            met, why = is_list and wanted in found, f"does not contain {wanted!r}"
        case "$texts":
            met, why = is_list and bool(found) and all(isinstance(each, str) and each for each in found), "is no list of texts"
        case _:
            raise KeyError(f"no condition is called {name}")
    return None if met else why


def count_differences(expected: dict[str, Any], counted: dict[str, Any]) -> list[str]:
    """`expected` has exact numbers, or `min` and `max`; `pauses` are the least ones."""
    lines = []
    for name, wanted in expected.items():
        if name == "pauses":
            for operation, least in wanted.items():
                own = counted["pauses"].get(operation, [])
                if len(own) != len(least) or any(pause < bound for pause, bound in zip(own, least)):
                    lines.append(f"pauses between requests `{operation}`: {own} instead of at least {least}")
            continue
        bounds = wanted if isinstance(wanted, dict) else {"min": wanted, "max": wanted}
        number = counted[name]
        if not bounds.get("min", 0) <= number <= bounds.get("max", number):
            lines.append(f"counted {number} of `{name}` instead of {wanted}")
    return lines
