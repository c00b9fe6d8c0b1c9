"""Keeps one of the peers warm, in their own environment: reads {"in": [PDF, …], "out": FOLDER} a line, and writes NAME.md of each.

Each has its defaults, but for the format and what it would print.
"""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path


def edgeparse() -> Callable[[Path], str]:
    import edgeparse as library

    return lambda path: library.convert(str(path), format="markdown")


def liteparse() -> Callable[[Path], str]:
    from liteparse import LiteParse

    parser = LiteParse(output_format="markdown", quiet=True, ocr_enabled=False)
    return lambda path: parser.parse(str(path)).text


def pdf_inspector() -> Callable[[Path], str]:
    import pdf_inspector as library

    return lambda path: library.process_pdf(str(path)).markdown or ""


def pymupdf4llm() -> Callable[[Path], str]:
    import pymupdf4llm as library

    return lambda path: library.to_markdown(str(path))


def markitdown() -> Callable[[Path], str]:
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: converter.convert(str(path)).text_content


def each(read: Callable[[Path], str], paths: list[Path], out: Path) -> dict[str, str]:
    failed = {}
    for path in paths:
        try:
            (out / f"{path.stem}.md").write_text(read(path))
        except Exception as error:
            failed[path.stem] = f"{type(error).__name__}: {error}"
    return failed


def opendataloader() -> Callable[[list[Path], Path], dict[str, str]]:
    """A virtual machine for each call, so all documents in one."""
    import opendataloader_pdf as library

    def convert(paths: list[Path], out: Path) -> dict[str, str]:
        names = [str(path) for path in paths]
        library.convert(input_path=names, output_dir=str(out), format=["markdown"], image_output="off", quiet=True)
        return {path.stem: "no result" for path in paths if not (out / f"{path.stem}.md").exists()}

    return convert


ONE_BY_ONE = {
    "edgeparse": edgeparse,
    "liteparse": liteparse,
    "pdf-inspector": pdf_inspector,
    "pymupdf4llm": pymupdf4llm,
    "markitdown": markitdown,
}
ALL = [*ONE_BY_ONE, "opendataloader-pdf"]


def main(name: str) -> None:
    # Libraries print what they like: answers have a channel of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    if name in ONE_BY_ONE:
        read = ONE_BY_ONE[name]()
        convert = lambda paths, out: each(read, paths, out)
    else:
        convert = opendataloader()
    for line in sys.stdin:
        asked = json.loads(line)
        failed = convert([Path(path) for path in asked["in"]], Path(asked["out"]))
        answers.write(json.dumps({"failed": failed}) + "\n")
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
