"""Removal of a stack: asks, exports what it holds, deletes the stack, and says what stays. Data goes only if asked for, keys last."""

import time
from collections.abc import Callable
from datetime import datetime
from typing import Any

import yaml
from local.errors import Problem
from local.localize import TemplateLoader
from local.stacks import describe

from deployment import changes, deploy, records, templates
from deployment.changes import Say
from deployment.deploy import Clients
from deployment.places import Places

EXPORT_SECONDS = 3 * 60 * 60
# Keys come last: until everything that they encrypt or sign is gone, they are needed. Files come first: they take the longest.
ORDER = ("AWS::S3::Bucket", "AWS::DynamoDB::Table", "AWS::Cognito::UserPool", "AWS::SecretsManager::Secret")


def teardown(
    clients: Clients, places: Places, ask: Callable[[str], str], say: Say, with_data: bool = False, pause: float = 10
) -> None:
    """Raises `Problem` if the answer is another than the stack's name. `with_data`: deletes the data too, after a second question.

    Data that an earlier teardown left can be deleted later.
    """
    stack = places.stack
    if describe(clients.cloudformation, stack) is None:
        if not with_data:
            raise Problem(f"There is no stack {stack}.")
        kinds, names = left_behind(clients, places)
        announce(kinds, names, f"The stack {stack} is gone, and left these:", say)
        require_sentence(ask, stack)
    else:
        template = present_template(clients, stack)
        kinds, names = templates.data(template), deploy.data_of(clients, template, stack)
        say(f"This removes the API, functions, queues with their messages, alarms and logs of the stack {stack}. It stops answering at once.")
        announce(kinds, names, "These stay, with their costs, and `make deploy` takes them up again:", say)
        say(f"So do the bucket {places.bucket} (releases, exports) and the repository {places.repository} (images).")
        if ask("Type the stack's name to remove it: ") != stack:
            raise Problem("That is not its name. Nothing has changed.")
        if with_data:
            require_sentence(ask, stack)
        export(clients, places, kinds, names, say, pause)
        remember(clients, places, template, names)
        remove(clients, stack, say, pause)
    if with_data:
        delete_data(clients, kinds, names, say, pause)


def announce(kinds: dict[str, str], names: dict[str, str], introduction: str, say: Say) -> None:
    say(introduction)
    for name, physical in sorted(names.items()):
        say(f"  {name} ({kinds[name]}): {physical}")


def require_sentence(ask: Callable[[str], str], stack: str) -> None:
    sentence = f"delete the data of {stack}"
    if ask(f"All its accounts, keys, jobs and files will be deleted for good. Type `{sentence}`: ") != sentence:
        raise Problem("The data is not to be deleted. Nothing has changed.")


def remove(clients: Clients, stack: str, say: Say, pause: float) -> None:
    found = describe(clients.cloudformation, stack) or {}
    clients.cloudformation.update_termination_protection(StackName=stack, EnableTerminationProtection=False)
    clients.cloudformation.delete_stack(StackName=stack)
    say(f"Deleting the stack {stack}.")
    changes.wait(clients.cloudformation, found["StackId"], ("DELETE_COMPLETE",), pause)
    say(f"The stack {stack} is gone.")


def left_behind(clients: Clients, places: Places) -> tuple[dict[str, str], dict[str, str]]:
    """Kinds and physical names of what an earlier stack left."""
    known = records.read_all(clients.s3, places)
    if not known:
        raise Problem(f"There is no stack {places.stack}, and no record of one.")
    kinds = templates.data(deploy.load(clients, places, known[-1].template))
    left = {name: physical for name, physical in known[-1].data.items() if deploy.exists(clients.session, kinds[name], physical)}
    if not left:
        raise Problem(f"There is no stack {places.stack}, and nothing is left of it.")
    return kinds, left


def present_template(clients: Clients, stack: str) -> dict[str, Any]:
    """The stack's template after its transform."""
    body = clients.cloudformation.get_template(StackName=stack, TemplateStage="Processed")["TemplateBody"]
    return yaml.load(body, TemplateLoader) if isinstance(body, str) else body


def remember(clients: Clients, places: Places, template: dict[str, Any], names: dict[str, str]) -> None:
    """What stays is in the last record, also if that deployment was made in another way."""
    known = records.read_all(clients.s3, places)
    if known and known[-1].data == names:
        return
    parameters = deploy.visible(clients, template, places.stack)
    version = known[-1].version if known else "unknown"
    record = records.Record(records.now(), version, deploy.store(clients, places, template), parameters, names)
    records.write(clients.s3, places, record)


def export(clients: Clients, places: Places, kinds: dict[str, str], names: dict[str, str], say: Say, pause: float) -> None:
    """Exports all tables as of the same second, and lists the bucket's files. The files are too many to be copied."""
    dynamodb = clients.session.client("dynamodb")
    tables = {name: physical for name, physical in sorted(names.items()) if kinds[name] == "AWS::DynamoDB::Table"}
    # Some minutes ago: the newest time of which all tables can be exported.
    now = min(latest(dynamodb, table) for table in tables.values())
    prefix = places.key(f"exports/{now:%Y%m%dT%H%M%SZ}")
    waiting = {}
    for name, table in tables.items():
        arn = dynamodb.describe_table(TableName=table)["Table"]["TableArn"]
        started = dynamodb.export_table_to_point_in_time(
            TableArn=arn, ExportTime=now, S3Bucket=places.bucket, S3BucketOwner=places.account, S3Prefix=f"{prefix}/{name}",
        )
        waiting[name] = started["ExportDescription"]["ExportArn"]
    for name, physical in names.items():
        if kinds[name] == "AWS::S3::Bucket":
            listing = "".join(f"{each['Size']} {each['LastModified']:%Y-%m-%dT%H:%M:%SZ} {each['Key']}\n" for each in objects(clients.s3, physical))
            clients.s3.put_object(Bucket=places.bucket, Key=f"{prefix}/{name}.txt", Body=listing.encode(), ExpectedBucketOwner=places.account)
    say(f"Exporting {len(tables)} tables to s3://{places.bucket}/{prefix}. Small ones take some minutes.")
    until = time.monotonic() + EXPORT_SECONDS
    for name, arn in waiting.items():
        while (found := dynamodb.describe_export(ExportArn=arn)["ExportDescription"])["ExportStatus"] == "IN_PROGRESS":
            if time.monotonic() > until:
                raise Problem(f"The export of {name} takes longer than {EXPORT_SECONDS // 3600} hours. Nothing was deleted: wait for it, and try again.")
            time.sleep(pause)
        if found["ExportStatus"] != "COMPLETED":
            raise Problem(f"The export of {name} failed, so nothing was deleted: {found.get('FailureMessage', 'no reason given')}")
    say("All exports are complete.")


def latest(dynamodb: Any, table: str) -> datetime:
    backups = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    found = backups.get("PointInTimeRecoveryDescription", {}).get("LatestRestorableDateTime")
    if found is None:
        raise Problem(f"{table} has no point-in-time recovery, so it can't be exported. Turn it on: infra/restore-table.sh settle {table} ….")
    return found


def objects(s3: Any, bucket: str) -> list[dict[str, Any]]:
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket)
    return [each for page in pages for each in page.get("Contents", [])]


def delete_data(clients: Clients, kinds: dict[str, str], names: dict[str, str], say: Say, pause: float) -> None:
    """Kind by kind: the next begins when all of the one before are gone."""
    for kind in ORDER:
        of_kind = {name: physical for name, physical in sorted(names.items()) if kinds[name] == kind}
        for name, physical in of_kind.items():
            delete(clients, kind, physical)
            say(f"Deleted {name}.")
        for name, physical in of_kind.items():
            until = time.monotonic() + EXPORT_SECONDS
            while deploy.exists(clients.session, kind, physical):
                if time.monotonic() > until:
                    raise Problem(f"{name} is still there. What comes after it was not deleted.")
                time.sleep(pause)


def delete(clients: Clients, kind: str, physical: str) -> None:
    session = clients.session
    match kind:
        case "AWS::DynamoDB::Table":
            dynamodb = session.client("dynamodb")
            if dynamodb.describe_table(TableName=physical)["Table"].get("DeletionProtectionEnabled"):
                dynamodb.update_table(TableName=physical, DeletionProtectionEnabled=False)
            dynamodb.delete_table(TableName=physical)
        case "AWS::S3::Bucket":
            for each in objects(clients.s3, physical):
                clients.s3.delete_object(Bucket=physical, Key=each["Key"])
            clients.s3.delete_bucket(Bucket=physical)
        case "AWS::Cognito::UserPool":
            cognito = session.client("cognito-idp")
            cognito.update_user_pool(UserPoolId=physical, DeletionProtection="INACTIVE", AutoVerifiedAttributes=["email"])
            cognito.delete_user_pool(UserPoolId=physical)
        case "AWS::SecretsManager::Secret":
            # Recoverable for 30 days.
            session.client("secretsmanager").delete_secret(SecretId=physical, RecoveryWindowInDays=30)
        case _:
            raise Problem(f"Nothing is known about deleting {kind}.")
