"""Credentials of the template's roles on the buckets of tests, so that tests notice missing permissions.

A role gets what the template allows it on its bucket. Tests have their own tables and queues, which no role names.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from local import deploy, localize, rights
from local.localize import Template

# Who creates, converts, ends and cleans up jobs.
FUNCTIONS = ("CreateJob", "CancelJob", "DeleteJob", "HtmlWorker", "OfficeWorker", "EgressRelay", "Sweeper")
BUCKET = "FilesBucket"
POLICY = "bucket"


@contextmanager
def on_buckets(endpoint: str, template: Template, name: str) -> Iterator[dict[str, str]]:
    """Yields `{"SWEEPER_ROLE": "key secret token", …}` for the buckets whose names begin with the given one."""
    iam, sts = deploy.client("iam", endpoint), deploy.client("sts", endpoint)
    names = {function: f"{name}-{function}" for function in FUNCTIONS}
    try:
        credentials = {}
        for function, role_name in names.items():
            anyone = statement({"Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"})
            role = iam.create_role(RoleName=role_name, AssumeRolePolicyDocument=document([anyone]))["Role"]
            iam.put_role_policy(RoleName=role_name, PolicyName=POLICY, PolicyDocument=document(allowed(template, function, name)))
            issued = sts.assume_role(RoleArn=role["Arn"], RoleSessionName="test")["Credentials"]
            parts = (issued["AccessKeyId"], issued["SecretAccessKey"], issued["SessionToken"])
            credentials[deploy.variable_name(f"{function}Role")] = " ".join(parts)
        yield credentials
    finally:
        for role_name in names.values():
            iam.delete_role_policy(RoleName=role_name, PolicyName=POLICY)
            iam.delete_role(RoleName=role_name)


def allowed(template: Template, function: str, name: str) -> list[dict[str, Any]]:
    """The function's statements about the bucket, for the buckets of tests."""
    found = rights.statements(template, localize.functions(template)[function])
    about = [each for each in found if BUCKET in str(each["Resource"])]
    return [each | {"Resource": [arn(resource, name) for resource in rights.listed(each["Resource"])]} for each in about]


def arn(resource: Template, name: str) -> str:
    """`FilesBucket/outputs/*` becomes `arn:aws:s3:::NAME*/outputs/*`."""
    return rights.named(resource).replace(BUCKET, f"arn:aws:s3:::{name}*")


def statement(rest: dict[str, Any]) -> dict[str, Any]:
    return {"Effect": "Allow"} | rest


def document(statements: list[dict[str, Any]]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": statements})
