"""The bill of materials, as CycloneDX: crates, Debian packages, fonts, and the Python packages that deploy."""

import json
import re
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import tomllib
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from licences import crates, table
from licences.image import Source
from local.errors import Problem
from packageurl import PackageURL

# Names the project in ids, so that the same release has the same id.
NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "docmill")
REQUIREMENTS = ("check",)


def of_release(root: Path, version: str, epoch: int, metadata: dict[str, Any], sources: list[Source], versions: dict[str, str]) -> bytes:
    """The file. `metadata` is cargo's; `versions` are those of Debian packages, as far as they are known."""
    bom = Bom(serial_number=uuid.uuid5(NAMESPACE, version + (root / "Cargo.lock").read_text()))
    bom.metadata.timestamp = datetime.fromtimestamp(epoch, UTC)
    bom.metadata.component = Component(
        name="docmill", version=version, type=ComponentType.APPLICATION, bom_ref="docmill", licenses=[licence("Apache-2.0")]
    )
    parts = [
        *of_crates(metadata, checksums(root)), base_image((root / "infra/worker/Dockerfile").read_text()),
        *of_debian(sources, versions), *of_fonts(), *of_python(root),
    ]
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(bom.metadata.component, parts)
    text = JsonV1Dot6(bom).output_as_string(indent=1)
    if fault := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise Problem(f"The SBOM is not valid: {fault}")
    return text.encode() + b"\n"


def licence(text: str) -> Any:
    return LicenseFactory().make_from_string(text)


def checksums(root: Path) -> dict[tuple[str, str], str]:
    packages = tomllib.loads((root / "Cargo.lock").read_text())["package"]
    return {(each["name"], each["version"]): each["checksum"] for each in packages if "checksum" in each}


def of_crates(metadata: dict[str, Any], sums: dict[tuple[str, str], str]) -> Iterator[Component]:
    for each in crates.packages(metadata):
        name, version = each["name"], each["version"]
        digest = sums.get((name, version))
        yield part(
            PackageURL("cargo", name=name, version=version), name, version, "functions", [crates.licence(each)],
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else [],
        )


def base_image(dockerfile: str) -> Component:
    name, tag, digest = re.findall(r"^FROM ([\w/]+):([\w.-]+)@(sha256:\w+)$", dockerfile, re.M)[0]
    purl = PackageURL("docker", name=name, version=digest, qualifiers={"tag": tag})
    return part(purl, name, tag, "image", [], kind=ComponentType.CONTAINER)


def of_debian(sources: list[Source], versions: dict[str, str]) -> Iterator[Component]:
    for source in sources:
        for name in source.packages:
            version = versions.get(name)
            purl = PackageURL("deb", "debian", name, version, qualifiers={"distro": "trixie", "upstream": source.name})
            yield part(purl, name, version, "image", list(source.licences))


def of_fonts() -> Iterator[Component]:
    for name, text in table.FONTS.items():
        yield part(None, name, None, "image", [text], kind=ComponentType.FILE)


def of_python(root: Path) -> Iterator[Component]:
    """What `make deploy` runs; nothing of it is deployed."""
    for name in REQUIREMENTS:
        text = (root / f"infra/requirements-{name}.txt").read_text()
        for package, version in re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", text, re.M):
            yield part(PackageURL("pypi", name=package.lower(), version=version), package, version, "deployment", [], scope=ComponentScope.EXCLUDED)


def part(
    purl: PackageURL | None, name: str, version: str | None, where: str, licences: list[str], kind: ComponentType = ComponentType.LIBRARY,
    **more: Any,
) -> Component:
    """A component. Several licences are the names in a Debian copyright file, which are no SPDX expression: they become properties."""
    named = [licence(licences[0])] if len(licences) == 1 else []
    properties = [Property(name="docmill:part", value=where)]
    properties += [Property(name="docmill:licence", value=each) for each in licences] if len(licences) > 1 else []
    return Component(
        name=name, version=version, type=kind, purl=purl, bom_ref=str(purl) if purl else f"font:{name}", licenses=named, properties=properties, **more
    )


def installed(status: Path) -> dict[str, str]:
    """Versions of the packages in an image, from its `var/lib/dpkg/status`."""
    paragraphs = [dict(re.findall(r"^(Package|Version): (\S+)$", each, re.M)) for each in status.read_text().split("\n\n")]
    return {each["Package"]: each["Version"] for each in paragraphs if "Package" in each and "Version" in each}


def recorded(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text())
