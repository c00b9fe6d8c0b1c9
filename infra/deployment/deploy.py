"""A deployment: the change set of a packaged template, and its record. A stack that left data behind gets that back first."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import boto3
from local.errors import Problem
from local.localize import Template
from local.stacks import describe

from deployment import changes, records, templates
from deployment.changes import Confirm, Say, Wanted
from deployment.places import Places
from deployment.records import Record

# Repeating an earlier deployment must not wait for, or be stopped by, the alarm that is the reason for it.
AT_ONCE = {"GradualDeployments": "false"}


@dataclass(frozen=True)
class Clients:
    """What a deployment talks to, each a boto3 client."""

    cloudformation: Any
    s3: Any
    session: boto3.Session

    @classmethod
    def of(cls, session: boto3.Session) -> "Clients":
        return cls(session.client("cloudformation"), session.client("s3"), session)


@dataclass(frozen=True)
class Release:
    version: str
    template: Template


def store(clients: Clients, places: Places, template: Template) -> str:
    """Stores the template under its digest, and returns its key. As JSON, because CloudFormation takes no aliases of YAML."""
    text = json.dumps(template, sort_keys=True).encode()
    key = places.key(f"templates/{hashlib.sha256(text).hexdigest()[:32]}.json")
    clients.s3.put_object(Bucket=places.bucket, Key=key, Body=text, ExpectedBucketOwner=places.account)
    return key


def load(clients: Clients, places: Places, key: str) -> Template:
    return json.load(clients.s3.get_object(Bucket=places.bucket, Key=key, ExpectedBucketOwner=places.account)["Body"])


def deploy(
    clients: Clients, places: Places, release: Release, given: dict[str, str], confirm: Confirm, say: Say, pause: float = 5
) -> bool:
    """Creates or updates the stack. `False` if nothing was changed."""
    stack = places.stack
    earlier = records.read_all(clients.s3, places)
    again = {name: value for name, value in (earlier[-1].set_again if earlier else {}).items() if name in release.template["Parameters"]}
    if describe(clients.cloudformation, stack) is None and earlier and earlier[-1].data:
        if not bring_back(clients, places, release, earlier[-1], given, confirm, say, pause):
            return False
    return carry_out(clients, places, release, again | given, confirm, say, pause)


def carry_out(
    clients: Clients, places: Places, release: Release, given: dict[str, str], confirm: Confirm, say: Say, pause: float,
    repeats: Record | None = None, set_again: dict[str, str] | None = None,
) -> bool:
    stack = places.stack
    now = records.now()
    present = changes.values(describe(clients.cloudformation, stack))
    parameters = changes.parameters(release.template, given, present)
    chosen = {each["ParameterKey"]: each.get("ParameterValue", present.get(each["ParameterKey"], "")) for each in parameters}
    key = store(clients, places, templates.with_numbers(release.template, chosen))
    wanted = Wanted(stack, places.url(key), parameters, change_set_name(now))
    done = changes.apply(clients.cloudformation, wanted, confirm, say, pause)
    if done:
        protect(clients, stack, say)
        record = Record(
            now, release.version, key, visible(clients, release.template, stack), data_of(clients, release.template, stack),
            repeats.id if repeats else None, set_again or {},
        )
        records.write(clients.s3, places, record)
    return done


def change_set_name(now: str) -> str:
    return "docmill-" + "".join(each for each in now if each.isalnum())


def visible(clients: Clients, template: Template, stack: str) -> dict[str, str]:
    hidden = {name for name, each in template["Parameters"].items() if each.get("NoEcho")}
    found = changes.values(describe(clients.cloudformation, stack))
    return {name: value for name, value in found.items() if name not in hidden}


def data_of(clients: Clients, template: Template, stack: str) -> dict[str, str]:
    """Physical names of what holds data."""
    kinds = templates.data(template)
    pages = clients.cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    made = {each["LogicalResourceId"]: each["PhysicalResourceId"] for page in pages for each in page["StackResourceSummaries"]}
    return {name: made[name] for name in kinds if name in made}


def protect(clients: Clients, stack: str, say: Say) -> None:
    """Only after success: a first deployment that fails must be able to delete its stack."""
    found = describe(clients.cloudformation, stack) or {}
    if not found.get("EnableTerminationProtection"):
        clients.cloudformation.update_termination_protection(StackName=stack, EnableTerminationProtection=True)
        say(f"The stack {stack} is protected against deletion; `make teardown` removes it.")


def bring_back(
    clients: Clients, places: Places, release: Release, last: Record, given: dict[str, str], confirm: Confirm, say: Say, pause: float
) -> bool:
    """Imports what the removed stack left into a new stack of the same name. `False` if the answer was no."""
    kinds = templates.data(release.template)
    names = {name: physical for name, physical in last.data.items() if name in kinds}
    gone = sorted(name for name, physical in names.items() if not exists(clients.session, kinds[name], physical))
    if len(gone) == len(names):
        return True
    if gone:
        raise Problem(
            f"The earlier stack {places.stack} left data, of which {', '.join(gone)} is gone: restore it first (infra/OPERATIONS.md, "
            "Removal and return), or deploy under another name with STACK=…."
        )
    say(f"An earlier stack {places.stack} left {len(names)} tables, secrets and the like. They become part of the new one:")
    template = templates.of_import(release.template, names)
    declared = release.template["Parameters"]
    earlier = {name: value for name, value in last.parameters.items() if name in declared}
    for name, each in declared.items():
        if each.get("NoEcho") and name not in given:
            say(f"The value of {name} is not recorded: give it again if the earlier stack had one.")
    parameters = changes.parameters(release.template, earlier | given, {})
    key = store(clients, places, template)
    imports = templates.to_import(release.template, names)
    wanted = Wanted(places.stack, places.url(key), parameters, change_set_name(records.now()), imports)
    return changes.apply(clients.cloudformation, wanted, confirm, say, pause)


# How to ask whether something exists, and what each service answers if it does not.
def exists(session: boto3.Session, kind: str, physical: str) -> bool:
    service, ask, absent = {
        "AWS::DynamoDB::Table": ("dynamodb", lambda client: client.describe_table(TableName=physical), "ResourceNotFoundException"),
        "AWS::S3::Bucket": ("s3", lambda client: client.head_bucket(Bucket=physical), "404"),
        "AWS::Cognito::UserPool": ("cognito-idp", lambda client: client.describe_user_pool(UserPoolId=physical), "ResourceNotFoundException"),
        "AWS::SecretsManager::Secret": ("secretsmanager", lambda client: client.describe_secret(SecretId=physical), "ResourceNotFoundException"),
    }[kind]
    client = session.client(service)
    try:
        answer = ask(client)
    except client.exceptions.ClientError as error:
        if error.response["Error"]["Code"] == absent:
            return False
        raise
    # A deleted secret can still be described, until its recovery window ends.
    return "DeletedDate" not in answer
