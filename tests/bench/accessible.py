"""PDFs made accessible, judged by veraPDF: `python -m bench.accessible WORKER FOLDER`.

Office documents, pages and Markdown of the folder are printed with `accessible`; of PDFs without tags, these are made. For each kind it counts how many
pass veraPDF's profile of PDF/UA-1, how many but for what only people can say (alternative texts, title, language), and how many falsely say that they pass.
"""

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from .accessibility import of_verapdf
from .lines import Failed
from .worker import Platform, Worker

PRINTED = {"accessible": True}
TOOLS = {
    ".docx": ("office-to-pdf", PRINTED),
    ".html": ("html-to-pdf", PRINTED),
    ".md": ("markdown-to-pdf", PRINTED),
    ".pdf": ("tag-pdf", {"existing": "replace", "ocr": "never"}),
}
# Rules about alternative texts, the title and the language. A PDF that breaks one must not claim to be PDF/UA.
OF_PEOPLE = {"7.3-1", "7.1-9", "7.2-34", "5-1"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench.accessible")
    parser.add_argument("worker", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--basic", action="store_true", help="print pages without a browser")
    arguments = parser.parse_args()
    if arguments.basic:
        TOOLS[".html"] = ("html-to-pdf", PRINTED | {"renderMode": "basic"})
    paths = sorted(path for path in arguments.folder.rglob("*") if path.suffix in TOOLS)
    with TemporaryDirectory(prefix="docmill-accessible-") as scratch:
        said = {path: made for path in paths if (made := convert(arguments.worker, path, Path(scratch)))}
        broken = of_verapdf([made for made, _ in said.values()])
    for suffix in TOOLS:
        of_kind = [(path, broken[made], claims) for path, (made, claims) in said.items() if path.suffix == suffix]
        count(suffix, of_kind, sum(path.suffix == suffix for path in paths))
    return 0


def convert(binary: Path, path: Path, scratch: Path) -> tuple[Path, bool] | None:
    """The PDF, and whether it says that it is PDF/UA."""
    folder = Path(scratch, str(len(list(scratch.iterdir()))))
    folder.mkdir()
    worker, out = Worker(binary, folder, Platform.ROOT), folder / "result.pdf"
    tool, options = TOOLS[path.suffix]
    try:
        report = worker.convert(tool, path, out, options).get("report") or {}
    except Failed as failure:
        print(f"{path.name}: {failure}")
        return None
    finally:
        worker.lines.stop()
    return out, report.get("accessibility", report).get("conforms") is True


def count(suffix: str, found: list[tuple[Path, set[str] | None, bool]], all_of_kind: int) -> None:
    rules = Counter()
    for path, broken, claims in found:
        rules.update(broken or ())
        if broken or claims and broken is None:
            print(f"{path.name}: {sorted(broken or ())}{', but it says that it is PDF/UA' if claims else ''}")
    passed = sum(broken == set() for _, broken, _ in found)
    of_machines = sum(broken is not None and broken <= OF_PEOPLE for _, broken, _ in found)
    false = sum(claims and broken != set() for _, broken, claims in found)
    if all_of_kind:
        print(f"{suffix}: {len(found)} of {all_of_kind} made; {passed} pass, {of_machines} but for what only people can say; {false} false claims")
        print(f"  {dict(rules.most_common())}")


if __name__ == "__main__":
    sys.exit(main())
