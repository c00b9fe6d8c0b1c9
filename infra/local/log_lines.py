"""Lines about requests as CloudWatch Logs has them on AWS: the emulator gets none, since functions log to files here (local.package).

A thread follows the files, and a search through the group of the endpoints finds their lines. ministack's own search knows no patterns for
JSON and has no second page.
"""

import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from ministack.core.responses import json_response

SECONDS = 0.5
# Nobody searches further back.
KEPT_MS = 3_600_000
# The end of the name of the group in the template.
GROUP = "/endpoints"

Answer = Callable[[dict[str, Any]], Any]


class LogLines:
    """Follows the files in a folder. What was in them at the start is not found."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.positions = {file: file.stat().st_size for file in folder.glob("*.log")}
        self.events: deque[dict[str, Any]] = deque()

    def run_forever(self) -> None:
        while True:
            self.look()
            time.sleep(SECONDS)

    def follow(self) -> None:
        threading.Thread(target=self.run_forever, daemon=True).start()

    def look(self) -> None:
        """Takes the lines that are new."""
        lines = [line for file in sorted(self.folder.glob("*.log")) for line in self.new_lines(file)]
        now = round(time.time() * 1000)
        for line in lines:
            self.events.append({"timestamp": millis(line["timestamp"]), "message": json.dumps(line), "ingestionTime": now, "logStreamName": "functions"})
        while self.events and self.events[0]["ingestionTime"] < now - KEPT_MS:
            self.events.popleft()

    def new_lines(self, file: Path) -> list[dict[str, Any]]:
        position = self.positions.get(file, 0)
        if file.stat().st_size == position:
            return []
        with file.open("rb") as opened:
            opened.seek(position)
            new = opened.read()
        # A line may be half written.
        whole = new[: new.rfind(b"\n") + 1]
        self.positions[file] = position + len(whole)
        return [line for text in whole.splitlines() if (line := request_of(text)) is not None]

    def search(self, otherwise: Answer) -> Answer:
        """Answers FilterLogEvents for the group of the endpoints, and lets `otherwise` answer for others."""

        def answer(data: dict[str, Any]) -> Any:
            if not data.get("logGroupName", "").endswith(GROUP):
                return otherwise(data)
            wanted = wanted_fields(data.get("filterPattern", ""))
            first, last = data.get("startTime", 0), data.get("endTime", float("inf"))
            found = [each for each in list(self.events) if first <= each["timestamp"] <= last and matches(each["message"], wanted)]
            return json_response({"events": found, "searchedLogStreams": []})

        return answer


def request_of(text: bytes) -> dict[str, Any] | None:
    """The line, if it is about a request of an account."""
    if b'"request handled"' not in text:
        return None
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) and line.get("message") == "request handled" and "account" in line else None


def wanted_fields(pattern: str) -> dict[str, str]:
    """The fields that a pattern such as `{ ($.account = "a") && ($.message = "*") }` compares."""
    return dict(re.findall(r'\$\.(\w+) = "([^"]*)"', pattern))


def matches(message: str, wanted: dict[str, str]) -> bool:
    line = json.loads(message)
    return all(name in line and text in ("*", line[name]) for name, text in wanted.items())


def millis(timestamp: str) -> int:
    return round(datetime.fromisoformat(timestamp).timestamp() * 1000)
