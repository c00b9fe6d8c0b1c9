"""Facts about the account that matter for a deployment. Read-only."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from preflight.permissions import Rights, rights

# AWS's errors for missing things.
ABSENT = ("does not exist", "NotFound", "ResourceNotFoundException")


@dataclass(frozen=True)
class Facts:
    """`None` if the caller lacks permission or the thing does not exist."""

    account: str
    region: str
    # The account's limit on concurrent environments, and how many of them are unreserved.
    concurrency: int | None = None
    unreserved: int | None = None
    roles_left: int | None = None
    code_bytes_left: int | None = None
    stack_status: str | None = None
    # Existing log groups and dashboards with names that a first deployment would create.
    leftovers: list[str] = field(default_factory=list)
    dashboards: int | None = None
    topic_found: bool | None = None
    certificate_status: str | None = None
    certificate_names: list[str] = field(default_factory=list)
    docker: bool = True
    # Parameters with which the stack is deployed now, and what the caller may do.
    present: dict[str, str] = field(default_factory=dict)
    rights: Rights = field(default_factory=Rights)
    # What could not be read, with the reason.
    unread: list[str] = field(default_factory=list)


class Reader:
    """Reads all facts. Those without permission are recorded and stay unknown."""

    def __init__(self, session: boto3.Session):
        self.session = session
        self.unread: list[str] = []

    def client(self, service: str) -> Any:
        return self.session.client(service)

    def ask(self, what: str, question: Any) -> Any:
        try:
            return question()
        except ClientError as error:
            if not any(word in str(error) for word in ABSENT):
                self.unread.append(f"{what}: {error.response['Error']['Code']}")
        except BotoCoreError as error:
            self.unread.append(f"{what}: {type(error).__name__}")
        return None


def read(session: boto3.Session, stack: str, parameters: Callable[[dict[str, str]], dict[str, str]]) -> Facts:
    """`parameters`: those of the deployment, from those that the stack has now."""
    caller = session.client("sts").get_caller_identity()
    account = caller["Account"]
    reader = Reader(session)
    settings = reader.ask("Lambda's limits", lambda: reader.client("lambda").get_account_settings()) or {}
    limit, usage = settings.get("AccountLimit", {}), settings.get("AccountUsage", {})
    summary = reader.ask("IAM's limits", lambda: reader.client("iam").get_account_summary()["SummaryMap"]) or {}
    found = reader.ask("the stack", lambda: reader.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]) or {}
    status = found.get("StackStatus")
    present = {each["ParameterKey"]: each["ParameterValue"] for each in found.get("Parameters", [])}
    chosen = parameters(present)
    may = reader.ask(
        "what these credentials may do", lambda: rights(reader.client("iam"), caller["Arn"], account, session.region_name, stack)
    )
    dashboards = reader.ask(
        "dashboards", lambda: [each["DashboardName"] for each in reader.client("cloudwatch").list_dashboards()["DashboardEntries"]]
    )
    return Facts(
        account=account,
        region=session.region_name,
        concurrency=limit.get("ConcurrentExecutions"),
        unreserved=limit.get("UnreservedConcurrentExecutions"),
        roles_left=difference(summary.get("RolesQuota"), summary.get("Roles")),
        code_bytes_left=difference(limit.get("TotalCodeSize"), usage.get("TotalCodeSize")),
        stack_status=status,
        leftovers=[] if status else leftovers(reader, stack, session.region_name, dashboards or []),
        dashboards=None if dashboards is None else len(dashboards),
        docker=has_docker(),
        present=present,
        rights=may or Rights(),
        **topic(reader, chosen["AlarmTopicArn"]),
        **certificate(reader, chosen["CertificateArn"], session.region_name),
        unread=reader.unread,
    )


def difference(quota: int | None, used: int | None) -> int | None:
    return None if quota is None or used is None else quota - used


def leftovers(reader: Reader, stack: str, region: str, dashboards: list[str]) -> list[str]:
    prefix = f"/docmill/{stack}/"
    groups = reader.ask(
        "log groups", lambda: reader.client("logs").describe_log_groups(logGroupNamePrefix=prefix)["logGroups"]
    )
    found = [f"the log group {group['logGroupName']}" for group in groups or []]
    return found + [f"the dashboard {name}" for name in dashboards if name == f"{stack}-{region}"]


def topic(reader: Reader, arn: str) -> dict[str, Any]:
    if not arn:
        return {}
    failed = len(reader.unread)
    found = reader.ask("the alarms' topic", lambda: reader.client("sns").get_topic_attributes(TopicArn=arn))
    return {"topic_found": None if len(reader.unread) > failed else found is not None}


def certificate(reader: Reader, arn: str, region: str) -> dict[str, Any]:
    if not arn or f":acm:{region}:" not in arn:
        return {}
    found = reader.ask("the certificate", lambda: reader.client("acm").describe_certificate(CertificateArn=arn)["Certificate"])
    if found is None:
        return {}
    names = [found.get("DomainName", ""), *found.get("SubjectAlternativeNames", [])]
    return {"certificate_status": found.get("Status"), "certificate_names": names}


def has_docker() -> bool:
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0
