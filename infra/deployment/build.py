"""What SAM does of a deployment: the image, the upload of packages and image, and the packaged template."""

import subprocess
from pathlib import Path
from typing import Any

from local.errors import Problem
from local.localize import Template, load
from local.settings import ROOT

from deployment import places, templates
from deployment.deploy import Clients, Release
from deployment.places import Places

PACKAGED = ROOT / "target/packaged.yaml"


def build(clients: Clients, where: Places, architecture: str, version: str) -> Release:
    """Builds the image with Docker, uploads everything, and pins the images by their digests."""
    places.ensure_bucket(clients.s3, where)
    ecr = clients.session.client("ecr")
    repository = places.ensure_repository(ecr, where)
    # Other parameters play no part in the build, and may be secret.
    sam("build", "--template", "template.yaml", "--parameter-overrides", f"ParameterKey=Architecture,ParameterValue={architecture}")
    PACKAGED.parent.mkdir(exist_ok=True)
    sam(
        "package", "--template-file", ".aws-sam/build/template.yaml", "--output-template-file", str(PACKAGED), "--s3-bucket", where.bucket,
        "--s3-prefix", where.key("code"), "--image-repository", repository, "--region", where.region,
    )
    return release(ecr, load(PACKAGED), version)


def sam(*arguments: str) -> None:
    if subprocess.run(["sam", *arguments], cwd=ROOT, check=False).returncode != 0:
        raise Problem(f"`sam {arguments[0]}` failed: see above.")


def release(ecr: Any, packaged: Template, version: str) -> Release:
    return Release(version, templates.pinned(packaged, {each: by_digest(ecr, each) for each in templates.images(packaged)}, version))


def by_digest(ecr: Any, address: str) -> str:
    """`…/docmill/stack:tag` becomes `…/docmill/stack@sha256:…`, as which it may be given already."""
    if "@" in address:
        return address
    registry, _, rest = address.partition("/")
    repository, _, tag = rest.partition(":")
    (found,) = ecr.describe_images(repositoryName=repository, imageIds=[{"imageTag": tag}])["imageDetails"]
    return f"{registry}/{repository}@{found['imageDigest']}"


def version(root: Path = ROOT) -> str:
    """The version in a release's archive, or that of the workspace with the commit, unless the commit is tagged as that version."""
    written = root / "VERSION"
    if written.is_file():
        return written.read_text().strip()
    number = next(line.split('"')[1] for line in (root / "Cargo.toml").read_text().splitlines() if line.startswith("version = "))
    said = subprocess.run(["git", "describe", "--tags", "--always", "--dirty", "--long"], cwd=root, capture_output=True, text=True, check=False)
    described = said.stdout.strip()
    if described.startswith(f"v{number}-0-g") and not described.endswith("-dirty"):
        return number
    return f"{number}+{described.rsplit('-g', 1)[-1]}" if described else number
