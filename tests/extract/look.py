"""Scores of one half of the corpus by document, worst first: `python -m extract.look rules --worker PATH [--keep FOLDER] [--peers]`."""

import argparse
from pathlib import Path

from . import measure


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.look")
    parser.add_argument("half", choices=["rules", "measured", "all"])
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="a folder for what was read")
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    results = measure.measure(arguments.worker, arguments.half, not arguments.peers, arguments.keep)
    if arguments.half != "measured":
        for name, one in sorted(results["docmill"]["documents"].items(), key=lambda item: item[1]["overall"]):
            shown = " ".join(f"{what} {one[what]:.3f}" for what in ("overall", "order", "tables", "headings") if one[what] is not None)
            print(f"{name:28} {shown}")
    print(measure.table(results, arguments.half))


if __name__ == "__main__":
    main()
