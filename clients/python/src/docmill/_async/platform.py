"""What differs between the two worlds. The other one is written by hand too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import IO, Any, Callable, TypeVar

import anyio
import anyio.to_thread

from docmill._wire import PART

T = TypeVar("T")


async def blocking(call: Callable[..., T], *arguments: Any) -> T:
    """Runs what waits for a disk."""
    return await anyio.to_thread.run_sync(call, *arguments)


async def sleep(seconds: float) -> None:
    await anyio.sleep(seconds)


async def parts(file: IO[bytes]) -> AsyncIterator[bytes]:
    while part := await blocking(file.read, PART):
        yield part
