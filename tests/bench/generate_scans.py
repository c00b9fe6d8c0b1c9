"""Pages that were printed and scanned, in five scripts: level, askew, noisy, in two columns, and small and in shade."""

import random
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageFont

NOTO = "/usr/share/fonts/truetype/noto"
LIBERATION = "/usr/share/fonts/truetype/liberation"
# A4 at 300 dpi.
PAGE, MARGIN, PAPER, INK = (2480, 3508), 240, 250, 25


@dataclass(frozen=True)
class Script:
    """`language`: of Tesseract's models. `words`: from which pages are made, with `space` between two of them."""

    name: str
    language: str
    font: str
    words: str
    space: str = " "

    def pdf(self, folder: Path) -> Path:
        """All pages except the one in shade."""
        return folder / f"clear-scans-{self.language}.pdf"

    def shaded_pdf(self, folder: Path) -> Path:
        return folder / f"shaded-scan-{self.language}.pdf"

    def text(self, folder: Path) -> Path:
        """Its pages are parted by form feeds."""
        return folder / f"clear-and-shaded-scans-{self.language}.txt"

    def tokens(self, page: str) -> list[str]:
        """What is compared: words, or lines without spaces where the script has none."""
        return page.split() if self.space else ["".join(line.split()) for line in page.splitlines() if line.strip()]


SCRIPTS = [
    Script(
        "Latin",
        "deu",
        f"{LIBERATION}/LiberationSerif-Regular.ttf",
        "der Fluss trägt Steine und Sand aus den Bergen in die Ebene, wo Städte an seinen Ufern gebaut wurden; Händler kamen im "
        "Jahr 1847 mit 36 Schiffen, größere Häuser standen später über der Brücke. Niemand wußte, warum das Wasser stieg: "
        "Äcker, Öfen, Türme",
    ),
    Script(
        "Cyrillic",
        "rus",
        f"{LIBERATION}/LiberationSerif-Regular.ttf",
        "река несёт камни и песок с гор на равнину, где вдоль её берегов были построены города; купцы пришли в 1847 году на 36 "
        "кораблях, большие дома стояли позже за мостом. Никто не знал, почему вода поднималась: поля, печи, башни, объезд, щука, "
        "юг, эхо, цепь, ящик",
    ),
    Script(
        "Greek",
        "ell",
        f"{LIBERATION}/LiberationSerif-Regular.ttf",
        "ο ποταμός φέρνει πέτρες και άμμο από τα βουνά στην πεδιάδα, όπου χτίστηκαν πόλεις στις όχθες του· έμποροι ήρθαν το 1847 "
        "με 36 πλοία, μεγαλύτερα σπίτια στέκονταν αργότερα πέρα από τη γέφυρα. Κανείς δεν ήξερε γιατί ανέβαινε το νερό, χωράφια, "
        "φούρνοι, πύργοι, ψωμί, ζέστη, ξύλο",
    ),
    Script(
        "Devanagari",
        "hin",
        f"{NOTO}/NotoSerifDevanagari-Regular.ttf",
        "नदी पहाड़ों से मैदान तक पत्थर और रेत लाती है जहाँ उसके किनारे नगर बसाए गए थे। व्यापारी बड़े जहाज़ लेकर आए और पुल के पार घर खड़े हुए। "
        "किसी को पता नहीं था कि पानी क्यों बढ़ रहा है। खेत, मीनार, रोटी, लकड़ी, गर्मी, वर्ष, समुद्र",
    ),
    Script(
        "Han",
        "chi_sim",
        "/usr/share/fonts/opentype/noto/NotoSerifCJK-Regular.ttc",
        "河流 从 山上 带来 石头 和 沙子， 到达 平原； 人们 在 两岸 建造 城市。 商人 乘船 来到 这里， 后来 桥的 另一边 出现了 更大的 房屋。 没有人 知道 "
        "水位 为什么 上升： 田地、 炉子、 塔楼、 面包、 木材、 海洋、 春天、 图书馆、 学校 和 医院。",
        space="",
    ),
]


def generate(folder: Path) -> None:
    """Written once."""
    for script in SCRIPTS:
        if script.pdf(folder).exists():
            continue
        random.seed(script.language)
        pictures, texts = [], []
        for number, (size, columns, change) in enumerate(LOOKS):
            page, text = _printed(script, size, columns)
            path = folder / f"scans-{script.language}-{number}.jpg"
            _scanned(change(page)).save(path, "JPEG", quality=75, dpi=(300, 300))
            pictures.append(path)
            texts.append(text)
        script.text(folder).write_text("\f".join(texts))
        subprocess.run(["img2pdf", pictures[-1], "-o", script.shaded_pdf(folder)], check=True)
        subprocess.run(["img2pdf", *pictures[:-1], "-o", script.pdf(folder)], check=True)
        for path in pictures:
            path.unlink()


def _printed(script: Script, size: int, columns: int) -> tuple[Image.Image, str]:
    """A page of text in columns of the same width, and what it says, column by column."""
    font = ImageFont.truetype(script.font, size)
    page, lines = Image.new("L", PAGE, PAPER), []
    draw = ImageDraw.Draw(page)
    words = script.words.split()
    width = (PAGE[0] - 2 * MARGIN - (columns - 1) * 120) // columns
    for column in range(columns):
        for top in range(MARGIN, PAGE[1] - MARGIN - 2 * size, round(1.6 * size)):
            line = random.choice(words)
            while draw.textlength(longer := line + script.space + random.choice(words), font) <= width:
                line = longer
            draw.text((MARGIN + column * (width + 120), top), line, font=font, fill=INK)
            lines.append(line)
    return page, "\n".join(lines)


def _level(page: Image.Image) -> Image.Image:
    return page


def _askew(page: Image.Image) -> Image.Image:
    return page.rotate(random.choice([-1.2, -0.8, 0.8, 1.2]), Image.Resampling.BICUBIC, fillcolor=PAPER)


def _noisy(page: Image.Image) -> Image.Image:
    return ImageChops.add(page, Image.effect_noise(page.size, 70), scale=1, offset=-128)


def _shaded(page: Image.Image) -> Image.Image:
    """Grey letters on a page that is darker towards one side."""
    shade = Image.linear_gradient("L").rotate(90).resize(page.size).point(lambda value: value // 4)
    return ImageChops.subtract(page.point(lambda value: 110 + value * 140 // 255), shade)


# Size of the letters in pixels, columns, and what happens to the page.
LOOKS = [(46, 1, _level), (46, 1, _askew), (46, 1, _noisy), (40, 2, _level), (34, 1, _shaded)]
LOOK_NAMES = ["level", "askew", "noisy", "two columns", "in shade"]


def _scanned(page: Image.Image) -> Image.Image:
    """Grainy and a little out of focus."""
    grainy = ImageChops.add(page, Image.effect_noise(page.size, 30), scale=1, offset=-128)
    return grainy.filter(ImageFilter.GaussianBlur(0.7))
