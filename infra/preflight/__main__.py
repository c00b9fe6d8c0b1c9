"""`python -m preflight [STACK] [Name=value …]`: exit status 1 if a deployment would fail or not work."""

import os
import shlex
import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError
from local import localize
from local.settings import ROOT, chosen_region

from preflight.facts import read
from preflight.verdict import Finding, command, judge


def defaults(template: localize.Template) -> dict[str, str]:
    return {name: str(each.get("Default", "")) for name, each in template["Parameters"].items()}


def given(template: localize.Template, arguments: list[str]) -> dict[str, str]:
    values = {}
    for each in arguments:
        name, is_given, value = each.partition("=")
        if not is_given or name not in template["Parameters"]:
            raise SystemExit(f"Error: {name} is not a parameter of template.yaml.")
        values[name] = value
    return values


def parameters(template: localize.Template, present: dict[str, str], chosen: dict[str, str]) -> dict[str, str]:
    """A deployment's values: those given, else those that the stack has now, else the template's defaults."""
    known = defaults(template)
    return known | {name: value for name, value in present.items() if name in known} | chosen


def main(arguments: list[str]) -> int:
    stack = arguments.pop(0) if arguments and "=" not in arguments[0] else "docmill"
    # `make` passes parameters like this, because those in a command line can be seen by others.
    arguments = arguments or shlex.split(os.environ.get("STAMPED", ""))
    template = localize.load(ROOT / "template.yaml")
    chosen = given(template, arguments)
    try:
        facts = read(boto3.Session(region_name=chosen_region()), stack, lambda present: parameters(template, present, chosen))
    except (NoCredentialsError, NoRegionError) as error:
        raise SystemExit(f"Error: {error} Set AWS_PROFILE, or keys, and AWS_REGION.") from error
    except (ClientError, BotoCoreError) as error:
        raise SystemExit(f"Error: AWS did not say whose credentials these are: {error}") from error
    print(f"Deploying {stack} to account {facts.account}, {facts.region}. Concurrent executions: {facts.concurrency}.")
    values = parameters(template, facts.present, chosen)
    findings = judge(facts, values, stack)
    for each in findings:
        say(each)
    if not findings:
        print("No problems found.")
    print(f"The whole command for this account:\n  {command(facts, values, chosen, stack, defaults(template))}")
    return int(any(each.stops for each in findings))


def say(finding: Finding) -> None:
    print(f"{'STOPS' if finding.stops else 'Note '}  {finding.what}\n       {finding.advice}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
