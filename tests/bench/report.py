"""The figures as Markdown tables, as JSON, and compared with Docmill's own targets."""

import dataclasses
import os
import platform

from .measuring import Row, Series
from .streams import Stream

OURS = "docmill"


def table(title: str, rows: dict[str, Row], what: str) -> str:
    """A line for each document or case; `what`: `wall_ms` or `cpu_ms`, as median (min–max)."""
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    cells = {label: [_cell(row.get(name), what) for name in names] for label, row in rows.items()}
    return _markdown(title, names, cells)


def pairs_table(title: str, rows: dict[str, Row], what: str) -> str:
    """A line for each case and contender, since each case has its own peers, with our time relative to theirs."""
    cells = {}
    for label, row in rows.items():
        ours = row.get(OURS, Series()).median(what) if what != "peak_pss" else row.get(OURS, Series()).peak_pss
        for name, series in row.items():
            theirs = series.peak_pss if what == "peak_pss" else series.median(what)
            share = f"{ours / theirs:.2f}" if ours and theirs and name != OURS else ""
            shown = _memory_cell(series) if what == "peak_pss" else _cell(series, what)
            cells[f"{label}: {name}"] = [shown, share]
    return _markdown(title, ["", "ours to it"], cells)


def compression_table(found: dict) -> str:
    cells = {}
    for label, row in found.items():
        for name, made in row.items():
            if made.problem:
                cells[f"{label}: {name}"] = [_short(made.problem), "", ""]
            else:
                cpu = "–" if made.cpu_ms is None else f"{made.cpu_ms:.0f}"
                cells[f"{label}: {name}"] = [f"{made.share:.1%}", f"{made.ssim:.4f}", cpu]
    return _markdown("compress-pdf: share of the bytes, likeness, CPU ms", ["bytes", "SSIM", "CPU ms"], cells)


def memory_table(title: str, rows: dict[str, Row]) -> str:
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    cells = {label: [_memory_cell(row.get(name)) for name in names] for label, row in rows.items()}
    return _markdown(title, names, cells)


def stream_table(streams: dict[str, Stream]) -> str:
    names = ["jobs a minute", "seconds", "CPU s", "good jobs failed", "bad jobs that gave a PDF", "restarts"]
    cells = {name: _stream_cells(stream) for name, stream in streams.items()}
    return _markdown("A mixed stream of small office jobs, 10 % bad, two instances", names, cells)


def _stream_cells(stream: Stream) -> list[str]:
    if stream.problem:
        return [stream.problem] + [""] * 5
    rates = [f"{stream.per_minute:.0f}", f"{stream.seconds:.1f}", f"{stream.cpu_seconds:.1f}"]
    return rates + [str(len(stream.failures)), str(stream.garbage), str(stream.restarts)]


def _markdown(title: str, columns: list[str], cells: dict[str, list[str]]) -> str:
    head = ["", *columns]
    lines = [f"### {title}", "", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    lines += ["| " + " | ".join([label, *values]) + " |" for label, values in cells.items()]
    return "\n".join(lines) + "\n"


def _cell(series: Series | None, what: str) -> str:
    if series is None:
        return "–"
    values = getattr(series, what)
    if not values:
        return _short(series.problem)
    pages = f", {series.pages} p" if what == "wall_ms" and series.pages else ""
    trouble = f"; then {_short(series.problem)}" if series.problem else ""
    return f"{series.median(what):.0f} ({min(values):.0f}–{max(values):.0f}, n={len(values)}{pages}){trouble}"


def _memory_cell(series: Series | None) -> str:
    if series is None or series.peak_pss is None:
        return "–" if series is None else _short(series.problem)
    return f"{series.peak_pss / 1e6:.0f}"


def _short(problem: str | None) -> str:
    line = " ".join((problem or "–").split()).replace("|", "/")
    return line if len(line) <= 60 else line[:59] + "…"


@dataclasses.dataclass(frozen=True)
class Bar:
    """`figure` must not exceed `limit`: the ratio of ours to the peer's, unless the name says otherwise."""

    name: str
    figure: float | None
    limit: float
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        if self.figure is None:
            return None
        return self.figure >= self.limit if self.at_least else self.figure <= self.limit


def bars(results: dict) -> list[Bar]:
    """Of what was measured."""
    judges = [
        (_office_bars, "office"),
        (_memory_bars, "office memory"),
        (_cold_bars, "office cold"),
        (_stream_bars, "stream"),
        (_basic_bars, "basic"),
        (_browser_bars, "browser"),
        (_pdf_bars, "pdf"),
        (_ocr_bars, "ocr"),
        (_compression_bars, "compress"),
    ]
    return [bar for judge, part in judges if part in results for bar in judge(results[part])]


def _ratio(row: Row, *peers: str, what: str = "wall_ms") -> float | None:
    """The ratio of ours to the best of these peers; of CPU time with `what="cpu_ms"`."""
    ours = row.get(OURS, Series()).median(what)
    theirs = [row[peer].median(what) for peer in peers if peer in row]
    known = [value for value in theirs if value]
    return ours / min(known) if ours is not None and known else None


def _office_bars(rows: dict[str, Row]) -> list[Bar]:
    found = []
    for label, row in rows.items():
        if label.startswith("small"):
            found.append(Bar(f"{label}: of a fresh soffice", _ratio(row, "soffice, fresh"), 1 / 20))
            found.append(Bar(f"{label}: of unoserver", _ratio(row, "unoserver"), 0.5))
            found.append(Bar(f"{label}: of Gotenberg", _ratio(row, "gotenberg"), 1 / 8))
        else:
            peers = [name for name in row if name != OURS]
            found.append(Bar(f"{label}: of the best peer", _ratio(row, *peers), 1.0))
    return found


def _memory_bars(rows: dict[str, Row]) -> list[Bar]:
    found = []
    for label, row in rows.items():
        ours, theirs = (row.get(name, Series()).peak_pss for name in (OURS, "unoserver"))
        if label.startswith("large"):
            found.append(Bar(f"{label}: peak PSS of unoserver's", ours / theirs if ours and theirs else None, 0.5))
    return found


def _cold_bars(rows: dict[str, Row]) -> list[Bar]:
    found = []
    for label, row in rows.items():
        found.append(Bar(f"cold {label}: of unoserver", _ratio(row, "unoserver"), 0.2))
        found.append(Bar(f"cold {label}: ms", row.get(OURS, Series()).median("wall_ms"), 600))
    return found


def _stream_bars(streams: dict[str, Stream]) -> list[Bar]:
    ours = streams[OURS]
    return [
        Bar("mixed stream: jobs a minute", ours.per_minute, 1000, at_least=True),
        Bar("mixed stream: good jobs that failed", float(len(ours.failures)), 0),
    ]


def _basic_bars(rows: dict[str, Row]) -> list[Bar]:
    return [Bar(f"basic {label}: of WeasyPrint", _ratio(row, "weasyprint"), 1 / 8) for label, row in rows.items()]


def _browser_bars(rows: dict[str, Row]) -> list[Bar]:
    found = []
    for label, row in rows.items():
        ratio = _ratio(row, "puppeteer-core", "playwright-core")
        found.append(Bar(f"browser {label}: of the faster driver", ratio, 1.0))
        found.append(Bar(f"browser {label}: of Gotenberg", _ratio(row, "gotenberg"), 0.7))
    return found


def _pdf_bars(rows: dict[str, Row]) -> list[Bar]:
    wanted = [
        ("merge 2 small", "gotenberg", "wall_ms", 1 / 3),
        ("merge 100 small", "qpdf", "cpu_ms", 0.5),
        ("PNG, 150 dpi", "pdftoppm", "cpu_ms", 0.45),
        ("PNG, 150 dpi", "pdftoppm", "wall_ms", 0.3),
        ("OCR of 4 scans", "ocrmypdf", "cpu_ms", 0.65),
        ("text", "pdftotext", "cpu_ms", 1.0),
        ("text of pictures", "pdftotext", "cpu_ms", 1.0),
        ("text of 500 pages", "pdftotext", "cpu_ms", 1.0),
    ]
    names = {"wall_ms": "time", "cpu_ms": "CPU time"}
    return [
        Bar(f"{label}: {names[what]} of {peer}", _ratio(rows.get(label, {}), peer, what=what), limit)
        for label, peer, what, limit in wanted
    ]


def _ocr_bars(found: dict) -> list[Bar]:
    """Over all scripts, each of which has what both contenders read wrong, by page, and their CPU time."""
    pairs = [(row[OURS], row["ocrmypdf"]) for row in found.values() if OURS in row and "ocrmypdf" in row]
    if not pairs:
        return []
    ours, theirs = ([pair[place] for pair in pairs] for place in (0, 1))

    def wrong(of: list) -> int:
        return sum(sum(pages) for pages, _ in of)

    def cpu(of: list) -> float:
        return sum(milliseconds for _, milliseconds in of)

    return [
        Bar("OCR of five scripts: wrong characters of ocrmypdf's", wrong(ours) / max(wrong(theirs), 1), 1.0),
        Bar("OCR of five scripts: CPU time of ocrmypdf's", cpu(ours) / cpu(theirs), 0.65),
    ]


def _compression_bars(found: dict) -> list[Bar]:
    """How often ours is smaller than Ghostscript's and looks at least as good, and its share of Ghostscript's CPU time."""
    pairs = [(row.get(OURS), row.get("ghostscript /ebook")) for row in found.values()]
    pairs = [(ours, other) for ours, other in pairs if ours and other and not ours.problem and not other.problem]
    if not pairs:
        return [Bar("compress: smaller and no worse than Ghostscript", None, 0.8, at_least=True)]
    better = [ours for ours, other in pairs if ours.share < other.share and ours.ssim >= other.ssim - 0.0005]
    shares = sorted(ours.cpu_ms / other.cpu_ms for ours, other in pairs if ours.cpu_ms and other.cpu_ms)
    return [
        Bar("compress: smaller and no worse than Ghostscript", len(better) / len(pairs), 0.8, at_least=True),
        Bar("compress: CPU time of Ghostscript's, median", shares[len(shares) // 2] if shares else None, 0.7),
    ]


def bars_table(found: list[Bar]) -> str:
    verdict = {True: "met", False: "**missed**", None: "not measured"}
    cells = {}
    for bar in found:
        figure = "–" if bar.figure is None else f"{bar.figure:.3g}"
        cells[bar.name] = [figure, f"{'≥' if bar.at_least else '≤'} {bar.limit:.3g}", verdict[bar.met]]
    return _markdown("Bars", ["figure", "bar", ""], cells)


def machine() -> dict:
    load = os.getloadavg()
    return {"cores": os.cpu_count(), "system": platform.platform(), "load": [round(value, 1) for value in load]}


def as_json(value):
    """Dataclasses as objects, for `json.dumps(default=…)`."""
    if dataclasses.is_dataclass(value):
        return dataclasses.asdict(value)
    raise TypeError(type(value).__name__)
