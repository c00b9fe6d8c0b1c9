"""Makes the synchronous client of the asynchronous one. Usage: generate_sync.py TARGET_FOLDER"""

import sys
from pathlib import Path

import unasync  # type: ignore[import-untyped]

SOURCE = Path(__file__).resolve().parents[1] / "src" / "docmill" / "_async"
BY_HAND = {"__init__.py", "platform.py"}
HEADER = "# Generated from _async by scripts/generate_sync.py.\n"
NAMES = ("Docmill", "Transport", "Conversion", "Job", "Jobs", "Batch", "Batches", "Resource", "Tools", "Uploads", "Events", "Webhooks", "Templates", "Fonts", "Download")
REPLACEMENTS = {f"Async{name}": name for name in NAMES} | {
    "_async": "_sync",
    "aread": "read",
    "aclose": "close",
    "aiter_raw": "iter_raw",
    "AsyncClient": "Client",
}


def main(target: Path) -> None:
    sources = [str(path) for path in sorted(SOURCE.glob("*.py")) if path.name not in BY_HAND]
    rule = unasync.Rule(str(SOURCE), str(target), additional_replacements=REPLACEMENTS)
    unasync.unasync_files(sources, [rule])
    for source in sources:
        written = target / Path(source).name
        text = written.read_text().replace("Awaitable[models.Download]", "models.Download").replace(", Awaitable", "")
        written.write_text(HEADER + text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
