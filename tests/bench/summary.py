"""The table of `README.md`, from `results.json`: one comparison a line.

    python -m bench.summary           writes the table
    python -m bench.summary FILE      first takes what FILE, written by `make bench`, has measured

A run replaces the parts that it measured and keeps the others, each with its own date.
"""

import json
import statistics
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
README, RESULTS = HERE / "README.md", HERE / "results.json"
BEGIN, END = "<!-- results: `make bench-table` writes this -->", "<!-- end of results -->"
OURS = "docmill"
# Parts with a time for each document and contender, and their names.
TIMED = {
    "office": "Office to PDF",
    "basic": "HTML to PDF, `basic`",
    "browser": "HTML to PDF, `browser`",
    "pdf": "PDF tools",
}
# Parts with counts of their own, which their bars hold.
COUNTED = {"ocr": "OCR", "compress": "Compression", "stream": "A mixed stream of office jobs"}


def taken(measured: dict[str, Any], date: str) -> dict[str, Any]:
    """The parts of a file of `make bench`, as `results.json` has them."""
    parts = {}
    for part, title in TIMED.items():
        if rows := [timed(label, row) for label, row in measured.get(part, {}).items() if row.get(OURS, {}).get("wall_ms")]:
            parts[part] = {"title": title, "measured": date, "load": measured["machine before"]["load"][0], "rows": rows}
    bars = measured.get("bars", [])
    for part, title in COUNTED.items():
        words = {"ocr": "OCR of five", "compress": "compress", "stream": "mixed stream"}[part]
        if rows := [share(bar) for bar in bars if bar["name"].startswith(words) and bar["figure"] is not None]:
            parts[part] = {"title": title, "measured": date, "load": measured["machine before"]["load"][0], "rows": rows}
    return parts


def timed(label: str, row: dict[str, Any]) -> dict[str, Any]:
    medians = {name: round(statistics.median(series["wall_ms"]), 1) for name, series in row.items() if series["wall_ms"]}
    return {"what": label, "unit": "ms", "figures": medians}


def share(bar: dict[str, Any]) -> dict[str, Any]:
    return {"what": bar["name"], "unit": "", "figures": {OURS: round(bar["figure"], 3)}}


def table(results: dict[str, Any]) -> str:
    """A line for each comparison: our figure, the best of the others (the lowest, unless the row says `most`), and the ratio."""
    lines = ["| | Docmill | the best other | ours to it | measured |", "|---|---|---|---|---|"]
    for part in results.values():
        load = f", load {part['load']}" if "load" in part else ""
        for number, row in enumerate(part["rows"]):
            title = f"**{part['title']}**: " if number == 0 else ""
            date = row.get("measured") or (part["measured"] + load if number == 0 else "")
            lines.append(f"| {title}{row['what']} | {compared(row)} | {date} |")
    return "\n".join(lines)


def compared(row: dict[str, Any]) -> str:
    figures = dict(row["figures"])
    ours = figures.pop(OURS)
    if not figures:
        return f"{shown(ours, row['unit'])} | – | –"
    best_of = max if row.get("most") else min
    name, best = best_of(figures.items(), key=lambda item: item[1])
    return f"{shown(ours, row['unit'])} | {name} {shown(best, row['unit'])} | {ours / best:.2f}"


def shown(figure: float, unit: str) -> str:
    text = f"{figure:,.0f}" if figure >= 1000 or float(figure).is_integer() else f"{figure:g}"
    return f"{text} {unit}".strip()


def written(readme: str, results: dict[str, Any]) -> str:
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n\n{table(results)}\n\n{END}{after}"


def main(arguments: list[str]) -> None:
    results = json.loads(RESULTS.read_text())
    for argument in arguments:
        file = Path(argument)
        date = datetime.fromtimestamp(file.stat().st_mtime, UTC).date().isoformat()
        results |= taken(json.loads(file.read_text()), date)
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    README.write_text(written(README.read_text(), results))


if __name__ == "__main__":
    main(sys.argv[1:])
