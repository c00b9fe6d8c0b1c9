"""What differs between the two worlds. The other one is written by hand too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import IO, Any, Callable, TypeVar

from docmill._wire import PART

T = TypeVar("T")


def blocking(call: Callable[..., T], *arguments: Any) -> T:
    """Runs what waits for a disk."""
    return call(*arguments)


def sleep(seconds: float) -> None:
    time.sleep(seconds)


def parts(file: IO[bytes]) -> Iterator[bytes]:
    while part := file.read(PART):
        yield part
