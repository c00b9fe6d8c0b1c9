"""Makes the fonts of this folder from packages of npm and PyPI. Those of @fontsource carry them in web formats, cut up by alphabet.

They are relatives of equal widths of fonts that Office documents name, and Debian has no package of them. Their lines are made
as high as those of the fonts that they stand in for, so that pages break at the same places:

- Gelasio for Georgia, Comic Relief for Comic Sans MS: drawn for that.
- Cascadia Mono, which is free itself, and stands in for Cascadia Code: code that is copied from Visual Studio names them.
- Inconsolata, whose width can be set, for Consolas: every character of Consolas is 1126/2048 em wide. It has a family name
  of its own, so that nobody who asks for Inconsolata gets it, and Cascadia Mono's Greek and Cyrillic, made as narrow.
- Caladea for Cambria: version 1.002, which has Cambria's widths. Version 1.001, which is Debian's and that of
  @expo-google-fonts, has others: its "e" is a tenth narrower. Its Greek and Cyrillic are those of Tinos, made wider.
- DejaVu Sans for Verdana, and Arimo, which has Arial's widths, for Tahoma and Segoe UI. Debian has both (Arimo as Liberation Sans), with
  lines of other heights.
- Arimo for Aptos, each letter as wide as that of Aptos, as far as `aptos.json` knows it from PDFs that Office made.
- DejaVu Sans and Arimo once more, for Arabic and Hebrew: smaller and narrower, so that words are as wide as Arial's. Noto's fonts for
  Arabic put letters together from parts, so that their PDFs can't be searched.

Caladea, DejaVu Sans and Arimo have family names of their own here, and no characters of rarer alphabets, which other fonts draw.

The fonts are committed, so that images and machines have the same: run this only to change them.

    npm pack @fontsource/gelasio@5.3.0 @fontsource/comic-relief@5.3.0 @fontsource/cascadia-mono@5.3.0 \
        @fontsource-variable/inconsolata@5.3.0 @expo-google-fonts/arimo@0.4.3 @expo-google-fonts/tinos@0.4.2 \
        dejavu-fonts-ttf@2.37.3
    pip download --no-deps font-caladea==0.0.2
    pip install fonttools==4.68.0 brotli==1.2.1
    python3 make.py FOLDER_OF_THE_PACKAGES
"""

import json
import re
import sys
import tarfile
import tempfile
import unicodedata
import zipfile
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

from fontTools.merge import Merger
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.ttLib.scaleUpem import scale_upem
from fontTools.varLib import instancer

HERE = Path(__file__).parent
STYLES = {(400, "normal"): "Regular", (400, "italic"): "Italic", (700, "normal"): "Bold", (700, "italic"): "Bold Italic"}
# On Inconsolata's own scale, on which this is 550/1000 em.
CONSOLAS_WIDTH = 112.5
# The parts of a line above and below the baseline, in em. Consolas': as in PDFs that Word made, 12.3 points for letters of 10.5.
CONSOLAS_LINE = (1884 / 2048, 514 / 2048)
# Its own, by the table that it asks to be measured by.
CASCADIA_LINE = (1900 / 2048, 480 / 2048)
GEORGIA_LINE = (1878 / 2048, 449 / 2048)
# Cambria's: as in the font descriptors of PDFs that Word made. The others: `ascent` and `descent` in npm's @capsizecss/metrics 4.3.0.
CAMBRIA_LINE = (1946 / 2048, 455 / 2048)
VERDANA_LINE = (2059 / 2048, 430 / 2048)
TAHOMA_LINE = (2049 / 2048, 423 / 2048)
SEGOE_UI_LINE = (2210 / 2048, 514 / 2048)
# Aptos's: as in the fonts of PDFs that Word made.
APTOS_LINE = (1923 / 2048, 577 / 2048)
ARIAL_LINE = (1854 / 2048, 434 / 2048)
# B Nazanin's: as in the font descriptors of a PDF that PowerPoint made.
NAZANIN_LINE = (0.972, 0.51)
# Width and height of letters. Words of Arial's Arabic are 0.775 times as wide as DejaVu Sans's, and of its Hebrew 0.92 times as Arimo's:
# measured on the words of two PDFs that PowerPoint made (OWASP's Top 10 in Persian and Hebrew).
ARABIC_SCALE = (0.775, 0.87)
HEBREW_SCALE = (0.92, 1.0)
# Latin, Greek, Cyrillic, Hebrew, punctuation, currencies, arrows, mathematics, boxes, and ligatures.
ALPHABETS = [(0x20, 0x5FF), (0x1D00, 0x1FFF), (0x2000, 0x206F), (0x2070, 0x22FF), (0x2500, 0x25FF), (0xFB00, 0xFB4F), (0xFFFC, 0xFFFD)]
BASICS = [(0x20, 0x7E), (0xA0, 0xA0), (0x200C, 0x200F), (0x2010, 0x2026)]
# Not U+0640: LibreOffice would justify lines with it, which Office does not, and write wrong letters for it into the PDF.
ARABIC = [*BASICS, (0x600, 0x63F), (0x641, 0x6FF), (0x750, 0x77F), (0xFB50, 0xFDFF), (0xFE70, 0xFEFC)]
GREEK, CYRILLIC = [(0x370, 0x3FF)], [(0x400, 0x52F)]
# In thousandths of the size, in PDFs that Word made: by the mean of these, small letters are that much wider than Latin ones.
CAMBRIA, CAMBRIA_SMALL = {"в": 522, "и": 589, "л": 559, "н": 588, "т": 511, "ц": 569}, 1.04
LOOK_ALIKE = dict(zip("аеорсухѕіјАВЕЅІЈКМНОРСТХοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "aeopcyxsijABESIJKMHOPCTXoABEZHIKMNOPTYX", strict=True))
HEBREW = [*BASICS, (0x591, 0x5F4), (0xFB1D, 0xFB4F)]


def unpack(archives: Path, name: str, target: Path, licence: str = "LICENSE") -> Path:
    """The files of a package, with its licence next to the fonts."""
    with tarfile.open(next(archives.glob(f"{name}-[0-9]*.tgz"))) as package:
        package.extractall(target / name, filter="data")
    unpacked = target / name / "package"
    text = (unpacked / licence).read_bytes()
    kind = "OFL" if b"SIL Open Font License" in text else "Bitstream-Vera"
    (HERE / f"{kind}-{re.sub('^(fontsource-(variable-)?|expo-google-fonts-)|-fonts-ttf$', '', name)}.txt").write_bytes(text)
    return unpacked / "files"


def merged(parts: list[TTFont], folder: Path) -> TTFont:
    """Merges fonts for one alphabet each into one."""
    paths = []
    for number, part in enumerate(parts):
        part.flavor = None
        paths.append(folder / f"{number}.ttf")
        part.save(paths[-1])
    return Merger().merge([str(path) for path in paths])


def named(font: TTFont, family: str, style: str) -> TTFont:
    names = {1: family, 2: style, 3: f"{family} {style}", 4: f"{family} {style}", 6: f"{family}-{style}".replace(" ", "")}
    for number in (16, 17, 21, 22, 25):
        font["name"].removeNames(nameID=number)
    for number, text in names.items():
        font["name"].setName(text, number, 3, 1, 0x409)
    return font


def save(font: TTFont, family: str, style: str) -> None:
    path = HERE / f"{family}-{style}.ttf".replace(" ", "")
    named(font, family, style).save(path)
    print(path.name, len(font.getBestCmap()), "characters,", path.stat().st_size, "bytes")


def with_lines(font: TTFont, line: tuple[float, float]) -> TTFont:
    """Sets the height of lines for all who measure it, each by another table."""
    above, below = (round(part * font["head"].unitsPerEm) for part in line)
    hhea, os2 = font["hhea"], font["OS/2"]
    hhea.ascent, hhea.descent, hhea.lineGap = above, -below, 0
    os2.sTypoAscender, os2.sTypoDescender, os2.sTypoLineGap = above, -below, 0
    os2.usWinAscent, os2.usWinDescent = above, below
    return font


def from_alphabets(
    archives: Path, folder: Path, package: str, family: str, alphabets: list[str], line: tuple[float, float] | None = None
) -> None:
    files = unpack(archives, f"fontsource-{package}", folder)
    for (weight, slant), style in STYLES.items():
        parts = [files / f"{package}-{alphabet}-{weight}-{slant}.woff" for alphabet in alphabets]
        if parts[0].exists():
            font = merged([TTFont(part) for part in parts], folder)
            save(with_lines(font, line) if line else font, family, style)


def from_whole(
    files: dict[str, Path],
    family: str,
    line: tuple[float, float],
    alphabets: list[tuple[int, int]] = ALPHABETS,
    scale: tuple[float, float] = (1.0, 1.0),
) -> None:
    """A family made of one file for each style."""
    for style, path in files.items():
        save(with_lines(scaled(subset(TTFont(path), alphabets), *scale), line), family, style)


def for_cambria(latin: dict[str, Path], others: dict[str, Path]) -> None:
    """With Greek and Cyrillic of another font: as wide as in Cambria, where that is known, or as the Latin letters that they look like,
    and the others wider or narrower by as much as small or capital letters are on the whole."""
    for style, path in latin.items():
        font, other = subset(TTFont(path), ALPHABETS), TTFont(others[style])
        scale_upem(other, font["head"].unitsPerEm)
        shares = {letters.isupper(): width_of(font, letters) / width_of(other, letters) for letters in (ascii_lowercase, ascii_uppercase)}
        shares[False] *= CAMBRIA_SMALL
        added = bare(subset(other, GREEK + CYRILLIC))
        own = {letter: width_of(added, letter) for letter in map(chr, added.getBestCmap())}
        widths = {letter: round(width * shares[letter.isupper()]) for letter, width in own.items() if width}
        widths |= {letter: width_of(font, like) for letter, like in LOOK_ALIKE.items()}
        if style == "Regular":
            widths |= CAMBRIA
        with tempfile.TemporaryDirectory() as parts:
            whole = merged([font, fitted(added, widths)], Path(parts))
        save(with_lines(whole, CAMBRIA_LINE), "Caladea Tall", style)


def width_of(font: TTFont, letters: str) -> int:
    characters, metrics = font.getBestCmap(), font["hmtx"].metrics
    return sum(metrics[characters[ord(letter)]][0] for letter in letters)


def for_aptos(files: dict[str, Path]) -> None:
    """Letters that are not known in italics are as wide as upright ones."""
    known = json.loads((HERE / "aptos.json").read_text())
    for style, path in files.items():
        font = subset(TTFont(path), ALPHABETS)
        # Aptos's letters have other neighbours that they stand closer to.
        del font["GPOS"]
        own = {**known["Bold" if style.startswith("Bold") else "Regular"], **known.get(style, {})}
        save(with_lines(fitted(font, own), APTOS_LINE), "Arimo Fitted", style)


def subset(font: TTFont, alphabets: list[tuple[int, int]]) -> TTFont:
    subsetter = Subsetter(Options(layout_features=["*"], hinting=False, name_IDs=["*"], notdef_outline=True))
    subsetter.populate(unicodes=[code for first, last in alphabets for code in range(first, last + 1)])
    subsetter.subset(font)
    return font


def bare(font: TTFont) -> TTFont:
    """Without rules for neighbours and marks."""
    for table in ("GPOS", "GSUB", "GDEF", "STAT"):
        if table in font:
            del font[table]
    return font


def scaled(font: TTFont, across: float, up: float) -> TTFont:
    """Letters of another width and height."""
    units = font["head"].unitsPerEm
    if up != 1:
        scale_upem(font, round(units * up))
        font["head"].unitsPerEm = units
    if across != up:
        squeeze(font, across / up)
    return font


def squeeze(font: TTFont, share: float) -> None:
    """Makes letters narrower: outlines, widths, and places of marks."""
    glyphs = font["glyf"]
    for name in font.getGlyphOrder():
        glyph = glyphs[name]
        if glyph.isComposite():
            for part in glyph.components:
                part.x = round(part.x * share)
        elif glyph.numberOfContours > 0:
            glyph.coordinates.scale((share, 1))
            glyph.coordinates.toInt()
    for name, (width, _) in font["hmtx"].metrics.items():
        glyph = glyphs[name]
        glyph.recalcBounds(glyphs)
        font["hmtx"].metrics[name] = (round(width * share), glyph.xMin if glyph.numberOfContours else 0)
    if "GPOS" in font:
        font["GPOS"].ensureDecompiled(recurse=True)
        squeeze_places(font["GPOS"].table, share, set())


def fitted(font: TTFont, widths: dict[str, int]) -> TTFont:
    """Each letter as wide as `widths` say, in units of 1/2048 em. Letters with accents are like those without, and unknown ones narrower
    or wider by the mean of all."""
    characters, glyphs, metrics = font.getBestCmap(), font["glyf"], font["hmtx"].metrics
    shares = {letter: width / metrics[characters[ord(letter)]][0] for letter, width in widths.items() if ord(letter) in characters}
    mean = sum(shares.values()) / len(shares)
    of = {name: shares.get(unicodedata.normalize("NFD", chr(code))[0], mean) for code, name in characters.items()}
    for name in font.getGlyphOrder():
        glyph, share = glyphs[name], of.get(name, mean)
        if glyph.isComposite():
            for part in glyph.components:
                part.x = round(part.x * share)
        elif glyph.numberOfContours > 0:
            glyph.coordinates.scale((share, 1))
            glyph.coordinates.toInt()
    for name, (width, _) in metrics.items():
        glyph = glyphs[name]
        glyph.recalcBounds(glyphs)
        metrics[name] = (round(width * of.get(name, mean)), glyph.xMin if glyph.numberOfContours else 0)
    return font


def squeeze_places(part: object, share: float, seen: set[int]) -> None:
    """Part by part of a table that lives on: no two parts have the same `id`."""
    if id(part) in seen or isinstance(part, (int, float, str, bytes, type(None))):
        return
    seen.add(id(part))
    inner = part if isinstance(part, list) else list(part.values()) if isinstance(part, dict) else []
    for value in inner:
        squeeze_places(value, share, seen)
    for name, value in list(getattr(part, "__dict__", {}).items()):
        if name in ("XCoordinate", "XPlacement", "XAdvance"):
            setattr(part, name, round(value * share))
        else:
            squeeze_places(value, share, seen)


def expo(archives: Path, folder: Path, name: str) -> dict[str, Path]:
    files = unpack(archives, f"expo-google-fonts-{name}", folder, "LICENSE_FONT").parent
    parts = {"Regular": "400Regular", "Italic": "400Regular_Italic", "Bold": "700Bold", "Bold Italic": "700Bold_Italic"}
    return {style: files / part / f"{name.title()}_{part}.ttf" for style, part in parts.items()}


def caladea(archives: Path, folder: Path) -> dict[str, Path]:
    with zipfile.ZipFile(next(archives.glob("font_caladea-*.whl"))) as package:
        package.extractall(folder / "caladea")
    files = folder / "caladea/font_caladea/files"
    (HERE / "Apache-caladea.txt").write_bytes((files / "APACHE-2.0.txt").read_bytes())
    return {style: files / f"Caladea-{style.replace(' ', '')}.ttf" for style in STYLES.values()}


def upright(files: dict[str, Path]) -> dict[str, Path]:
    return {style: files[style] for style in ("Regular", "Bold")}


def dejavu(archives: Path, folder: Path) -> dict[str, Path]:
    files = unpack(archives, "dejavu-fonts-ttf", folder).parent / "ttf"
    parts = {"Regular": "", "Italic": "-Oblique", "Bold": "-Bold", "Bold Italic": "-BoldOblique"}
    return {style: files / f"DejaVuSans{part}.ttf" for style, part in parts.items()}


def beside(path: Path, alphabets: list[tuple[int, int]], other: TTFont) -> TTFont:
    """Letters of a font with a fixed width, as wide as those of another one, and about as high."""
    font = bare(subset(TTFont(path), alphabets))
    units = other["head"].unitsPerEm
    scale_upem(font, round(units * other["OS/2"].sxHeight / units / (font["OS/2"].sxHeight / font["head"].unitsPerEm)))
    font["head"].unitsPerEm = units
    squeeze(font, other["hmtx"]["a"][0] / max(width for width, _ in font["hmtx"].metrics.values()))
    return font


def inconsolata(archives: Path, folder: Path) -> None:
    files, code = unpack(archives, "fontsource-variable-inconsolata", folder), unpack(archives, "fontsource-cascadia-mono", folder)
    for weight, style in ((400, "Regular"), (700, "Bold")):
        parts = []
        for alphabet in ("latin", "latin-ext", "vietnamese"):
            font = TTFont(files / f"inconsolata-{alphabet}-standard-normal.woff2")
            parts.append(instancer.instantiateVariableFont(font, {"wght": weight, "wdth": CONSOLAS_WIDTH}))
        for alphabet, codes in (("cyrillic", CYRILLIC), ("greek", GREEK)):
            parts.append(beside(code / f"cascadia-mono-{alphabet}-{weight}-normal.woff", codes, parts[0]))
        font = merged(parts, folder)
        bold = weight == 700
        font["OS/2"].usWeightClass, font["OS/2"].usWidthClass = weight, 5
        font["OS/2"].fsSelection = font["OS/2"].fsSelection & ~0x61 | (0x20 if bold else 0x40)
        font["head"].macStyle = int(bold)
        save(with_lines(font, CONSOLAS_LINE), "Inconsolata Semi Wide", style)


def main() -> None:
    archives = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        from_alphabets(archives, folder, "gelasio", "Gelasio", ["latin", "latin-ext", "vietnamese"], GEORGIA_LINE)
        from_alphabets(archives, folder, "comic-relief", "Comic Relief", ["latin", "latin-ext", "cyrillic", "greek"])
        code = ["latin", "latin-ext", "cyrillic", "greek", "vietnamese"]
        from_alphabets(archives, folder, "cascadia-mono", "Cascadia Mono", code, CASCADIA_LINE)
        inconsolata(archives, folder)
        arimo = expo(archives, folder, "arimo")
        for_cambria(caladea(archives, folder), expo(archives, folder, "tinos"))
        verdana = dejavu(archives, folder)
        from_whole(verdana, "DejaVu Sans Tall", VERDANA_LINE)
        from_whole(upright(verdana), "DejaVu Arabic Narrow", NAZANIN_LINE, ARABIC, ARABIC_SCALE)
        from_whole(arimo, "Arimo Tall", TAHOMA_LINE)
        from_whole(arimo, "Arimo Extra Tall", SEGOE_UI_LINE)
        for_aptos(arimo)
        from_whole(upright(arimo), "Arimo Hebrew Narrow", ARIAL_LINE, HEBREW, HEBREW_SCALE)


if __name__ == "__main__":
    main()
