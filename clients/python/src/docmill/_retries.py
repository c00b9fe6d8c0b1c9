"""Which requests are repeated, and when."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Optional

from docmill.errors import ApiError

TEMPORARY = frozenset({429, 500, 502, 503, 504})
# The API did not take the request: even one that must not have its effect twice can be sent again.
REFUSED = frozenset({429, 503})
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 8.0
# A service that wants more patience is not waited for.
LONGEST_RETRY_AFTER = 60


@dataclass(frozen=True)
class Retries:
    most: int

    def pause(self, attempt: int, fault: Optional[ApiError], repeatable: bool) -> Optional[float]:
        """Seconds before the next try, or None. `attempt` counts from 0; no `fault` is a broken connection or a time-out."""
        if attempt >= self.most:
            return None
        if fault is None:
            return backoff(attempt) if repeatable else None
        if fault.status not in (TEMPORARY if repeatable else REFUSED):
            return None
        if fault.retry_after is None:
            return backoff(attempt)
        return fault.retry_after if fault.retry_after <= LONGEST_RETRY_AFTER else None


def backoff(attempt: int) -> float:
    pause: float = min(FIRST_PAUSE * 2**attempt, LONGEST_PAUSE)
    return pause * random.uniform(0.75, 1.25)
