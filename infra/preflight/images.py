"""Gives the repositories of the workers' images a lifecycle, since SAM makes them without one: `python -m preflight.images [STACK]`.

Each deployment stores an image of a gigabyte in each of them. Those of the last deployments stay, for rollbacks.
"""

import json
import sys
from typing import Any

import boto3
from botocore.exceptions import BotoCoreError, ClientError

KEPT = 10
LIFECYCLE = {
    "rules": [
        {
            "rulePriority": 1,
            "description": f"The images of the last {KEPT} deployments",
            "selection": {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": KEPT},
            "action": {"type": "expire"},
        }
    ]
}


def repositories(cloudformation: Any, functions: Any, stack: str) -> list[str]:
    """The repositories that the stack's functions take their images from."""
    pages = cloudformation.get_paginator("list_stack_resources").paginate(StackName=stack)
    made = [each for page in pages for each in page["StackResourceSummaries"] if each["ResourceType"] == "AWS::Lambda::Function"]
    found = set()
    for each in made:
        image = functions.get_function(FunctionName=each["PhysicalResourceId"])["Code"].get("ImageUri")
        if image:
            found.add(repository(image))
    return sorted(found)


def repository(image: str) -> str:
    """`registry/some/name:tag` and `registry/some/name@sha256:…` are images of `some/name`."""
    return image.partition("/")[2].partition("@")[0].partition(":")[0]


def main(arguments: list[str]) -> int:
    stack = arguments[0] if arguments else "docmill"
    session = boto3.Session()
    ecr = session.client("ecr")
    try:
        for name in repositories(session.client("cloudformation"), session.client("lambda"), stack):
            ecr.put_lifecycle_policy(repositoryName=name, lifecyclePolicyText=json.dumps(LIFECYCLE))
            print(f"{name} keeps {KEPT} images.")
    except (ClientError, BotoCoreError) as error:
        # The deployment itself has succeeded.
        print(f"Note: old images are kept, and cost USD 0.10 a GB and month: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
