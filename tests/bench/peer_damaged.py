"""One reader of PDFs, which counts the pages of the file that each line names: `python -m bench.peer_damaged NAME`."""

import json
import sys
from collections.abc import Callable


def pdfium() -> Callable[[str], int]:
    import pypdfium2

    def pages(path: str) -> int:
        with pypdfium2.PdfDocument(path) as document:
            return sum(1 for index in range(len(document)) if document[index])

    return pages


def qpdf() -> Callable[[str], int]:
    import pikepdf

    def pages(path: str) -> int:
        with pikepdf.open(path) as document:
            return len(document.pages)

    return pages


def mupdf() -> Callable[[str], int]:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)

    def pages(path: str) -> int:
        with pymupdf.open(path, filetype="pdf") as document:
            return 0 if document.needs_pass else sum(1 for page in document if page.rect)

    return pages


READERS = {"pdfium": pdfium, "qpdf": qpdf, "mupdf": mupdf}


def main() -> None:
    count = READERS[sys.argv[1]]()
    for line in sys.stdin:
        try:
            answer = {"pages": count(json.loads(line)["path"])}
        except Exception as error:  # Whatever it is, the reader does not read the file.
            answer = {"pages": 0, "said": str(error)[:90]}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
