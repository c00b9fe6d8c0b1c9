"""How alike the first slide is to the picture of it that PowerPoint put in the file: `python -m fidelity.thumbnails --worker WORKER FOLDER…`

The folders hold clones, named `owner+name`. Beside ours, plain LibreOffice's first page. With `IMAGE_ROOT`, both run in the worker's image.
"""

import io
import re
import statistics
import subprocess
import tempfile
import zipfile
from pathlib import Path

from bench import similarity
from PIL import Image, UnidentifiedImageError

from .both import arguments, printed

# Thumbnails are small and made with loss, so only what is a little larger than its blocks of 8 pixels is compared.
WIDTH = 256
# Closer values are the same for who looks.
CLOSE = 0.01


def thumbnail(deck: Path) -> Image.Image | None:
    """None if PowerPoint has not made one, or of another slide's shape."""
    try:
        with zipfile.ZipFile(deck) as package:
            program = package.read("docProps/app.xml").decode(errors="replace")
            slides = package.read("ppt/presentation.xml").decode(errors="replace")
            picture = Image.open(io.BytesIO(package.read("docProps/thumbnail.jpeg"))).convert("L")
    except (OSError, KeyError, zipfile.BadZipFile, UnidentifiedImageError):
        return None
    size = re.search(r"<p:sldSz\b[^>]*>", slides)
    width, height = (re.search(rf'\b{side}="(\d+)"', size.group(0)) for side in ("cx", "cy")) if size else (None, None)
    if "PowerPoint</Application>" not in program or not width or not height:
        return None
    expected = WIDTH * int(height.group(1)) / int(width.group(1))
    fits = abs(picture.height * WIDTH / picture.width - expected) <= 3
    return picture.resize((WIDTH, round(expected))).convert("F") if fits else None


def first_page(pdf: Path, size: tuple[int, int]) -> Image.Image:
    with tempfile.TemporaryDirectory(prefix="docmill-thumbnails-") as folder:
        made = Path(folder) / "page"
        # Drawn larger and made smaller, as PowerPoint does.
        command = ["pdftoppm", "-gray", "-singlefile", "-scale-to-x", str(4 * size[0]), "-scale-to-y", str(4 * size[1]), pdf, made]
        subprocess.run(command, check=True, capture_output=True)
        return Image.open(made.with_suffix(".pgm")).resize(size, Image.Resampling.LANCZOS).convert("F")


def main() -> None:
    given = arguments()
    values: list[tuple[float, float]] = []
    for one in printed(given.worker, given.folders, (".pptx",), lambda deck: thumbnail(deck) is not None):
        if in_file := thumbnail(one.source):
            ours, theirs = (similarity.of_images(in_file, first_page(pdf, in_file.size)) for pdf in (one.ours, one.theirs))
            values.append((ours, theirs))
            print(f"{ours:.3f} {theirs:.3f} {one.name}", flush=True)
    for whose, shares in zip(("Docmill", "plain LibreOffice"), zip(*values, strict=True), strict=True):
        print(f"{whose}: mean {statistics.mean(shares):.3f}, median {statistics.median(shares):.3f} of {len(values)}")
    better, worse = (sum((a - b) * sign > CLOSE for a, b in values) for sign in (1, -1))
    print(f"more alike by ours: {better}, by plain LibreOffice: {worse}")


if __name__ == "__main__":
    main()
