"""Where results go, and whether a file's name fits what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Union

from docmill.errors import UsageError

# Other extensions of a format.
SYNONYMS = {"jpeg": "jpg", "tif": "tiff", "htm": "html", "markdown": "md", "text": "txt"}
# Extensions that say what a file is. Any other is as good as none.
KNOWN = frozenset(
    "pdf docx doc odt rtf txt xlsx xls ods csv pptx ppt odp html md json jsonl xml png jpg webp tiff gif bmp svg zip eml msg".split()
)


def format_of(name: Union[str, os.PathLike[str]]) -> str:
    """The format that a name's extension stands for, or nothing."""
    extension = PurePosixPath(os.fspath(name)).suffix[1:].lower()
    extension = SYNONYMS.get(extension, extension)
    return extension if extension in KNOWN else ""


def is_folder(path: Union[str, os.PathLike[str]]) -> bool:
    """Whether the path names a folder: it ends in a slash, or is one."""
    return os.fspath(path).endswith(("/", os.sep)) or Path(path).is_dir()


def check_name(path: Union[str, os.PathLike[str]], filename: str) -> None:
    """
    Raises:
        UsageError: the path's extension says something else than that of the result.
    """
    wanted, made = format_of(path), format_of(filename)
    if not wanted or not made or wanted == made:
        return
    if made == "zip":
        raise UsageError(f"{path} can't hold several files: give a folder, such as 'pages/', or a name that ends in .zip.")
    raise UsageError(f"{path} says {wanted}, but the result is a {made}: name it .{made}, or add the tool that makes a {wanted} with then().")


def paths_in(folder: Path, names: Iterable[str]) -> list[Path]:
    """A path for each name, without anything that leads to another folder, and no two the same."""
    paths: list[Path] = []
    for number, name in enumerate(names, start=1):
        plain = PurePosixPath(name.replace("\\", "/")).name or f"result-{number}"
        path = folder / plain
        paths.append(folder / f"{path.stem}-{number}{path.suffix}" if path in paths else path)
    return paths
