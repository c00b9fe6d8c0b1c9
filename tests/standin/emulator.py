"""AWS's own emulator of the Runtime API, with a function in the stand-in for Lambda (`infra/worker/like-lambda.sh`)."""

import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LIKE_LAMBDA = ROOT / "infra/worker/like-lambda.sh"
FREEZERS = ((Path("/sys/fs/cgroup/freezer"), "freezer.state", "FROZEN", "THAWED"), (Path("/sys/fs/cgroup"), "cgroup.freeze", "1", "0"))
PATIENCE = 120
FAILED = "the invocation failed"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Emulator:
    """One execution environment. It ends with the `with` block."""

    def __init__(self, program: Path, command: list[str], environment: dict[str, str], reads: list[Path], log: Path) -> None:
        self.invoke_port, runtime_port = free_port(), free_port()
        self.group = f"docmill-{os.getpid()}-{self.invoke_port}"
        self.log = log
        settings = {
            "LIKE_LAMBDA_NETWORK": "host", "LIKE_LAMBDA_GROUP": self.group, "LIKE_LAMBDA_PASS": " ".join(environment),
            "LIKE_LAMBDA_READS": ":".join(str(path) for path in [program.parent, *reads]),
        }
        addresses = ["--runtime-interface-emulator-address", f"127.0.0.1:{self.invoke_port}", "--runtime-api-address", f"127.0.0.1:{runtime_port}"]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [LIKE_LAMBDA, program, *addresses, *command], env=os.environ | environment | settings, cwd="/",
                stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True,
            )

    def __enter__(self) -> "Emulator":
        return self

    def __exit__(self, *_: object) -> None:
        self.thaw()
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(PATIENCE)

    def invoke(self, event: dict[str, Any]) -> Any:
        """The function's answer. FAILED, if its process ended or ran out of time without one: the event comes back to the queue."""
        url = f"http://127.0.0.1:{self.invoke_port}/2015-03-31/functions/function/invocations"
        request = urllib.request.Request(url, data=json.dumps(event).encode())
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                answer = response.read()
        except urllib.error.HTTPError as error:
            if error.code == 502:
                return FAILED
            raise
        return FAILED if answer.startswith(b"Task timed out") else json.loads(answer)

    def freeze(self) -> None:
        self._set_frozen(True)

    def thaw(self) -> None:
        self._set_frozen(False)

    def _set_frozen(self, frozen: bool) -> None:
        for parent, name, yes, no in FREEZERS:
            state = parent / self.group / name
            if state.exists():
                state.write_text(yes if frozen else no)
                return
        if frozen:
            raise RuntimeError("no control group can freeze processes here")

    def is_listening(self) -> bool:
        with socket.socket() as attempt:
            return attempt.connect_ex(("127.0.0.1", self.invoke_port)) == 0

    def logged(self) -> str:
        return self.log.read_text(errors="replace")
