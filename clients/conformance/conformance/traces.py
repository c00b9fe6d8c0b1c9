"""What the stack has logged of jobs that a failure names, so that a run whose stack is gone can still be understood."""

import os
import re
from pathlib import Path

ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Of each failure, the last ones.
MOST_LINES = 30
LONGEST = 400


def of(failure: str) -> list[str]:
    """Lines about jobs that the failure names, with the function that logged them."""
    folder, ids = os.environ.get("STACK_LOGS"), set(ID.findall(failure))
    if not folder or not ids:
        return []
    found = [
        (line, f"{file.stem}: {line[:LONGEST]}")
        for file in Path(folder).glob("*.log")
        for line in file.read_text(errors="replace").splitlines()
        if any(each in line for each in ids)
    ]
    # Each line begins with its time.
    return [line for _, line in sorted(found)][-MOST_LINES:]
