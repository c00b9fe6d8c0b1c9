"""Reads the measured half of the corpus by all readers, and scores them: `make bench ONLY=extract`."""

import hashlib
from collections import defaultdict
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

import pikepdf

from bench import peers

from . import corpus, readers, scores
from .truth import Document

HERE = Path(__file__).resolve().parent
# Scores of each document, and CPU ms a page of each class, by reader.
Results = dict[str, dict[str, dict]]


def measure(worker: Path, half: str = "measured", alone: bool = False, keep: Path | None = None, without: tuple[str, ...] = ()) -> Results:
    """`keep`: a folder for what each reader made. `without`: classes to leave out."""
    by_kind = {kind: documents for kind, documents in of_half(worker, half).items() if kind not in without}
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        running = readers.start(worker, Path(scratch), alone)
        results: Results = {one.name: {"documents": {}, "cpu": {}} for one in running}
        for kind, documents in by_kind.items():
            pages = sum(_pages(path) for _, path in documents)
            for one in running:
                texts = one.read(documents)
                results[one.name]["cpu"][kind] = (one.cpu_ms, pages)
                for document, _ in documents:
                    text = texts[document.name]
                    if keep:
                        _keep(keep / one.name / f"{document.name}.md", text)
                    results[one.name]["documents"][document.name] = _scored(document, text)
        for one in running:
            one.stop()
    return results


def _keep(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _scored(document: Document, text: str) -> dict:
    found = scores.score(document.markdown(), text)
    return {"kind": document.kind, "overall": found.overall, **asdict(found)}


def of_half(worker: Path, half: str) -> dict[str, list[tuple[Document, Path]]]:
    folder = peers.cache() / f"extract-corpus-{_digest()}"
    if not (folder / "complete").exists():
        corpus.make(folder, worker)
        (folder / "complete").touch()
    found: dict[str, list[tuple[Document, Path]]] = defaultdict(list)
    for path in sorted(folder.glob("*.json")):
        if corpus.half(path.stem) == half or half == "all":
            document = Document.load(path)
            found[document.kind].append((document, path.with_suffix(".pdf")))
    return dict(found)


def _digest() -> str:
    """A digest of what the corpus is made by. The engines that print it may change: delete the folder then."""
    names = ("prose", "tables", "kinds", "styles", "page", "word", "scans", "markdown", "corpus", "truth")
    return hashlib.sha256(b"".join((HERE / f"{name}.py").read_bytes() for name in names)).hexdigest()[:12]


def _pages(path: Path) -> int:
    with pikepdf.open(path) as pdf:
        return len(pdf.pages)


def table(results: Results, half: str = "measured") -> str:
    names = list(results)
    kinds = list(dict.fromkeys(one["kind"] for one in next(iter(results.values()))["documents"].values()))
    lines = ["", f"### Structure read from PDFs: the {half} half", ""]
    for what in ("overall", "order", "tables", "headings"):
        lines += [f"| {what} | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
        for kind in kinds:
            values = [_mean(results[name], what, kind) for name in names]
            if any(value is not None for value in values):
                lines.append(f"| {kind} | {' | '.join(map(_shown, values))} |")
        means = [_mean(results[name], what) for name in names]
        lines += [f"| **mean** | {' | '.join(map(_shown, means))} |", ""]
    lines += [f"| CPU ms a page | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    for label, wanted in (("text", lambda kind: kind != "scans"), ("scans", lambda kind: kind == "scans")):
        lines.append(f"| {label} | {' | '.join(_cpu(results[name]['cpu'], wanted) for name in names)} |")
    return "\n".join(lines)


def _mean(of: dict, what: str, kind: str | None = None) -> float | None:
    values = [one[what] for one in of["documents"].values() if kind in (None, one["kind"]) and one[what] is not None]
    return sum(values) / len(values) if values else None


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _cpu(cpu: dict, wanted) -> str:
    chosen = [value for kind, value in cpu.items() if wanted(kind)]
    pages = sum(pages for _, pages in chosen)
    return f"{sum(ms for ms, _ in chosen) / pages:.1f}" if pages else "–"
