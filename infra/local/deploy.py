"""CloudFormation on the emulator: create or update a stack, wait, read its outputs, delete it."""

import hashlib
import json
import re
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError, ConnectionError

from local.errors import Problem
from local.localize import Template
from local.processes import wait_until
from local.settings import REGION
from local.stacks import describe

CODE_BUCKET = "docmill-local-code"
DEPLOY_SECONDS = 120
# The largest template in a request; larger ones go to a bucket.
INLINE_BYTES = 51_200
CAPABILITIES = ["CAPABILITY_IAM", "CAPABILITY_AUTO_EXPAND"]


def client(service: str, endpoint: str) -> Any:
    return boto3.client(
        service, endpoint_url=endpoint, region_name=REGION, aws_access_key_id="test", aws_secret_access_key="test",
        config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 2}),
    )


def require_answer(endpoint: str) -> None:
    try:
        client("cloudformation", endpoint).list_stacks()
    except ConnectionError as error:
        raise Problem(f"Nothing answers at AWS_ENDPOINT_URL={endpoint}: start it, or unset the variable.") from error


def upload_code(endpoint: str, name: str, package: bytes) -> str:
    """Stores a function's zip under its digest and returns its address."""
    s3 = client("s3", endpoint)
    key = f"{name}-{hashlib.sha256(package).hexdigest()[:16]}.zip"
    s3.put_object(Bucket=CODE_BUCKET, Key=key, Body=package)
    return f"s3://{CODE_BUCKET}/{key}"


def place(endpoint: str, stack: str, text: str) -> dict[str, str]:
    """The template as a request passes it: inline, or by address."""
    if len(text) <= INLINE_BYTES:
        return {"TemplateBody": text}
    key = f"{stack}.json"
    client("s3", endpoint).put_object(Bucket=CODE_BUCKET, Key=key, Body=text.encode())
    return {"TemplateURL": f"{endpoint}/{CODE_BUCKET}/{key}"}


def ensure_code_bucket(endpoint: str) -> None:
    client("s3", endpoint).create_bucket(Bucket=CODE_BUCKET)


def deploy(endpoint: str, stack: str, template: Template, parameters: dict[str, str]) -> dict[str, str]:
    """Creates or updates the stack and returns its outputs."""
    cloudformation = client("cloudformation", endpoint)
    request = {
        "StackName": stack,
        **place(endpoint, stack, json.dumps(template)),
        "Capabilities": CAPABILITIES,
        "Parameters": [{"ParameterKey": key, "ParameterValue": value} for key, value in parameters.items()],
    }
    if describe(cloudformation, stack) is None:
        cloudformation.create_stack(**request)
    else:
        try:
            cloudformation.update_stack(**request)
        except ClientError as error:
            if "No updates are to be performed" not in str(error):
                raise
    settled = wait_until(lambda: not status(cloudformation, stack).endswith("_IN_PROGRESS"), DEPLOY_SECONDS)
    final = status(cloudformation, stack)
    if not settled or final not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
        raise Problem(f"The template did not deploy ({final}): {first_failure(cloudformation, stack)}")
    return outputs(cloudformation, stack)


def delete(endpoint: str, stack: str) -> None:
    """Deletes a stack of storage, emptying its bucket first, because CloudFormation only deletes empty ones."""
    cloudformation = client("cloudformation", endpoint)
    if describe(cloudformation, stack) is None:
        return
    if bucket := outputs(cloudformation, stack).get("FilesBucket"):
        empty_bucket(endpoint, bucket)
    cloudformation.delete_stack(StackName=stack)
    wait_until(lambda: status(cloudformation, stack) != "DELETE_IN_PROGRESS", DEPLOY_SECONDS)


def empty_bucket(endpoint: str, bucket: str) -> None:
    s3 = client("s3", endpoint)
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket):
        for item in page.get("Contents", []):
            s3.delete_object(Bucket=bucket, Key=item["Key"])


def status(cloudformation: Any, stack: str) -> str:
    found = describe(cloudformation, stack)
    return found["StackStatus"] if found else "DELETE_COMPLETE"


def outputs(cloudformation: Any, stack: str) -> dict[str, str]:
    found = describe(cloudformation, stack) or {}
    return {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs", [])}


def first_failure(cloudformation: Any, stack: str) -> str:
    """Why the deployment failed: the earliest failed event, since later ones follow from it."""
    events = cloudformation.describe_stack_events(StackName=stack)["StackEvents"]
    failed = [each for each in events if each["ResourceStatus"].endswith("_FAILED")]
    if not failed:
        return "no event says why"
    return f"{failed[-1]['LogicalResourceId']}: {failed[-1].get('ResourceStatusReason', 'no reason given')}"


def variable_name(output: str) -> str:
    """`OfficeQueueUrl` becomes `OFFICE_QUEUE_URL`, the functions' name for it."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", output).upper()
