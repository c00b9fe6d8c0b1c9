"""Change sets: made, shown, confirmed, carried out and waited for."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from local.errors import Problem
from local.stacks import describe

from deployment.templates import IDENTIFIERS

CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]
# The largest wait: gradual deployments of the workers take ten minutes each, beside each other, and user pools' domains a while.
SECONDS = 90 * 60
NOTHING = ("didn't contain changes", "No updates are to be performed")

Confirm = Callable[[str], bool]
Say = Callable[[str], None]


@dataclass(frozen=True)
class Wanted:
    stack: str
    url: str
    parameters: list[dict[str, Any]]
    name: str
    imports: list[dict[str, Any]] = field(default_factory=list)


def values(stack: dict[str, Any] | None) -> dict[str, str]:
    return {each["ParameterKey"]: each["ParameterValue"] for each in (stack or {}).get("Parameters", [])}


def parameters(template: dict[str, Any], given: dict[str, str], present: dict[str, str]) -> list[dict[str, Any]]:
    """What is given, else the stack's present value, else the template's default."""
    unknown = sorted(given.keys() - template["Parameters"].keys())
    if unknown:
        raise Problem(f"{unknown[0]} is not a parameter of this release.")
    result: list[dict[str, Any]] = []
    for name, each in template["Parameters"].items():
        if name in given:
            result.append({"ParameterKey": name, "ParameterValue": given[name]})
        elif name in present:
            result.append({"ParameterKey": name, "UsePreviousValue": True})
        else:
            result.append({"ParameterKey": name, "ParameterValue": str(each.get("Default", ""))})
    return result


def apply(cloudformation: Any, wanted: Wanted, confirm: Confirm, say: Say, pause: float = 5) -> bool:
    """Carries out a change set. `False` if there was nothing to change, or the answer was no."""
    exists = describe(cloudformation, wanted.stack) is not None
    kind = "IMPORT" if wanted.imports else "UPDATE" if exists else "CREATE"
    if not make(cloudformation, wanted, kind, pause):
        say("Nothing has changed.")
        return False
    changes = listed(cloudformation, wanted)
    for change in changes:
        say(line(change))
    refuse_losses(changes, wanted)
    if not confirm(f"{kind.capitalize()} the stack {wanted.stack} with these {len(changes)} changes?"):
        cloudformation.delete_change_set(StackName=wanted.stack, ChangeSetName=wanted.name)
        return False
    # A first deployment that fails is deleted, and then only known by its id.
    stack = cloudformation.describe_change_set(StackName=wanted.stack, ChangeSetName=wanted.name)["StackId"]
    cloudformation.execute_change_set(StackName=wanted.stack, ChangeSetName=wanted.name)
    say("Waiting for CloudFormation. New versions of functions take their requests and jobs gradually, within ten minutes.")
    wait(cloudformation, stack, ("CREATE_COMPLETE", "UPDATE_COMPLETE", "IMPORT_COMPLETE"), pause)
    return True


def make(cloudformation: Any, wanted: Wanted, kind: str, pause: float) -> bool:
    """Creates the change set. `False` if it would change nothing."""
    # A first deployment that fails is deleted as a whole, so that it can be tried again.
    options: dict[str, Any] = {"OnStackFailure": "DELETE"} if kind == "CREATE" else {}
    if wanted.imports:
        options["ResourcesToImport"] = wanted.imports
    cloudformation.create_change_set(
        StackName=wanted.stack, ChangeSetName=wanted.name, ChangeSetType=kind, TemplateURL=wanted.url,
        Parameters=wanted.parameters, Capabilities=CAPABILITIES, **options,
    )
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        found = cloudformation.describe_change_set(StackName=wanted.stack, ChangeSetName=wanted.name)
        reason = found.get("StatusReason") or ""
        if found["Status"] == "CREATE_COMPLETE":
            return True
        if found["Status"] == "FAILED":
            cloudformation.delete_change_set(StackName=wanted.stack, ChangeSetName=wanted.name)
            if any(words in reason for words in NOTHING):
                return False
            raise Problem(f"CloudFormation refuses this deployment: {reason}")
        time.sleep(pause)
    raise Problem(f"The change set {wanted.name} is not ready after {SECONDS} s.")


def listed(cloudformation: Any, wanted: Wanted) -> list[dict[str, Any]]:
    pages = cloudformation.get_paginator("describe_change_set").paginate(StackName=wanted.stack, ChangeSetName=wanted.name)
    return [each["ResourceChange"] for page in pages for each in page["Changes"] if "ResourceChange" in each]


def line(change: dict[str, Any]) -> str:
    replaced = {"True": ", replaced", "Conditional": ", perhaps replaced"}.get(change.get("Replacement", ""), "")
    return f"  {change['Action']:7} {change['LogicalResourceId']} ({change['ResourceType']}{replaced})"


def refuse_losses(changes: list[dict[str, Any]], wanted: Wanted) -> None:
    """Data that is replaced or removed would be kept, but the service would no longer find it."""
    for each in changes:
        lost = each["Action"] == "Remove" or each.get("Replacement") == "True"
        if each["ResourceType"] in IDENTIFIERS and lost:
            raise Problem(
                f"{each['LogicalResourceId']} would be {'removed from' if each['Action'] == 'Remove' else 'replaced in'} the stack, "
                f"and its data left behind. If that is meant, carry out the change set {wanted.name} yourself."
            )


def wait(cloudformation: Any, stack: str, good: tuple[str, ...], pause: float) -> None:
    """Waits until the stack, named by its id, has settled, and explains a failure by its first cause."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        status = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]["StackStatus"]
        if status in good:
            return
        # A new stack is REVIEW_IN_PROGRESS until its change set is carried out.
        if not status.endswith("_IN_PROGRESS"):
            raise Problem(f"The stack is {status}. {cause(cloudformation, stack)}")
        time.sleep(pause)
    raise Problem(f"The stack has not settled after {SECONDS} s: look at its events in the console.")


STARTS = ("CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "IMPORT_IN_PROGRESS")


def cause(cloudformation: Any, stack: str) -> str:
    """The first failure since the last operation began. The newest event comes first."""
    failures = []
    for each in (event for page in cloudformation.get_paginator("describe_stack_events").paginate(StackName=stack) for event in page["StackEvents"]):
        if each["ResourceStatus"].endswith("_FAILED"):
            failures.append(each)
        if each["ResourceType"] == "AWS::CloudFormation::Stack" and each["ResourceStatus"] in STARTS:
            break
    if not failures:
        return "No event says why."
    return f"{failures[-1]['LogicalResourceId']}: {failures[-1].get('ResourceStatusReason', 'no reason given')}"
