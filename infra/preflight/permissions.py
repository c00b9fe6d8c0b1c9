"""Asks IAM whether the caller may do what `infra/deployer-policy.json` has, on resources of the stack to be deployed."""

import fnmatch
import json
from dataclasses import dataclass, field
from typing import Any

from preflight.policy import WRITTEN

# Most actions in a question.
AT_ONCE = 50


@dataclass(frozen=True)
class Rights:
    """`asked`: whether IAM answered. Where a condition depends on what IAM does not know, the answer is uncertain."""

    asked: bool = False
    denied: list[str] = field(default_factory=list)
    uncertain: list[str] = field(default_factory=list)


def questions(account: str, region: str, stack: str) -> list[dict[str, Any]]:
    """The policy's statements as `simulate_principal_policy` wants them: about resources with this stack's name."""
    asked = []
    for statement in json.loads(WRITTEN.read_text())["Statement"]:
        # IAM takes actions by name only.
        names = [action for action in statement["Action"] if "*" not in action]
        resources = [example(each, account, region, stack) for each in statement["Resource"]]
        passed = statement.get("Condition", {}).get("StringEquals", {}).items()
        context = [{"ContextKeyName": key, "ContextKeyValues": values[:1], "ContextKeyType": "string"} for key, values in passed]
        for first in range(0, len(names), AT_ONCE):
            asked.append({"ActionNames": names[first : first + AT_ONCE], "ResourceArns": resources, "ContextEntries": context})
    return asked


def example(pattern: str, account: str, region: str, stack: str) -> str:
    """A resource that the pattern names: `arn:aws:sqs:*:*:docmill-*` is, for the stack trial, `arn:aws:sqs:REGION:ACCOUNT:trial-Some`."""
    if pattern == "*":
        return pattern
    parts = pattern.split(":", 5)
    parts[3:5] = [region if parts[3] == "*" else parts[3], account if parts[4] == "*" else parts[4]]
    if parts[2] in ("logs", "ecr"):
        # Below a folder that all stacks share.
        parts[5] = parts[5].replace("docmill/docmill", f"docmill/{stack}")
    elif "docmill-deployments" not in parts[5]:
        parts[5] = parts[5].replace("docmill", stack)
    return ":".join(parts).replace("*", "Some")


def source(iam: Any, caller: str) -> str | None:
    """The user or role whose policies count. `None`: the account's root, who may do everything."""
    kind, _, name = caller.rpartition(":")[2].partition("/")
    match kind:
        case "root":
            return None
        case "assumed-role":
            # The session's ARN lacks the role's path.
            return iam.get_role(RoleName=name.split("/")[0])["Role"]["Arn"]
        case _:
            return caller


def rights(iam: Any, caller: str, account: str, region: str, stack: str) -> Rights:
    principal = source(iam, caller)
    if principal is None:
        return Rights(asked=True)
    results = [
        each
        for question in questions(account, region, stack)
        for page in iam.get_paginator("simulate_principal_policy").paginate(PolicySourceArn=principal, **question)
        for each in page["EvaluationResults"]
    ]
    refused = [each for each in results if each["EvalDecision"] != "allowed"]
    denied = {each["EvalActionName"] for each in refused if not each.get("MissingContextValues")}
    uncertain = {each["EvalActionName"] for each in refused} - denied
    return Rights(True, sorted(denied), sorted(uncertain))


def allows(document: dict[str, Any], action: str, resource: str) -> bool:
    """Whether a policy of this file's form allows it. Patterns match as IAM's do."""
    return any(
        any(fnmatch.fnmatchcase(action, each) for each in statement["Action"]) and any(fnmatch.fnmatchcase(resource, each) for each in statement["Resource"])
        for statement in document["Statement"]
    )
