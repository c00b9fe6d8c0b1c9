"""How well Word files, HTML and Markdown are read by their own structure: `python -m extract.own --worker PATH [--keep FOLDER]`.

The same documents as in the corpus, but as what they are printed from. Scored like what is read from PDFs.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

from bench.worker import Worker

from . import corpus, kinds, markdown, page, scores, word
from .truth import Block, Cell, Document, Role

ROLES = {
    "title": Role.HEADING,
    "heading": Role.HEADING,
    "listItem": Role.ITEM,
    "table": Role.TABLE,
    "caption": Role.CAPTION,
    "code": Role.CODE,
    "footnote": Role.FOOTNOTE,
    "formField": Role.FIELD,
}


def sources(folder: Path) -> Iterator[tuple[Document, Path]]:
    for kind in kinds.KINDS:
        for number in range(1, corpus.EACH + 1):
            document = kinds.write(kind, number)
            path = folder / f"html-{document.name}.html"
            path.write_text(page.page(document))
            yield document, path
    for kind in corpus.WORD:
        for number in range(21, 24):
            document = kinds.write(kind, number)
            document.kind = "Word"
            path = folder / f"word-{document.name}.docx"
            word.write(document, path)
            yield document, path
    for name, text in markdown.texts().items():
        blocks = markdown.blocks(text)
        if blocks:
            path = folder / f"real-{name}.md"
            path.write_text(text)
            yield Document(f"real-{name}", "Markdown", blocks=blocks), path


def read(document: dict) -> str:
    """The Markdown of what `extract-document` gives as JSON, written like the truth."""
    tables = {table["id"]: table for table in document["tables"]}
    blocks = (block for block in document["blocks"] if block["role"] != "figure")
    return Document("", "", blocks=[_block(block, tables) for block in blocks]).markdown()


def _block(block: dict, tables: dict[str, dict]) -> Block:
    role = ROLES.get(block["role"], Role.PARAGRAPH)
    number, depth = block.get("number"), block.get("depth", 0)
    made = Block(role, block["text"], level=block.get("level", 1), depth=depth, number=number)
    if role == Role.TABLE:
        table = tables[block["table"]]
        made.rows = [[] for _ in range(table["rows"])]
        for cell in table["cells"]:
            made.rows[cell["row"]].append(Cell(cell["text"], cell["columnSpan"], cell["rowSpan"], cell["header"]))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.own")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--keep", type=Path, help="a folder for what was read")
    arguments = parser.parse_args()
    results: dict[str, list[scores.Scores]] = {}
    with TemporaryDirectory(prefix="docmill-extract-") as scratch:
        folder = Path(scratch)
        worker = Worker(arguments.worker, folder)
        for document, path in sources(folder):
            out = (arguments.keep or folder) / f"{path.name}.json"
            worker.convert("extract-document", path, out, {"format": "json"})
            found = scores.score(document.markdown(), read(json.loads(out.read_text())))
            results.setdefault(path.suffix, []).append(found)
            if found.overall < 0.99:
                print(f"{path.name}: {found}")
        worker.lines.stop()
    print(table(results))


def table(results: dict[str, list[scores.Scores]]) -> str:
    lines = ["| source | documents | overall | order | tables | headings |", "|---|---|---|---|---|---|"]
    for suffix, found in results.items():
        columns = (
            [one.overall for one in found],
            [one.order for one in found],
            [one.tables for one in found if one.tables is not None],
            [one.headings for one in found if one.headings is not None],
        )
        means = " | ".join(f"{mean(column):.4f}" if column else "" for column in columns)
        lines.append(f"| {suffix} | {len(found)} | {means} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
