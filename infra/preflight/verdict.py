"""The consequences of the account's facts for a deployment with these parameters."""

from collections.abc import Iterator
from dataclasses import dataclass

from preflight.facts import Facts

# Lambda keeps this many environments unreserved.
KEPT_UNRESERVED = 100
# The API, the dashboard, the sweeper and the deliverer, whose requests are short, need some besides the workers.
LEAST_FOR_THE_REST = 3
# New accounts can't give functions more memory without a request.
MEMORY_OF_NEW_ACCOUNTS = 3008
FREE_DASHBOARDS = 3
MIB = 1 << 20
# The functions' packages, each a few MB.
CODE_BYTES = 200 * MIB
# A function and its role for each endpoint. Batches alone have ten of each.
ROLES = 104
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
        *of_concurrency(facts, parameters),
        *of_shares(parameters),
        *of_memory(facts, parameters),
        *of_quotas(facts, parameters),
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


def workers(parameters: dict[str, str]) -> dict[str, int]:
    named = {name: value for name, value in parameters.items() if name.endswith("Concurrency")}
    return {name: int(value) for name, value in named.items() if name not in ("DeliveryConcurrency", "BatchConcurrency")}


def of_concurrency(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    limit, free = facts.concurrency, facts.unreserved
    if limit is None or free is None:
        return
    ask = "ask AWS for more (Service Quotas, AWS Lambda, Concurrent executions)"
    reserves = parameters["ReserveSweeper"] == "true"
    if reserves and facts.stack_status is None and free - 1 < KEPT_UNRESERVED:
        yield Finding(
            True,
            f"The account has {free} unreserved concurrent executions of Lambda, and {KEPT_UNRESERVED} must stay so: none can be kept for the sweeper.",
            f"PARAMETERS='ReserveSweeper=false', or {ask}.",
        )
    wanted = workers(parameters)
    left = free - sum(wanted.values()) - (1 if reserves else 0)
    if left < LEAST_FOR_THE_REST:
        smaller = " ".join(f"{name}=2" for name in wanted)
        yield Finding(
            True,
            f"The workers may use {sum(wanted.values())} of {free} concurrent executions, which leaves the API {max(left, 0)}: it would answer 503 whenever they are busy.",
            f"PARAMETERS='{smaller} …', or {ask}.",
        )
    elif left < int(parameters["RequestBurst"]):
        yield Finding(
            False,
            f"A burst of {parameters['RequestBurst']} requests may need more than the {left} concurrent executions that the workers leave.",
            f"PARAMETERS='RequestBurst={left} …', or {ask}.",
        )


def of_shares(parameters: dict[str, str]) -> Iterator[Finding]:
    running = int(parameters["RunningJobs"])
    fewest = min(workers(parameters).values())
    if running >= fewest:
        yield Finding(
            False,
            f"One account may run {running} jobs of a queue at once, and a queue has {fewest} workers: it could occupy them all.",
            f"PARAMETERS='RunningJobs={fewest - 1} …'.",
        )


def of_memory(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    for name, value in parameters.items():
        if name.endswith("Memory") and int(value) > MEMORY_OF_NEW_ACCOUNTS:
            yield Finding(
                False,
                f"{name} is {value} MB. New accounts may not go beyond {MEMORY_OF_NEW_ACCOUNTS} MB, and no interface tells whether this one may.",
                f"If the deployment fails over it, ask AWS for more, or set {MEMORY_OF_NEW_ACCOUNTS}.",
            )


def of_quotas(facts: Facts, parameters: dict[str, str]) -> Iterator[Finding]:
    if facts.stack_status is None and facts.roles_left is not None and facts.roles_left < ROLES:
        yield Finding(True, f"The account may have only {facts.roles_left} more IAM roles; the stack makes up to {ROLES}.", "Delete some, or ask AWS for more.")
    if facts.code_bytes_left is not None and facts.code_bytes_left < CODE_BYTES:
        yield Finding(True, f"Only {facts.code_bytes_left // MIB} MiB are left for functions' code.", "Delete old versions of functions, or ask AWS for more.")
    first = facts.stack_status is None and parameters["MetricsDashboard"] == "true"
    if first and facts.dashboards is not None and facts.dashboards >= FREE_DASHBOARDS:
        yield Finding(False, f"The account has {facts.dashboards} CloudWatch dashboards: one more is USD 3 a month.", "PARAMETERS='MetricsDashboard=false'")


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
