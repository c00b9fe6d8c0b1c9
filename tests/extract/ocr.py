"""Tesseract beside PP-OCR's small models on scans whose text is known: `python -m extract.ocr receipts CLONE FOLDER`, `corpus CACHE FOLDER`, then `score FOLDER --languages eng`.

FOLDER has each picture beside NAME.txt, its lines from top to bottom. `receipts` takes each twentieth picture of the scanned receipts of ICDAR 2019 (SROIE);
its truth is in capitals, so case doesn't count. `corpus` prints pages of the own corpus in Chinese and Japanese like scans: these are no real ones. Both
readers have one thread, and defaults; wrong characters are the edit distance to the truth without spaces, as a share of it.
It needs `rapidocr`, `onnxruntime` and `rapidfuzz`, best in an environment of their own, and `tesseract`.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from rapidfuzz.distance import Levenshtein

EACH = 20
# Lines whose middles are closer than that share of their height are one.
LEVEL = 0.5
# Left, top, right, bottom, text.
Placed = tuple[float, float, float, float, str]
Reader = Callable[[Path], str]


def receipts(clone: Path, folder: Path) -> None:
    def blob(name: str) -> bytes:
        return subprocess.run(["git", "-C", clone, "cat-file", "blob", f"HEAD:{name}"], capture_output=True, check=True).stdout

    names = subprocess.run(["git", "-C", clone, "ls-tree", "--name-only", "HEAD", "data/img/"], capture_output=True, check=True, text=True).stdout.split()
    for name in sorted(names)[::EACH]:
        stem = Path(name).stem
        lines = []
        for row in blob(f"data/box/{stem}.csv").decode(errors="replace").splitlines():
            *places, words = row.split(",", 8)
            if len(places) == 8 and words.strip():
                xs, ys = [float(x) for x in places[::2]], [float(y) for y in places[1::2]]
                lines.append((min(xs), min(ys), max(xs), max(ys), words))
        (folder / f"{stem}.jpg").write_bytes(blob(name))
        (folder / f"{stem}.txt").write_text(in_lines(lines))


def corpus(cache: Path, folder: Path) -> None:
    """The first page of each document of the class, with the text that it has there."""
    from .scans import scan

    for document in sorted(cache.glob("cjk-*.pdf")):
        first, stem = folder / document.name, document.stem
        subprocess.run(["pdfseparate", "-f", "1", "-l", "1", document, first], check=True)
        words = subprocess.run(["pdftotext", "-layout", first, "-"], capture_output=True, check=True, text=True).stdout
        scan(first, stem)
        subprocess.run(["pdfimages", "-j", first, folder / stem], check=True)
        shutil.move(folder / f"{stem}-000.jpg", folder / f"{stem}.jpg")
        (folder / f"{stem}.txt").write_text(words)
        first.unlink()


def in_lines(placed: list[Placed]) -> str:
    """From top to bottom, what stands beside each other from left to right."""
    rows: list[list[Placed]] = []
    for one in sorted(placed, key=lambda one: one[1] + one[3]):
        last = rows[-1][0] if rows else None
        if last and abs((one[1] + one[3]) - (last[1] + last[3])) / 2 < LEVEL * (last[3] - last[1]):
            rows[-1].append(one)
        else:
            rows.append([one])
    return "\n".join(" ".join(one[4] for one in sorted(row)) for row in rows)


def wrong(truth: str, read: str) -> tuple[int, int]:
    """How many characters are wrong, and how many there are."""
    wanted, found = (re.sub(r"\s", "", text).upper() for text in (truth, read))
    return Levenshtein.distance(wanted, found), len(wanted)


def tesseract(languages: str) -> Reader:
    def read(picture: Path) -> str:
        command = ["tesseract", picture, "-", "-l", languages]
        return subprocess.run(command, capture_output=True, check=True, text=True, env={**os.environ, "OMP_THREAD_LIMIT": "1"}).stdout

    return read


def pp_ocr() -> Reader:
    from rapidocr import RapidOCR

    threads = {"EngineConfig.onnxruntime.intra_op_num_threads": 1, "EngineConfig.onnxruntime.inter_op_num_threads": 1}
    engine = RapidOCR(params={**threads, "Global.log_level": "critical"})

    def read(picture: Path) -> str:
        found = engine(str(picture))
        if found.boxes is None:
            return ""
        placed = [(*box.min(axis=0).tolist(), *box.max(axis=0).tolist(), words) for box, words in zip(found.boxes, found.txts, strict=True)]
        return in_lines([(left, top, right, bottom, words) for left, top, right, bottom, words in placed])

    return read


def _cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def score(folder: Path, languages: str) -> None:
    pictures = sorted(folder.glob("*.jpg"))
    for name, read in (("tesseract", tesseract(languages)), ("PP-OCRv6 small", pp_ocr())):
        begun, found = _cpu(), []
        for picture in pictures:
            errors, count = wrong(picture.with_suffix(".txt").read_text(), read(picture))
            found.append((errors, count, errors / max(1, count)))
        seconds = (_cpu() - begun) / len(pictures)
        everything = sum(errors for errors, *_ in found) / sum(count for _, count, _ in found)
        middle = sorted(share for *_, share in found)[len(found) // 2]
        print(f"{name}: {len(found)} pictures, wrong {everything:.3f} of all characters, median {middle:.3f}, {seconds:.2f} s CPU each", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="extract.ocr")
    parser.add_argument("what", choices=("receipts", "corpus", "score"))
    parser.add_argument("first", type=Path, help="what the pictures are made of, or the folder of pictures")
    parser.add_argument("second", type=Path, nargs="?", help="the folder to make")
    parser.add_argument("--languages", default="eng", help="for Tesseract, as in eng+deu")
    arguments = parser.parse_args()
    if arguments.what == "score":
        score(arguments.first, arguments.languages)
        return
    arguments.second.mkdir(parents=True, exist_ok=True)
    (receipts if arguments.what == "receipts" else corpus)(arguments.first, arguments.second)


if __name__ == "__main__":
    main()
