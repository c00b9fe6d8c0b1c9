"""What a job converts, and which tool does it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, Union
from urllib.parse import urlsplit

from docmill.errors import UsageError


@dataclass(frozen=True)
class File:
    """A file that is in memory or open, with the name that tells what it is: `File(content, "report.docx")`."""

    content: Union[bytes, IO[bytes]] = field(repr=False)
    name: str


Source = Union[str, "os.PathLike[str]", bytes, IO[bytes], File, Mapping[str, Any]]
"""A path, a URL, bytes, an open file, a `File`, or a source as the API takes it, such as `{"html": "<h1>Hello</h1>"}`. Beside a path, such a source
has what else the file needs: `{"path": "locked.pdf", "password": "…"}`."""
Sources = Union[Source, Sequence[Source]]

EXTENSIONS = {
    "office-to-pdf": "docx doc dotx odt rtf txt xlsx xls xlsm ods csv tsv pptx ppt odp odg fodt fods fodp",
    "html-to-pdf": "html htm",
    "markdown-to-pdf": "md markdown",
    "email-to-pdf": "eml msg",
    "images-to-pdf": "jpg jpeg png webp tiff tif gif bmp svg",
}
TOOL_OF = {extension: tool for tool, extensions in EXTENSIONS.items() for extension in extensions.split()}
# These open pages, and all other tools fetch files.
PAGE_TOOLS = frozenset({"html-to-pdf", "html-to-image"})


def is_url(source: Source) -> bool:
    return isinstance(source, str) and source.lower().startswith(("https://", "http://"))


def local_file(source: Source) -> Union[Path, File, None]:
    """What to upload, if the source is a file.

    Raises:
        UsageError: it is nothing that can be converted.
    """
    if isinstance(source, Mapping) and "path" in source:
        return local_file(source["path"])
    if isinstance(source, Mapping) or is_url(source):
        return None
    if isinstance(source, File):
        return source
    if isinstance(source, (bytes, bytearray, memoryview)):
        return File(bytes(source), "")
    if isinstance(source, (str, os.PathLike)):
        return Path(source)
    if hasattr(source, "read"):
        # Files of the system have their path as their name; others have none, or a number.
        name = getattr(source, "name", "")
        return File(source, Path(name).name if isinstance(name, str) else "")
    raise UsageError(f"A {type(source).__name__} is no source: give a path, a URL, bytes, a file open for reading bytes, or an object.")


def tool_for(source: Source) -> str:
    """The tool that makes a PDF of the source.

    Raises:
        UsageError: no tool is known for it.
    """
    if isinstance(source, Mapping) and "path" in source:
        return tool_for(source["path"])
    if isinstance(source, Mapping):
        return tool_for_object(source)
    if is_url(source):
        extension = PurePosixPath(urlsplit(str(source)).path).suffix
        return TOOL_OF.get(extension[1:].lower(), "html-to-pdf")
    file = local_file(source)
    extension = PurePosixPath(file.name).suffix if file else ""
    if isinstance(file, File) and not extension:
        raise UsageError("Bytes without a name don't tell what they are: give File(content, 'report.docx'), or name a tool with run().")
    tool = TOOL_OF.get(extension[1:].lower())
    if tool is None:
        raise UsageError(f"No tool makes a PDF of {extension or 'a file without extension'}: name a tool with run().")
    return tool


def tool_for_object(source: Mapping[str, Any]) -> str:
    if "markdown" in source:
        return "markdown-to-pdf"
    if "html" in source or "url" in source:
        return "html-to-pdf"
    name = source.get("filename") or urlsplit(source.get("sourceUrl", "")).path
    tool = TOOL_OF.get(PurePosixPath(name).suffix[1:].lower())
    if tool is None:
        raise UsageError("This source does not tell what it is: name a tool with run().")
    return tool


def as_object(source: Source, tool: str) -> dict[str, Any]:
    """The API's source for a URL or an object. Files are uploaded first."""
    if isinstance(source, Mapping):
        return dict(source)
    return {"url" if tool in PAGE_TOOLS else "sourceUrl": str(source)}


def beside_path(source: Source) -> dict[str, Any]:
    """What a source says of its file, such as the password. Headers are for addresses."""
    if not isinstance(source, Mapping):
        return {}
    return {name: value for name, value in source.items() if name not in ("path", "headers")}


def is_list(source: Sources) -> bool:
    return isinstance(source, Sequence) and not isinstance(source, (str, bytes, bytearray, memoryview))
