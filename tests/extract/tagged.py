"""How well tagged PDFs are read, beside the same files without their tags: `python -m extract.tagged --worker PATH [--each 2] [--first 1] [--keep FOLDER]`.

Documents of the corpus, printed by our engines with tags, and scored by class. The tags must lose in no class.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import pikepdf

from bench.worker import Worker

from . import corpus, kinds, page, scores, word
from .truth import Document


def printed(worker: Worker, folder: Path, each: int, first: int):
    """`each`: documents of each class. `first`: the first one's seed."""
    for kind in kinds.KINDS:
        for number in range(first, first + each):
            document = kinds.write(kind, number)
            source, pdf = folder / f"{document.name}.html", folder / f"{document.name}.pdf"
            source.write_text(page.page(document))
            options: dict = {"tagged": True, "preferCssPageSize": True}
            if document.header:
                options["headerHtml"] = corpus.HEAD.format(document.header)
                options["footerHtml"] = corpus.HEAD.format(f"{document.footer} {corpus.NUMBER}")
            worker.convert("html-to-pdf", source, pdf, options)
            yield document, pdf
    for kind in corpus.WORD:
        for number in range(first + 20, first + 20 + each):
            document = kinds.write(kind, number)
            document.kind, document.name = "Word", f"word-{document.name}"
            source, pdf = folder / f"{document.name}.docx", folder / f"{document.name}.pdf"
            word.write(document, source)
            worker.convert("office-to-pdf", source, pdf, {})
            yield document, pdf


def _without(pdf: Path, names: tuple[str, ...]) -> Path:
    """A copy without these entries of its catalog, and without links to blocks."""
    copy = pdf.with_name(f"{pdf.stem}-{len(names)}.pdf")
    with pikepdf.open(pdf) as file:
        for one in file.pages:
            if "/Annots" in one:
                del one["/Annots"]
        for name in names:
            if name in file.Root:
                del file.Root[name]
        file.save(copy)
    return copy


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.tagged")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--printer", type=Path, help="another worker that prints")
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--first", type=int, default=1, help="the first seed: the corpus has those up to 6, and in Word files those from 21 to 23")
    parser.add_argument("--keep", type=Path, help="a folder for what was read")
    arguments = parser.parse_args()
    results: dict[str, list[tuple[Document, scores.Scores, scores.Scores]]] = defaultdict(list)
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        folders = [Path(scratch) / name for name in ("print", "read")]
        for folder in folders:
            folder.mkdir()
        printer = Worker(arguments.printer or arguments.worker, folders[0])
        reader = Worker(arguments.worker, folders[1])
        for document, pdf in printed(printer, folders[0], arguments.each, arguments.first):
            found = []
            for way, names in (("tags", ("/Outlines",)), ("places", ("/Outlines", "/StructTreeRoot", "/MarkInfo"))):
                out = (arguments.keep or folders[1]) / f"{document.name}-{way}.md"
                reader.convert("pdf-to-text", _without(pdf, names), out, {"format": "markdown"})
                found.append(scores.score(document.markdown(), out.read_text()))
            results[document.kind].append((document, *found))
            if found[0].overall < found[1].overall - 0.005:
                print(f"{document.name}: tags {found[0]}, places {found[1]}", flush=True)
        printer.lines.stop()
        reader.lines.stop()
    print(table(results))


def table(results: dict[str, list[tuple[Document, scores.Scores, scores.Scores]]]) -> str:
    lines = ["| class | documents | by tags | by places |", "|---|---|---|---|"]
    for kind, found in [*results.items(), ("all", [one for of in results.values() for one in of])]:
        lines.append(f"| {kind} | {len(found)} | {mean(a.overall for _, a, _ in found):.3f} | {mean(b.overall for _, _, b in found):.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
