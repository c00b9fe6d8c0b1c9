"""`check-accessibility` beside veraPDF: `python -m bench.accessibility WORKER FOLDER`.

Counts the PDFs of the folder in which both find the same rules broken. Of the others, it lists which rules only one of them finds. `--conditions` adds the
table of the Matterhorn Protocol's conditions (`matterhorn.txt`): in how many PDFs veraPDF finds a rule of each broken, and in how many of these both find
the same of its rules, and in how many both find none.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from .lines import Failed
from .worker import Worker

PROJECT = Path(__file__).resolve().parents[2]
JUDGE = PROJECT / "functions/worker/pdf/tests/pdfa/Judge.java"
CONDITIONS = Path(__file__).with_name("matterhorn.txt")
# veraPDF's process takes so many files as arguments.
AT_ONCE = 50
RULE = re.compile(r"(?:^veraPDF: |; )(\d[\d.]*-\d+) ")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.accessibility")
    parser.add_argument("worker", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--conditions", action="store_true", help="count by the conditions of the Matterhorn Protocol, too")
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.rglob("*.pdf"))
    with TemporaryDirectory(prefix="docmill-accessibility-") as scratch:
        ours = of_docmill(arguments.worker, paths, Path(scratch))
    theirs = of_verapdf(paths)
    both = [path for path in paths if ours[path] is not None and theirs[path] is not None]
    missed, extra = Counter(), Counter()
    for path in both:
        missed.update(theirs[path] - ours[path])
        extra.update(ours[path] - theirs[path])
        if ours[path] != theirs[path]:
            print(f"{path.name}: only veraPDF {sorted(theirs[path] - ours[path])}, only ours {sorted(ours[path] - theirs[path])}")
    same = sum(ours[path] == theirs[path] for path in both)
    print(f"{same} of {len(both)} PDFs with the same rules; {len(paths) - len(both)} that one of them can't read")
    if arguments.conditions:
        conditions([(ours[path] or set(), theirs[path] or set()) for path in both])
    print(f"Only veraPDF: {dict(missed.most_common())}\nOnly ours: {dict(extra.most_common())}")
    return 0


def conditions(found: list[tuple[set[str], set[str]]]) -> None:
    print("| condition | rules | broken | of these agreeing | not broken | of these agreeing |\n|---|---|---|---|---|---|")
    for line in CONDITIONS.read_text().splitlines():
        if line.startswith("#"):
            continue
        condition, *rules = line.split()
        of_it = [(ours & set(rules), theirs & set(rules)) for ours, theirs in found]
        broken = [ours == theirs for ours, theirs in of_it if theirs]
        sound = [not ours for ours, theirs in of_it if not theirs]
        print(f"| {condition} | {' '.join(rules) or 'none'} | {len(broken)} | {sum(broken)} | {len(sound)} | {sum(sound)} |" if rules else f"| {condition} | none | | | | |")


def of_docmill(binary: Path, paths: list[Path], scratch: Path) -> dict[Path, set[str] | None]:
    worker, out = Worker(binary, scratch), scratch / "out.json"

    def broken(path: Path) -> set[str] | None:
        try:
            worker.convert("check-accessibility", path, out, {})
        except Failed:
            return None
        return {finding["rule"] for finding in json.loads(out.read_text())["failed"]}

    found = {path: broken(path) for path in paths}
    worker.lines.stop()
    return found


def of_verapdf(paths: list[Path]) -> dict[Path, set[str] | None]:
    jars = subprocess.check_output([PROJECT / "infra/setup.sh", "validators"], text=True).strip()
    found = {}
    for first in range(0, len(paths), AT_ONCE):
        some = paths[first : first + AT_ONCE]
        lines = subprocess.check_output(["java", "-cp", f"{jars}/*", JUDGE, *(f"ua={path}" for path in some)], text=True).splitlines()
        found |= {path: None if "xception" in line else set(RULE.findall(line)) for path, line in zip(some, lines, strict=True)}
    return found


if __name__ == "__main__":
    sys.exit(main())
