"""The table of all licences: crates, Debian packages, fonts, and PDFium's own parts."""

from collections.abc import Iterable, Mapping

from .image import Source

# Parts of LibreOffice's `libpdfiumlo.so`, according to PDFium's notices. Otherwise it links to the system's libraries.
PDFIUM = {
    "PDFium": "BSD-3-Clause AND Apache-2.0",
    "Anti-Grain Geometry 2.3, in PDFium": "AGG-2.3",
    "Big Integer Library, in PDFium": "public domain",
}
# infra/worker/fonts, each with its licence file.
FONTS = {
    "Gelasio": "OFL-1.1",
    "Cascadia Mono": "OFL-1.1",
    "Comic Relief": "OFL-1.1",
    "Inconsolata Semi Wide": "OFL-1.1",
    "Caladea Tall": "Apache-2.0 AND OFL-1.1",
    "DejaVu Sans Tall, DejaVu Arabic Narrow": "Bitstream-Vera",
    "Arimo Tall, Arimo Extra Tall, Arimo Fitted, Arimo Hebrew Narrow": "OFL-1.1",
}

# functions/worker/invoices/rules, unchanged but for what its README says.
RULES = {
    "EN 16931 validation artefacts 1.3.16": "EUPL-1.2",
    "XRechnung Schematron 2.5.0, with the rules of Peppol BIS that it adopts": "Apache-2.0",
    "Factur-X 1.09.2, schemas and Schematron, from Mustang": "Apache-2.0",
    "UBL 2.1 schemas": "OASIS",
    "CII D16B schemas": "UN/CEFACT",
}

INTRODUCTION = """\
# Licences

Docmill itself is Apache-2.0 ([LICENSE](LICENSE)). This is everything else in what is deployed: the Rust crates that are compiled
into the functions, the rules of invoices, and the Debian packages, fonts and libraries of the worker's image. `make licences` writes this file, and
`make check` compares it with `Cargo.lock` and with the list of the image's packages. No JavaScript package is deployed: those of
npm, Python and Go are tools for tests and benchmarks, or what the clients in `clients/` depend on (MIT, BSD and MPL-2.0).

A Debian package's row names every licence in its copyright file, also those of parts that are not installed, such as build scripts
and tests. *Loaded by* names the engine whose process, the worker's own binary, loads a library of the package. Everything else
is a program of its own, or data.

- Nothing that is installed is under the AGPL. The copyright file of `libreoffice-dictionaries` names it for the Hebrew dictionary,
  which is not installed; that of `base-files` is a collection of licence texts.
- Packages only under the GPL are programs of their own (`bash`, `coreutils`, …), which the worker does not call, with the exception
  below: a library that Debian's LibreOffice links to. `libjbig`, which `libtiff` links to, is replaced by `infra/worker/jbig.c`, which
  decodes nothing. No crate is under the GPL.
- Shapes of glyphs (`functions/worker/pdf/tag/src/shapes.bin`) were measured in Latin Modern and TeX Gyre (GUST Font License), STIX and Carlito
  (SIL Open Font License) and Caladea (Apache-2.0). It holds no outline of a font.
- The rules of invoices are data that the worker interprets (`functions/worker/invoices/rules`). The EUPL counts letting others use them as
  distribution: their source is in that folder, and that of CEN at `ConnectingEurope/eInvoicing-EN16931` on GitHub.
"""


def of_all(crates: Mapping[str, str], sources: Iterable[Source]) -> str:
    sources = list(sources)
    rows = [("Rust crate", name, licence, "") for name, licence in crates.items()]
    rows += [("library", name, licence, "office, pdf") for name, licence in PDFIUM.items()]
    rows += [("font", name, licence, "") for name, licence in FONTS.items()]
    rows += [("rules", name, licence, "pdf") for name, licence in RULES.items()]
    rows += [
        ("Debian", _named(source), ", ".join(source.licences) or "in its own words", ", ".join(source.loaded))
        for source in sources
    ]
    lines = [INTRODUCTION, *(f"  - `{name}`: {reason}" for name, reason in sorted(COPYLEFT.items())), ""]
    lines += ["| part | name | licences | loaded by |", "|---|---|---|---|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n"


def _named(source: Source) -> str:
    packages = ", ".join(source.packages)
    return packages if packages == source.name else f"{source.name} ({packages})"


# Sources whose copyright file names nothing but the GPL, and of which an engine loads a library.
COPYLEFT = {
    "libtool": "`libltdl` itself is LGPL-2+, as its sources say. `librdf`, which LibreOffice links to, links to it.",
}


def copyleft(sources: Iterable[Source]) -> list[str]:
    """Sources that an engine loads a library of, and that name no other licence than the GPL."""
    return [source.name for source in sources if source.loaded and all(_is_gpl(each) for each in source.licences)]


def _is_gpl(licence: str) -> bool:
    return licence.startswith(("GPL", "AGPL", "GFDL"))
