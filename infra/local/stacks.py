"""CloudFormation's stacks as they are now."""

from typing import Any

from botocore.exceptions import ClientError


def describe(cloudformation: Any, stack: str) -> dict[str, Any] | None:
    """The stack, or `None` if there is none or only one whose change set was never carried out."""
    try:
        found = cloudformation.describe_stacks(StackName=stack)["Stacks"][0]
    except ClientError as error:
        if "does not exist" in str(error):
            return None
        raise
    return None if found["StackStatus"] in ("REVIEW_IN_PROGRESS", "DELETE_COMPLETE") else found
