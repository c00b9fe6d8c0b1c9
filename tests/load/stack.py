"""The stack under load: how to reach it, and which local processes are its workers."""

import json
import os
import subprocess
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local import deploy
from local.settings import binaries

# The deployed functions' storage; names without the prefix are separate storage.
STORAGE = ("KEYS_TABLE", "USAGE_TABLE", "JOBS_TABLE", "SETTINGS_TABLE", "EVENTS_TABLE", "FILES_BUCKET",
           "OFFICE_QUEUE_URL", "HTML_QUEUE_URL", "OFFICE_DEAD_LETTERS_URL", "HTML_DEAD_LETTERS_URL")
PLAN = "load"


@dataclass(frozen=True)
class Answer:
    status: int
    body: dict[str, Any]
    retry_after: float


@dataclass(frozen=True)
class Stack:
    url: str
    samples: str
    endpoint: str
    home: Path
    storage: dict[str, str]
    # From which workers may fetch.
    spare_port: int

    @classmethod
    def of_environment(cls) -> "Stack":
        """Reads the variables of `with-stack`. Names missing ones."""
        return cls(
            url=os.environ["DOCMILL_URL"], samples=os.environ["SAMPLES_URL"], endpoint=os.environ["AWS_ENDPOINT_URL"],
            home=Path(os.environ["STACK_LOGS"]).parent,
            storage={name: os.environ[f"DEPLOYED_{name}"] for name in STORAGE},
            spare_port=int(os.environ["TEST_SOURCE_PORTS"].partition(",")[0]),
        )

    def client(self, service: str) -> Any:
        return deploy.client(service, self.endpoint)

    def make_account(self, jobs: int) -> tuple[str, str]:
        """An account with just enough credits, and a key with high limits."""
        plan = f"{PLAN}-{jobs}"
        self.admin("plan", "set", plan, "--included-credits", str(jobs))
        account = self.admin("account", "create", "--name", "Load", "--plan", plan)["account"]["id"]
        return account, self.make_key(account)

    def make_key(self, account: str) -> str:
        limits = ("--create-limit", "6000", "--create-burst", "300", "--read-limit", "60000", "--read-burst", "1000")
        key = self.admin("key", "create", "--account", account, "--name", "load", "--mode", "live", *limits)
        return key["key"]["secret"]

    def admin(self, *arguments: str) -> dict[str, Any]:
        done = subprocess.run(
            [binaries() / "docmill-admin", "--json", *arguments],
            env=os.environ | self.storage, check=True, capture_output=True, text=True, timeout=120,
        )
        return json.loads(done.stdout or "{}")

    def ask(self, method: str, path: str, key: str, body: dict | None = None, headers: dict | None = None) -> Answer:
        """Status 0 means no response."""
        request = urllib.request.Request(
            f"{self.url}{path}", method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"authorization": f"Bearer {key}", "content-type": "application/json"} | (headers or {}),
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Answer(response.status, json.load(response), 0)
        except urllib.error.HTTPError as error:
            text = error.read()
            retry_after = float(error.headers.get("retry-after") or 1)
            return Answer(error.code, json.loads(text) if text.startswith(b"{") else {}, retry_after)
        except (urllib.error.URLError, OSError):
            return Answer(0, {}, 1)

    def processes(self, program: str) -> list[int]:
        """Ids of this stack's processes of a program, without helpers."""
        binary = self.home / "bin" / program
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                command = (entry / "cmdline").read_bytes().split(b"\0")
                is_ours = (entry / "exe").readlink() == binary
            except OSError:
                continue
            # Helpers and confined children have arguments.
            if is_ours and len([part for part in command if part]) == 1:
                found.append(int(entry.name))
        return found
