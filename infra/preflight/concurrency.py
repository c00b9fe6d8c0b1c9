"""How the account's concurrent executions are shared: workers, deliverers, batches, the relay, what is reserved, and the rest for the API."""

from collections import Counter
from dataclasses import dataclass
from functools import cache

from local import localize
from local.settings import ROOT

# Lambda keeps this many environments unreserved.
KEPT_UNRESERVED = 100
# The API, the dashboard and the sweeper, whose requests are short, need some besides.
LEAST_FOR_THE_REST = 3
# SQS's least for an event source.
LEAST_OF_A_SOURCE = 2


@cache
def sources() -> dict[str, int]:
    """How many event sources each parameter limits: DeliveryConcurrency has two."""
    resources = localize.load(ROOT / "template.yaml")["Resources"].values()
    scaling = [each["Properties"]["ScalingConfig"] for each in resources if each["Type"] == "AWS::Lambda::EventSourceMapping"]
    return dict(Counter(each["MaximumConcurrency"]["Ref"] for each in scaling))


@cache
def provisioned_functions() -> int:
    resources = localize.load(ROOT / "template.yaml")["Resources"].values()
    return sum("ProvisionedConcurrencyConfig" in each.get("Properties", {}) for each in resources)


def workers(parameters: dict[str, str]) -> dict[str, int]:
    """The concurrency of each queue of jobs."""
    others = ("DeliveryConcurrency", "BatchConcurrency", "RelayConcurrency")
    return {name: int(parameters[name]) for name in sources() if name not in others}


def of_sources(parameters: dict[str, str]) -> int:
    return sum(count * int(parameters[name]) for name, count in sources().items())


def kept(parameters: dict[str, str]) -> int:
    """What the stack takes from the account's pool even when idle."""
    reserved = 1 if parameters["ReserveSweeper"] == "true" else 0
    return reserved + int(parameters["ProvisionedCreates"]) * provisioned_functions()


@dataclass(frozen=True)
class Pool:
    """The account's concurrent executions that are unreserved, or reserved by this very stack."""

    free: int

    def left(self, parameters: dict[str, str]) -> int:
        """For the API, while everything else is busy."""
        return self.free - of_sources(parameters) - kept(parameters)

    def may_reserve(self) -> bool:
        return self.free - 1 >= KEPT_UNRESERVED

    def is_too_small(self) -> bool:
        """Whether even the least concurrency of everything leaves the API nothing."""
        return self.free - LEAST_OF_A_SOURCE * sum(sources().values()) < LEAST_FOR_THE_REST

    def fitting(self, parameters: dict[str, str]) -> dict[str, str]:
        """The same parameters, with less concurrency where the account has not enough: a third stays for the API."""
        fit = dict(parameters)
        if not self.may_reserve():
            fit["ReserveSweeper"] = "false"
        if kept(fit) > self.free // 3:
            fit["ProvisionedCreates"] = "0"
        if self.left(fit) < LEAST_FOR_THE_REST:
            least = dict.fromkeys(sources(), str(LEAST_OF_A_SOURCE))
            shared = max(self.free - kept(fit) - of_sources(least) - max(LEAST_FOR_THE_REST, self.free // 3), 0)
            beyond = max(of_sources(parameters) - of_sources(least), 1)
            for name in sources():
                wanted = int(parameters[name]) - LEAST_OF_A_SOURCE
                fit[name] = str(LEAST_OF_A_SOURCE + min(wanted, wanted * shared // beyond))
        burst = max(self.left(fit), LEAST_FOR_THE_REST)
        # A burst of anonymous requests is as large as their rate.
        for name in ("RequestBurst", "AnonymousRequestsPerSecond"):
            fit[name] = str(min(int(fit[name]), burst))
        # No account occupies all workers.
        fit["RunningJobs"] = str(min(int(fit["RunningJobs"]), min(workers(fit).values()) - 1))
        return fit
