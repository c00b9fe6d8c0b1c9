"""Runs scenarios with one runner."""

import hashlib
import json
import os
import subprocess
import threading
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance import faults, hooks, traces
from conformance.expectations import ANY, count_differences, differences, fill
from conformance.runner import Runner, RunnerFailed
from conformance.space import RESULT_BYTES, Space, sha256_of

# Keys of a step that are not sent to runners.
KEPT = ("expect", "expectError", "saved", "as", "took", "appears", "times")
# Most seconds of a step. A job whose environment dies comes back when its lease has ended, which is no client's fault.
LONGEST = {"faults": 60, "stack": 330}
# A step on the stack that takes longer is reported with what the stack has logged of it.
SLOW_SECONDS = 60
# Keys of the fault server: nothing that a client says may contain this.
SECRET = "Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7Zq7abcdef"
MIB = 1 << 20


@dataclass(frozen=True)
class World:
    """What all languages share."""

    server: faults.Server
    files: Path
    out: Path
    stack: dict[str, str]


class Session:
    """One runner of a language. `name` tells it from the others."""

    def __init__(self, language: str, name: str, runner: Runner, world: World) -> None:
        self.language, self.name, self.runner, self.world = language, name, runner, world
        self.out = world.out / name
        self.out.mkdir()
        self.run = f"{name}-{uuid.uuid4().hex[:8]}"
        self.secrets = [SECRET, faults.SIGNATURE, *([world.stack["DOCMILL_LIVE_KEY"]] if world.stack else [])]

    def play(self, number: int, scenario: dict[str, Any]) -> list[str]:
        """What went otherwise than the scenario says."""
        space = Space(scenario)
        name = f"{self.name}-{number}"
        self.world.server.spaces[name] = space
        known = {
            "any": ANY, "files": str(self.world.files), "out": str(self.out), "run": self.run, "hooks": hooks.vectors(),
            "faults": {"sha256": sha256_of(RESULT_BYTES)}, "samples": self.world.stack.get("SAMPLES_URL", ""),
        }
        client = self.client(scenario, name) | scenario.get("client", {})
        before = self.runner.forget_peak() if "memory" in scenario else None
        for place, step in enumerate(scenario["steps"]):
            if lines := self.step({"took": {"max": LONGEST[scenario["server"]]}} | step, client, known):
                return [f"step {place + 1} ({step['do']}): {line}" for line in lines]
        lines = count_differences(scenario.get("counted", {}), space.counted())
        if before is not None and (grown := self.runner.memory() - before) > scenario["memory"]["maxGrowthMiB"] * MIB:
            lines.append(f"the runner's memory grew by {grown // MIB} MiB")
        return lines + self.leaks(self.runner.said())

    def client(self, scenario: dict[str, Any], space: str) -> dict[str, Any]:
        if scenario["server"] == "stack":
            return {"url": self.world.stack["DOCMILL_URL"], "key": self.world.stack["DOCMILL_LIVE_KEY"]}
        return {"url": f"{self.world.server.address}/{space}", "key": f"dm_live_{SECRET}"}

    def step(self, step: dict[str, Any], client: dict[str, Any], known: dict[str, Any]) -> list[str]:
        told = {key: fill(value, known) for key, value in step.items() if key not in KEPT}
        told |= {"items": told["items"] * step["times"]} if "times" in step else {}
        told["client"] = client | told.get("client", {})
        appearing = appears(fill(step["appears"], known)) if "appears" in step else None
        started = time.monotonic()
        answer = self.runner.ask(told)
        if appearing:
            appearing.join()
        seconds = time.monotonic() - started
        if seconds > SLOW_SECONDS:
            slow = f"slow: {self.name}: {step['do']} took {seconds:.0f} s"
            print("\n    ".join([slow, *traces.of(json.dumps(answer))]), flush=True)
        kind = "error" if "error" in answer else "result"
        if "as" in step:
            known[step["as"]] = answer[kind]
        wanted = "error" if "expectError" in step else "result"
        if kind != wanted:
            return [f"{kind} {shorten(answer[kind])} instead of {wanted}"]
        lines = differences(fill(step.get("expectError", step.get("expect", {})), known), answer[kind], kind)
        if not step["took"].get("min", 0) <= seconds <= step["took"]["max"]:
            lines.append(f"took {seconds:.1f} s instead of {step['took']}")
        if "saved" in step:
            lines += file_differences(fill(step["saved"], known))
        told_texts = json.dumps([answer["error"], step["do"]] if kind == "error" else answer["result"].get("texts", []))
        return lines + self.leaks(told_texts)

    def leaks(self, text: str) -> list[str]:
        return [f"a secret appears: {shorten(text)}" for secret in self.secrets if secret in text]


def appears(file: dict[str, Any]) -> threading.Thread | None:
    """Makes a file, as another program does: at once, or on a thread of its own after some seconds."""
    path = Path(file["path"])

    def make() -> None:
        time.sleep(file.get("afterSeconds", 0))
        path.write_text(file["content"])

    path.parent.mkdir(exist_ok=True)
    if "afterSeconds" not in file:
        make()
        return None
    thread = threading.Thread(target=make)
    thread.start()
    return thread


def file_differences(wanted: dict[str, Any]) -> list[str]:
    """Looks into a file that the client has saved."""
    path = Path(wanted["path"])
    if wanted.get("absent"):
        left = sorted(each.name for each in path.parent.glob(f"*{path.stem}*"))
        return [f"left behind: {left}"] if left else []
    if not path.is_file():
        return [f"{path.name} does not exist"]
    if parts := [each.name for each in path.parent.glob(f".{path.name}*")]:
        return [f"left behind: {parts}"]
    content = path.read_bytes()
    found = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    lines = [f"{path.name} has {name} {found[name]}" for name in found if name in wanted and wanted[name] != found[name]]
    if not content.startswith(wanted.get("startsWith", "").encode()):
        lines.append(f"{path.name} starts with {content[:20]!r}")
    if wanted.get("contains", "").encode() not in content:
        lines.append(f"{path.name} does not contain {wanted['contains']!r}")
    if "text" in wanted:
        text = subprocess.run(["pdftotext", path, "-"], capture_output=True, text=True, check=False)
        if wanted["text"] not in text.stdout:
            lines.append(f"{path.name} has the text {text.stdout[:200]!r} {text.stderr[:200]}")
    return lines


def shorten(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) < 600 else text[:600] + "…"


def play_all(session: Session, scenarios: list[dict[str, Any]]) -> list[str]:
    """What each scenario that failed did wrong. If the runner itself failed, the rest fails too."""
    failures: list[str] = []
    for number, scenario in enumerate(scenarios):
        started = time.monotonic()
        try:
            lines = session.play(number, scenario)
        except KeyError as failure:
            lines = [str(failure)]
        except RunnerFailed as failure:
            return [*failures, *(f"{session.language}: {each['name']}: {failure}" for each in scenarios[number:])]
        if os.environ.get("VERBOSE"):
            print(f"{session.name}: {time.monotonic() - started:5.2f} s  {scenario['name']}", flush=True)
        if lines:
            failures.append(f"{session.language}: {scenario['name']}: " + "; ".join(lines))
    return failures
