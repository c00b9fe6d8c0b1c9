"""The similarity of a compressed PDF to its original: SSIM of rendered pages in blocks of 8 × 8 pixels."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image, ImageMath

BLOCK, DPI, MOST_PAGES = 8, 72, 3
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


def of_pdfs(original: Path, other: Path) -> float:
    """The mean over the first pages."""
    with TemporaryDirectory(prefix="docmill-bench-") as folder:
        ours, theirs = (_pages(path, Path(folder) / name) for path, name in ((original, "a"), (other, "b")))
        values = [of_images(a, b) for a, b in zip(ours, theirs, strict=True)]
    return sum(values) / len(values)


def _pages(pdf: Path, prefix: Path) -> list[Image.Image]:
    command = ["pdftoppm", "-gray", "-r", str(DPI), "-l", str(MOST_PAGES), pdf, prefix]
    subprocess.run(command, check=True, capture_output=True)
    return [Image.open(path).convert("F") for path in sorted(prefix.parent.glob(f"{prefix.name}-*.pgm"))]


def of_images(a: Image.Image, b: Image.Image) -> float:
    if a.size != b.size:
        b = b.resize(a.size)

    def mean(of):
        return ImageMath.lambda_eval(lambda seen: seen["convert"](of(seen), "F"), a=a, b=b).reduce(BLOCK)

    sums = {
        "ma": mean(lambda seen: seen["a"]),
        "mb": mean(lambda seen: seen["b"]),
        "aa": mean(lambda seen: seen["a"] * seen["a"]),
        "bb": mean(lambda seen: seen["b"] * seen["b"]),
        "ab": mean(lambda seen: seen["a"] * seen["b"]),
    }

    def ssim(seen):
        ma, mb = seen["ma"], seen["mb"]
        covariance = seen["ab"] - ma * mb
        variances = (seen["aa"] - ma * ma) + (seen["bb"] - mb * mb)
        above = (ma * mb * 2 + C1) * (covariance * 2 + C2)
        return above / ((ma * ma + mb * mb + C1) * (variances + C2))

    return ImageMath.lambda_eval(ssim, **sums).resize((1, 1), Image.Resampling.BOX).getpixel((0, 0))
