"""Usage: python -m conformance [--name PART] [LANGUAGE …]

With the variables of a stack in the environment, all scenarios run; without, only those on the fault server.
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from conformance import faults, guides, traces
from conformance.runner import ROOT, Runner, present
from conformance.scenario import Session, World, play_all

FOLDER = Path(__file__).resolve().parents[1]
GUIDE = "guide: its samples run as they stand"
LARGE_BYTES = 64 << 20
MIDDLE_BYTES = 3 << 20


class Played(NamedTuple):
    """A lane of one language. `failures` has one text for each scenario that failed."""

    language: str
    scenarios: int
    failures: list[str]
    seconds: float


def scenarios(part: str, stack: bool) -> list[dict[str, Any]]:
    definition = json.loads((FOLDER / "scenarios.json").read_text())
    chosen = [tool_scenario(definition["tools"]), *definition["scenarios"]]
    return [each for each in chosen if part in each["name"] and (stack or each["server"] == "faults")]


def tool_scenario(tools: dict[str, list[str]]) -> dict[str, Any]:
    steps = [
        {"do": "tool", "source": {"file": f"/tmp/document.{extension}"}, "expect": {"tool": tool}}
        for tool, extensions in tools.items()
        for extension in extensions
    ]
    return {"name": "convert: every extension has its tool", "server": "faults", "steps": steps}


def make_files(folder: Path) -> None:
    shutil.copy(ROOT / "samples/small.docx", folder)
    (folder / "middle.csv").write_bytes(b"a,b\n" * (MIDDLE_BYTES // 4))
    with (folder / "large.csv").open("wb") as file:
        file.truncate(LARGE_BYTES)


def lanes(chosen: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """What can run at the same time. Scenarios on the stack build on each other; those on the fault server mostly wait."""
    on_stack = [each for each in chosen if each["server"] == "stack"]
    on_faults = [each for each in chosen if each["server"] == "faults"]
    return [lane for lane in (on_stack, on_faults[::2], on_faults[1::2]) if lane]


def play(language: str, command: list[str], world: World, lane: list[dict[str, Any]], number: int) -> Played:
    started = time.monotonic()
    runner = Runner(command, world.out / f"{language}-{number}.log")
    try:
        own = [each for each in lane if language in each.get("languages", [language])]
        failures = play_all(Session(language, f"{language}-{number}", runner, world), own)
    finally:
        runner.end()
    return Played(language, len(own), failures, time.monotonic() - started)


def play_guide(language: str, world: World) -> Played:
    started = time.monotonic()
    lines = guides.failures(language, world.out / f"{language}-guide", world.stack)
    failures = [f"{language}: {GUIDE}: " + "; ".join(lines)] if lines else []
    return Played(language, 1, failures, time.monotonic() - started)


def report(played: list[Played]) -> list[str]:
    lines = []
    for language in dict.fromkeys(each.language for each in played):
        own = [each for each in played if each.language == language]
        count, failed = sum(each.scenarios for each in own), sum(len(each.failures) for each in own)
        lines.append(f"  {max(each.seconds for each in own):6.1f} s  {language}: {count - failed} of {count} scenarios")
    failures = [line for each in played for line in each.failures]
    return lines + [line for failure in failures for line in (failure, *(f"    {line}" for line in traces.of(failure)))]


def main() -> int:
    parser = argparse.ArgumentParser(prog="conformance")
    parser.add_argument("--name", default="")
    parser.add_argument("languages", nargs="*")
    given = parser.parse_args()
    commands, missing = present(given.languages)
    stack = {name: os.environ[name] for name in ("DOCMILL_URL", "DOCMILL_LIVE_KEY", "SAMPLES_URL") if name in os.environ}
    chosen = scenarios(given.name, bool(stack))
    if not commands or not (chosen or given.name in GUIDE):
        raise SystemExit("Error: no such scenario, or no runner.")
    for language in missing:
        print(f"  missing: {language}")
    tracks = lanes(chosen)
    with tempfile.TemporaryDirectory() as folder, faults.running() as server, ThreadPoolExecutor(len(commands) * (len(tracks) + 1)) as threads:
        files, out = Path(folder, "files"), Path(folder, "out")
        files.mkdir()
        out.mkdir()
        make_files(files)
        world = World(server, files, out, stack)
        pending = [
            threads.submit(play, language, command, world, lane, number)
            for language, command in commands.items()
            for number, lane in enumerate(tracks)
        ]
        if stack and given.name in GUIDE:
            pending += [threads.submit(play_guide, language, world) for language in commands if guides.has_samples(language)]
        played = [each.result() for each in pending]
    print("\n".join(report(played)), flush=True)
    return 1 if any(each.failures for each in played) else 0


if __name__ == "__main__":
    sys.exit(main())
