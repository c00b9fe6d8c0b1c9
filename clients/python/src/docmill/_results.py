"""Where results go, and whether a file's name fits what is in it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Union

from docmill import models
from docmill._wire import logger
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


def check_target(path: Union[str, os.PathLike[str]], overwrite: bool) -> None:
    """
    Raises:
        UsageError: a file can't be made there, for example because there is one.
    """
    target = Path(path)
    if not overwrite and os.path.lexists(target):
        raise taken(target)
    if not target.parent.is_dir():
        raise UsageError(f"{target} can't be written: there is no folder {target.parent}.")


def taken(target: Path) -> UsageError:
    return UsageError(f"{target} exists already: choose another name, or allow it with overwrite=True.")


def publish(temporary: Path, target: Path, overwrite: bool) -> None:
    """Gives a whole file its name.

    Raises:
        UsageError: there is a file of this name by now, or the file system refuses it.
    """
    is_claimed = False
    try:
        if not overwrite:
            # Of all that want this name, only one can create it.
            target.open("xb").close()
            is_claimed = True
        os.replace(temporary, target)
    except FileExistsError as failure:
        raise taken(target) from failure
    except OSError as failure:
        if is_claimed:
            target.unlink(missing_ok=True)
        raise UsageError(f"{target} can't be written: {failure.strerror}") from failure


def paths_in(folder: Path, names: Iterable[str]) -> list[Path]:
    """A path for each name, without anything that leads to another folder, and no two the same."""
    paths: list[Path] = []
    for number, name in enumerate(names, start=1):
        plain = PurePosixPath(name.replace("\\", "/")).name or f"result-{number}"
        path = folder / plain
        paths.append(folder / f"{path.stem}-{number}{path.suffix}" if path in paths else path)
    return paths


def log_warnings(job: models.Job) -> None:
    """Tells how the result differs from what was asked for."""
    for warning in job.get("warnings", []):
        logger.warning("%s: %s", warning["code"], warning["message"])
