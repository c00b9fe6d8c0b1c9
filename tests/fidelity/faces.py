"""Which typefaces a document's letters are set in, and whether the worker has a face with the same widths."""

import re
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

from .names import W

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
SUBSTITUTES = Path(__file__).resolve().parents[2] / "shared/fonts/src/substitutes.rs"
# Families that the worker has, or has with the same or nearly the same widths.
OWN = {"symbol", "wingdings", "liberation sans", "liberation serif", "liberation mono", "cascadia mono", "carlito", "dejavu sans", "noto sans"}
KNOWN = OWN | {found.lower() for found in re.findall(r'(?:relative|heavy)\("([^"]+)", [^)]*\b(?:Same|Near)\)', SUBSTITUTES.read_text())}


@dataclass
class Faces:
    """Families by style, and those that apply where none is named."""

    themes: dict[str, str] = field(default_factory=dict)
    styles: dict[str, tuple[str, str]] = field(default_factory=dict)
    default: str = "times new roman"
    normal: str = ""

    @classmethod
    def read(cls, package: zipfile.ZipFile) -> "Faces":
        names, faces = package.namelist(), cls()
        for name in (name for name in names if name.startswith("word/theme/")):
            try:
                scheme = ElementTree.fromstring(package.read(name)).find(f".//{A}fontScheme")
            except ElementTree.ParseError:
                continue
            for kind in ("major", "minor"):
                latin = None if scheme is None else scheme.find(f"{A}{kind}Font/{A}latin")
                if latin is not None:
                    faces.themes[kind] = latin.get("typeface", "").lower()
        if "word/styles.xml" in names:
            faces._read_styles(ElementTree.fromstring(package.read("word/styles.xml")))
        return faces

    def _read_styles(self, root: ElementTree.Element) -> None:
        self.default = self.named(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")) or self.default
        for style in root.iter(W + "style"):
            based, own = style.find(W + "basedOn"), self.named(style.find(W + "rPr"))
            identifier = style.get(W + "styleId", "")
            self.styles[identifier] = ("" if based is None else based.get(W + "val", ""), own)
            if style.get(W + "type") == "paragraph" and style.get(W + "default") == "1":
                self.normal = identifier

    def named(self, properties: ElementTree.Element | None) -> str:
        """Empty if these properties of text name no family."""
        fonts = None if properties is None else properties.find(W + "rFonts")
        if fonts is None:
            return ""
        theme = fonts.get(W + "asciiTheme", "")
        return self.themes.get(theme[:5], "") if theme else fonts.get(W + "ascii", "").lower()

    def of(self, run: ElementTree.Element | None, style: str) -> str:
        """The family of a run in a paragraph of a style."""
        if found := self.named(run):
            return found
        seen: set[str] = set()
        at = style or self.normal
        while at in self.styles and at not in seen:
            seen.add(at)
            at, found = self.styles[at]
            if found:
                return found
        return self.default
