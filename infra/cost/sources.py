"""The source of the figures: this machine's last benchmarks, or the committed, dated copy."""

import json
import statistics
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from local import localize

from .model import ENGINES, SIZES, Conversion, Deployment, Measured, Request

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COPY = HERE / "measured.json"
BENCH, BENCH_API = ROOT / "target/bench.json", ROOT / "target/bench-api.json"
OURS = "docmill"
# Like calls to AWS: over TLS, including the first handshakes.
BACKEND = "TLS"


def read(name: str) -> dict[str, Any]:
    return json.loads((HERE / name).read_text())


def figures() -> tuple[dict[str, Any], list[str]]:
    """The figures in the committed copy's form, with their sources. Unmeasured ones come from the copy."""
    copy = read(COPY.name)
    used = []
    for part, file, extract in [("engines", BENCH, engines), ("tools", BENCH, tools), ("requests", BENCH_API, requests)]:
        found = extract(json.loads(file.read_text())) if file.exists() else None
        if found:
            written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
            copy[part] = {"measured": written.strftime("%Y-%m-%dT%H:%MZ")} | found
            used.append(f"{part}: {file.relative_to(ROOT)} of this machine")
        else:
            used.append(f"{part}: {COPY.relative_to(ROOT)}, measured {copy[part]['measured']}")
    return copy, used


def engines(bench: dict[str, Any]) -> dict[str, Any] | None:
    """Our times from `make bench`: the mean of the medians over all kinds of documents of a size."""
    if not all(f"{kind} cold" in bench for kind in ENGINES):
        return None
    found: dict[str, Any] = {"warm": {}, "cold_ms": {}}
    for kind in ENGINES:
        found["cold_ms"][kind] = _cold(bench, kind)
        for size in SIZES:
            rows = [row[OURS] for label, row in bench[kind].items() if label.startswith(size)]
            found["warm"][f"{kind} {size}"] = {
                what: round(statistics.mean(statistics.median(row[what]) for row in rows), 1)
                for what in ("wall_ms", "cpu_ms")
            }
    return found


# The benchmark's cases for small and large jobs of a tool.
CASES = {
    "convert-office": ("docx to odt", "docx to odt, large"),
    "markdown-to-pdf": ("Markdown to PDF", "Markdown to PDF, large"),
    "render-template": ("fill a template", "fill 1,000 rows"),
    "email-to-pdf": ("email", "email, large"),
    "html-to-image": ("page to PNG", "page to PNG, large"),
    "merge-pdf": ("merge 2 small", "merge 2 × 500 tagged"),
    "split-pdf": ("split into pages", "split 500 scans"),
    "organize-pdf": ("reverse", "reverse 500 scans"),
    "compress-pdf": ("compress pictures", "compress 500 scans"),
    "protect-pdf": ("protect", "protect 500 scans"),
    "unlock-pdf": ("unlock", "unlock 500 pages"),
    "watermark-pdf": ("watermark", "watermark 500 scans"),
    "edit-metadata": ("set the title", "title of 500 scans"),
    "flatten-pdf": ("flatten", "flatten 500 scans"),
    "fill-form": ("fill 10 fields", "fill 1,000 fields"),
    "ocr-pdf": ("OCR of 4 scans", "OCR of 12 scans"),
    "tag-pdf": ("tag", "tag 500 pages"),
    "pdf-to-pdfa": ("PDF/A", "PDF/A of 500 scans"),
    "redact-pdf": ("redact a word", "redact 4 scans"),
    "compare-documents": ("compare", "compare 100 pages"),
    "pdf-to-images": ("PNG, 150 dpi", "PNG of 100 pages"),
    "images-to-pdf": ("10 JPEGs to PDF", "100 JPEGs to PDF"),
    "thumbnail": ("thumbnail", "thumbnail of 500 pages"),
    "pdf-to-text": ("text", "text of 500 pages"),
    "pdf-to-office": ("to Word", "500 pages to Word"),
    "extract-document": ("extract", "extract 500 pages"),
    "inspect-document": ("inspect", "inspect 500 scans"),
    "sign-pdf": ("sign", "sign 500 scans"),
    "verify-signatures": ("verify a signature", "verify an archived signature"),
    "check-accessibility": ("check accessibility", "check accessibility of 500 pages"),
    "read-invoice": ("read an invoice", "read 1000 lines"),
    "validate-invoice": ("validate an invoice", "validate 1000 lines"),
}


def tools(bench: dict[str, Any]) -> dict[str, Any] | None:
    """Our times from `make bench ONLY=pdf`."""
    rows = bench.get("pdf", {})
    cases = {f"{tool} {size}": label for tool, labels in CASES.items() for size, label in zip(SIZES, labels, strict=True)}
    if not rows.keys() >= set(cases.values()):
        return None
    warm = {}
    for name, label in cases.items():
        row = rows[label][OURS]
        times = {what: round(statistics.median(row[what]), 1) for what in ("wall_ms", "cpu_ms")}
        warm[name] = times | {"output_bytes": row["output_bytes"], "files": row["files"]}
    return {"warm": warm, "cold_ms": {"pdf": _cold(bench, "pdf")}}


def _cold(bench: dict[str, Any], kind: str) -> float:
    return round(statistics.median(bench[f"{kind} cold"]["small"][OURS]["wall_ms"]), 1)


def requests(bench: dict[str, Any]) -> dict[str, Any]:
    """The functions of `make bench-api`."""
    found: dict[str, Any] = {"measured": bench["machine"]["measured_at"], "functions": {}}
    for function in bench["functions"]:
        backend = next(each for each in function["backends"] if each["backend"] == BACKEND)
        found["functions"][function["name"]] = {
            "cpu_ms": round(backend["warm_cpu_ms"]["median"], 3),
            "init_ms": round(backend["init_ms"]["median"], 2),
            "first_cpu_ms": round(backend["first_cpu_ms"]["median"], 2),
        }
    return found


def measured(figures: dict[str, Any]) -> Measured:
    parts = [figures["engines"], figures["tools"]]
    warm = {tuple(name.split()): Conversion(**figure) for part in parts for name, figure in part["warm"].items()}
    cold = {kind: ms for part in parts for kind, ms in part["cold_ms"].items()}
    functions = {name: Request(**figure) for name, figure in figures["requests"]["functions"].items()}
    return Measured(warm, cold, functions)


def metrics_of(resource: dict[str, Any]) -> int:
    """The number of metrics that an alarm reads, each of which is billed; 0 if the resource is not an alarm."""
    if resource["Type"] != "AWS::CloudWatch::Alarm":
        return 0
    return sum("MetricStat" in each for each in resource["Properties"].get("Metrics", [])) or 1


def deployment(template: localize.Template) -> Deployment:
    """Sizes and counts of the template's default deployment."""
    defaults = {name: each.get("Default") for name, each in template["Parameters"].items()}
    common = template["Globals"]["Function"]["MemorySize"]

    def number(value: Any) -> int:
        return int(defaults[value["Ref"]] if isinstance(value, dict) else value)

    functions = localize.functions(template)
    memory = {name: number(each["Properties"].get("MemorySize", common)) for name, each in functions.items()}
    kinds = [each["Type"] for each in template["Resources"].values()]
    html = memory["HtmlWorker"]
    return Deployment(
        memory=memory,
        worker_memory={"office": memory["OfficeWorker"], "basic": html, "browser": html, "pdf": memory["PdfWorker"]},
        worker_tmp=number(functions["OfficeWorker"]["Properties"]["EphemeralStorage"]["Size"]),
        alarms=sum(metrics_of(each) for each in template["Resources"].values() if each.get("Condition") != "HasAllAlarms"),
        more_alarms=sum(metrics_of(each) for each in template["Resources"].values() if each.get("Condition") == "HasAllAlarms"),
        dashboards=kinds.count("AWS::CloudWatch::Dashboard"),
    )
