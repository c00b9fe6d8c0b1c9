"""Strangers' documents through workers as Lambda runs them: `make strangers DOCUMENTS=FOLDER`.

Each must end in a result or in a typed error that is not `internal`, within its time, and leave the next document unharmed: a good
document follows each error of an office document or PDF. Where pdftotext finds words, extract-document must have text, or hidden text,
or say why not.
"""

import argparse
import json
import random
import shutil
import statistics
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from . import check
from .documents import FIXTURES, SAMPLES
from .lines import Failed, Lost
from .soak import FALLBACK
from .worker import Worker

GOOD_OFFICE, GOOD_PDF = SAMPLES / "small.docx", FIXTURES.parent / "pdf/text.pdf"
OFFICE = "docx docm doc dotx dot odt rtf txt xlsx xlsm xls ods csv tsv pptx pptm ppt odp odg fodt fods fodp".split()
PICTURES = "jpg jpeg png webp tiff tif gif bmp svg".split()
FORMATS = {"docm": "docx", "dot": "doc", "pptm": "pptx", "jpeg": "jpg", "tif": "tiff", "htm": "html"}
KINDS = {"html": "html", "htm": "html", "md": "md", "eml": "mail", "msg": "mail", "pdf": "pdf"}
PDF_TOOLS: list[tuple[str, dict]] = [
    ("inspect-document", {}),
    ("pdf-to-text", {}),
    ("extract-document", {"ocr": "never", "headersFooters": "keep"}),
    ("compress-pdf", {}),
    ("merge-pdf", {}),
    ("pdf-to-images", {"dpi": 36, "pages": "1"}),
    ("flatten-pdf", {}),
    ("pdf-to-pdfa", {"onUnsupported": "warn"}),
    ("tag-pdf", {"ocr": "never", "existing": "replace"}),
    ("split-pdf", {"mode": "every"}),
    ("organize-pdf", {"pages": "z-1"}),
    ("watermark-pdf", {"text": "Draft"}),
]


@dataclass
class Ended:
    """How one tool ended on one document."""

    document: str
    kind: str
    tool: str
    outcome: str
    message: str = ""
    ms: float = 0
    warnings: list[str] = field(default_factory=list)
    pages: int | None = None
    fallbacks: int = 0
    # What went wrong with the good document after an error.
    next_harmed: str = ""
    # No text was extracted, though pdftotext finds words.
    unread: bool = False


def calls(path: Path, only: str | None = None, is_odd: bool = False) -> list[tuple[str, dict]]:
    """The tools that are tried on a file, by its name. `only`: that one. `is_odd`: one of those that take it, with odd options."""
    if not is_odd:
        return [(tool, options) for tool, options in _calls(path) if only in (None, tool)]
    from .odd_options import for_kind, odd

    suffix = path.suffix[1:].lower()
    family = "office" if suffix in OFFICE else "pictures" if suffix in PICTURES else KINDS.get(suffix, "")
    tools = [tool for tool in for_kind(family) if only in (None, tool)]
    tool = random.Random(path.name).choice(tools) if tools else ""
    return [(tool, odd(tool, path.name))] if tool else []


def _calls(path: Path) -> list[tuple[str, dict]]:
    suffix = path.suffix[1:].lower()
    if suffix in OFFICE:
        return [("office-to-pdf", {})]
    if suffix in PICTURES:
        return [("images-to-pdf", {})]
    if suffix in ("html", "htm"):
        return [("html-to-pdf", {"renderMode": mode}) for mode in ("basic", "browser")]
    message = [("email-to-pdf", {})]
    others = {"pdf": PDF_TOOLS, "md": [("markdown-to-pdf", {})], "eml": message, "msg": message}
    return others.get(suffix, [])


Chosen = Callable[[Path], list[tuple[str, dict]]]


class Runner:
    """One worker, and another one when it is lost."""

    def __init__(self, binary: Path, scratch: Path, results: Path | None, chosen: Chosen):
        self.binary, self.scratch, self.results, self.chosen = binary, scratch, results, chosen
        self.log, self.out = scratch / "log", scratch / "out"
        self.worker = Worker(binary, scratch)
        self.fallbacks = 0

    def try_all(self, path: Path, name: str) -> Iterator[Ended]:
        for tool, options in self.chosen(path):
            ended = self._try(path, name, tool, options)
            if ended.outcome != "result":
                ended.next_harmed = self._next_harmed(tool)
            elif self.results:
                self._keep(name, tool)
            self.out.unlink(missing_ok=True)
            yield ended

    def stop(self) -> None:
        self.worker.lines.stop()

    def _try(self, path: Path, name: str, tool: str, options: dict) -> Ended:
        suffix = path.suffix[1:].lower()
        label = f"{tool} ({options['renderMode']})" if "renderMode" in options else tool
        ended = Ended(name, FORMATS.get(suffix, suffix), label, "result")
        start = time.monotonic()
        try:
            answer = self.worker.convert(tool, [path, GOOD_PDF] if tool == "merge-pdf" else path, self.out, options)
            ended.warnings = [warning["code"] for warning in answer["warnings"]]
            ended.pages = answer["output"].get("pages")
            is_explained = "text_unreadable" in ended.warnings
            is_json = tool == "extract-document" and options.get("format", "json") == "json"
            ended.unread = is_json and options.get("images") != "files" and "pages" not in options and not is_explained and self._is_unread(path)
        except Failed as failed:
            error = json.loads(str(failed))
            ended.outcome, ended.message = error["code"], error["message"]
        except Lost as lost:
            ended.outcome, ended.message = "lost", str(lost)
            self.stop()
            self.worker = Worker(self.binary, self.scratch)
        ended.ms = round((time.monotonic() - start) * 1000, 1)
        before, self.fallbacks = self.fallbacks, self.log.read_text(errors="replace").count(FALLBACK)
        ended.fallbacks = self.fallbacks - before
        return ended

    def _next_harmed(self, tool: str) -> str:
        """What went wrong with a good document; empty if it converts right."""
        try:
            if tool == "office-to-pdf":
                self.worker.convert(tool, GOOD_OFFICE, self.out, {})
                check.pdf(self.out, "Small doc", 1)
            elif tool in dict(PDF_TOOLS):
                options = dict(PDF_TOOLS)[tool]
                self.worker.convert(tool, [GOOD_PDF, GOOD_PDF] if tool == "merge-pdf" else GOOD_PDF, self.out, options)
        except (Failed, Lost, check.Wrong) as error:
            return str(error)
        return ""

    def _is_unread(self, path: Path) -> bool:
        document = json.loads(self.out.read_text())
        has_text = document["hidden"] or any(block["text"].strip() for block in document["blocks"])
        return not has_text and bool(check.words(path))

    def _keep(self, name: str, tool: str) -> None:
        if tool == "office-to-pdf":
            place = self.results / (name + ".pdf")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(self.out, place)


def chosen(arguments: argparse.Namespace) -> Chosen:
    return partial(calls, only=arguments.tool, is_odd=arguments.odd)


def run(arguments: argparse.Namespace, documents: list[tuple[Path, str]]) -> list[Ended]:
    waiting, ended = iter(documents), []
    lock = threading.Lock()

    def serve(scratch: Path) -> None:
        runner = Runner(arguments.worker, scratch, arguments.results, chosen(arguments))
        try:
            while True:
                with lock:
                    path, name = next(waiting, (None, ""))
                if path is None:
                    return
                for one in runner.try_all(path, name):
                    with lock, arguments.json.open("a") as lines:
                        ended.append(one)
                        lines.write(json.dumps(asdict(one), ensure_ascii=False) + "\n")
        finally:
            runner.stop()

    with TemporaryDirectory(prefix="docmill-strangers-") as scratch:
        places = [Path(scratch) / str(number) for number in range(arguments.workers)]
        for place in places:
            place.mkdir()
        threads = [threading.Thread(target=serve, args=[place]) for place in places]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return ended


def table(ended: list[Ended]) -> str:
    """A line for each tool and format."""
    lines = ["| tool | format | documents | results | errors | internal | next harmed | median ms | p99 ms |", "|---" * 9 + "|"]
    groups: dict[tuple[str, str], list[Ended]] = {}
    for one in ended:
        groups.setdefault((one.tool, one.kind), []).append(one)
    for (tool, kind), group in sorted(groups.items()):
        outcomes = Counter(one.outcome for one in group)
        errors = ", ".join(f"{code} {count}" for code, count in outcomes.most_common() if code != "result")
        times = sorted(one.ms for one in group)
        harmed = sum(bool(one.next_harmed) for one in group)
        cells = [tool, kind, len(group), outcomes["result"], errors or "–", outcomes["internal"], harmed]
        cells += [f"{statistics.median(times):.0f}", f"{times[int(len(times) * 0.99)]:.0f}"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def main() -> int:
    """Exit code 0 if nothing was `internal` or unread, no worker or warm engine was lost, and no next document was harmed."""
    parser = argparse.ArgumentParser(prog="bench.strangers")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--sample", type=int, help="so many documents, chosen at random")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--results", type=Path, help="a folder to keep the PDFs of office documents in")
    parser.add_argument("--tool", help="only this tool")
    parser.add_argument("--odd", action="store_true", help="one tool for each document, with options that nobody chooses")
    parser.add_argument("--json", type=Path, default=Path("strangers.jsonl"))
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    documents = [(path, str(path.relative_to(arguments.folder))) for path in sorted(arguments.folder.rglob("*"))]
    documents = [(path, name) for path, name in documents if path.is_file() and chosen(arguments)(path)]
    random.Random(1).shuffle(documents)
    arguments.json.unlink(missing_ok=True)
    ended = run(arguments, documents[: arguments.sample])
    print(table(ended))
    wrong = [one for one in ended if one.outcome in ("internal", "lost") or one.next_harmed or one.fallbacks or one.unread]
    for one in wrong:
        unread = "no text" if one.unread else ""
        print(f"WRONG: {one.document}, {one.tool}: {one.outcome} {one.message} {one.next_harmed} {unread} ({one.fallbacks} fallbacks)")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
