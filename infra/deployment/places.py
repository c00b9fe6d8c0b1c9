"""Where deployments keep what they need in the account: a bucket for code, templates and records, and a repository for the image."""

import json
from dataclasses import dataclass
from typing import Any

import boto3
from botocore.exceptions import ClientError

# Images of earlier deployments, to which a rollback can return.
KEPT_IMAGES = 20
LIFECYCLE = {
    "rules": [
        {
            "rulePriority": 1,
            "description": "Images of the last deployments, for rollbacks",
            "selection": {"tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": KEPT_IMAGES},
            "action": {"type": "expire"},
        }
    ]
}


@dataclass(frozen=True)
class Places:
    account: str
    region: str
    stack: str

    @property
    def bucket(self) -> str:
        return f"docmill-deployments-{self.account}-{self.region}"

    @property
    def repository(self) -> str:
        """The repository's name. Those of ECR are in lower case."""
        return f"docmill/{self.stack.lower()}"

    def key(self, name: str) -> str:
        return f"stacks/{self.stack}/{name}"

    def url(self, key: str) -> str:
        """The address that CloudFormation takes."""
        suffix = "amazonaws.com.cn" if self.region.startswith("cn-") else "amazonaws.com"
        return f"https://{self.bucket}.s3.{self.region}.{suffix}/{key}"


def find(session: boto3.Session, stack: str) -> Places:
    return Places(session.client("sts").get_caller_identity()["Account"], session.region_name, stack)


def ensure_bucket(s3: Any, places: Places) -> None:
    """Creates the bucket if it is missing. Fails if somebody else has it: its name can be guessed."""
    try:
        s3.head_bucket(Bucket=places.bucket, ExpectedBucketOwner=places.account)
        return
    except ClientError as error:
        if error.response["Error"]["Code"] not in ("404", "NoSuchBucket"):
            raise
    elsewhere = {} if places.region == "us-east-1" else {"CreateBucketConfiguration": {"LocationConstraint": places.region}}
    s3.create_bucket(Bucket=places.bucket, **elsewhere)
    everything = dict.fromkeys(("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets"), True)
    s3.put_public_access_block(Bucket=places.bucket, PublicAccessBlockConfiguration=everything)


def ensure_repository(ecr: Any, places: Places) -> str:
    """Creates the repository if it is missing, and returns its URI."""
    try:
        found = ecr.describe_repositories(repositoryNames=[places.repository])["repositories"][0]
    except ecr.exceptions.RepositoryNotFoundException:
        found = ecr.create_repository(repositoryName=places.repository)["repository"]
    ecr.put_lifecycle_policy(repositoryName=places.repository, lifecyclePolicyText=json.dumps(LIFECYCLE))
    return found["repositoryUri"]
