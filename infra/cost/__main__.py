"""`python -m cost`: prints the tables as Markdown. `--save` also updates the committed copy of the figures."""

import json
import sys
from collections.abc import Iterable, Mapping

from local import localize

from . import sources
from .model import (
    DAYS_OF_MONTH, POLLS_OF_A_QUEUE, SECONDS_OF_MONTH, SIZES, WORKERS, Deployment, Job, RequestLog, dollars, firewall, idle, in_use, job, per_thousand,
    request_log, usual_requests, waiting_request, warm_request,
)

TARGET = 0.05


def main(arguments: list[str]) -> int:
    figures, used = sources.figures()
    if arguments == ["--save"]:
        sources.COPY.write_text(json.dumps(figures, indent=1) + "\n")
        print(f"Written: {sources.COPY}")
        return 0
    prices, usage = sources.read("prices.json"), sources.read("usage.json")
    measured = sources.measured(figures)
    deployment = sources.deployment(localize.load(sources.ROOT / "template.yaml"))
    month = idle(usage, measured, deployment)
    loads = {int(load): share for load, share in usage["cold share"].items()}

    print(f"Prices: {prices['region']}, {prices['date']}. {prices['source']}.\nFigures: {'; '.join(used)}.\n")
    rows = [(kind, size) for kind in WORKERS for size in SIZES]
    if missing := [f"{kind}, {size}" for kind, size in rows if (kind, size) not in measured.conversions]:
        print(f"Not measured, so without a row: {'; '.join(missing)}.\n")
    warm = {row: job(*row, 0.0, usage, measured, deployment) for row in rows if row in measured.conversions}
    print_parts(warm, prices)
    print_loads(
        {
            (kind, size, load): per_thousand(
                job(kind, size, share, usage, measured, deployment), load, month + in_use(usage, load), prices
            )
            for (kind, size) in warm
            for load, share in loads.items()
        },
        list(loads),
    )
    usual = 1000 * dollars(usual_requests(usage, measured, deployment), prices)
    print_waiting(
        usual,
        {
            (kind, size): 1000 * dollars(waiting_request(kind, size, usage, measured, deployment), prices)
            for kind, size in warm
        },
    )
    print_others(
        {
            request["name"]: 1000 * dollars(warm_request(request, usage, measured, deployment), prices)
            for request in usage["other requests"]
        }
    )
    print_request_log({rate: request_log(usage, rate) for rate in usage["request log"]["requests a minute"]}, prices)
    print_idle(month, prices)
    print_options(deployment, prices)
    print(f"A month in use has custom metrics for USD {dollars(in_use(usage, max(loads)), prices):.2f} more.")
    fixed, million = (dollars(firewall(usage, requests), prices) for requests in (0, 1_000_000))
    print(f"A firewall in front, with a rate rule by address: USD {fixed:.2f} a month, and USD {million - fixed:.2f} for a million requests.")
    return 0


def print_parts(jobs: dict[tuple[str, str], Job], prices: dict) -> None:
    names = list(next(iter(jobs.values())).parts)
    print("### USD for 1,000 jobs, warm, without the idle service\n")
    row(["", *names, "together", "transfer of the results to the internet, apart"])
    row(["---"] * (len(names) + 3))
    for (kind, size), each in jobs.items():
        parts = [1000 * dollars(amounts, prices) for amounts in each.parts.values()]
        transfer = 1000 * dollars(each.transfer, prices)
        row([f"{kind}, {size}", *(f"{part:.4f}" for part in parts), f"{sum(parts):.4f}", f"{transfer:.4f}"])
    print()


def print_loads(costs: dict[tuple[str, str, int], float], loads: list[int]) -> None:
    print("### USD for 1,000 jobs with cold starts and their share of what the service costs anyway, by jobs a day\n")
    row(["", *(f"{load:,} a day" for load in loads), f"small: under {TARGET} at the busiest"])
    row(["---"] * (len(loads) + 2))
    for kind, size in dict.fromkeys((kind, size) for kind, size, _ in costs):
        met = costs[kind, size, loads[-1]] < TARGET
        verdict = ("yes" if met else "NO") if size == "small" else ""
        row([f"{kind}, {size}", *(f"{costs[kind, size, load]:.4f}" for load in loads), verdict])
    print()


def print_waiting(usual: float, waiting: dict[tuple[str, str], float]) -> None:
    print("### USD for the requests of 1,000 jobs, warm: one that waits (`Prefer: wait`), instead of create, ask and download\n")
    row(["", "create, ask, download", "one that waits"])
    row(["---"] * 3)
    for (kind, size), cost in waiting.items():
        row([f"{kind}, {size}", f"{usual:.4f}", f"{cost:.4f}"])
    print()


def print_others(costs: Mapping[str, float]) -> None:
    print("### USD for 1,000 other requests, warm\n")
    row(["", "USD"])
    row(["---"] * 2)
    for name, cost in costs.items():
        row([name, f"{cost:.4f}"])
    print()


def print_request_log(logs: Mapping[float, RequestLog], prices: dict) -> None:
    print("### The log of requests: what it adds, by requests of an account in a minute\n")
    row(["requests a minute", "writes for 20", "write units for 20", "USD for a million requests"])
    row(["---"] * 4)
    for rate, each in logs.items():
        row([f"{rate:,}", f"{each.writes:.2f}", f"{each.units:.2f}", f"{dollars(each.million, prices):.2f}"])
    print()


def print_idle(month: dict[str, float], prices: dict) -> None:
    print("### USD for a month in which nothing happens\n")
    row(["", "amount", "USD", "after the account's free allowances"])
    row(["---"] * 4)
    for unit, amount in month.items():
        each = {unit: amount}
        row([unit, f"{amount:,.4g}", f"{dollars(each, prices):.2f}", f"{dollars(each, prices, free=True):.2f}"])
    row(["together", "", f"{dollars(month, prices):.2f}", f"{dollars(month, prices, free=True):.2f}"])
    print(f"\nA month has {DAYS_OF_MONTH:.1f} days. The tables above deduct no free allowance.")


def print_options(deployment: Deployment, prices: dict) -> None:
    """What parameters add to an idle month, or take from it."""
    print("\n### USD that options add to such a month, after the account's free allowances\n")
    row(["parameter", "USD"])
    row(["---"] * 2)
    price = {unit: each["price"] for unit, each in prices["units"].items()}
    for name, cost in {
        "`Alarms=all`": deployment.more_alarms * price["alarm"],
        "`ConverterNetwork=open`": -POLLS_OF_A_QUEUE * price["SQS request"] - 4 * price["DNS name"],
        "`MetricsDashboard` beyond the account's first three": price["dashboard"],
        "`ProvisionedCreates=1`, for each of the functions that create jobs": SECONDS_OF_MONTH * price["provisioned GB-s"] * deployment.memory["CreateJob"] / 1024,
    }.items():
        row([name, f"{cost:.2f}"])
    print()


def row(cells: Iterable[str]) -> None:
    print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
