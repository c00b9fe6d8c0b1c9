"""`python -m bench bench|soak|privileges --worker PATH [--quick] [--json FILE]`; the Makefile passes the worker's path."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from extract import measure as extract
from fidelity import measure as fidelity

from . import contenders, documents, lineup, measuring, ocr_errors, pdf_cases, peers, privileges, report, similarity, soak, streams


@dataclass(frozen=True)
class Extent:
    """How often to measure. `budget`: seconds for one contender on one document; `sizes`: of the documents."""

    rounds: int
    budget: float
    cold_rounds: int
    jobs: int
    sizes: tuple[str, ...]
    # Measure only Docmill's PDF tools, for `make cost`.
    alone: bool = False
    # An earlier build of the worker, as one more contender for the PDF tools.
    before: Path | None = None
    # Measure only these tools. Empty: all.
    tools: tuple[str, ...] = ()


FULL = Extent(rounds=11, budget=8, cold_rounds=3, jobs=200, sizes=("small", "medium", "large"))
QUICK = Extent(rounds=3, budget=3, cold_rounds=1, jobs=40, sizes=("small", "medium"))


PARTS = ("office", "basic", "browser", "pdf", "ocr", "compress", "stream")
# They compare documents, not times, and fetch some.
ON_REQUEST = ("extract", "fidelity")
VERSIONED = ("unoserver", "weasyprint", "puppeteer-core", "playwright-core", "docxtemplater", "docxtpl")


def main() -> int:
    arguments = _arguments()
    if not arguments.worker.exists():
        raise SystemExit(f"Error: there is no worker at {arguments.worker}: run `make build-release` first.")
    installed = peers.install(alone=arguments.what != "bench")
    folder = documents.generate(installed.python)
    if arguments.what == "soak":
        return soak.main(arguments.worker, folder, arguments.quick, arguments.json)
    if arguments.what == "privileges":
        return privileges.main(arguments.worker, folder, arguments.quick, arguments.json)
    extent = dataclasses.replace(
        QUICK if arguments.quick else FULL, alone=arguments.alone, before=arguments.before, tools=tuple(arguments.tool)
    )
    results = measure(arguments.worker, installed, folder, extent, arguments.only or PARTS)
    arguments.json.write_text(json.dumps(results, indent=1, default=report.as_json))
    print(f"The same as JSON, with every sample: {arguments.json}")
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("what", choices=["bench", "soak", "privileges"])
    parser.add_argument("--worker", type=Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", choices=PARTS + ON_REQUEST, action="append", help="only this part; may be repeated")
    parser.add_argument("--alone", action="store_true", help="measure the PDF tools without their peers")
    parser.add_argument("--before", type=Path, help="an earlier build of the worker, to compare the PDF tools with")
    parser.add_argument("--tool", action="append", default=[], help="of the PDF tools, only this; may be repeated")
    parser.add_argument("--json", type=Path, default=Path("bench.json"))
    return parser.parse_args()


def measure(worker: Path, installed: peers.Peers, folder: Path, extent: Extent, parts: Sequence[str]) -> dict:
    """Prints each table as soon as it is complete."""
    results: dict = {"machine before": report.machine(), "missing peers": installed.missing}
    results["versions"] = {name: installed.version(name) for name in VERSIONED}
    print(f"{results['machine before']}\n{results['versions']}\n")
    for name, reason in installed.missing.items():
        print(f"NOT MEASURED: {name}: {reason}")
    for kind, make, them in [
        ("office", lineup.office, documents.office(folder)),
        ("basic", lineup.basic, documents.html(folder)),
        ("browser", lineup.browser, documents.html(folder)),
    ]:
        if kind in parts:
            them = [document for document in them if document.size in extent.sizes]
            _engine(results, kind, lambda make=make: make(worker, installed), them, extent)
    if "pdf" in parts:
        _pdf_tools(results, worker, installed, folder, extent)
    if "ocr" in parts:
        results["ocr"] = ocr_errors.measure(worker, installed, folder)
        _print(ocr_errors.table(results["ocr"], folder))
    if "fidelity" in parts:
        results["fidelity"] = fidelity.measure(worker, Path("target/fidelity"))
        _print(fidelity.table(results["fidelity"]))
    if "compress" in parts:
        results["compress"] = _compression(worker, installed, extent)
        _print(report.compression_table(results["compress"]))
    if "stream" in parts:
        results["stream"] = _streams(worker, installed, folder, extent)
        _print(report.stream_table(results["stream"]))
    if "extract" in parts:
        results["extract"] = extract.measure(worker, alone=extent.alone)
        _print(extract.table(results["extract"]))
    results["bars"] = report.bars(results)
    results["machine after"] = report.machine()
    _print(report.bars_table(results["bars"]))
    return results


def _engine(
    results: dict,
    kind: str,
    make: Callable[[], list[contenders.Contender]],
    them: list[documents.Document],
    extent: Extent,
) -> None:
    candidates = make()
    results[f"{kind} cold"] = rows = {"small": measuring.cold(candidates, them[0], extent.cold_rounds)}
    _print(report.table(f"{kind}: process start to first PDF, wall ms", rows, "wall_ms"))
    results[kind] = rows = _warm(candidates, them, extent)
    _print(report.table(f"{kind}: warm, wall ms", rows, "wall_ms"))
    _print(report.table(f"{kind}: warm, CPU ms, with what is done ahead of the next job", rows, "cpu_ms"))
    ends = [them[0], *(document for document in them if document.size == "large")]
    results[f"{kind} memory"] = rows = {document.label: measuring.memory(make, document) for document in ends}
    _print(report.memory_table(f"{kind}: peak PSS of the process tree, MB", rows))


def _pdf_tools(results: dict, worker: Path, installed: peers.Peers, folder: Path, extent: Extent) -> None:
    made = pdf_cases.generate(folder, installed.python)
    cases = pdf_cases.small(made) + (pdf_cases.large(made) if "large" in extent.sizes else [])
    cases = [case for case in cases if not extent.tools or case.tool in extent.tools]
    cold = measuring.cold([contenders.Ours(worker, cases[0].tool)], cases[0], extent.cold_rounds)
    results["pdf cold"] = {"small": cold}
    _print(report.table("PDF tools: process start to first result, wall ms", results["pdf cold"], "wall_ms"))
    results["pdf"], results["pdf memory"] = {}, {}
    for case in cases:
        rounds = 3 if case.size == "large" else extent.rounds
        with measuring.started(_candidates(case, worker, installed, extent)) as (running, problems):
            row = measuring.interleaved(running, case, rounds, extent.budget)
        results["pdf"][case.label] = row | {name: measuring.Series(problem=why) for name, why in problems.items()}
        memory = measuring.memory(lambda case=case: _candidates(case, worker, installed, extent), case)
        results["pdf memory"][case.label] = memory
    _print(report.pairs_table("PDF tools: wall ms", results["pdf"], "wall_ms"))
    _print(report.pairs_table("PDF tools: CPU ms, with what is done ahead of the next job", results["pdf"], "cpu_ms"))
    _print(report.pairs_table("PDF tools: peak PSS of the process tree, MB", results["pdf memory"], "peak_pss"))


def _candidates(
    case: pdf_cases.Case, worker: Path, installed: peers.Peers, extent: Extent
) -> list[contenders.Contender]:
    rivals = [] if extent.alone else [rival for rival in case.rivals(installed) if rival.name not in installed.missing]
    if extent.before is None:
        return [contenders.Ours(worker, case.tool, case.options), *rivals]
    builds = {"docmill": worker, "before": extent.before}
    return [*(contenders.Build(build, case.tool, case.options, name) for name, build in builds.items()), *rivals]


def _compression(worker: Path, installed: peers.Peers, extent: Extent) -> dict:
    """Size, similarity and time of each compressor's result for each document."""
    found: dict = {}
    for case in pdf_cases.compressible():
        with measuring.started(_candidates(case, worker, installed, extent)[: 3 if extent.before else 2]) as (running, _):
            row = measuring.interleaved(running, case, 3, 20)
            found[case.label] = {
                contender.name: measuring.compressed(contender, case, row[contender.name], similarity.of_pdfs)
                for contender in running
            }
    return found


def _warm(candidates: list[contenders.Contender], them: list[documents.Document], extent: Extent) -> dict:
    with measuring.started(candidates) as (running, problems):
        rows = {}
        for document in them:
            rows[document.label] = measuring.interleaved(running, document, extent.rounds, extent.budget)
            rows[document.label] |= {name: measuring.Series(problem=problem) for name, problem in problems.items()}
        return rows


def _streams(worker: Path, installed: peers.Peers, folder: Path, extent: Extent) -> dict[str, streams.Stream]:
    """Instances of one contender run alone, because they would share the cores."""
    jobs = documents.stream(documents.small_office(), documents.bad_office(folder), extent.jobs)
    names = [contender.name for contender in lineup.office(worker, installed)]

    def make(name: str) -> contenders.Contender:
        return next(contender for contender in lineup.office(worker, installed) if contender.name == name)

    return {name: streams.run(lambda name=name: make(name), jobs) for name in names}


def _print(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
