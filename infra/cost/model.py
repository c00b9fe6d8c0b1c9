"""The model: costs are amounts of priced units, which a price list turns into dollars."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

# The amount of each priced unit.
Amounts = Counter[str]

MEMORY_OF_ONE_CORE = 1769
FREE_TMP_MB = 512
DAYS_OF_MONTH = 365 / 12
SECONDS_OF_MONTH = 2_628_000
# Five pollers that find nothing, a receive every 20 s.
POLLS_OF_A_QUEUE = 5 * 3 * 43_800
# Priced engines, and the worker whose memory and start count for them.
ENGINES = {"office": "office", "basic": "basic", "browser": "browser"}
# All other tools count for their queue's worker.
CATALOGUE = Path(__file__).resolve().parents[2] / "shared/tools"
WORKER_OF_QUEUE = {"office": "office", "html": "browser", "pdf": "pdf"}
PRICED_BY_ENGINE = ("office-to-pdf", "html-to-pdf")


def _tools() -> dict[str, str]:
    tools = sorted(path for path in CATALOGUE.glob("*.json") if "." not in path.stem and path.stem not in PRICED_BY_ENGINE)
    return {path.stem: WORKER_OF_QUEUE[json.loads(path.read_text())["queue"]] for path in tools}


TOOLS = _tools()
WORKERS = ENGINES | TOOLS
SIZES = ("small", "large")


@dataclass(frozen=True)
class Conversion:
    """An engine's times for one document in milliseconds, and the size of its result. `output_bytes`: assumed if 0."""

    wall_ms: float
    cpu_ms: float
    output_bytes: float = 0
    files: int = 1

    def stored_bytes(self, assumed: float) -> float:
        """Several files are stored individually, and together in an archive."""
        return (self.output_bytes or assumed) * (1 if self.files == 1 else 2)

    @property
    def more_writes(self) -> int:
        """The additional objects for several files: all but the first, the archive, and at most one list of them."""
        return 0 if self.files == 1 else self.files + 1


@dataclass(frozen=True)
class Request:
    """A function's warm processor time, and what its start and first invocation take in addition."""

    cpu_ms: float
    init_ms: float
    first_cpu_ms: float


@dataclass(frozen=True)
class Measured:
    conversions: Mapping[tuple[str, str], Conversion]
    cold_ms: Mapping[str, float]
    requests: Mapping[str, Request]


@dataclass(frozen=True)
class Deployment:
    """Values from the template. Sizes in MB."""

    memory: Mapping[str, int]
    worker_memory: Mapping[str, int]
    worker_tmp: int
    # Metrics that alarms read: each is billed. By default, and those of the alarms that `Alarms=all` adds.
    alarms: int
    more_alarms: int
    dashboards: int


def dollars(amounts: Mapping[str, float], prices: Mapping, free: bool = False) -> float:
    """The price of amounts; `free` deducts AWS's monthly free allowance."""
    units = prices["units"]
    return sum(
        max(0.0, amount - (units[unit].get("free", 0) if free else 0)) * units[unit]["price"]
        for unit, amount in amounts.items()
    )


def times(amounts: Mapping[str, float], factor: float) -> Amounts:
    return Counter({unit: amount * factor for unit, amount in amounts.items()})


def compute(ms: float, memory: float, tmp: float = FREE_TMP_MB) -> Amounts:
    """An invocation's duration. Lambda bills by the millisecond, rounded up."""
    seconds = -(-ms // 1) / 1000
    amounts = Counter({"lambda GB-s": seconds * memory / 1024})
    if tmp > FREE_TMP_MB:
        amounts["lambda /tmp GB-s"] = seconds * (tmp - FREE_TMP_MB) / 1024
    return amounts


def request_ms(request: Mapping, measured: Request, call_ms: float, memory: int, cold: bool) -> float:
    """Time to wait for AWS, and to compute with the share of a core that the memory gives."""
    cores = memory / MEMORY_OF_ONE_CORE
    if not cold:
        return request["serial calls"] * call_ms + measured.cpu_ms / cores
    # The first invocation reads the settings in parallel with its first call. A start has a whole core.
    return measured.init_ms + request["serial calls"] * call_ms + measured.first_cpu_ms / cores


def worker_ms(worker: Mapping, conversion: Conversion, call_ms: float, memory: int) -> float:
    """Work ahead of the next job is part of the processor time, and Lambda bills it too."""
    converting = max(conversion.wall_ms, conversion.cpu_ms / (memory / MEMORY_OF_ONE_CORE))
    return worker["source ms"] + converting + worker["store ms"] + worker["serial calls"] * call_ms


def polls(ms: float, waiting: Mapping) -> int:
    """How often a request that waits this long reads its job."""
    count, waited, pause = 0, 0.0, waiting["first pause ms"]
    while waited < ms:
        waited += pause
        count += 1
        pause = min(pause * waiting["pause factor"], waiting["longest pause ms"])
    return count


def waiting_request(kind: str, size: str, usage: Mapping, measured: Measured, deployment: Deployment) -> Amounts:
    """One warm request that creates a job and waits for its end."""
    waiting, call_ms = usage["waiting"], usage["calls"]["ms"]
    memory = deployment.memory[waiting["resource"]]
    worker = worker_ms(usage["worker"], measured.conversions[kind, size], call_ms, deployment.worker_memory[WORKERS[kind]])
    ms = request_ms(waiting, measured.requests[waiting["function"]], call_ms, memory, cold=False) + worker
    amounts = Counter(usage["request units"]) + Counter(waiting["units"])
    amounts += times(waiting["units of a poll"], polls(worker, waiting))
    return amounts + compute(ms, memory) + log(usage["request log bytes"], usage)


def usual_requests(usage: Mapping, measured: Measured, deployment: Deployment) -> Amounts:
    """The warm requests of a client that creates a job, polls it and downloads the result."""
    amounts: Amounts = Counter()
    for request in usage["requests"]:
        amounts += times(warm_request(request, usage, measured, deployment), request["count"])
    return amounts


def warm_request(request: Mapping, usage: Mapping, measured: Measured, deployment: Deployment) -> Amounts:
    memory = deployment.memory[request["resource"]]
    ms = request_ms(request, measured.requests[request["function"]], usage["calls"]["ms"], memory, cold=False)
    amounts = Counter(usage["request units"]) + Counter(request["units"]) + compute(ms, memory)
    return amounts + log(usage["request log bytes"], usage)


def log(size: float, usage: Mapping) -> Amounts:
    kept = usage["kept"]
    months = kept["log days"] / DAYS_OF_MONTH
    return Counter({"log GB": size / 1e9, "log GB-month": size / 1e9 * kept["log compression"] * months})


@dataclass(frozen=True)
class Job:
    """A job's cost by purpose."""

    parts: Mapping[str, Amounts]
    transfer: Amounts

    def total(self) -> Amounts:
        return sum(self.parts.values(), Counter())


def job(kind: str, size: str, cold_share: float, usage: Mapping, measured: Measured, deployment: Deployment) -> Job:
    call_ms = usage["calls"]["ms"]
    parts: dict[str, Amounts] = {
        "API": Counter(), "worker": Counter(), "jobs' records": Counter(), "outputs": Counter(), "logs": Counter(),
    }
    for request in usage["requests"]:
        count, memory = request["count"], deployment.memory[request["resource"]]
        figures = measured.requests[request["function"]]
        warm, cold = (
            compute(request_ms(request, figures, call_ms, memory, cold), memory) for cold in (False, True)
        )
        parts["API"] += times(usage["request units"], count)
        parts["API"] += times(warm, count * (1 - cold_share)) + times(cold, count * cold_share)
        share_out(times(request["units"], count), parts)
        parts["logs"] += times(log(usage["request log bytes"], usage), count)

    worker, memory = usage["worker"], deployment.worker_memory[WORKERS[kind]]
    conversion = measured.conversions[kind, size]
    ms = worker_ms(worker, conversion, call_ms, memory) + cold_share * measured.cold_ms[WORKERS[kind]]
    parts["worker"] += compute(ms, memory, deployment.worker_tmp)
    share_out(Counter(worker["units"]) + Counter({"S3 write": conversion.more_writes}), parts)
    parts["logs"] += log(worker["log bytes"], usage)

    expiry = usage["expiry"]
    parts["worker"] += compute(expiry["ms"], deployment.memory[expiry["resource"]])
    share_out(Counter(expiry["units"]), parts)

    kept, assumed = usage["kept"], usage["output bytes"][size]
    record_months = kept["record bytes"] / 1e9 * kept["record days"] / DAYS_OF_MONTH
    parts["jobs' records"] += Counter(
        {"DynamoDB GB-month": record_months, "DynamoDB backup GB-month": record_months}
    )
    parts["outputs"]["S3 GB-month"] += conversion.stored_bytes(assumed) / 1e9 * kept["output days"] / DAYS_OF_MONTH
    return Job(parts, Counter({"transfer GB": (conversion.output_bytes or assumed) / 1e9}))


def share_out(amounts: Mapping[str, float], parts: Mapping[str, Amounts]) -> None:
    """Sorts amounts of AWS's services under suitable headings."""
    for unit, amount in amounts.items():
        if unit.startswith("DynamoDB"):
            parts["jobs' records"][unit] += amount
        elif unit.startswith("S3"):
            parts["outputs"][unit] += amount
        else:
            parts["worker" if unit.startswith("SQS") else "API"][unit] += amount


def idle(usage: Mapping, measured: Measured, deployment: Deployment) -> Amounts:
    """The cost of a month without any jobs."""
    amounts = Counter({unit: line["amount"] for unit, line in usage["idle"].items()})
    memory = deployment.memory["Sweeper"]
    # The sweeper and the collector of request logs run equally often.
    runs = usage["idle"]["schedule"]["amount"] / 2
    run_ms = usage["calls"]["ms"] * usage["calls"]["of a sweep"] + measured.requests["sweeper"].cpu_ms / (memory / MEMORY_OF_ONE_CORE)
    amounts += times(compute(run_ms, memory), runs)
    # A search through the log of a minute in which nothing happened, and a read.
    amounts += times(compute(usage["calls"]["ms"] + usage["request log"]["search ms"], deployment.memory["RequestLog"]), runs)
    return amounts + Counter({"alarm": deployment.alarms, "dashboard": deployment.dashboards})


def in_use(usage: Mapping, jobs_a_day: float) -> Amounts:
    """The additional cost of a month with jobs: a custom metric is billed for each hour in which it is written."""
    amounts = Counter({unit: line["amount"] for unit, line in usage["in use"].items()})
    return times(amounts, min(1.0, jobs_a_day / 24))


@dataclass(frozen=True)
class RequestLog:
    """The log of an account's requests: writes for twenty of them, the units that these take, and the cost of a million."""

    writes: float
    units: float
    million: Amounts


def request_log(usage: Mapping, a_minute: float) -> RequestLog:
    """`a_minute`: how many requests an account sends in a minute. They wait for others to be stored with (functions/request-log)."""
    of = usage["request log"]
    minutes = min(of["longest wait minutes"], max(1, -(-of["enough"] // a_minute)))
    full, rest = divmod(max(1, a_minute * minutes), of["most in an item"])
    items = [of["most in an item"]] * int(full) + ([rest] if rest else [])
    size = [of["first bytes"] + of["bytes"] * (count - 1) for count in items]
    units = sum(-(-each // 1024) for each in size)
    requests = sum(items)
    kept = 1e6 / requests * sum(size) / 1e9 * of["days"] / DAYS_OF_MONTH
    line = times(log(of["line bytes"], usage), 1e6)
    million = Counter({"DynamoDB write": 1e6 * units / requests, "DynamoDB GB-month": kept, "DynamoDB backup GB-month": kept}) + line
    return RequestLog(20 * len(items) / requests, 20 * units / requests, million)


def firewall(usage: Mapping, requests: float) -> Amounts:
    """The additional cost of a month with CloudFront and a rate rule by address in front of this many requests."""
    return Counter(usage["firewall"]["month"]) + times(Counter(usage["firewall"]["request"]), requests)


def per_thousand(one: Job, jobs_a_day: float, month: Amounts, prices: Mapping) -> float:
    """A thousand jobs with their share of the month's fixed amounts, without free allowances."""
    return 1000 * (dollars(one.total(), prices) + dollars(month, prices) / (jobs_a_day * DAYS_OF_MONTH))
