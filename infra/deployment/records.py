"""A record of each deployment, in the deployments' bucket: its template, its parameters, and what holds data."""

import json
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

from deployment.places import Places


@dataclass(frozen=True)
class Record:
    # The time, which sorts.
    id: str
    version: str
    # The template's key in the bucket.
    template: str
    # The stack's parameters, without those whose values CloudFormation hides.
    parameters: dict[str, str]
    # Logical and physical names of what is kept when the stack is deleted.
    data: dict[str, str]
    # A rollback repeats an earlier deployment.
    repeats: str | None = None
    # Values that only this deployment needed to differ from: the next one sets them again.
    set_again: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The deployment that this is, or repeats."""
        return self.repeats or self.id


def now() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")


def write(s3: Any, places: Places, record: Record) -> None:
    key = places.key(f"deployments/{record.id}.json")
    body = json.dumps(asdict(record), indent=1).encode()
    s3.put_object(Bucket=places.bucket, Key=key, Body=body, ContentType="application/json", ExpectedBucketOwner=places.account)


def read_all(s3: Any, places: Places) -> list[Record]:
    """The stack's deployments, oldest first."""
    pages = s3.get_paginator("list_objects_v2").paginate(
        Bucket=places.bucket, Prefix=places.key("deployments/"), ExpectedBucketOwner=places.account
    )
    keys = sorted(each["Key"] for page in pages for each in page.get("Contents", []))
    return [Record(**json.load(s3.get_object(Bucket=places.bucket, Key=key)["Body"])) for key in keys]


def before(records: list[Record], to: str | None = None) -> Record | None:
    """The deployment to roll back to: the last of the release before, or, if there was no other release, the one before.

    `to`: a version, of which it is the last deployment, or an id.
    """
    if not records:
        return None
    present = next((each for each in records if each.id == records[-1].origin), records[-1])
    own = [each for each in records if each.repeats is None]
    if to:
        return next((each for each in reversed(own) if to in (each.version, each.id)), None)
    earlier = [each for each in own if each.id < present.id]
    of_others = [each for each in earlier if each.version != present.version]
    return (of_others or earlier or [None])[-1]
