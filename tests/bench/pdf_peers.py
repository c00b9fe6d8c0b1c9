"""Other PDF tools with the same interface: programs for files, and Gotenberg's routes over HTTP."""

import base64
import email
import email.policy
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import peers
from .contenders import Command, Contender, Soffice, Unoserver
from .gotenberg import Gotenberg

Sources = list[Path]


class Program(Command):
    """A process for each job. `make`: the command for these sources and result."""

    def __init__(self, name: str, make: Callable[[Sources, Path], list]):
        super().__init__(name)
        self.make = make

    def command(self, source: Sources, out: Path) -> list[str]:
        return [str(word) for word in self.make(source, out)]


class IntoFolder(Program):
    """A program whose result is a folder of files."""

    def convert(self, source: Sources, out: Path) -> None:
        out.mkdir()
        super().convert(source, out)


class OneBySoffice(Soffice):
    def convert(self, source: Sources, out: Path) -> None:
        super().convert(source[0], out)


class OneByUnoserver(Unoserver):
    def convert(self, source: Sources, out: Path) -> None:
        super().convert(source[0], out)


def python(installed: peers.Peers, name: str, script: str) -> Program:
    """A script of one or two lines; `sys.argv` has the sources and then the result."""
    return Program(name, lambda source, out: [installed.python, "-c", script, *source, out])


PIKEPDF_MERGE = """
import sys, pikepdf
merged = pikepdf.new()
for path in sys.argv[1:-1]:
    with pikepdf.open(path) as pdf:
        merged.pages.extend(pdf.pages)
merged.save(sys.argv[-1])
"""
PIKEPDF_REVERSE = """
import sys, pikepdf
with pikepdf.open(sys.argv[1]) as pdf:
    pdf.pages.reverse()
    pdf.save(sys.argv[2])
"""
PIKEPDF_TITLE = """
import sys, pikepdf
with pikepdf.open(sys.argv[1]) as pdf:
    with pdf.open_metadata() as metadata:
        metadata["dc:title"] = "New"
    pdf.save(sys.argv[2])
"""
PIKEPDF_ARCHIVE = """
import sys, pikepdf, pikepdf.pdfa
with pikepdf.open(sys.argv[1]) as pdf:
    pikepdf.pdfa.save(pdf, sys.argv[2], "2b")
"""
# The output intent that PDF/A asks for, as Ghostscript's own PDFA_def.ps sets it.
SRGB = "/usr/share/color/icc/ghostscript/srgb.icc"
INTENT = f"""[ /_objdef {{icc}} /type /stream /OBJ pdfmark
[ {{icc}} << /N 3 >> /PUT pdfmark [ {{icc}} ({SRGB}) (r) file /PUT pdfmark
[ /_objdef {{intent}} /type /dict /OBJ pdfmark
[ {{intent}} << /Type /OutputIntent /S /GTS_PDFA1 /DestOutputProfile {{icc}} /OutputConditionIdentifier (sRGB) >> /PUT pdfmark
[ {{Catalog}} << /OutputIntents [ {{intent}} ] >> /PUT pdfmark"""
COMPARE = """
import json, sys
from diff_pdf_visually import pdfdiff_pages
pages = pdfdiff_pages(sys.argv[1], sys.argv[2], dpi=100, verbosity=0)
json.dump(pages, open(sys.argv[3], "w"))
"""
MARKDOWN = "import sys, pymupdf4llm; open(sys.argv[2], 'w').write(pymupdf4llm.to_markdown(sys.argv[1]))"


def to_odt(installed: peers.Peers) -> list[Contender]:
    soffice = [OneBySoffice(seeded=False, to="odt"), OneBySoffice(seeded=True, to="odt")]
    return [*soffice, OneByUnoserver(installed.python, to="odt")]


def merge(installed: peers.Peers) -> list[Contender]:
    return [
        Program("qpdf", lambda source, out: ["qpdf", "--empty", "--pages", *source, "--", out]),
        Program("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), "merge", "-q", out, *source]),
        Program("pdfunite", lambda source, out: ["pdfunite", *source, out]),
        python(installed, "pikepdf", PIKEPDF_MERGE),
        Gotenberg("/forms/pdfengines/merge"),
    ]


def split(_: peers.Peers) -> list[Contender]:
    return [
        IntoFolder("qpdf", lambda source, out: ["qpdf", "--split-pages", source[0], out / "page.pdf"]),
        IntoFolder("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), "split", "-q", source[0], out]),
        IntoFolder("pdfseparate", lambda source, out: ["pdfseparate", source[0], out / "page-%d.pdf"]),
    ]


def split_in_hundreds(_: peers.Peers) -> list[Contender]:
    return [IntoFolder("qpdf", lambda source, out: ["qpdf", "--split-pages=100", source[0], out / "part.pdf"])]


def organize(installed: peers.Peers) -> list[Contender]:
    return [
        Program("qpdf", lambda source, out: ["qpdf", source[0], "--pages", ".", "z-1", "--", out]),
        python(installed, "pikepdf", PIKEPDF_REVERSE),
    ]


def compress(_: peers.Peers) -> list[Contender]:
    settings = ["-sDEVICE=pdfwrite", "-dPDFSETTINGS=/ebook", "-dNOPAUSE", "-dQUIET", "-dBATCH"]
    return [
        Program("ghostscript /ebook", lambda source, out: ["gs", *settings, f"-sOutputFile={out}", source[0]]),
        Program(
            "qpdf --optimize-images",
            lambda source, out: ["qpdf", "--optimize-images", "--recompress-flate", source[0], out],
        ),
        Program("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), "optimize", "-q", source[0], out]),
    ]


def images(_: peers.Peers) -> list[Contender]:
    return [IntoFolder("pdftoppm", lambda source, out: ["pdftoppm", "-png", "-r", "150", source[0], out / "page"])]


def images_of_100(_: peers.Peers) -> list[Contender]:
    words = ["pdftoppm", "-png", "-r", "150", "-l", "100"]
    return [IntoFolder("pdftoppm", lambda source, out: [*words, source[0], out / "page"])]


def thumbnail(_: peers.Peers) -> list[Contender]:
    options = ["-png", "-singlefile", "-scale-to", "300"]
    return [Program("pdftoppm", lambda source, out: ["pdftoppm", *options, source[0], out.with_suffix("")])]


def from_images(_: peers.Peers) -> list[Contender]:
    return [
        Program("img2pdf", lambda source, out: ["img2pdf", *source, "-o", out]),
        Program("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), "import", "-q", out, *source]),
    ]


def text(_: peers.Peers) -> list[Contender]:
    return [Program("pdftotext", lambda source, out: ["pdftotext", source[0], out])]


def markdown(installed: peers.Peers) -> list[Contender]:
    return [python(installed, "pymupdf4llm", MARKDOWN)]


def ocr(installed: peers.Peers) -> list[Contender]:
    """One job at a time, and the PDF as it is: what ours does."""
    program = installed.python.with_name("ocrmypdf")
    options = ["--quiet", "--jobs", "1", "--output-type", "pdf"]
    return [Program("ocrmypdf", lambda source, out: ["env", "OMP_THREAD_LIMIT=1", program, *options, source[0], out])]


def watermark(_: peers.Peers) -> list[Contender]:
    stamp = ["stamp", "add", "-q", "--mode", "text", "Draft", "rot:45, op:.3"]
    return [Program("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), *stamp, source[0], out])]


def protect(_: peers.Peers) -> list[Contender]:
    words = ["encrypt", "-q", "--upw", "open", "--opw", "own"]
    return [
        Program("qpdf", lambda source, out: ["qpdf", "--encrypt", "open", "own", "256", "--", source[0], out]),
        Program("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), *words, source[0], out]),
    ]


def unlock(_: peers.Peers) -> list[Contender]:
    return [
        Program("qpdf", lambda source, out: ["qpdf", "--password=open", "--decrypt", source[0], out]),
        Program("pdfcpu", lambda source, out: [peers.go_program("pdfcpu"), "decrypt", "-q", "--upw", "open", source[0], out]),
    ]


def flatten(_: peers.Peers) -> list[Contender]:
    words = ["--generate-appearances", "--flatten-annotations=all"]
    return [Program("qpdf", lambda source, out: ["qpdf", *words, source[0], out])]


def metadata(installed: peers.Peers) -> list[Contender]:
    return [
        python(installed, "pikepdf", PIKEPDF_TITLE),
        Gotenberg("/forms/pdfengines/metadata/write", {"metadata": '{"Title":"New"}'}),
    ]


def archive(installed: peers.Peers) -> list[Contender]:
    settings = ["-dPDFA=2", "-dPDFACompatibilityPolicy=1", "-sColorConversionStrategy=RGB", "-sDEVICE=pdfwrite"]
    settings += ["-dNOPAUSE", "-dQUIET", "-dBATCH", f"--permit-file-read={SRGB}"]
    return [
        Program(
            "ghostscript -dPDFA",
            lambda source, out: ["gs", *settings, f"-sOutputFile={out}", "-c", INTENT, "-f", source[0]],
        ),
        python(installed, "pikepdf.pdfa", PIKEPDF_ARCHIVE),
    ]


def inspect(_: peers.Peers) -> list[Contender]:
    command = 'pdfinfo "$0" > "$1" && pdffonts "$0" >> "$1" && pdfimages -list "$0" >> "$1"'
    return [Program("pdfinfo, pdffonts, pdfimages", lambda source, out: ["sh", "-c", command, source[0], out])]


def verify(_: peers.Peers) -> list[Contender]:
    return [Program("pdfsig", lambda source, out: ["sh", "-c", 'pdfsig -nocert "$0" > "$1"', source[0], out])]


def from_markdown(_: peers.Peers) -> list[Contender]:
    return [Gotenberg("/forms/chromium/convert/markdown")]


class PageOfMessage(Gotenberg):
    """What Gotenberg's users do with a message: their own program extracts the page, without headers and attachments."""

    def convert(self, source: Sources, out: Path) -> None:
        message = email.message_from_bytes(source[0].read_bytes(), policy=email.policy.default)
        body = message.get_body(("html",))
        html = body.get_content() if body else ""
        for part in message.walk():
            if identifier := part["Content-ID"]:
                content = base64.b64encode(part.get_payload(decode=True)).decode()
                html = html.replace(f"cid:{identifier.strip('<>')}", f"data:{part.get_content_type()};base64,{content}")
        page = out.parent / "index.html"
        page.write_text(html)
        super().convert([page], out)


def from_email(_: peers.Peers) -> list[Contender]:
    return [PageOfMessage("/forms/chromium/convert/html")]


def screenshot(_: peers.Peers) -> list[Contender]:
    return [Gotenberg("/forms/chromium/screenshot/html")]


class Pdftk(Program):
    """Values come in a file of its own format, and are drawn with the form's fonts."""

    def __init__(self):
        super().__init__("pdftk", lambda source, out: ["pdftk", source[0], "fill_form", out.with_suffix(".fdf"), "output", out])

    def convert(self, source: Sources, out: Path) -> None:
        # Ten fields on each page, with the names of the benchmark's forms.
        pages = int(subprocess.run(["qpdf", "--show-npages", source[0]], capture_output=True, text=True, check=True).stdout)
        fields = "".join(f"<</T(field{number})/V(Value {number})>>" for number in range(10 * pages))
        out.with_suffix(".fdf").write_text(f"%FDF-1.2\n1 0 obj<</FDF<</Fields[{fields}]>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF")
        super().convert(source, out)


def fill(_: peers.Peers) -> list[Contender]:
    return [Pdftk()]


def compare(installed: peers.Peers) -> list[Contender]:
    return [python(installed, "diff-pdf-visually", COMPARE)]
