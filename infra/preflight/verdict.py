"""The consequences of the account's facts for a deployment with these parameters."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from local import localize
from local.settings import ROOT

from preflight.concurrency import (
    KEPT_UNRESERVED, LEAST_FOR_THE_REST, LEAST_OF_A_SOURCE, Pool, kept, of_sources, sources, workers,
)  # fmt: skip
from preflight.facts import Facts

ASK = "ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions)"
SECRETS = ("OidcClientSecret",)
# New accounts can't give functions more memory without a request.
MEMORY_OF_NEW_ACCOUNTS = 3008
FREE_DASHBOARDS = 3
MIB = 1 << 20
# The functions' packages, each a few MB.
CODE_BYTES = 200 * MIB
DEPLOYABLE = ("CREATE_COMPLETE", "UPDATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE", "IMPORT_COMPLETE", "IMPORT_ROLLBACK_COMPLETE")


@dataclass(frozen=True)
class Finding:
    """`stops`: the deployment would fail, or the result would not work."""

    stops: bool
    what: str
    advice: str


def judge(facts: Facts, parameters: dict[str, str], stack: str) -> list[Finding]:
    return [
        *of_stack(facts, stack),
        *of_rights(facts),
        *of_concurrency(facts, parameters),
        *of_shares(parameters),
        *of_memory(facts, parameters),
        *of_quotas(facts, parameters),
        *of_budget(facts, parameters),
        *of_names(facts, parameters),
        *[Finding(False, f"Could not be read: {each}.", "Ask somebody who may, or go on without knowing.") for each in facts.unread],
    ]


def of_stack(facts: Facts, stack: str) -> Iterator[Finding]:
    status = facts.stack_status
    delete = f"aws cloudformation delete-stack --stack-name {stack}"
    if status is None:
        for each in facts.leftovers:
            yield Finding(True, f"There is no stack {stack}, but {each}, which its first deployment would make.", "Delete it first.")
    elif status in ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"):
        yield Finding(True, f"The stack {stack} is {status}: its first deployment failed.", f"Delete it, then try again: {delete}")
    elif status == "REVIEW_IN_PROGRESS":
        yield Finding(False, f"The stack {stack} is {status}: a change set was never carried out.", f"Usually harmless; else: {delete}")
    elif status.endswith("_IN_PROGRESS"):
        yield Finding(True, f"The stack {stack} is {status}.", "Wait until that is over.")
    elif status == "UPDATE_ROLLBACK_FAILED":
        advice = f"aws cloudformation continue-update-rollback --stack-name {stack}"
        yield Finding(True, f"The stack {stack} is {status}.", f"Let CloudFormation finish first: {advice}")
    elif status not in DEPLOYABLE:
        yield Finding(True, f"The stack {stack} is {status}.", "Look at it in the console.")
    if not facts.docker:
        yield Finding(True, "Docker does not answer here.", "Start it: the workers' image is built with it.")


def pool(facts: Facts) -> Pool | None:
    """What a stack has reserved for its sweeper is its own to use again."""
    if facts.unreserved is None:
        return None
    return Pool(facts.unreserved + (1 if facts.present.get("ReserveSweeper") == "true" else 0))


def of_concurrency(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    free = pool(facts)
    if free is None:
        return
    if parameters["ReserveSweeper"] == "true" and not free.may_reserve():
        yield Finding(
            True,
            f"The account has {free.free} unreserved concurrent executions of Lambda, and {KEPT_UNRESERVED} must stay so: none can be kept for the sweeper.",
            f"ReserveSweeper=false, or {ASK}.",
        )
    left, busy = free.left(parameters), of_sources(parameters) + kept(parameters)
    if left < LEAST_FOR_THE_REST:
        fits = free.left(free.fitting(parameters)) >= LEAST_FOR_THE_REST
        is_least = all(int(parameters[name]) == LEAST_OF_A_SOURCE for name in sources())
        yield Finding(
            fits or not is_least,
            f"Workers, deliverers and batches may use {busy} of {free.free} concurrent executions, which leaves the API {max(left, 0)}: it would answer 503 whenever they are busy.",
            f"The command below has smaller values, or {ASK}." if fits or not is_least else f"Enough to try it, since all of them are rarely busy at once. Then {ASK}.",
        )
    elif left < max(int(parameters["RequestBurst"]), int(parameters["AnonymousRequestsPerSecond"])):
        yield Finding(
            False,
            f"A burst of {parameters['RequestBurst']} requests, or of {parameters['AnonymousRequestsPerSecond']} without a key, may need more than the {left} concurrent executions that are left.",
            f"The command below has smaller values, or {ASK}.",
        )


def command(facts: Facts, parameters: dict[str, str], given: dict[str, str], stack: str, defaults: dict[str, str]) -> str:
    """One complete command for this account: what was given, and what must differ from the stack's values or the defaults."""
    free = pool(facts)
    fit = free.fitting(parameters) if free else parameters
    known = defaults | facts.present
    # A secret's value is not to be shown, and a stack's is not told.
    wanted = {name: value for name, value in fit.items() if (name in given or value != known.get(name)) and name not in SECRETS}
    wanted |= {name: "…" for name in SECRETS if name in given}
    # The Makefile sets it.
    architecture = wanted.pop("Architecture", known.get("Architecture", ""))
    words = ["make deploy"]
    if stack != "docmill":
        words.append(f"STACK={stack}")
    if architecture != defaults.get("Architecture"):
        words.append(f"ARCHITECTURE={architecture}")
    if wanted:
        words.append("PARAMETERS='" + " ".join(f"{name}={value}" for name, value in wanted.items()) + "'")
    return " ".join(words)


def of_rights(facts: Facts) -> Iterator[Finding]:
    attach = "Attach infra/deployer-policy.json to the user or role (for a stack with another name, with that name instead of docmill)."
    if facts.rights.denied:
        yield Finding(True, f"These credentials may not: {', '.join(facts.rights.denied)}.", attach)
    if facts.rights.uncertain:
        yield Finding(False, f"Whether these credentials may is uncertain: {', '.join(facts.rights.uncertain)}.", attach)


def of_shares(parameters: dict[str, str]) -> Iterator[Finding]:
    running = int(parameters["RunningJobs"])
    fewest = min(workers(parameters).values())
    if running >= fewest:
        yield Finding(
            False,
            f"One account may run {running} jobs of a queue at once, and a queue has {fewest} workers: it could occupy them all.",
            f"RunningJobs={fewest - 1}.",
        )


def of_memory(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    for name, value in parameters.items():
        if name.endswith("Memory") and int(value) > MEMORY_OF_NEW_ACCOUNTS:
            yield Finding(
                False,
                f"{name} is {value} MB. New accounts may not go beyond {MEMORY_OF_NEW_ACCOUNTS} MB, and no interface tells whether this one may.",
                f"If the deployment fails over it, ask AWS for more, or set {MEMORY_OF_NEW_ACCOUNTS}.",
            )


@cache
def roles() -> int:
    """The most that the template makes. Each function has one of its own there."""
    resources = localize.load(ROOT / "template.yaml")["Resources"].values()
    return sum(each["Type"] == "AWS::IAM::Role" for each in resources)


def of_quotas(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    if facts.stack_status is None and facts.roles_left is not None and facts.roles_left < roles():
        yield Finding(True, f"The account may have only {facts.roles_left} more IAM roles; the stack makes up to {roles()}.", "Delete some, or ask AWS for more.")
    if facts.code_bytes_left is not None and facts.code_bytes_left < CODE_BYTES:
        yield Finding(True, f"Only {facts.code_bytes_left // MIB} MiB are left for functions' code.", "Delete old versions of functions, or ask AWS for more.")
    first = facts.stack_status is None and parameters["MetricsDashboard"] == "true"
    if first and facts.dashboards is not None and facts.dashboards >= FREE_DASHBOARDS:
        yield Finding(False, f"The account has {facts.dashboards} CloudWatch dashboards: one more is USD 3 a month.", "MetricsDashboard=false")


@cache
def budget_regions() -> set[str]:
    """Where the template makes a budget."""
    groups = localize.load(ROOT / "template.yaml")["Conditions"]["KnowsBudgets"]["Fn::Or"]
    return {each["Fn::Equals"][1] for group in groups for each in group["Fn::Or"]}


def of_budget(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    if parameters["BudgetEmail"] and facts.region not in budget_regions():
        yield Finding(False, f"CloudFormation has no budgets in {facts.region}: BudgetEmail is ignored.", "Make one in the console: budgets are the same in all regions.")


def of_names(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    topic, certificate, domain = (parameters[name] for name in ("AlarmTopicArn", "CertificateArn", "DomainName"))
    if topic and f":sns:{facts.region}:" not in topic:
        yield Finding(True, f"AlarmTopicArn is in another region than {facts.region}.", "Alarms only notify topics of their own region.")
    elif facts.topic_found is False:
        yield Finding(True, "There is no topic AlarmTopicArn.", "Make it first: aws sns create-topic --name …")
    if parameters["OidcIssuer"] and not parameters["OidcClientId"]:
        yield Finding(True, "OidcIssuer needs OidcClientId.", "Register the dashboard at the issuer, and name the id that it gave.")
    if domain and not certificate:
        yield Finding(True, "DomainName needs CertificateArn.", "Request a certificate in ACM, in the stack's region.")
    if parameters["HostedZoneId"] and not domain:
        yield Finding(True, "HostedZoneId needs DomainName.", "Name the domain too.")
    if domain and certificate:
        if f":acm:{facts.region}:" not in certificate:
            yield Finding(True, f"CertificateArn is in another region than {facts.region}.", "A regional endpoint needs a certificate of its own region.")
        elif facts.certificate_status not in (None, "ISSUED"):
            yield Finding(True, f"The certificate is {facts.certificate_status}.", "Wait until it is ISSUED.")
        elif facts.certificate_names and not any(covers(name, domain) for name in facts.certificate_names):
            yield Finding(True, f"The certificate does not cover {domain}, but {', '.join(facts.certificate_names)}.", "Request one that does.")


def covers(name: str, domain: str) -> bool:
    """`*.example.org` covers names with one more label only."""
    return name == domain or (name.startswith("*.") and domain.partition(".")[2] == name[2:])
