"""Ours beside plain LibreOffice: `python -m fidelity.plain --worker WORKER [FOLDER…]`, with the documents of the pairs.

Lists the documents whose pages or words differ from what `soffice --convert-to pdf` makes of them with a new profile. For a pair, Office's
PDF says which of the two is nearer.
"""

import argparse
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import processes
from bench.lines import Failed, Lost
from bench.strangers import OFFICE
from bench.worker import LIKE_LAMBDA, PATIENCE, Worker, link_or_copy

from .pairs import CACHE, Unreachable, all_pairs, fetch
from .scores import Score, pages, score

# What LibreOffice ends with if it is to be started again, after it has made a profile.
RESTART = 81
# Fewer of plain LibreOffice's words on the same page are listed.
ALIKE = 0.995


@dataclass(frozen=True)
class Source:
    name: str
    path: Path
    # The PDF that Office made of it.
    office: Path | None = None


@dataclass
class Compared:
    name: str
    # Of plain LibreOffice's pages and words, what ours has.
    score: Score | None = None
    # Words of ours that are not in plain LibreOffice's PDF.
    added: int = 0
    # Both beside Office's PDF.
    plain_to_office: Score | None = None
    ours_to_office: Score | None = None
    # Why there is no score: what each said.
    plain_problem: str = ""
    our_problem: str = ""

    @property
    def differs(self) -> bool:
        if not self.score:
            return bool(self.our_problem) != bool(self.plain_problem)
        return not self.score.is_equal or self.score.same_page < ALIKE or self.added > 0


def sources(folders: list[Path]) -> Iterator[Source]:
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.suffix[1:].lower() in OFFICE:
                yield Source(str(path.relative_to(folder)), path)


def pairs() -> Iterator[Source]:
    for pair in all_pairs():
        try:
            document, office = fetch(pair)
            yield Source(pair.name, document, office)
        except Unreachable as why:
            print(f"NOT FETCHED: {pair.name}: {why}", file=sys.stderr)


def plain(document: Path) -> Path:
    """Plain LibreOffice's PDF, made once. Raises Failed."""
    made = _place(_digest(document))
    if not made.exists():
        made.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="docmill-plain-") as scratch:
            shutil.move(_soffice(document, Path(scratch)), made)
    return made


def _digest(document: Path) -> str:
    return hashlib.sha256(document.read_bytes()).hexdigest()


def _place(digest: str) -> Path:
    return CACHE / "plain" / version() / f"{digest}.pdf"


# So many documents are printed by one process: each start takes seconds.
AT_ONCE = 12


def prepare(documents: list[Path]) -> None:
    """Makes plain LibreOffice's PDFs of several documents, with few starts. Those that it does not print are left to `plain`."""
    missing = {digest: document for document in documents if not _place(digest := _digest(document)).exists()}
    for start in range(0, len(missing), AT_ONCE):
        some = dict(list(missing.items())[start : start + AT_ONCE])
        with TemporaryDirectory(prefix="docmill-plain-") as scratch:
            _print_all(some, Path(scratch))


def _print_all(documents: dict[str, Path], scratch: Path) -> None:
    given = []
    for digest, document in documents.items():
        given.append(scratch / f"{digest}{document.suffix}")
        link_or_copy(document, given[-1])
    command, environment = _command(scratch, ["--convert-to", "pdf", "--outdir", str(scratch), *map(str, given)])
    try:
        if _run(command, environment) == RESTART:
            _run(command, environment)
    except Failed:
        return
    for digest in documents:
        if (made := scratch / f"{digest}.pdf").exists():
            _place(digest).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(made, _place(digest))


@functools.cache
def version() -> str:
    """Of LibreOffice, with the build: `7.4.7.2-40`."""
    with TemporaryDirectory(prefix="docmill-plain-") as scratch:
        command, environment = _command(Path(scratch), ["--version"])
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
    return "-".join(re.findall(r"[0-9.]+", told)[:2])


def _command(scratch: Path, arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    """`soffice` of this machine, or of the worker's image if there is an `IMAGE_ROOT`."""
    profile, socket = f"-env:UserInstallation={(scratch / 'profile').as_uri()}", f"-env:OSL_SOCKET_PATH={scratch}"
    options = [profile, socket, "--headless", *arguments]
    if not os.environ.get("IMAGE_ROOT"):
        return ["soffice", *options], {**os.environ}
    # The script starts another program first, which needs another place for its socket.
    program = "/usr/lib/libreoffice/program/soffice.bin"
    return [str(LIKE_LAMBDA), program, *options], {**os.environ, "LIKE_LAMBDA_SCRATCH": str(scratch)}


def _soffice(document: Path, scratch: Path) -> Path:
    # Nobody else may be able to read the cache.
    given = scratch / document.name
    link_or_copy(document, given)
    command, environment = _command(scratch, ["--convert-to", "pdf", "--outdir", str(scratch), str(given)])
    if _run(command, environment) == RESTART:
        _run(command, environment)
    result = next(scratch.glob("*.pdf"), None)
    if not result:
        raise Failed("no PDF")
    return result


def _run(command: list[str], environment: dict[str, str]) -> int:
    output = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=output, stderr=output, start_new_session=True)
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired as late:
        raise Failed("no PDF in time") from late
    finally:
        # `soffice` is only the parent of what converts.
        processes.kill_tree(process.pid)
        process.wait()
    return process.returncode


class Comparer:
    """`results` keeps our PDFs, to be looked at beside the others."""

    def __init__(self, binary: Path, scratch: Path, results: Path):
        self.binary, self.scratch, self.results = binary, scratch, results
        self.worker = Worker(binary, scratch)

    def compare(self, number: int, source: Source) -> Compared:
        compared, theirs = Compared(source.name), None
        try:
            theirs = plain(source.path)
        except Failed as failed:
            compared.plain_problem = str(failed)
        ours = self._ours(source.path, self.results / f"{number:04}.pdf", compared)
        if theirs and ours:
            compared.score = score(theirs, ours)
            compared.added = (_words(ours) - _words(theirs)).total()
            if source.office:
                compared.plain_to_office, compared.ours_to_office = score(source.office, theirs), score(source.office, ours)
        return compared

    def _ours(self, document: Path, out: Path, compared: Compared) -> Path | None:
        try:
            self.worker.convert("office-to-pdf", document, out, {})
            return out
        except Failed as failed:
            compared.our_problem = json.loads(str(failed))["code"]
        except Lost as lost:
            compared.our_problem = f"the worker was lost: {lost}"
            self.stop()
            self.worker = Worker(self.binary, self.scratch)
        return None

    def stop(self) -> None:
        self.worker.lines.stop()


def _words(pdf: Path) -> Counter[str]:
    return sum(pages(pdf), Counter())


def table(compared: list[Compared]) -> str:
    scored = [one for one in compared if one.score]
    alike = sum(not one.differs for one in scored)
    equal = sum(one.score.is_equal for one in scored if one.score)
    lines = [f"{len(compared)} documents, {len(scored)} printed by both: {equal} with as many pages, {alike} alike", ""]
    lines += ["| document | pages, plain | ours | Office's | same page | found | added | to Office, plain | ours |", "|---" * 9 + "|"]
    lines += [_row(one, one.score) for one in scored if one.differs and one.score]
    lines += [
        f"ONLY ONE PRINTED: {one.name}: plain {one.plain_problem or 'printed'}, ours {one.our_problem or 'printed'}"
        for one in compared
        if not one.score and one.differs
    ]
    return "\n".join(lines)


def _row(one: Compared, at: Score) -> str:
    # Where Office's PDF is not known.
    nearer = ["–", "–", "–"]
    if one.plain_to_office and one.ours_to_office:
        shares = [f"{one.plain_to_office.same_page:.3f}", f"{one.ours_to_office.same_page:.3f}"]
        nearer = [str(one.ours_to_office.office_pages), *shares]
    cells = [one.name, at.office_pages, at.pages, nearer[0], f"{at.same_page:.3f}", f"{at.found:.3f}", one.added]
    return "| " + " | ".join(map(str, [*cells, *nearer[1:]])) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="fidelity.plain")
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--results", type=Path, default=Path("target/fidelity-plain"))
    parser.add_argument("--without-pairs", action="store_true")
    parser.add_argument("folders", type=Path, nargs="*")
    arguments = parser.parse_args()
    arguments.results.mkdir(parents=True, exist_ok=True)
    documents = [*sources(arguments.folders), *([] if arguments.without_pairs else pairs())]
    with TemporaryDirectory(prefix="docmill-plain-") as scratch:
        comparer = Comparer(arguments.worker, Path(scratch), arguments.results)
        compared = [comparer.compare(number, source) for number, source in enumerate(documents)]
        comparer.stop()
    (arguments.results / "compared.json").write_text(json.dumps([asdict(one) for one in compared], indent=1))
    print(table(compared))


if __name__ == "__main__":
    main()
