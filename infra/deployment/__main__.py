"""`python -m deployment deploy | rollback | list | teardown`, as the Makefile calls it. Parameters come as STAMPED from the environment."""

import argparse
import os
import shlex
import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError
from local.errors import Problem
from local.settings import chosen_region

from deployment import build, deploy, places, records, rollback, teardown
from deployment.deploy import Clients

DEFAULT_STACK = "docmill"


def given() -> dict[str, str]:
    """`Name=value …`, quoted as in a shell. They may be secret, so they are in no command line."""
    pairs = [each.partition("=") for each in shlex.split(os.environ.get("STAMPED", ""))]
    wrong = [name for name, is_given, _ in pairs if not is_given]
    if wrong:
        raise Problem(f"{wrong[0]} is no Name=value.")
    return {name: value for name, _, value in pairs}


def confirmed(question: str) -> bool:
    return ask(f"{question} [y/N] ").lower() in ("y", "yes")


def ask(question: str) -> str:
    try:
        return input(question).strip()
    except EOFError:
        return ""


def say(line: str) -> None:
    print(line, flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="deployment")
    parser.add_argument("action", choices=["deploy", "rollback", "list", "teardown"])
    parser.add_argument("--stack", default=DEFAULT_STACK)
    parser.add_argument("--to")
    parser.add_argument("--with-data", action="store_true")
    # Not for `teardown`, which always asks.
    parser.add_argument("--yes", action="store_true")
    options = parser.parse_args(arguments)
    session = boto3.Session(region_name=chosen_region())
    clients = Clients.of(session)
    where = places.find(session, options.stack or DEFAULT_STACK)
    confirm = (lambda question: True) if options.yes else confirmed
    match options.action:
        case "deploy":
            values = given()
            release = build.build(clients, where, values["Architecture"], build.version())
            deploy.deploy(clients, where, release, values, confirm, say)
        case "rollback":
            rollback.rollback(clients, where, options.to or None, confirm, say)
        case "list":
            say(rollback.table(records.read_all(clients.s3, where)))
        case _:
            teardown.teardown(clients, where, ask, say, options.with_data)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        sys.exit(f"Error: {problem}")
    except (NoCredentialsError, NoRegionError) as error:
        sys.exit(f"Error: {error} Set AWS_PROFILE, or keys, and AWS_REGION.")
    except (ClientError, BotoCoreError) as error:
        sys.exit(f"Error: AWS refused: {error}")
