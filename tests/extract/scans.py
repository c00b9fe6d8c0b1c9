"""Turns a PDF into a scan of it: 200 dpi, a little askew, grainy and out of focus."""

import random
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageChops, ImageFilter

DPI = 200


def scan(path: Path, seed: str) -> None:
    """In place."""
    chance = random.Random(seed)
    with TemporaryDirectory(prefix="docmill-extract-") as folder:
        subprocess.run(["pdftoppm", "-gray", "-r", str(DPI), path, f"{folder}/page"], check=True)
        pictures = []
        for number, one in enumerate(sorted(Path(folder).glob("page*.pgm"))):
            picture = Path(folder) / f"{number}.jpg"
            _scanned(Image.open(one), chance).save(picture, "JPEG", quality=80, dpi=(DPI, DPI))
            pictures.append(picture)
        subprocess.run(["img2pdf", *pictures, "-o", path], check=True)


def _scanned(page: Image.Image, chance: random.Random) -> Image.Image:
    tilted = page.rotate(chance.uniform(-1.0, 1.0), Image.Resampling.BICUBIC, fillcolor=250)
    # Pillow's noise can't be seeded, and needs not be: it changes no letter.
    grainy = ImageChops.add(tilted, Image.effect_noise(tilted.size, 25), scale=1, offset=-128)
    return grainy.filter(ImageFilter.GaussianBlur(0.6))
