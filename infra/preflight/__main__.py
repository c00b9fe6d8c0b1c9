"""`python -m preflight [STACK] [Name=value …]`: exit status 1 if a deployment would fail or not work."""

import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError
from local import localize
from local.settings import ROOT

from preflight.facts import read
from preflight.verdict import Finding, judge


def parameters(template: localize.Template, given: list[str]) -> dict[str, str]:
    """The template's defaults with the given values. Values that a deployed stack keeps are not checked."""
    values = {name: str(each.get("Default", "")) for name, each in template["Parameters"].items()}
    for each in given:
        name, is_given, value = each.partition("=")
        if not is_given or name not in values:
            raise SystemExit(f"Error: {name} is not a parameter of template.yaml.")
        values[name] = value
    return values


def main(arguments: list[str]) -> int:
    stack = arguments.pop(0) if arguments and "=" not in arguments[0] else "docmill"
    given = parameters(localize.load(ROOT / "template.yaml"), arguments)
    try:
        facts = read(boto3.Session(), stack, given)
    except (NoCredentialsError, NoRegionError) as error:
        raise SystemExit(f"Error: {error} Set AWS_PROFILE, or keys, and AWS_REGION.") from error
    except (ClientError, BotoCoreError) as error:
        raise SystemExit(f"Error: AWS did not say whose credentials these are: {error}") from error
    print(f"Deploying {stack} to account {facts.account}, {facts.region}. Concurrent executions: {facts.concurrency}.")
    findings = judge(facts, given, stack)
    for each in findings:
        say(each)
    if not findings:
        print("No problems found.")
    return int(any(each.stops for each in findings))


def say(finding: Finding) -> None:
    print(f"{'STOPS' if finding.stops else 'Note '}  {finding.what}\n       {finding.advice}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
