"""What a result says, and how it differs from what is right."""

import io
import json
import re
import subprocess
import zipfile
from typing import Any

from .case import Check


def text_of(result: bytes) -> str:
    """All text of a result: of a PDF's pages, of an office document's parts, of the files of a ZIP, or of a text file."""
    if result.startswith(b"%PDF"):
        return subprocess.run(["pdftotext", "-", "-"], input=result, capture_output=True, check=True).stdout.decode()
    if result.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(result)) as package:
            return "\n".join(_part(name, package.read(name)) for name in package.namelist())
    return result.decode(errors="replace")


def _part(name: str, content: bytes) -> str:
    if not name.endswith((".xml", ".rels")):
        return text_of(content)
    # Runs of a paragraph belong together; paragraphs, rows and cells do not.
    ended = re.sub(r"</(?:[\w]+:)?(?:p|tr|tc|c|row|si)>", " ", content.decode(errors="replace"))
    return re.sub(r"<[^>]*>", "", ended)


def wrong(check: Check, answer: dict[str, Any], result: bytes) -> list[str]:
    """What is not as it should be. Empty if all is right."""
    found = []
    if check.error:
        found.append(f"there is a result, not the error {check.error}")
    found += _wrong_text(check, result)
    found += _wrong_warnings(check, answer.get("warnings", []))
    if check.minBytes is not None and len(result) < check.minBytes:
        found.append(f"{len(result)} bytes, below {check.minBytes}")
    if check.maxBytes is not None and len(result) > check.maxBytes:
        found.append(f"{len(result)} bytes, above {check.maxBytes}")
    pages = answer.get("output", {}).get("pages")
    if check.pages is not None and pages != check.pages:
        found.append(f"{pages} pages, not {check.pages}")
    found += _wrong_values("the answer", check.answer, answer)
    if check.json:
        found += _wrong_values("the result", check.json, json.loads(result))
    return found


def _wrong_text(check: Check, result: bytes) -> list[str]:
    if not (check.textContains or check.textLacks or check.textInOrder or check.textCounts):
        return []
    text = plain(text_of(result))
    found = [f"the text lacks {part!r}" for part in check.textContains if plain(part) not in text]
    found += [f"the text has {part!r}" for part in check.textLacks if plain(part) in text]
    for part, count in check.textCounts.items():
        if (times := text.count(plain(part))) != count:
            found.append(f"{part!r} is in the text {times} times, not {count}")
    position = 0
    for part in check.textInOrder:
        at = text.find(plain(part), position)
        if at < 0:
            found.append(f"{part!r} is not in the text after the parts before it")
            break
        position = at + len(plain(part))
    return found


def _wrong_warnings(check: Check, warnings: list[dict[str, str]]) -> list[str]:
    codes = [warning["code"] for warning in warnings]
    messages = " ".join(warning["message"] for warning in warnings)
    found = [f"no warning {code}, only {codes}" for code in check.warnings if code not in codes]
    found += [f"a warning {code}" for code in check.noWarnings if code in codes]
    return found + [f"no warning says {part!r}: {messages}" for part in check.warningsSay if part not in messages]


def _wrong_values(of: str, expected: dict[str, Any], value: Any) -> list[str]:
    found = []
    for path, right in expected.items():
        if (at := _at(value, path)) != right:
            found.append(f"{path} of {of} is {at!r}, not {right!r}")
    return found


def _at(value: Any, path: str) -> Any:
    for step in path.split("."):
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (IndexError, KeyError, TypeError, ValueError):
            return None
    return value


def plain(text: str) -> str:
    """With one space wherever there is space: where lines and columns end is not what reports are about."""
    return " ".join(text.split())
