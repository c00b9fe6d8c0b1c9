"""Return to an earlier deployment: its template, packages and images by digest, and its parameters. Nothing is built."""

from typing import Any

from botocore.exceptions import ClientError
from local.errors import Problem
from local.stacks import describe

from deployment import deploy, records, templates
from deployment.changes import Confirm, Say
from deployment.deploy import Clients, Release
from deployment.places import Places
from deployment.records import Record


def rollback(clients: Clients, places: Places, to: str | None, confirm: Confirm, say: Say, pause: float = 5) -> bool:
    """Deploys the release before the present one, or `to`, a version or a deployment's id. `False` if the answer was no."""
    known = records.read_all(clients.s3, places)
    target = records.before(known, to)
    if target is None:
        raise Problem(f"There is no earlier deployment{f' {to}' if to else ''} of {places.stack}: `make deployments` lists them.")
    if describe(clients.cloudformation, places.stack) is None:
        raise Problem(f"There is no stack {places.stack}. `make deploy` brings it back.")
    template = templates.with_data_of(deploy.load(clients, places, target.template), deploy.load(clients, places, known[-1].template))
    missing = lost(clients, places, template)
    if missing:
        raise Problem(f"{missing[0]} of {target.version} is gone: build that release again, or deploy its archive with `make deploy FROM=…`.")
    say(f"Back to {target.version}, deployed on {target.id}.")
    at_once = {name: value for name, value in deploy.AT_ONCE.items() if name in template["Parameters"]}
    set_again = {name: target.parameters[name] for name in at_once if name in target.parameters}
    release = Release(target.version, template)
    return deploy.carry_out(
        clients, places, release, target.parameters | at_once, confirm, say, pause, repeats=target, set_again=set_again
    )


def lost(clients: Clients, places: Places, template: dict[str, Any]) -> list[str]:
    """Packages and images of the template that are not there any more."""
    gone = []
    for address in sorted(templates.code(template)):
        bucket, _, key = address.removeprefix("s3://").partition("/")
        try:
            clients.s3.head_object(Bucket=bucket, Key=key)
        except ClientError as error:
            if error.response["Error"]["Code"] not in ("404", "NoSuchKey"):
                raise
            gone.append(address)
    ecr = clients.session.client("ecr")
    for address in sorted(templates.images(template)):
        repository, _, digest = address.partition("/")[2].partition("@")
        try:
            ecr.describe_images(repositoryName=repository, imageIds=[{"imageDigest": digest}])
        except (ecr.exceptions.ImageNotFoundException, ecr.exceptions.RepositoryNotFoundException):
            gone.append(address)
    return gone


def table(known: list[Record]) -> str:
    """The deployments, newest first."""
    rows = [f"{each.id}  {each.version}{f'  (as on {each.repeats})' if each.repeats else ''}" for each in reversed(known)]
    return "\n".join(rows) or "No deployments are recorded."
